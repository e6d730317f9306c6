import { createRequestSender, pathOfLocation, type Reply } from '../../check/exchange.ts';
import type { CartItem, OperationId, Order, Problem } from '../types.ts';
import { look, nowOf, read, SLACK_MS } from './looks.ts';
import { expanded, MOST_OF_A_PRODUCT, orderOf, withAdded, withChanged, withOrder, withoutItem } from './model.ts';
import type { Player } from './player.ts';
import type { WrongRequest } from './wrong-requests.ts';

/** An id that no shop has. */
export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

export const UNCHANGED = 'a rejected request changes nothing';

const CART = '/api/cart-items';
const ORDERS = '/api/orders';

/** Puts some of a product into the cart. Beyond what the cart takes it has to be refused. */
export async function add(player: Player, productId: string, quantity: number): Promise<void> {
  await seeCart(player, 'addCartItem', await addAlone(player, productId, quantity));
}

/** The same without a look at the cart; returns the rule that a look would be about. */
export async function addAlone(player: Player, productId: string, quantity: number): Promise<string> {
  const held = player.model.cart.find((item) => item.productId === productId)?.quantity ?? 0;
  const reply = await player.ask('addCartItem', createRequestSender('POST', CART, { productId, quantity }));
  if (held + quantity > MOST_OF_A_PRODUCT) {
    player.expectStatus('addCartItem', reply, 409, 'the quantity exceeds the limit');
    return UNCHANGED;
  }
  player.expectStatus('addCartItem', reply, 201, 'a product is added');
  player.model = withAdded(player.model, productId, quantity);
  const item = player.model.cart.find((one) => one.productId === productId);
  const rule =
    held > 0
      ? 'the quantity is added to that of the item'
      : 'a new item has the quantity and the first delivery option';
  player.expectSame('addCartItem', rule, { expected: item, actual: reply.body });
  return 'added products are in the cart';
}

/** Fills an item up to what the cart takes, and adds one more. */
export async function addBeyond(player: Player, productId: string): Promise<void> {
  if (!player.model.cart.some((item) => item.productId === productId)) await add(player, productId, 1);
  await change(player, productId, { quantity: MOST_OF_A_PRODUCT });
  await add(player, productId, 1);
}

/** What a request may change of an item; a delivery option may be named by a number. */
export interface Change {
  readonly quantity?: number;
  readonly deliveryOptionId?: string | number;
}

/** Changes an item, or nothing of it, or is refused where there is no such item or delivery option. */
export async function change(player: Player, productId: string, wanted: Change): Promise<void> {
  const item = player.model.cart.find((one) => one.productId === productId);
  const { quantity, deliveryOptionId } = wanted;
  const option = deliveryOptionId === undefined ? undefined : String(deliveryOptionId);
  const isKnown = option === undefined || player.model.deliveryOptions.some(({ id }) => id === option);
  const reply = await player.ask('updateCartItem', createRequestSender('PUT', `${CART}/${productId}`, wanted));
  if (!item || !isKnown) {
    const why = item ? 'the delivery option does not exist' : 'the product is not in the cart';
    player.expectStatus('updateCartItem', reply, 404, why);
    expectType(player, 'updateCartItem', reply, [
      ...(item ? [] : ['/problems/unknown-cart-item']),
      ...(isKnown ? [] : ['/problems/unknown-delivery-option']),
    ]);
    return seeCart(player, 'updateCartItem', UNCHANGED);
  }
  player.expectStatus('updateCartItem', reply, 200, 'an item is changed');
  const changed: CartItem = {
    ...item,
    ...(quantity === undefined ? {} : { quantity }),
    ...(option === undefined ? {} : { deliveryOptionId: option }),
  };
  player.model = withChanged(player.model, changed);
  const rule = 'only the given properties are changed';
  player.expectSame('updateCartItem', rule, { expected: changed, actual: reply.body });
  await seeCart(player, 'updateCartItem', rule);
}

/** Removes an item, or is refused where there is none. */
export async function remove(player: Player, productId: string): Promise<void> {
  const isThere = player.model.cart.some((item) => item.productId === productId);
  const reply = await player.ask('removeCartItem', createRequestSender('DELETE', `${CART}/${productId}`));
  player.expectStatus(
    'removeCartItem',
    reply,
    isThere ? 204 : 404,
    isThere ? 'an item is removed' : 'the product is not in the cart',
  );
  player.model = withoutItem(player.model, productId);
  await seeCart(player, 'removeCartItem', isThere ? 'only the removed item is gone' : UNCHANGED);
}

/** Orders the cart, or is refused where it is empty. */
export async function order(player: Player): Promise<void> {
  if (player.model.cart.length === 0) {
    const reply = await player.ask('createOrder', createRequestSender('POST', ORDERS));
    player.expectStatus('createOrder', reply, 409, 'the cart is empty');
    return look(player, { list: 'listOrders', by: 'createOrder', rule: UNCHANGED });
  }
  const before = await now(player);
  const { reply, made } = await orderAlone(player);
  const after = await now(player);
  if (
    before !== undefined &&
    after !== undefined &&
    (made.orderTimeMs < before - SLACK_MS || made.orderTimeMs > after + SLACK_MS)
  ) {
    const rule = 'orderTimeMs is the time of the order';
    player.off(
      'createOrder',
      rule,
      `Rule: ${rule}. It is ${made.orderTimeMs}, but the clock of the shop was between ${before} and ${after}.`,
    );
  }
  await seeCart(player, 'createOrder', 'an order empties the cart');
  await look(player, { list: 'listOrders', by: 'createOrder', rule: 'a new order is the first in the list' });
  await followLocation(player, reply, made);
}

/** Orders the cart, which is not empty, without a look at what is there then. */
export async function orderAlone(player: Player): Promise<{ readonly reply: Reply; readonly made: Order }> {
  const reply = await player.ask('createOrder', createRequestSender('POST', ORDERS));
  player.expectStatus('createOrder', reply, 201, 'the cart is ordered');
  const made = reply.body as Order;
  if (player.model.orders.some(({ id }) => id === made.id))
    player.off('createOrder', 'order ids are unique', `The id ${made.id} is that of an earlier order`);
  const rule = 'an order has the items and the total of the cart, and its estimates';
  player.expectSame('createOrder', rule, { expected: orderOf(player.model, made.id, made.orderTimeMs), actual: made });
  player.model = withOrder(player.model, made);
  return { reply, made };
}

async function followLocation(player: Player, { headers }: Reply, made: Order): Promise<void> {
  const rule = 'Location leads to the order';
  const { location } = headers;
  if (location === undefined) return;
  const pathname = pathOfLocation(location) ?? '';
  const path = pathname.slice(Math.max(0, pathname.indexOf(ORDERS)));
  if (!path.startsWith(`${ORDERS}/`)) return player.off('createOrder', rule, `Rule: ${rule}. It is ${location}.`);
  const found = await player.ask('getOrder', createRequestSender('GET', path));
  if (found.status !== 200) player.off('createOrder', rule, `Rule: ${rule}. GET ${path} has status ${found.status}.`);
  player.expectSame('createOrder', rule, { expected: made, actual: found.body }, 'In the response to its Location');
}

/** Reads an order by its id, or is refused where there is none. */
export async function readOrder(player: Player, orderId: string, isExpanded: boolean): Promise<void> {
  const known = player.model.orders.find(({ id }) => id === orderId);
  const reply = await player.ask(
    'getOrder',
    createRequestSender('GET', `${ORDERS}/${orderId}${isExpanded ? '?expand=products' : ''}`),
  );
  player.expectStatus('getOrder', reply, known ? 200 : 404, known ? 'the order exists' : 'the order does not exist');
  if (!known) return;
  const rule = 'an order does not change';
  const expected = isExpanded ? { ...known, products: expanded(player.model, known.products) } : known;
  player.expectSame('getOrder', rule, { expected, actual: reply.body });
}

/** Asks to add a product that the catalogue hasn't. */
export async function addUnknown(player: Player): Promise<void> {
  const reply = await player.ask(
    'addCartItem',
    createRequestSender('POST', CART, { productId: UNKNOWN_ID, quantity: 1 }),
  );
  player.expectStatus('addCartItem', reply, 404, 'the product does not exist');
  await seeCart(player, 'addCartItem', UNCHANGED);
}

/** Sends a request that is to be refused with a status, whatever state the shop is in, and sees that it changes nothing. */
export async function refused(player: Player, { id, ask, status, why, tells = [] }: WrongRequest): Promise<void> {
  const reply = await player.ask(id, ask);
  player.expectStatus(id, reply, status, why);
  const { violations = [] } = (reply.body ?? {}) as Partial<Problem>;
  const untold = tells.find((pointer) => !violations.some((one) => one.in === 'body' && one.pointer === pointer));
  if (untold !== undefined) player.off(id, 'all violations are reported', `The violation at ${untold} is not reported`);
  await seeCart(player, id, UNCHANGED);
}

/** Restores the default data, `start`. */
export async function reset(player: Player, start: Player['model']): Promise<void> {
  await resetAlone(player);
  player.model = start;
  await seeCart(player, 'resetData', 'a reset restores the cart');
  await look(player, { list: 'listOrders', by: 'resetData', rule: 'a reset restores the orders' });
}

/** Restores the default data without a look at it. */
export async function resetAlone(player: Player): Promise<void> {
  const reply = await player.ask('resetData', createRequestSender('POST', '/api/reset'));
  player.expectStatus('resetData', reply, 204, 'the data is reset');
}

/** Sees that the cart and what it costs are as the model has them; `rule` is what the operation breaks where not. */
export async function seeCart(player: Player, by: OperationId, rule: string): Promise<void> {
  await look(player, { list: 'listCartItems', by, rule });
  const sum = { list: 'getPaymentSummary', rule: 'the summary is the sum of the cart' } as const;
  await player.unlessKnown(() => look(player, sum));
}

/** What the shop's clock shows, in ms since 1970; undefined where it can't be told. */
function now(player: Player): Promise<number | undefined> {
  return player.unlessKnown(async () => nowOf(player, (await read(player, 'listDeliveryOptions', true)).body));
}

function expectType(player: Player, id: OperationId, { body }: Reply, types: readonly string[]): void {
  const type = String((body as { type?: unknown } | undefined)?.type);
  if (!types.some((one) => type.endsWith(one))) {
    player.off(
      id,
      'the problem type names the missing resource',
      `The problem type is ${type} instead of ${types.join(' or ')}`,
    );
  }
}
