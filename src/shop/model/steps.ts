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
import type { Player } from './player.ts';
import type { InvalidRequest } from './request-cases.ts';

/** An unknown id. */
export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

export const UNCHANGED = 'a rejected request changes nothing';

const CART = '/api/cart-items';
const ORDERS = '/api/orders';

/** Adds a product to the cart, and checks the cart. Above the maximum quantity the request must be rejected. */
export async function add(player: Player, productId: string, quantity: number): Promise<void> {
  await checkCart(player, 'addCartItem', await addAlone(player, productId, quantity));
}

/** The same without a check of the cart. Returns the rule for that check. */
export async function addAlone(player: Player, productId: string, quantity: number): Promise<string> {
  const currentQuantity = findItem(player.model, productId)?.quantity ?? 0;
  const response = await player.sendJson('addCartItem', CART, { productId, quantity });
  if (currentQuantity + quantity > MAX_QUANTITY) {
    player.expectStatus('addCartItem', response, 409, 'the quantity exceeds the limit');
    return UNCHANGED;
  }
  player.expectStatus('addCartItem', response, 201, 'a product is added');
  player.model = withAdded(player.model, productId, quantity);
  const rule =
    currentQuantity > 0
      ? 'the quantity is added to that of the item'
      : 'a new item has the quantity and the first delivery option';
  player.expectEqual('addCartItem', rule, { expected: findItem(player.model, productId), actual: response.body });
  return 'added products are in the cart';
}

/** Fills an item up to the maximum quantity, and adds one more. */
export async function addBeyond(player: Player, productId: string): Promise<void> {
  if (!findItem(player.model, productId)) await add(player, productId, 1);
  await change(player, productId, { quantity: MAX_QUANTITY });
  await add(player, productId, 1);
}

/** A change of an item; a delivery option can be a number. */
export interface Change {
  readonly quantity?: number | undefined;
  readonly deliveryOptionId?: string | number | undefined;
}

/** Changes an item; the request must be rejected if the item or the delivery option does not exist. */
export async function change(player: Player, productId: string, change: Change): Promise<void> {
  const item = findItem(player.model, productId);
  const { quantity, deliveryOptionId } = change;
  const option = deliveryOptionId === undefined ? undefined : String(deliveryOptionId);
  const isKnown = option === undefined || player.model.deliveryOptions.some(({ id }) => id === option);
  const response = await player.sendJson('updateCartItem', `${CART}/${productId}`, change);
  if (!item || !isKnown) {
    const why = item ? 'the delivery option does not exist' : 'the product is not in the cart';
    player.expectStatus('updateCartItem', response, 404, why);
    expectType(player, 'updateCartItem', response, [
      ...(item ? [] : ['/problems/unknown-cart-item']),
      ...(isKnown ? [] : ['/problems/unknown-delivery-option']),
    ]);
    return checkCart(player, 'updateCartItem', UNCHANGED);
  }
  player.expectStatus('updateCartItem', response, 200, 'an item is changed');
  const changed = { ...item, quantity: quantity ?? item.quantity, deliveryOptionId: option ?? item.deliveryOptionId };
  player.model = withChanged(player.model, changed);
  const rule = 'only the given properties are changed';
  player.expectEqual('updateCartItem', rule, { expected: changed, actual: response.body });
  await checkCart(player, 'updateCartItem', rule);
}

/** Removes an item; the request must be rejected if it does not exist. */
export async function remove(player: Player, productId: string): Promise<void> {
  const isThere = findItem(player.model, productId) !== undefined;
  const response = await player.sendJson('removeCartItem', `${CART}/${productId}`);
  if (isThere) player.expectStatus('removeCartItem', response, 204, 'an item is removed');
  else player.expectStatus('removeCartItem', response, 404, 'the product is not in the cart');
  player.model = withoutItem(player.model, productId);
  await checkCart(player, 'removeCartItem', isThere ? 'only the removed item is gone' : UNCHANGED);
}

/** Orders the cart; the request must be rejected if it is empty. */
export async function order(player: Player): Promise<void> {
  if (player.model.cart.length === 0) {
    await player.sendCase({ id: 'createOrder', target: ORDERS, status: 409, why: 'the cart is empty' });
    return checkList(player, { list: 'listOrders', by: 'createOrder', rule: UNCHANGED });
  }
  const before = await readTime(player);
  const { response, order } = await orderAlone(player);
  const after = await readTime(player);
  const isKnown = before !== undefined && after !== undefined;
  if (isKnown && (order.orderTimeMs < before - SLACK_MS || order.orderTimeMs > after + SLACK_MS)) {
    const detail = `It is ${order.orderTimeMs}, but the clock of the shop was between ${before} and ${after}.`;
    player.failRule('createOrder', 'orderTimeMs is the time of the order', detail);
  }
  await checkCart(player, 'createOrder', 'an order empties the cart');
  await checkList(player, { list: 'listOrders', by: 'createOrder', rule: 'a new order is the first in the list' });
  await followLocation(player, response, order);
}

/** Orders a cart with items, without a check of the lists. */
export async function orderAlone(player: Player) {
  const response = await player.sendCase({
    id: 'createOrder',
    target: ORDERS,
    status: 201,
    why: 'the cart is ordered',
  });
  const order = response.body as Order;
  if (player.model.orders.some(({ id }) => id === order.id))
    player.fail('createOrder', 'order ids are unique', `The id ${order.id} is that of an earlier order`);
  const rule = 'an order has the items and the total of the cart, and its estimates';
  const expected = createModelOrder(player.model, order.id, order.orderTimeMs);
  player.expectEqual('createOrder', rule, { expected, actual: order });
  player.model = { ...player.model, cart: [], orders: [order, ...player.model.orders] };
  return { response, order };
}

async function followLocation(player: Player, { headers }: ReceivedResponse, order: Order): Promise<void> {
  const rule = 'Location leads to the order';
  const { location } = headers;
  if (location === undefined) return;
  const pathname = getLocationPath(location) ?? '';
  const path = pathname.slice(Math.max(0, pathname.indexOf(ORDERS)));
  if (!path.startsWith(`${ORDERS}/`)) return player.failRule('createOrder', rule, `It is ${location}.`);
  const found = await player.sendJson('getOrder', path);
  if (found.status !== 200) player.failRule('createOrder', rule, `GET ${path} has status ${found.status}.`);
  player.expectEqual('createOrder', rule, { expected: order, actual: found.body }, 'In the response to its Location');
}

/** Reads an order by its id; the request must be rejected if it does not exist. */
export async function readOrder(player: Player, orderId: string, isExpanded: boolean): Promise<void> {
  const known = player.model.orders.find(({ id }) => id === orderId);
  const response = await player.sendJson('getOrder', `${ORDERS}/${orderId}${isExpanded ? '?expand=products' : ''}`);
  player.expectStatus('getOrder', response, known ? 200 : 404, known ? 'the order exists' : 'the order does not exist');
  if (!known) return;
  const rule = 'an order does not change';
  const expected = isExpanded ? { ...known, products: withProducts(player.model, known.products) } : known;
  player.expectEqual('getOrder', rule, { expected, actual: response.body });
}

/** Adds an unknown product, which must be rejected. */
export async function addUnknown(player: Player): Promise<void> {
  const response = await player.sendJson('addCartItem', CART, { productId: UNKNOWN_ID, quantity: 1 });
  player.expectStatus('addCartItem', response, 404, 'the product does not exist');
  await checkCart(player, 'addCartItem', UNCHANGED);
}

/** Sends an invalid request, and checks that it is rejected with its status and changes nothing. */
export async function checkRejected(player: Player, { pointers = [], ...invalid }: InvalidRequest): Promise<void> {
  const { id } = invalid;
  const { body } = await player.sendCase(invalid);
  const { violations = [] } = (body ?? {}) as Partial<Problem>;
  const isReported = (pointer: string) => violations.some((one) => one.in === 'body' && one.pointer === pointer);
  const unreported = pointers.find((pointer) => !isReported(pointer));
  if (unreported !== undefined)
    player.fail(id, 'all violations are reported', `The violation at ${unreported} is not reported`);
  await checkCart(player, id, UNCHANGED);
}

/** Resets the shop to the default data, `start`, and checks it. */
export async function reset(player: Player, start: Player['model']): Promise<void> {
  await resetAlone(player);
  player.model = start;
  await checkCart(player, 'resetData', 'a reset restores the cart');
  await checkList(player, { list: 'listOrders', by: 'resetData', rule: 'a reset restores the orders' });
}

/** Resets the shop without a check of its state. */
export async function resetAlone(player: Player): Promise<void> {
  await player.sendCase({ id: 'resetData', target: '/api/reset', status: 204, why: 'the data is reset' });
}

/** Checks that the cart and its summary equal those of the model; `rule` and `by` are those of a finding. */
export async function checkCart(player: Player, by: OperationId, rule: string): Promise<void> {
  await checkList(player, { list: 'listCartItems', by, rule });
  const sum = { list: 'getPaymentSummary', rule: 'the summary is the sum of the cart' } as const;
  await player.ignoreKnown(() => checkList(player, sum));
}

/** Returns the time of the shop's clock, in ms since 1970; undefined if it is unknown. */
function readTime(player: Player): Promise<number | undefined> {
  return player.ignoreKnown(async () =>
    readClock(player, (await requestList(player, 'listDeliveryOptions', true)).body),
  );
}

function expectType(player: Player, id: OperationId, { body }: ReceivedResponse, types: readonly string[]): void {
  const type = String((body as { type?: unknown } | undefined)?.type);
  if (types.some((one) => type.endsWith(one))) return;
  const message = `The problem type is ${type} instead of ${types.join(' or ')}`;
  player.fail(id, 'the problem type names the missing resource', message);
}
