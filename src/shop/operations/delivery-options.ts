import { getEstimatedDeliveryTimeMs } from '../domain/delivery.ts';
import type { Handler } from './handler.ts';

/** Returns the delivery options, with the delivery times of an order placed now if the query expands them. */
export const listDeliveryOptions: Handler<'listDeliveryOptions'> = ({ query }, shop) => {
  const { deliveryOptions } = shop.read();
  if (query.expand === undefined) return { body: deliveryOptions };
  const nowMs = shop.nowMs();
  return {
    body: deliveryOptions.map((option) => ({
      ...option,
      estimatedDeliveryTimeMs: getEstimatedDeliveryTimeMs(nowMs, option),
    })),
  };
};
