import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KETTLE } from '../support/fixtures/cart-item.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const FLUSH = '/_control/sandboxes/default/flush';
const CLIENTS = 20;

describe('POST /_control/sandboxes/:id/flush', () => {
  it('writes every change that has its response to the data file', async () => {
    const shop = await startStorefront();
    for (let added = CLIENTS; added <= 3 * CLIENTS; added += CLIENTS) {
      await Promise.all(Array.from({ length: CLIENTS }, () => addKettle(shop)));
      expect((await shop.ask('POST', FLUSH)).status).toBe(204);
      const { cartItems } = JSON.parse(readFileSync(shop.dataFile ?? '', 'utf8'));
      expect(cartItems.slice(defaults.cartItems.length)).toMatchObject([{ productId: KETTLE, quantity: added }]);
    }
  });

  it('does nothing without a data file', async () => {
    const shop = await startStorefront({ durability: 'memory' });
    await addKettle(shop);
    expect((await shop.ask('POST', FLUSH)).status).toBe(204);
  });

  it('does not create a sandbox', async () => {
    const shop = await startStorefront();
    expectProblem(await shop.ask('POST', '/_control/sandboxes/w1/flush'), 404, 'unknown-sandbox');
  });
});

function addKettle(shop: TestShop) {
  return shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
}
