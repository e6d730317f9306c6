import { estimatedDeliveryTimeMs } from '../domain/delivery.ts';
import type { Handler } from './handler.ts';

/** The delivery options, on request each with when it would arrive if ordered now. */
export const listDeliveryOptions: Handler<'listDeliveryOptions'> = ({ query }, shop) => {
  const { deliveryOptions } = shop.read();
  if (query.expand === undefined) return { body: deliveryOptions };
  const nowMs = shop.nowMs();
  return {
    body: deliveryOptions.map((option) => ({
      ...option,
      estimatedDeliveryTimeMs: estimatedDeliveryTimeMs(nowMs, option),
    })),
  };
};
