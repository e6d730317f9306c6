const { afterAll, beforeAll, expect, it } = require('@jest/globals');
const { startStorefront } = require('storefront/testing');

/** @type {import('storefront/testing').TestStorefront} */
let server;
beforeAll(async () => {
  server = await startStorefront();
});
afterAll(() => server.close());

it('orders at the second attempt', async () => {
  const sandbox = await server.sandbox({ from: 'full-cart' });
  await sandbox.fault({ operation: 'createOrder', status: 500, times: 1 });

  expect((await sandbox.fetch('/api/orders', { method: 'POST' })).status).toBe(500);
  expect((await sandbox.fetch('/api/orders', { method: 'POST' })).status).toBe(201);

  await sandbox.verify({ operation: 'createOrder', times: 2 });
});
