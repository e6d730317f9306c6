import type { DeliveryOption } from '../types.ts';
import type { Catalogue } from './catalogue.ts';

/** A day of delivery, in milliseconds. */
const DAY_MS = 86_400_000;

/** Ours: the delivery option of a new cart item; front ends written for the interface preselect it. */
const PRESELECTED_ID = '1';

/** When something ordered at `fromMs` arrives, in ms since 1970. Ours: absolute time, as front ends print it as a date. */
export function estimatedDeliveryTimeMs(fromMs: number, { deliveryDays }: DeliveryOption): number {
  return fromMs + deliveryDays * DAY_MS;
}

/** The delivery option that a new cart item gets: option "1", or the first one where the data has no such option. */
export function preselectedOption({ deliveryOptions }: Catalogue): DeliveryOption {
  const option = deliveryOptions.find(({ id }) => id === PRESELECTED_ID) ?? deliveryOptions[0];
  if (!option) throw new Error('a catalogue has at least one delivery option');
  return option;
}
