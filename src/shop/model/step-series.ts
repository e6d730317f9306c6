import { QUANTITY_LIMIT } from '../domain/cart.ts';
import type { OperationId } from '../types.ts';
import { checkList } from './lists.ts';
import { findItem, MAX_ADDED_QUANTITY } from './model.ts';
import type { ShopTester } from './shop-tester.ts';
import * as steps from './steps.ts';

/** Adds up to `count` products to the cart, checks the cart, and orders it. Finds servers that return only a part of a long list. */
export async function addManyProducts(tester: ShopTester, count: number): Promise<void> {
  for (const { id } of tester.model.products.slice(0, count)) await steps.addItemUnchecked(tester, id, 1);
  await steps.checkCart(tester, 'addCartItem', 'added products are in the cart');
  await checkList(tester, { list: 'listCartItems', isExpanded: true, rule: 'expand adds each product' });
  if (tester.model.cart.length === 0) return;
  await steps.createOrder(tester);
  await steps.readOrder(tester, tester.model.orders[0]?.id ?? '', true);
}

/** Orders a product `count` times, and checks the list of orders. */
export async function createManyOrders(tester: ShopTester, productId: string, count: number): Promise<void> {
  for (let time = 0; time < count; time++) {
    await steps.addItemUnchecked(tester, productId, 1);
    await steps.createOrderUnchecked(tester);
  }
  await checkList(tester, { list: 'listOrders', rule: 'orders are listed from newest to oldest' });
}

/** Adds to a cart item until its quantity is `bound`, and then adds one more. */
export async function addUpToBound(tester: ShopTester, productId: string, bound: number): Promise<void> {
  await steps.addItemUnchecked(tester, productId, 1);
  await steps.updateItem(tester, productId, { quantity: bound - MAX_ADDED_QUANTITY });
  await steps.addItemUnchecked(tester, productId, MAX_ADDED_QUANTITY - 1);
  await steps.addItem(tester, productId, 1);
  await steps.addItem(tester, productId, 1);
}

/** Sets the quantity of a cart item to the maximum, and then adds one more. */
export async function exceedMaxQuantity(tester: ShopTester, productId: string): Promise<void> {
  if (!findItem(tester.model, productId)) await steps.addItem(tester, productId, 1);
  await steps.updateItem(tester, productId, { quantity: QUANTITY_LIMIT });
  await steps.addItem(tester, productId, 1);
}

/** Requests existing resources with their ids in another letter case, and checks that the status is 404: ids are case-sensitive. */
export async function checkLetterCase(tester: ShopTester): Promise<void> {
  const { products, cart, orders } = tester.model;
  const [product, item, order] = [products[0]?.id, cart[0]?.productId, orders[0]?.id].map(changeLetterCase);
  const requests: readonly (readonly [OperationId, id: string | undefined, target: string, body?: unknown])[] = [
    ['addCartItem', product, '/api/cart-items', { productId: product, quantity: 1 }],
    ['updateCartItem', item, `/api/cart-items/${item}`, { quantity: 9 }],
    ['removeCartItem', item, `/api/cart-items/${item}`],
    ['getOrder', order, `/api/orders/${order}`],
  ];
  for (const [operationId, id, target, body] of requests) {
    if (id === undefined) continue;
    const response = await tester.sendJson(operationId, target, body);
    tester.expectStatus(operationId, response, 404, 'the letter case of the id differs');
    if (operationId !== 'getOrder') await steps.checkCart(tester, operationId, steps.UNCHANGED);
  }
}

/** Returns an id in another letter case; undefined if it has no letters. */
function changeLetterCase(id = ''): string | undefined {
  return [id.toUpperCase(), id.toLowerCase()].find((other) => other !== id);
}
