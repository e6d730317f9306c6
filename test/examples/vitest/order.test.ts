import createClient from 'openapi-fetch';
import { type paths, startStorefront } from 'storefront/testing';
import { afterAll, expect, it } from 'vitest';

const NOON = '2025-06-01T12:00:00Z';

const server = await startStorefront();
afterAll(() => server.close());

it('orders at the second attempt', async () => {
  const sandbox = await server.sandbox({ from: 'full-cart' });
  const client = createClient<paths>({ baseUrl: sandbox.url });
  await sandbox.clock.freeze(NOON);
  await sandbox.fault({ operation: 'createOrder', status: 500, times: 1 });

  expect((await client.POST('/api/orders')).response.status).toBe(500);
  const { data: order } = await client.POST('/api/orders');

  expect(order?.orderTimeMs).toBe(Date.parse(NOON));
  await sandbox.verify({ operation: 'createOrder', times: 2 });
});
