import { expect, it } from 'vitest';
import { sandboxAt } from '../../../src/testing/exports.ts';
import { KETTLE } from '../fixtures/cart-item.ts';

const NOON = '2025-06-01T12:00:00.000Z';

/**
 * Defines tests of a shop as its users write them. Each test uses its own sandbox. `name`: the start of the ids of the sandboxes. `count`: the number of
 * tests.
 */
export function defineIsolatedTests(
  url: string,
  { name, count }: { readonly name: string; readonly count: number },
): void {
  for (let number = 0; number < count; number++) {
    it(`${name}-${number}: an order fails, and succeeds after a change of the cart`, async () => {
      const sandbox = sandboxAt(url, `${name}-${number}`);
      await sandbox.restore('empty-cart');
      await sandbox.clock.freeze(NOON);
      await sandbox.fault({ operation: 'createOrder', status: 503, times: 1 });
      const body = JSON.stringify({ productId: KETTLE, quantity: 1 + (number % 10) });
      const add = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
      expect((await sandbox.fetch('/api/cart-items', add)).status).toBe(201);
      expect((await sandbox.fetch('/api/orders', { method: 'POST' })).status).toBe(503);
      const order = await (await sandbox.fetch('/api/orders', { method: 'POST' })).json();
      expect(order).toMatchObject({ orderTimeMs: Date.parse(NOON), products: [{ quantity: 1 + (number % 10) }] });
      expect((await sandbox.state()).orders).toHaveLength(3);
      await sandbox.verify({ operation: 'createOrder', times: 2 });
      await sandbox.remove();
    });
  }
}
