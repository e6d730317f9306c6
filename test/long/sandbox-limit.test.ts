import { describe, expect, it } from 'vitest';
import { defaults } from '../support/fixtures/default-data.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { createControlClient, createSandboxClient } from '../support/harness/sandboxes.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

/** Returns a state change that gives a product a keyword of `length` characters. */
function keywordText(length: number): string {
  const [first, ...others] = defaults.products;
  return JSON.stringify({ products: [{ ...first, keywords: ['x'.repeat(length)] }, ...others] });
}

describe('a sandbox at its memory limit', () => {
  it('rejects a state with 413 and a change with 507, can be reset, and does not affect others', async () => {
    const shop = await startStorefront({ durability: 'memory' });
    const [sendControl, ask] = [createControlClient(shop), createSandboxClient(shop, 'w1')];
    for (const name of ['a', 'b', 'c', 'd']) {
      expect((await sendControl('PUT', '/w1/state', keywordText(15_000_000))).status, name).toBe(204);
      expect((await sendControl('PUT', `/w1/snapshots/${name}`)).status, name).toBe(200);
    }
    expectProblem(await sendControl('PUT', '/w1/state', keywordText(15_000_001)), 413, 'state-too-large');
    let [accepted, refused] = [0, 15_000_000];
    while (refused - accepted > 100) {
      const length = Math.floor((accepted + refused) / 2);
      if ((await sendControl('PUT', '/w1/state', keywordText(length))).status === 204) accepted = length;
      else refused = length;
    }
    await sendControl('PUT', '/w1/state', keywordText(accepted));
    expectProblem(await ask('POST', '/api/orders'), 507, 'insufficient-storage');
    expect((await ask('GET', '/api/orders')).body).toEqual(defaults.orders);
    expect((await createSandboxClient(shop, 'w2')('POST', '/api/orders')).status).toBe(201);
    expect((await ask('DELETE', `/api/cart-items/${defaults.cartItems[0]?.productId}`)).status).toBe(204);
    expect((await ask('POST', '/api/reset')).status).toBe(204);
    expect((await ask('POST', '/api/orders')).status).toBe(201);
  });
});
