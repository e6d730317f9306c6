import { expect, it, onTestFinished } from 'vitest';
import { ITEM, ITEM_PATH } from '../support/fixtures/cart-item.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { startCluster } from '../support/postgres/cluster.ts';
import { createDatabaseOptions, startServer, startServers, startTestCluster } from '../support/postgres/servers.ts';

it('a server is ready if its database is available', async () => {
  const cluster = await startCluster();
  onTestFinished(() => cluster.remove());
  const [{ ask }] = await startServers(2, { database: cluster.getUrl(), errorsExpected: true });
  const check = () => ask('GET', '/_control/ready');
  expect((await check()).status).toBe(200);
  await cluster.stop('fast');
  expectProblem(await check(), 503, 'unavailable');
  expect((await ask('POST', '/api/cart-items', ITEM)).status).toBe(503);
  expect((await ask('GET', '/_control/health')).status).toBe(200);
  await cluster.start();
  expect((await check()).status).toBe(200);
});

it('the metrics are available while the database is not', async () => {
  const cluster = await startTestCluster();
  const server = await startServer({ ...createDatabaseOptions(), database: cluster.getUrl(), errorsExpected: true });
  const getMetrics = () => server.ask('GET', '/_control/metrics');
  await getMetrics();
  await cluster.stop('fast');
  expectProblem(await server.ask('PUT', ITEM_PATH, { quantity: 3 }), 503, 'unavailable');
  const { status, text } = await getMetrics();
  expect(status).toBe(200);
  expect(text).toContain('\nstorefront_requests_total{operation="updateCartItem",status="5xx"} 1\n');
});

it('the metrics count the commits in all sandboxes and the connections to the database', async () => {
  const [{ ask }] = await startServers(2);
  await ask('GET', '/_control/metrics');
  await ask('POST', '/api/cart-items', ITEM);
  await ask('POST', '/_sandbox/w1/api/cart-items', ITEM);
  const { text } = await ask('GET', '/_control/metrics');
  expect(text).toContain('\nstorefront_commit_changes_count 2\n');
  expect(text).toMatch(/\nstorefront_database_connections [1-8]\n/);
  expect(text).toMatch(/\nstorefront_database_waiting_statements \d+\n/);
});
