import type { RequestToSend } from '../../check/exchange.ts';
import { createJsonRequest } from '../../check/exchange.ts';
import type { OperationId } from '../types.ts';
import type { Player } from './player.ts';
import { checkCart, UNCHANGED } from './steps.ts';

const WHY = 'the letter case of the id differs';

/** Requests existing resources with their ids in another letter case: ids are case-sensitive. */
export async function checkLetterCase(player: Player): Promise<void> {
  const { products, cart, orders } = player.model;
  const [product, item, order] = [products[0]?.id, cart[0]?.productId, orders[0]?.id].map(changeLetterCase);
  const requests: readonly (readonly [OperationId, string | undefined, (id: string) => RequestToSend])[] = [
    ['addCartItem', product, (productId) => createJsonRequest('POST', '/api/cart-items', { productId, quantity: 1 })],
    ['updateCartItem', item, (id) => createJsonRequest('PUT', `/api/cart-items/${id}`, { quantity: 9 })],
    ['removeCartItem', item, (id) => createJsonRequest('DELETE', `/api/cart-items/${id}`)],
    ['getOrder', order, (id) => createJsonRequest('GET', `/api/orders/${id}`)],
  ];
  for (const [operationId, id, createRequest] of requests) {
    if (id === undefined) continue;
    player.expectStatus(operationId, await player.send(operationId, createRequest(id)), 404, WHY);
    if (operationId !== 'getOrder') await checkCart(player, operationId, UNCHANGED);
  }
}

/** Returns an id in another letter case; undefined if it has no letters. */
function changeLetterCase(id = ''): string | undefined {
  return [id.toUpperCase(), id.toLowerCase()].find((other) => other !== id);
}
