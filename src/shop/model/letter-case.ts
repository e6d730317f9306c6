import type { OperationId } from '../types.ts';
import type { ShopTester } from './shop-tester.ts';
import { checkCart, UNCHANGED } from './steps.ts';

type Request = readonly [id: OperationId, resource: string | undefined, target: string, body?: unknown];

/** Requests existing resources with their ids in another letter case: ids are case-sensitive. */
export async function checkLetterCase(tester: ShopTester): Promise<void> {
  const { products, cart, orders } = tester.model;
  const [product, item, order] = [products[0]?.id, cart[0]?.productId, orders[0]?.id].map(changeLetterCase);
  const requests: readonly Request[] = [
    ['addCartItem', product, '/api/cart-items', { productId: product, quantity: 1 }],
    ['updateCartItem', item, `/api/cart-items/${item}`, { quantity: 9 }],
    ['removeCartItem', item, `/api/cart-items/${item}`],
    ['getOrder', order, `/api/orders/${order}`],
  ];
  for (const [id, resource, target, body] of requests) {
    if (resource === undefined) continue;
    tester.expectStatus(id, await tester.sendJson(id, target, body), 404, 'the letter case of the id differs');
    if (id !== 'getOrder') await checkCart(tester, id, UNCHANGED);
  }
}

/** Returns an id in another letter case; undefined if it has no letters. */
function changeLetterCase(id = ''): string | undefined {
  return [id.toUpperCase(), id.toLowerCase()].find((other) => other !== id);
}
