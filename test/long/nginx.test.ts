import { beforeEach, expect, it } from 'vitest';
import { hasNginx, startNginx } from '../support/harness/nginx.ts';
import { createFetchClient, startStorefront } from '../support/harness/start-storefront.ts';

beforeEach(({ skip }) => skip(!hasNginx, 'nginx is not installed'));

/** Starts nginx before two servers. Each server has a state of its own, so a test sees which one responds. */
async function startBehindNginx() {
  const replicas = [await startStorefront(), await startStorefront()];
  const url = await startNginx(replicas.map(({ port }) => port));
  return { replicas, port: Number(new URL(url).port), ask: createFetchClient(url) };
}

it('nginx sends requests to both replicas, with the host and the path of the client', async () => {
  const { replicas, port, ask } = await startBehindNginx();
  for (let sent = 0; sent < 20; sent++) await ask('GET', '/api//orders?expand=products');
  const paths = replicas.map(({ log }) => log.filter(({ path }) => path === '/api//orders?expand=products').length);
  expect(paths.every((count) => count > 0)).toBe(true);
  const [replica] = replicas;
  const fromPage = await ask('GET', '/api/orders', undefined, { Origin: `http://localhost:${port}` });
  expect(fromPage.headers.get('Access-Control-Allow-Origin')).toBe(`http://localhost:${port}`);
  const large = JSON.stringify(
    (await createFetchClient(replica?.url ?? '')('GET', '/_control/sandboxes/default/state')).body,
  );
  const padded = large + ' '.repeat(15_000_000);
  const put = await ask('PUT', '/_control/sandboxes/default/state', padded);
  expect([put.status, put.text]).toEqual([204, '']);
});

it('nginx passes on the link to the next page of a long search', async () => {
  const { ask } = await startBehindNginx();
  const { status, headers } = await ask(
    'GET',
    `/api/products?limit=2&search=${encodeURIComponent('ｓｈｏｅｓ　'.repeat(90))}`,
  );
  expect(status).toBe(200);
  expect(headers.get('link')).toMatch(/&after=[^>]+>; rel="next"$/);
});

it('nginx repeats reads on the other replica if one fails, and never changes', async () => {
  const { replicas, ask } = await startBehindNginx();
  const clients = replicas.map(({ url }) => createFetchClient(url));
  const fault = { operation: 'createOrder', connection: 'reset', phase: 'after' };
  for (const client of clients) await client('POST', '/_control/sandboxes/default/faults', fault);
  expect((await ask('POST', '/api/orders')).status).toBe(502);
  const orders = await Promise.all(clients.map(async (client) => (await client('GET', '/api/orders')).body.length));
  expect(orders.toSorted()).toEqual([2, 3]);
  await replicas[0]?.close();
  const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await ask('GET', '/api/orders')).status));
  expect(new Set(statuses)).toEqual(new Set([200]));
});
