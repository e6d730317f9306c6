import type { DeliveryOption } from '../types.ts';
import type { Catalogue } from './catalogue.ts';

/** A day, in ms. */
export const DAY_MS = 86_400_000;

/** Decision: the delivery option of a new cart item. Front ends that are written for the interface preselect it. */
export const DEFAULT_OPTION_ID = '1';

/** Returns when an order of `orderTimeMs` arrives, in ms since 1970. Decision: an absolute time, since front ends print a date. */
export function getEstimatedDeliveryTimeMs(orderTimeMs: number, { deliveryDays }: DeliveryOption): number {
  return orderTimeMs + deliveryDays * DAY_MS;
}

/** Returns the delivery option of a new cart item: option "1", or the first option if the data has no option "1". */
export function getDefaultDeliveryOption({ deliveryOptions }: Catalogue): DeliveryOption {
  const option = deliveryOptions.find(({ id }) => id === DEFAULT_OPTION_ID) ?? deliveryOptions[0];
  if (!option) throw new Error('A catalogue must have at least one delivery option.');
  return option;
}
