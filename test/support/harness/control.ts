import { expect } from 'vitest';
import { createControlClient } from './sandboxes.ts';
import { NOW_MS, startStorefront, type TestShop } from './start-storefront.ts';

/** The names of the snapshots that ship with the shop. */
export const BUILT_IN = ['empty-cart', 'full-cart', 'many-orders', 'no-products', 'one-product'];

/** The response of the control API for a new sandbox, without the property `id`. */
export const NEW_SANDBOX = {
  revision: 0,
  counts: { products: 40, deliveryOptions: 3, cartItems: 2, orders: 2 },
  clock: { now: new Date(NOW_MS).toISOString(), nowMs: NOW_MS, frozen: false },
  ids: { seed: null },
  faults: 0,
  requests: 0,
  snapshots: [],
  idleMs: expect.any(Number),
};

/** Starts a shop for one test. Returns it with a client of its control API. */
export async function startWithControl(options: Parameters<typeof startStorefront>[0] = {}) {
  const shop = await startStorefront(options);
  return { shop, sendControl: createControlClient(shop) };
}

/** Returns the numbers of cart items, orders and products in a sandbox, in this order. */
export async function countEntries(sendControl: TestShop['ask'], id: string): Promise<readonly number[]> {
  const { body } = await sendControl('GET', `/${id}/state`);
  return [body.cartItems.length, body.orders.length, body.products.length];
}
