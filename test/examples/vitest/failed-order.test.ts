import { startStorefront } from 'storefront/testing';
import { afterAll, expect, it } from 'vitest';

const server = await startStorefront();
afterAll(() => server.close());

it('reports a failed order', async () => {
  const sandbox = await server.sandbox({ from: 'full-cart' });
  await sandbox.fault({ operation: 'createOrder', status: 503, times: 1 });

  expect((await sandbox.fetch('/api/orders', { method: 'POST' })).status).toBe(503);
  expect((await sandbox.fetch('/api/orders', { method: 'POST' })).status).toBe(201);
});
