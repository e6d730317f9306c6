import { getLocationPath, type ReceivedResponse } from '../../check/exchange.ts';
import { QUANTITY_LIMIT } from '../domain/cart.ts';
import type { OperationId, Order, Problem } from '../types.ts';
import { CLOCK_TOLERANCE_MS, checkList, readClock, requestList } from './lists.ts';
import { createModelOrder, findItem, withAdded, withChanged, withoutItem, withProducts } from './model.ts';
import type { ShopTester } from './shop-tester.ts';
import type { InvalidRequest } from './special-requests.ts';

/** An id that no product and no order has. */
export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

/** The rule that a changed cart violates after a rejected request. */
export const UNCHANGED = 'a rejected request changes nothing';

const CART = '/api/cart-items';
const ORDERS = '/api/orders';

/** Adds a product to the cart, and checks the response and the cart. */
export async function addItem(tester: ShopTester, productId: string, quantity: number): Promise<void> {
  await checkCart(tester, 'addCartItem', await addItemUnchecked(tester, productId, quantity));
}

/** Adds a product to the cart, and checks only the response. Returns the rule with which the caller can check the cart. */
export async function addItemUnchecked(tester: ShopTester, productId: string, quantity: number): Promise<string> {
  const currentQuantity = findItem(tester.model, productId)?.quantity ?? 0;
  const response = await tester.sendJson('addCartItem', CART, { productId, quantity });
  if (currentQuantity + quantity > QUANTITY_LIMIT) {
    tester.expectStatus('addCartItem', response, 409, 'the quantity exceeds the limit');
    return UNCHANGED;
  }
  tester.expectStatus('addCartItem', response, 201, 'a product is added');
  tester.model = withAdded(tester.model, productId, quantity);
  const rule =
    currentQuantity > 0
      ? 'the quantity is added to that of the item'
      : 'a new item has the quantity and the first delivery option';
  tester.expectEqual('addCartItem', rule, { expected: findItem(tester.model, productId), actual: response.body });
  return 'added products are in the cart';
}

/** Adds a product that does not exist, and checks that the shop rejects the request. */
export async function addUnknownProduct(tester: ShopTester): Promise<void> {
  const response = await tester.sendJson('addCartItem', CART, { productId: UNKNOWN_ID, quantity: 1 });
  tester.expectStatus('addCartItem', response, 404, 'the product does not exist');
  await checkCart(tester, 'addCartItem', UNCHANGED);
}

/** The body of a request that updates a cart item. The contract also allows a number as the id of a delivery option. */
export interface ItemUpdate {
  readonly quantity?: number | undefined;
  readonly deliveryOptionId?: string | number | undefined;
}

/** Updates a cart item, and checks the response and the cart. Expects 404 if the item or the delivery option does not exist. */
export async function updateItem(tester: ShopTester, productId: string, update: ItemUpdate): Promise<void> {
  const item = findItem(tester.model, productId);
  const { deliveryOptionId } = update;
  const optionId = deliveryOptionId === undefined ? undefined : String(deliveryOptionId);
  const isKnownOption = optionId === undefined || tester.model.deliveryOptions.some(({ id }) => id === optionId);
  const response = await tester.sendJson('updateCartItem', `${CART}/${productId}`, update);
  if (!item || !isKnownOption) {
    const why = item ? 'the delivery option does not exist' : 'the product is not in the cart';
    tester.expectStatus('updateCartItem', response, 404, why);
    expectProblemType(tester, 'updateCartItem', response, [
      ...(item ? [] : ['/problems/unknown-cart-item']),
      ...(isKnownOption ? [] : ['/problems/unknown-delivery-option']),
    ]);
    return checkCart(tester, 'updateCartItem', UNCHANGED);
  }
  tester.expectStatus('updateCartItem', response, 200, 'an item is changed');
  const { quantity = item.quantity } = update;
  const expected = { ...item, quantity, deliveryOptionId: optionId ?? item.deliveryOptionId };
  tester.model = withChanged(tester.model, expected);
  const rule = 'only the given properties are changed';
  tester.expectEqual('updateCartItem', rule, { expected, actual: response.body });
  await checkCart(tester, 'updateCartItem', rule);
}

/** Removes a cart item, and checks the cart. Expects 404 if the product is not in the cart. */
export async function removeItem(tester: ShopTester, productId: string): Promise<void> {
  const isInCart = findItem(tester.model, productId) !== undefined;
  const response = await tester.sendJson('removeCartItem', `${CART}/${productId}`);
  if (isInCart) tester.expectStatus('removeCartItem', response, 204, 'an item is removed');
  else tester.expectStatus('removeCartItem', response, 404, 'the product is not in the cart');
  tester.model = withoutItem(tester.model, productId);
  await checkCart(tester, 'removeCartItem', isInCart ? 'a removal removes exactly one item' : UNCHANGED);
}

/** Orders the cart, and checks the order, the cart and the list of orders. Expects 409 if the cart is empty. */
export async function createOrder(tester: ShopTester): Promise<void> {
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
    const detail = `The order has ${orderTimeMs}, but the clock of the shop was between ${beforeMs} and ${afterMs}.`;
    tester.failRule('createOrder', 'orderTimeMs is the time of the order', detail);
  }
  await checkCart(tester, 'createOrder', 'an order empties the cart');
  const rule = 'a new order is the first in the list';
  await checkList(tester, { list: 'listOrders', operationId: 'createOrder', rule });
  await followLocation(tester, response, order);
}

/** Orders a cart that is not empty, and checks only the response. */
export async function createOrderUnchecked(tester: ShopTester) {
  const response = await tester.sendJson('createOrder', ORDERS);
  tester.expectStatus('createOrder', response, 201, 'the cart is ordered');
  const order = response.body as Order;
  if (tester.model.orders.some(({ id }) => id === order.id))
    tester.fail('createOrder', 'order ids are unique', `An earlier order also has the id ${order.id}`);
  const rule = 'an order has the items and the total of the cart, and its estimates';
  const expected = createModelOrder(tester.model, order.id, order.orderTimeMs);
  tester.expectEqual('createOrder', rule, { expected, actual: order });
  tester.model = { ...tester.model, cart: [], orders: [order, ...tester.model.orders] };
  return { response, order };
}

/** Requests the `Location` of a new order, and checks that the response is the order. */
async function followLocation(tester: ShopTester, { headers }: ReceivedResponse, order: Order): Promise<void> {
  const rule = 'Location leads to the order';
  const { location } = headers;
  if (location === undefined) return;
  const pathname = getLocationPath(location) ?? '';
  const path = pathname.slice(Math.max(0, pathname.indexOf(ORDERS)));
  if (!path.startsWith(`${ORDERS}/`)) return tester.failRule('createOrder', rule, `The header is ${location}.`);
  const { status, body } = await tester.sendJson('getOrder', path);
  if (status !== 200) tester.failRule('createOrder', rule, `GET ${path} has status ${status}.`);
  tester.expectEqual('createOrder', rule, { expected: order, actual: body }, `In the response to GET ${path}`);
}

/** Reads an order by its id, and checks the response. Expects 404 if the order does not exist. */
export async function readOrder(tester: ShopTester, orderId: string, isExpanded: boolean): Promise<void> {
  const order = tester.model.orders.find(({ id }) => id === orderId);
  const response = await tester.sendJson('getOrder', `${ORDERS}/${orderId}${isExpanded ? '?expand=products' : ''}`);
  if (!order) return tester.expectStatus('getOrder', response, 404, 'the order does not exist');
  tester.expectStatus('getOrder', response, 200, 'the order exists');
  const expected = isExpanded ? { ...order, products: withProducts(tester.model, order.products) } : order;
  tester.expectEqual('getOrder', 'an order does not change', { expected, actual: response.body });
}

/** Sends an invalid request, and checks that the shop rejects it with the expected status and changes nothing. */
export async function sendInvalidRequest(tester: ShopTester, request: InvalidRequest): Promise<void> {
  const { pointers = [], ...requestCase } = request;
  const { id } = requestCase;
  const { body } = await tester.sendCase(requestCase);
  const { violations = [] } = (body ?? {}) as Partial<Problem>;
  const isReported = (pointer: string) => violations.some((one) => one.in === 'body' && one.pointer === pointer);
  const unreported = pointers.find((pointer) => !isReported(pointer));
  if (unreported !== undefined)
    tester.fail(id, 'all violations are reported', `The violation at ${unreported} is not reported`);
  await checkCart(tester, id, UNCHANGED);
}

/** Resets the shop, and checks that its state is `defaultModel`. */
export async function reset(tester: ShopTester, defaultModel: ShopTester['model']): Promise<void> {
  await resetUnchecked(tester);
  tester.model = defaultModel;
  await checkCart(tester, 'resetData', 'a reset restores the cart');
  await checkList(tester, { list: 'listOrders', operationId: 'resetData', rule: 'a reset restores the orders' });
}

/** Resets the shop, and checks only the status. */
export async function resetUnchecked(tester: ShopTester): Promise<void> {
  await tester.sendCase({ id: 'resetData', target: '/api/reset', status: 204, why: 'the data is reset' });
}

/** Compares the cart and its payment summary with the model. A difference in the cart is a finding about `operationId`, and violates `rule`. */
export async function checkCart(tester: ShopTester, operationId: OperationId, rule: string): Promise<void> {
  await checkList(tester, { list: 'listCartItems', operationId, rule });
  const summaryCheck = { list: 'getPaymentSummary', rule: 'the summary is the sum of the cart' } as const;
  await tester.ignoreKnown(() => checkList(tester, summaryCheck));
}

/** Returns the current time of the shop, in ms since 1970; undefined if it is unknown. */
function readTimeMs(tester: ShopTester): Promise<number | undefined> {
  return tester.ignoreKnown(async () =>
    readClock(tester, (await requestList(tester, 'listDeliveryOptions', true)).body),
  );
}

function expectProblemType(tester: ShopTester, id: OperationId, { body }: ReceivedResponse, types: readonly string[]) {
  const type = String((body as { type?: unknown } | undefined)?.type);
  if (types.some((one) => type.endsWith(one))) return;
  const message = `The problem type is ${type} instead of ${types.join(' or ')}`;
  tester.fail(id, 'the problem type names the missing resource', message);
}
