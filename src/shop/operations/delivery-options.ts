import { getEstimatedDeliveryTimeMs } from '../domain/catalogue.ts';
import type { Handler } from './handler.ts';

/** Returns the delivery options. With `expand=estimatedDeliveryTime` each option contains the delivery time of an order that is placed now. */
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
