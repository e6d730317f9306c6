import { getLocationPath, type ReceivedResponse } from '../../check/exchange.ts';
import type { OperationId, Order, Problem } from '../types.ts';
import { checkList, readClock, requestList, SLACK_MS } from './lists.ts';
import {
  createModelOrder,
  findItem,
  MAX_QUANTITY,
  withAdded,
  withChanged,
  withoutItem,
  withProducts,
} from './model.ts';
import type { ShopTester } from './shop-tester.ts';
import type { InvalidRequest } from './special-requests.ts';

/** An unknown id. */
export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

export const UNCHANGED = 'a rejected request changes nothing';

const CART = '/api/cart-items';
const ORDERS = '/api/orders';

/** Adds a product to the cart, and checks the cart. Above the maximum quantity the request must be rejected. */
export async function add(tester: ShopTester, productId: string, quantity: number): Promise<void> {
  await checkCart(tester, 'addCartItem', await addAlone(tester, productId, quantity));
}

/** The same without a check of the cart. Returns the rule for that check. */
export async function addAlone(tester: ShopTester, productId: string, quantity: number): Promise<string> {
  const currentQuantity = findItem(tester.model, productId)?.quantity ?? 0;
  const response = await tester.sendJson('addCartItem', CART, { productId, quantity });
  if (currentQuantity + quantity > MAX_QUANTITY) {
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

/** Fills an item up to the maximum quantity, and adds one more. */
export async function exceedMaxQuantity(tester: ShopTester, productId: string): Promise<void> {
  if (!findItem(tester.model, productId)) await add(tester, productId, 1);
  await change(tester, productId, { quantity: MAX_QUANTITY });
  await add(tester, productId, 1);
}

/** A change of an item; a delivery option can be a number. */
export interface Change {
  readonly quantity?: number | undefined;
  readonly deliveryOptionId?: string | number | undefined;
}

/** Changes an item; the request must be rejected if the item or the delivery option does not exist. */
export async function change(tester: ShopTester, productId: string, change: Change): Promise<void> {
  const item = findItem(tester.model, productId);
  const { quantity, deliveryOptionId } = change;
  const option = deliveryOptionId === undefined ? undefined : String(deliveryOptionId);
  const isKnown = option === undefined || tester.model.deliveryOptions.some(({ id }) => id === option);
  const response = await tester.sendJson('updateCartItem', `${CART}/${productId}`, change);
  if (!item || !isKnown) {
    const why = item ? 'the delivery option does not exist' : 'the product is not in the cart';
    tester.expectStatus('updateCartItem', response, 404, why);
    expectType(tester, 'updateCartItem', response, [
      ...(item ? [] : ['/problems/unknown-cart-item']),
      ...(isKnown ? [] : ['/problems/unknown-delivery-option']),
    ]);
    return checkCart(tester, 'updateCartItem', UNCHANGED);
  }
  tester.expectStatus('updateCartItem', response, 200, 'an item is changed');
  const changed = { ...item, quantity: quantity ?? item.quantity, deliveryOptionId: option ?? item.deliveryOptionId };
  tester.model = withChanged(tester.model, changed);
  const rule = 'only the given properties are changed';
  tester.expectEqual('updateCartItem', rule, { expected: changed, actual: response.body });
  await checkCart(tester, 'updateCartItem', rule);
}

/** Removes an item; the request must be rejected if it does not exist. */
export async function remove(tester: ShopTester, productId: string): Promise<void> {
  const isThere = findItem(tester.model, productId) !== undefined;
  const response = await tester.sendJson('removeCartItem', `${CART}/${productId}`);
  if (isThere) tester.expectStatus('removeCartItem', response, 204, 'an item is removed');
  else tester.expectStatus('removeCartItem', response, 404, 'the product is not in the cart');
  tester.model = withoutItem(tester.model, productId);
  await checkCart(tester, 'removeCartItem', isThere ? 'only the removed item is gone' : UNCHANGED);
}

/** Orders the cart; the request must be rejected if it is empty. */
export async function order(tester: ShopTester): Promise<void> {
  if (tester.model.cart.length === 0) {
    await tester.sendCase({ id: 'createOrder', target: ORDERS, status: 409, why: 'the cart is empty' });
    return checkList(tester, { list: 'listOrders', by: 'createOrder', rule: UNCHANGED });
  }
  const before = await readTime(tester);
  const { response, order } = await orderAlone(tester);
  const after = await readTime(tester);
  const isKnown = before !== undefined && after !== undefined;
  if (isKnown && (order.orderTimeMs < before - SLACK_MS || order.orderTimeMs > after + SLACK_MS)) {
    const detail = `It is ${order.orderTimeMs}, but the clock of the shop was between ${before} and ${after}.`;
    tester.failRule('createOrder', 'orderTimeMs is the time of the order', detail);
  }
  await checkCart(tester, 'createOrder', 'an order empties the cart');
  await checkList(tester, { list: 'listOrders', by: 'createOrder', rule: 'a new order is the first in the list' });
  await followLocation(tester, response, order);
}

/** Orders a cart with items, without a check of the lists. */
export async function orderAlone(tester: ShopTester) {
  const response = await tester.sendCase({
    id: 'createOrder',
    target: ORDERS,
    status: 201,
    why: 'the cart is ordered',
  });
  const order = response.body as Order;
  if (tester.model.orders.some(({ id }) => id === order.id))
    tester.fail('createOrder', 'order ids are unique', `The id ${order.id} is that of an earlier order`);
  const rule = 'an order has the items and the total of the cart, and its estimates';
  const expected = createModelOrder(tester.model, order.id, order.orderTimeMs);
  tester.expectEqual('createOrder', rule, { expected, actual: order });
  tester.model = { ...tester.model, cart: [], orders: [order, ...tester.model.orders] };
  return { response, order };
}

async function followLocation(tester: ShopTester, { headers }: ReceivedResponse, order: Order): Promise<void> {
  const rule = 'Location leads to the order';
  const { location } = headers;
  if (location === undefined) return;
  const pathname = getLocationPath(location) ?? '';
  const path = pathname.slice(Math.max(0, pathname.indexOf(ORDERS)));
  if (!path.startsWith(`${ORDERS}/`)) return tester.failRule('createOrder', rule, `It is ${location}.`);
  const found = await tester.sendJson('getOrder', path);
  if (found.status !== 200) tester.failRule('createOrder', rule, `GET ${path} has status ${found.status}.`);
  tester.expectEqual('createOrder', rule, { expected: order, actual: found.body }, 'In the response to its Location');
}

/** Reads an order by its id; the request must be rejected if it does not exist. */
export async function readOrder(tester: ShopTester, orderId: string, isExpanded: boolean): Promise<void> {
  const known = tester.model.orders.find(({ id }) => id === orderId);
  const response = await tester.sendJson('getOrder', `${ORDERS}/${orderId}${isExpanded ? '?expand=products' : ''}`);
  tester.expectStatus('getOrder', response, known ? 200 : 404, known ? 'the order exists' : 'the order does not exist');
  if (!known) return;
  const rule = 'an order does not change';
  const expected = isExpanded ? { ...known, products: withProducts(tester.model, known.products) } : known;
  tester.expectEqual('getOrder', rule, { expected, actual: response.body });
}

/** Adds an unknown product, which must be rejected. */
export async function addUnknown(tester: ShopTester): Promise<void> {
  const response = await tester.sendJson('addCartItem', CART, { productId: UNKNOWN_ID, quantity: 1 });
  tester.expectStatus('addCartItem', response, 404, 'the product does not exist');
  await checkCart(tester, 'addCartItem', UNCHANGED);
}

/** Sends an invalid request, and checks that it is rejected with its status and changes nothing. */
export async function checkRejected(tester: ShopTester, { pointers = [], ...invalid }: InvalidRequest): Promise<void> {
  const { id } = invalid;
  const { body } = await tester.sendCase(invalid);
  const { violations = [] } = (body ?? {}) as Partial<Problem>;
  const isReported = (pointer: string) => violations.some((one) => one.in === 'body' && one.pointer === pointer);
  const unreported = pointers.find((pointer) => !isReported(pointer));
  if (unreported !== undefined)
    tester.fail(id, 'all violations are reported', `The violation at ${unreported} is not reported`);
  await checkCart(tester, id, UNCHANGED);
}

/** Resets the shop to the default data, `start`, and checks it. */
export async function reset(tester: ShopTester, start: ShopTester['model']): Promise<void> {
  await resetAlone(tester);
  tester.model = start;
  await checkCart(tester, 'resetData', 'a reset restores the cart');
  await checkList(tester, { list: 'listOrders', by: 'resetData', rule: 'a reset restores the orders' });
}

/** Resets the shop without a check of its state. */
export async function resetAlone(tester: ShopTester): Promise<void> {
  await tester.sendCase({ id: 'resetData', target: '/api/reset', status: 204, why: 'the data is reset' });
}

/** Checks that the cart and its summary equal those of the model; `rule` and `by` are those of a finding. */
export async function checkCart(tester: ShopTester, by: OperationId, rule: string): Promise<void> {
  await checkList(tester, { list: 'listCartItems', by, rule });
  const sum = { list: 'getPaymentSummary', rule: 'the summary is the sum of the cart' } as const;
  await tester.ignoreKnown(() => checkList(tester, sum));
}

/** Returns the time of the shop's clock, in ms since 1970; undefined if it is unknown. */
function readTime(tester: ShopTester): Promise<number | undefined> {
  return tester.ignoreKnown(async () =>
    readClock(tester, (await requestList(tester, 'listDeliveryOptions', true)).body),
  );
}

function expectType(tester: ShopTester, id: OperationId, { body }: ReceivedResponse, types: readonly string[]): void {
  const type = String((body as { type?: unknown } | undefined)?.type);
  if (types.some((one) => type.endsWith(one))) return;
  const message = `The problem type is ${type} instead of ${types.join(' or ')}`;
  tester.fail(id, 'the problem type names the missing resource', message);
}
