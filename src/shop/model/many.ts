import { checkList } from './looks.ts';
import type { Player } from './player.ts';
import { add, addAlone, change, checkCart, order, orderAlone, readOrder } from './steps.ts';

/** Adds as many products as the catalogue has, up to a count, looks at the cart, and orders all of it: lists of any length are complete. */
export async function addEach(player: Player, count: number): Promise<void> {
  for (const { id } of player.model.products.slice(0, count)) await addAlone(player, id, 1);
  await checkCart(player, 'addCartItem', 'added products are in the cart');
  await checkList(player, { list: 'listCartItems', isExpanded: true, rule: 'expand adds each product' });
  if (player.model.cart.length === 0) return;
  await order(player);
  await readOrder(player, player.model.orders[0]?.id ?? '', true);
}

/** Makes so many orders of a product, one after the other, and looks at all of them. */
export async function orderOften(player: Player, productId: string, count: number): Promise<void> {
  for (let time = 0; time < count; time++) {
    await addAlone(player, productId, 1);
    await orderAlone(player);
  }
  const rule = 'orders are listed from newest to oldest';
  await checkList(player, { list: 'listOrders', by: 'listOrders', rule });
}

/** The most that one request adds. */
const MOST_ADDED = 10;

/** Adds to an item so that its quantity passes a bound, and so that it reaches the bound exactly. */
export async function addAround(player: Player, productId: string, bound: number): Promise<void> {
  await addAlone(player, productId, 1);
  await change(player, productId, { quantity: bound - MOST_ADDED });
  await addAlone(player, productId, MOST_ADDED - 1);
  await add(player, productId, 1);
  await add(player, productId, 1);
}
