import { startStorefront } from 'storefront/testing';
import { afterAll, expect, it } from 'vitest';

const shop = await startStorefront();
afterAll(() => shop.close());

it('reports a failed order', async () => {
  const sandbox = await shop.sandbox({ from: 'full-cart' });
  await sandbox.fault({ operation: 'createOrder', status: 503, times: 1 });

  expect((await sandbox.fetch('/api/orders', { method: 'POST' })).status).toBe(503);
  expect((await sandbox.fetch('/api/orders', { method: 'POST' })).status).toBe(201);
});
