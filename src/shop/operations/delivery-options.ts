import { getEstimatedDeliveryTimeMs } from '../domain/delivery.ts';
import type { Handler } from './handler.ts';

/** Returns the delivery options, with the delivery times of an order placed now if the query expands them. */
export const listDeliveryOptions: Handler<'listDeliveryOptions'> = ({ query }, shop) => {
  const { deliveryOptions } = shop.read();
  if (query.expand === undefined) return { body: deliveryOptions };
  const nowMs = shop.nowMs();
  const body = deliveryOptions.map((option) => {
    const estimatedDeliveryTimeMs = getEstimatedDeliveryTimeMs(nowMs, option);
    return { ...option, estimatedDeliveryTimeMs };
  });
  return { body };
};
