import { DomainError } from 'storefront';

export function getOrder({ path }, shop) {
  const order = shop.read().orders.find(({ id }) => id === path.orderId);
  if (!order) throw new DomainError('unknown-order', `There is no order ${path.orderId}.`);
  return { body: order };
}
