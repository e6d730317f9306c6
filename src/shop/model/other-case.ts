import type { Ask } from '../../check/exchange.ts';
import { createRequestSender } from '../../check/exchange.ts';
import type { OperationId } from '../types.ts';
import type { Player } from './player.ts';
import { seeCart, UNCHANGED } from './steps.ts';

const WHY = 'the letter case of the id differs';

/** Asks each operation for something that is there, its id in another letter case: ids are compared as they are written. */
export async function askInOtherCase(player: Player): Promise<void> {
  const { products, cart, orders } = player.model;
  const [product, item, order] = [products[0]?.id, cart[0]?.productId, orders[0]?.id].map(inOtherCase);
  const requests: readonly (readonly [OperationId, string | undefined, (id: string) => Ask])[] = [
    ['addCartItem', product, (productId) => createRequestSender('POST', '/api/cart-items', { productId, quantity: 1 })],
    ['updateCartItem', item, (id) => createRequestSender('PUT', `/api/cart-items/${id}`, { quantity: 9 })],
    ['removeCartItem', item, (id) => createRequestSender('DELETE', `/api/cart-items/${id}`)],
    ['getOrder', order, (id) => createRequestSender('GET', `/api/orders/${id}`)],
  ];
  for (const [operationId, id, askFor] of requests) {
    if (id === undefined) continue;
    player.expectStatus(operationId, await player.ask(operationId, askFor(id)), 404, WHY);
    if (operationId !== 'getOrder') await seeCart(player, operationId, UNCHANGED);
  }
}

/** An id in another letter case; undefined where it has no letters. */
function inOtherCase(id = ''): string | undefined {
  return [id.toUpperCase(), id.toLowerCase()].find((other) => other !== id);
}
