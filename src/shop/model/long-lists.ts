import { checkList } from './lists.ts';
import type { ShopTester } from './shop-tester.ts';
import { add, addAlone, change, checkCart, order, orderAlone, readOrder } from './steps.ts';

/** Adds up to `count` products, checks the cart, and orders it: lists of any length are complete. */
export async function addManyProducts(tester: ShopTester, count: number): Promise<void> {
  for (const { id } of tester.model.products.slice(0, count)) await addAlone(tester, id, 1);
  await checkCart(tester, 'addCartItem', 'added products are in the cart');
  await checkList(tester, { list: 'listCartItems', isExpanded: true, rule: 'expand adds each product' });
  if (tester.model.cart.length === 0) return;
  await order(tester);
  await readOrder(tester, tester.model.orders[0]?.id ?? '', true);
}

/** Orders a product `count` times, and checks the list of orders. */
export async function createManyOrders(tester: ShopTester, productId: string, count: number): Promise<void> {
  for (let time = 0; time < count; time++) {
    await addAlone(tester, productId, 1);
    await orderAlone(tester);
  }
  await checkList(tester, { list: 'listOrders', rule: 'orders are listed from newest to oldest' });
}

/** The maximum quantity of one addition. */
const MAX_ADDED_QUANTITY = 10;

/** Adds to an item until its quantity reaches a bound, and passes it. */
export async function addUpToBound(tester: ShopTester, productId: string, bound: number): Promise<void> {
  await addAlone(tester, productId, 1);
  await change(tester, productId, { quantity: bound - MAX_ADDED_QUANTITY });
  await addAlone(tester, productId, MAX_ADDED_QUANTITY - 1);
  await add(tester, productId, 1);
  await add(tester, productId, 1);
}
