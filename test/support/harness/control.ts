import { expect } from 'vitest';
import { createControlClient } from './sandboxes.ts';
import { NOW_MS, startStorefront, type TestShop } from './start-storefront.ts';

/** The names of the built-in snapshots. */
export const BUILT_IN = ['empty-cart', 'full-cart', 'many-orders', 'no-products', 'one-product'];

/** A new sandbox as the control API returns it, without its id. */
export const NEW_SANDBOX = {
  counts: { products: 40, deliveryOptions: 3, cartItems: 2, orders: 2 },
  clock: { now: new Date(NOW_MS).toISOString(), nowMs: NOW_MS, frozen: false },
  ids: { seed: null },
  faults: 0,
  requests: 0,
  snapshots: [],
  idleMs: expect.any(Number),
};

/** Starts a storefront, with a client of its control API. */
export async function startWithControl(options: Parameters<typeof startStorefront>[0] = {}) {
  const shop = await startStorefront(options);
  return { shop, sendControl: createControlClient(shop) };
}

/** Returns the numbers of cart items, orders and products in a sandbox. */
export async function countEntries(sendControl: TestShop['ask'], id: string): Promise<readonly number[]> {
  const { body } = await sendControl('GET', `/${id}/state`);
  return [body.cartItems.length, body.orders.length, body.products.length];
}
