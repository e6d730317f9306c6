import { now } from 'storefront/clock';

/** Returns whether an order at this time is delivered on the same day. */
export async function isDeliveredToday() {
  return (await now()).getHours() < 12;
}
