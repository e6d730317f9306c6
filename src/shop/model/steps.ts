import { getLocationPath, type ReceivedResponse } from '../../check/exchange.ts';
import { QUANTITY_LIMIT } from '../domain/cart.ts';
import type { CartItem, OperationId, Order, Problem } from '../types.ts';
import {
  CLOCK_TOLERANCE_MS,
  checkList,
  checkUnknownExpand,
  checkUnknownExpands,
  type List,
  readTimeMs,
} from './lists.ts';
import {
  createModelOrder,
  findItem,
  withAdded,
  withChanged,
  withoutItem,
  withoutUnknownIds,
  withProducts,
} from './model.ts';
import type { RequestCase, ShopTester } from './shop-tester.ts';
import { createInvalidRequests, createUnusualRequests } from './special-requests.ts';

/**
 * A test step.
 * Sends requests to a shop, and compares the responses with `tester.model` (the expected state of the shop).
 * Throws `ModelMismatchError` if they differ.
 * Functions such as `addItem` create steps.
 * Their parameters `product`, `option` and `order` are indexes, modulo the length of the list.
 */
export type Step = (tester: ShopTester) => Promise<void>;

/** An id that no product and no order has. */
export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

/** The name of the rule that a rejected request must not change the cart and the orders. */
export const UNCHANGED = 'a rejected request changes nothing';

const CART = '/api/cart-items';
const ORDERS = '/api/orders';

/** Creates a test step that adds a product to the cart, and checks the response and the cart. */
export function addItem(product: number, quantity: number): Step {
  return async (tester) => {
    const rule = await addItemUnchecked(tester, getProductId(tester, product), quantity);
    await checkCart(tester, 'addCartItem', rule);
  };
}

/**
 * Adds a product to the cart, and checks only the response.
 * Returns the rule that `checkCart` must report if the cart is wrong afterwards.
 */
export async function addItemUnchecked(tester: ShopTester, productId: string, quantity: number): Promise<string> {
  const currentQuantity = findItem(tester.model, productId)?.quantity ?? 0;
  const response = await tester.sendJson('addCartItem', CART, { productId, quantity });
  if (currentQuantity + quantity > QUANTITY_LIMIT) {
    tester.expectStatus('addCartItem', response, 409, 'the quantity exceeds the limit');
    return UNCHANGED;
  }
  tester.expectStatus('addCartItem', response, 201, 'a product is added');
  const { id } = (response.body ?? {}) as Partial<CartItem>;
  if (currentQuantity === 0) checkNewId(tester, id);
  tester.model = withAdded(tester.model, { productId, quantity, id });
  const rule =
    currentQuantity > 0
      ? 'the quantity is added to the quantity of the item'
      : 'a new item has the default delivery option and the quantity from the request';
  tester.expectEqual('addCartItem', rule, { expected: findItem(tester.model, productId), actual: response.body });
  return 'added products are in the cart';
}

/**
 * Checks the id of a new cart item: no item has or had it since the last reset.
 * Throws `ModelMismatchError` if one has it.
 */
function checkNewId(tester: ShopTester, id: number | undefined): void {
  if (id === undefined) return;
  const isUsed = [...tester.defaultModel.cart, ...tester.model.cart].some((item) => item.id === id);
  if (isUsed || tester.usedItemIds.has(id))
    tester.fail('addCartItem', 'the id of a cart item is not used again', `Another cart item has or had the id ${id}`);
  tester.usedItemIds.add(id);
}

/** Tries to add a product that does not exist, and expects status 404. */
export const addUnknownProduct: Step = async (tester) => {
  const response = await tester.sendJson('addCartItem', CART, { productId: UNKNOWN_ID, quantity: 1 });
  tester.expectStatus('addCartItem', response, 404, 'the product does not exist');
  await checkCart(tester, 'addCartItem', UNCHANGED);
};

/** A change of a cart item. `product`: the index of the product. */
interface ItemUpdate {
  readonly product: number;
  readonly quantity?: number;
  /** The index of a delivery option. `unknown` sends an id that no delivery option has. */
  readonly option?: number | 'unknown';
  /**
   * Whether to send the id of the delivery option as a number, which the contract also allows.
   * An id that is not a decimal number is always sent as a string.
   */
  readonly isNumber?: boolean;
}

/**
 * Creates a test step that updates a cart item, and checks the response and the cart.
 * Expects status 404 if the item or the delivery option does not exist.
 */
export function updateItem({ product, quantity, option, isNumber = false }: ItemUpdate): Step {
  return async (tester) => {
    const productId = getProductId(tester, product);
    const item = findItem(tester.model, productId);
    const optionId = getOptionId(tester, option);
    const isSentAsNumber = isNumber && /^[1-9]\d{0,14}$/.test(optionId ?? '');
    const body = { quantity, deliveryOptionId: isSentAsNumber ? Number(optionId) : optionId };
    const response = await tester.sendJson('updateCartItem', `${CART}/${productId}`, body);
    if (!item || option === 'unknown') {
      const why = item ? 'the delivery option does not exist' : 'the product is not in the cart';
      tester.expectStatus('updateCartItem', response, 404, why);
      tester.expectProblemType('updateCartItem', response, [
        ...(item ? [] : ['/problems/unknown-cart-item']),
        ...(option === 'unknown' ? ['/problems/unknown-delivery-option'] : []),
      ]);
      return checkCart(tester, 'updateCartItem', UNCHANGED);
    }
    tester.expectStatus('updateCartItem', response, 200, 'an item is changed');
    const deliveryOptionId = optionId ?? item.deliveryOptionId;
    const expected = { ...item, quantity: quantity ?? item.quantity, deliveryOptionId };
    tester.model = withChanged(tester.model, expected);
    const rule = 'only the properties in the request are changed';
    const [actual] = withoutUnknownIds([expected], [response.body]) as readonly unknown[];
    tester.expectEqual('updateCartItem', rule, { expected, actual });
    await checkCart(tester, 'updateCartItem', rule);
  };
}

/**
 * Creates a test step that removes a cart item, and checks the response and the cart.
 * Expects status 404 if the product is not in the cart.
 */
export function removeItem(product: number): Step {
  return async (tester) => {
    const productId = getProductId(tester, product);
    const isInCart = findItem(tester.model, productId) !== undefined;
    const response = await tester.sendJson('removeCartItem', `${CART}/${productId}`);
    if (isInCart) tester.expectStatus('removeCartItem', response, 204, 'an item is removed');
    else tester.expectStatus('removeCartItem', response, 404, 'the product is not in the cart');
    tester.model = withoutItem(tester.model, productId);
    await checkCart(tester, 'removeCartItem', isInCart ? 'a removal removes exactly one item' : UNCHANGED);
  };
}

/** Orders the cart, and checks the order, the cart and the list of orders. Expects status 409 if the cart is empty. */
export const createOrder: Step = async (tester) => {
  if (tester.model.cart.length === 0) {
    await tester.sendCase({ id: 'createOrder', target: ORDERS, status: 409, why: 'the cart is empty' });
    return checkList(tester, { list: 'listOrders', operationId: 'createOrder', rule: UNCHANGED });
  }
  const beforeMs = await readTimeMs(tester);
  const { response, order } = await createOrderUnchecked(tester);
  const afterMs = await readTimeMs(tester);
  const isTimeKnown = beforeMs !== undefined && afterMs !== undefined;
  const { orderTimeMs } = order;
  if (isTimeKnown && (orderTimeMs < beforeMs - CLOCK_TOLERANCE_MS || orderTimeMs > afterMs + CLOCK_TOLERANCE_MS)) {
    const detail = `orderTimeMs is ${orderTimeMs}, but the clock of the shop was between ${beforeMs} and ${afterMs}.`;
    tester.failRule('createOrder', 'orderTimeMs is the time of the order', detail);
  }
  await checkCart(tester, 'createOrder', 'an order empties the cart');
  const rule = 'a new order is the first in the list';
  await checkList(tester, { list: 'listOrders', operationId: 'createOrder', rule });
  await followLocation(tester, response, order);
};

/** Orders a cart that is not empty, and checks only the response. */
export async function createOrderUnchecked(tester: ShopTester) {
  const response = await tester.sendJson('createOrder', ORDERS);
  tester.expectStatus('createOrder', response, 201, 'the cart is ordered');
  const order = response.body as Order;
  if (tester.model.orders.some(({ id }) => id === order.id))
    tester.fail('createOrder', 'order ids are unique', `An earlier order also has the id ${order.id}`);
  const rule = 'an order has the items, the total cost and the delivery times of the cart';
  const expected = createModelOrder(tester.model, order.id, order.orderTimeMs);
  tester.expectEqual('createOrder', rule, { expected, actual: order });
  tester.model = { ...tester.model, cart: [], orders: [order, ...tester.model.orders] };
  return { response, order };
}

/** Requests the URL in the `Location` header of a new order. Checks that the response contains this order. */
async function followLocation(tester: ShopTester, { headers }: ReceivedResponse, order: Order): Promise<void> {
  const rule = 'Location leads to the order';
  const { location } = headers;
  if (location === undefined) return;
  const pathname = getLocationPath(location) ?? '';
  const path = pathname.slice(Math.max(0, pathname.indexOf(ORDERS)));
  if (!path.startsWith(`${ORDERS}/`))
    return tester.failRule('createOrder', rule, `The Location header is ${location}.`);
  const { status, body } = await tester.sendJson('getOrder', path);
  if (status !== 200) tester.failRule('createOrder', rule, `GET ${path} has status ${status}.`);
  tester.expectEqual('createOrder', rule, { expected: order, actual: body }, `In the response to GET ${path}`);
}

/**
 * Creates a test step that reads an order and checks the response.
 * Expects status 404 if there are no orders.
 * `order`: the index of the order.
 */
export function readOrder(order: number, isExpanded: boolean): Step {
  return (tester) => checkOrder(tester, tester.model.orders[order % tester.model.orders.length], isExpanded);
}

/** Requests an order that does not exist, and expects status 404. */
export const readUnknownOrder: Step = (tester) => checkOrder(tester, undefined, false);

async function checkOrder(tester: ShopTester, order: Order | undefined, isExpanded: boolean): Promise<void> {
  const target = `${ORDERS}/${order?.id ?? UNKNOWN_ID}${isExpanded ? '?expand=products' : ''}`;
  const response = await tester.sendJson('getOrder', target);
  if (!order) return tester.expectStatus('getOrder', response, 404, 'the order does not exist');
  tester.expectStatus('getOrder', response, 200, 'the order exists');
  const expected = isExpanded ? { ...order, products: withProducts(tester.model, order.products) } : order;
  tester.expectEqual('getOrder', 'an order does not change', { expected, actual: response.body });
}

/** Creates a test step that reads a list with unknown values of `expand`. */
export function readListWithUnknownExpand(list: List): Step {
  return (tester) => checkUnknownExpands(tester, list);
}

/** Reads an order with an unknown value of `expand`. */
export const readOrderWithUnknownExpand: Step = async (tester) => {
  const [order] = tester.model.orders;
  if (order)
    await checkUnknownExpand(tester, { id: 'getOrder', path: `${ORDERS}/${order.id}`, expected: order }, 'product');
};

/** Creates a test step that reads a list or the payment summary, and checks the response. */
export function readList(list: List, isExpanded: boolean): Step {
  return (tester) => checkList(tester, { list, isExpanded, rule: 'a response contains the current data' });
}

/**
 * Creates a test step that sends an invalid request.
 * Checks the status, and that nothing changes.
 * `index`: the index of the request in `createInvalidRequests`.
 */
export function sendInvalidRequest(index: number): Step {
  return async (tester) => {
    const itemId = tester.model.cart[0]?.productId;
    const requests = createInvalidRequests(itemId ?? getProductId(tester, 0));
    const request = requests[index % requests.length] as RequestCase;
    const { id, pointers = [] } = request;
    // If the cart is empty, a server may respond 404 for the missing item instead of 400 for the invalid update.
    if (itemId === undefined && id === 'updateCartItem') return;
    const { body } = await tester.sendCase(request);
    const { violations = [] } = (body ?? {}) as Partial<Problem>;
    const isReported = (pointer: string) => violations.some((one) => one.in === 'body' && one.pointer === pointer);
    const unreported = pointers.find((pointer) => !isReported(pointer));
    if (unreported !== undefined)
      tester.fail(id, 'all violations are reported', `The response does not report the violation at ${unreported}`);
    await checkCart(tester, id, UNCHANGED);
  };
}

/**
 * Creates a test step that sends a valid request that servers often reject by mistake.
 * Checks only the status.
 * The step must be the last of a sequence, because it does not update the expected state.
 * `index`: the index of the request in `createUnusualRequests`.
 */
export function sendUnusualRequest(index: number): Step {
  return async (tester) => {
    const requests = createUnusualRequests(getProductId(tester, 0), getProductId(tester, 2), tester.isStrict);
    await tester.sendCase(requests[index] as RequestCase);
  };
}

/** Resets the shop, and checks that it has its default data again. */
export const reset: Step = async (tester) => {
  await resetUnchecked(tester);
  tester.model = tester.defaultModel;
  tester.usedItemIds.clear();
  await checkCart(tester, 'resetData', 'a reset restores the cart');
  await checkList(tester, { list: 'listOrders', operationId: 'resetData', rule: 'a reset restores the orders' });
};

/** Resets the shop, and checks only the status. */
export async function resetUnchecked(tester: ShopTester): Promise<void> {
  await tester.sendCase({ id: 'resetData', target: '/api/reset', status: 204, why: 'the data is reset' });
}

/**
 * Compares the cart and the payment summary of a shop with the expected state.
 * Throws `ModelMismatchError` if they differ.
 * `operationId` and `rule`: the operation and the rule that the error names if the cart differs.
 */
export async function checkCart(tester: ShopTester, operationId: OperationId, rule: string): Promise<void> {
  await checkList(tester, { list: 'listCartItems', operationId, rule });
  const summaryCheck = { list: 'getPaymentSummary', rule: 'the summary is the sum of the cart' } as const;
  await tester.ignoreKnown(() => checkList(tester, summaryCheck));
}

/**
 * Returns the id of the product at the index `product`, modulo the number of products.
 * Returns `UNKNOWN_ID` if there are no products.
 */
export function getProductId({ model: { products } }: ShopTester, product: number): string {
  return products[product % products.length]?.id ?? UNKNOWN_ID;
}

function getOptionId({ model: { deliveryOptions } }: ShopTester, option: ItemUpdate['option']): string | undefined {
  if (option === 'unknown') return 'none-such';
  return option === undefined ? undefined : deliveryOptions[option % deliveryOptions.length]?.id;
}
