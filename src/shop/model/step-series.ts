import { QUANTITY_LIMIT } from '../domain/cart.ts';
import type { OperationId } from '../types.ts';
import { checkList } from './lists.ts';
import * as steps from './steps.ts';

/** Adds up to `count` products to the cart, checks the cart, and orders it. Finds servers that return only a part of a long list. */
export function addManyProducts(count: number): steps.Step {
  return async (tester) => {
    for (const { id } of tester.model.products.slice(0, count)) await steps.addItemUnchecked(tester, id, 1);
    await steps.checkCart(tester, 'addCartItem', 'added products are in the cart');
    await checkList(tester, { list: 'listCartItems', isExpanded: true, rule: 'expand adds each product' });
    if (tester.model.cart.length === 0) return;
    await steps.createOrder(tester);
    await steps.readOrder(0, true)(tester);
  };
}

/** Orders a product `count` times, and checks the list of orders. */
export function createManyOrders(product: number, count: number): steps.Step {
  return async (tester) => {
    for (let time = 0; time < count; time++) {
      await steps.addItemUnchecked(tester, steps.getProductId(tester, product), 1);
      await steps.createOrderUnchecked(tester);
    }
    await checkList(tester, { list: 'listOrders', rule: 'orders are listed from newest to oldest' });
  };
}

/** Sets the quantity of a cart item to the maximum, and then adds one more. */
export function exceedMaxQuantity(product: number): steps.Step {
  return async (tester) => {
    await steps.addItem(product, 1)(tester);
    await steps.updateItem({ product, quantity: QUANTITY_LIMIT })(tester);
    await steps.addItem(product, 1)(tester);
  };
}

/** Requests existing resources with their ids in another letter case, and checks that the status is 404: ids are case-sensitive. */
export const checkLetterCase: steps.Step = async (tester) => {
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
};

/** Returns an id in another letter case; undefined if it has no letters. */
function changeLetterCase(id = ''): string | undefined {
  return [id.toUpperCase(), id.toLowerCase()].find((other) => other !== id);
}
