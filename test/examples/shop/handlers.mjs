export function trackOrder({ path }, { read, nowMs }) {
  const order = read().orders.find(({ id }) => id === path.orderId);
  if (!order) return { status: 404 };
  const arrivals = order.products.map((product) => product.estimatedDeliveryTimeMs);
  const isSent = nowMs() > order.orderTimeMs;
  const isDelivered = nowMs() > Math.max(...arrivals);
  return { body: { orderId: order.id, status: isDelivered ? 'delivered' : isSent ? 'on the way' : 'preparing' } };
}
