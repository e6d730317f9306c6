import { checkList } from './lists.ts';
import type { Player } from './player.ts';
import { add, addAlone, change, checkCart, order, orderAlone, readOrder } from './steps.ts';

/** Adds up to `count` products, checks the cart, and orders it: lists of any length are complete. */
export async function addEach(player: Player, count: number): Promise<void> {
  for (const { id } of player.model.products.slice(0, count)) await addAlone(player, id, 1);
  await checkCart(player, 'addCartItem', 'added products are in the cart');
  await checkList(player, { list: 'listCartItems', isExpanded: true, rule: 'expand adds each product' });
  if (player.model.cart.length === 0) return;
  await order(player);
  await readOrder(player, player.model.orders[0]?.id ?? '', true);
}

/** Orders a product `count` times, and checks the list of orders. */
export async function orderOften(player: Player, productId: string, count: number): Promise<void> {
  for (let time = 0; time < count; time++) {
    await addAlone(player, productId, 1);
    await orderAlone(player);
  }
  await checkList(player, { list: 'listOrders', rule: 'orders are listed from newest to oldest' });
}

/** The maximum quantity of one addition. */
const MOST_ADDED = 10;

/** Adds to an item until its quantity reaches a bound, and passes it. */
export async function addAround(player: Player, productId: string, bound: number): Promise<void> {
  await addAlone(player, productId, 1);
  await change(player, productId, { quantity: bound - MOST_ADDED });
  await addAlone(player, productId, MOST_ADDED - 1);
  await add(player, productId, 1);
  await add(player, productId, 1);
}
