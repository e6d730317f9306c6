import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { ITEM } from '../support/fixtures/cart-item.ts';
import { startWithControl } from '../support/harness/control.ts';
import { expectProblem, getHeader } from '../support/harness/problems.ts';
import { expectValidControlResponse } from '../support/harness/sandboxes.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

/** Returns the samples of the metrics by their names with labels. */
async function readMetrics({ ask }: Pick<TestShop, 'ask'>): Promise<Readonly<Record<string, number>>> {
  const { status, text } = await ask('GET', '/_control/metrics');
  expect(status).toBe(200);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => [line.replace(/ [^ ]*$/, ''), Number(/[^ ]*$/.exec(line)?.[0])]));
}

describe('GET /_control/ready', () => {
  it('responds with 200 if the server can handle requests', async () => {
    const { ask } = await startStorefront();
    const ready = await ask('GET', '/_control/ready');
    expect([ready.status, ready.body]).toEqual([200, { ready: true }]);
    expectValidControlResponse('GET', '/_control/ready', ready);
  });

  it('needs no token, and is served if the control API is disabled', async () => {
    for (const options of [{ controlToken: 's3cret' }, { control: false }]) {
      const { ask } = await startStorefront(options);
      expect((await ask('GET', '/_control/ready')).status).toBe(200);
      expect((await ask('GET', '/_control/ready/')).status).not.toBe(200);
      expect((await ask('POST', '/_control/ready')).status).toBe(405);
    }
  });

  it('responds with 503 while changes cannot be stored, and notices when they can', async () => {
    const folder = await tempFolder();
    const [data, moved] = [join(folder, 'data'), join(folder, 'moved')];
    await mkdir(data);
    const { ask } = await startStorefront({ data: join(data, 'db.json'), errorsExpected: true });
    await rename(data, moved);
    expect((await ask('POST', '/api/cart-items', ITEM)).status).toBe(503);
    const unready = await ask('GET', '/_control/ready');
    expectProblem(unready, 503, 'unavailable');
    expect(getHeader(unready, 'Retry-After')).toBe('1');
    expect((await ask('GET', '/_control/health')).status).toBe(200);
    await rename(moved, data);
    expect((await ask('GET', '/_control/ready')).status).toBe(200);
  });
});

describe('GET /_control/metrics', () => {
  it('counts responses, violations, commits and cached responses from the first call', async () => {
    const shop = await startStorefront();
    await shop.ask('GET', '/api/products');
    expect((await readMetrics(shop)).storefront_response_cache_hits_total).toBe(0);
    await shop.ask('GET', '/api/products');
    await shop.ask('GET', '/api/orders');
    await shop.ask('POST', '/api/cart-items', {});
    await shop.ask('GET', '/api/unknown');
    await Promise.all([1, 2, 3].map(() => shop.ask('POST', '/api/cart-items', ITEM)));
    await shop.ask('POST', '/_sandbox/w1/api/cart-items', ITEM);
    const metrics = await readMetrics(shop);
    expect(metrics).toMatchObject({
      'storefront_requests_total{operation="listProducts",status="2xx"}': 1,
      'storefront_requests_total{operation="listOrders",status="2xx"}': 1,
      'storefront_requests_total{operation="addCartItem",status="2xx"}': 4,
      'storefront_requests_total{operation="addCartItem",status="4xx"}': 1,
      'storefront_requests_total{operation="none",status="4xx"}': 1,
      'storefront_request_duration_seconds_count{operation="addCartItem",status="2xx"}': 4,
      'storefront_request_duration_seconds_bucket{le="+Inf",operation="listOrders",status="2xx"}': 1,
      'storefront_invalid_requests_total{operation="addCartItem"}': 1,
      storefront_response_cache_hits_total: 1,
      storefront_commit_changes_sum: 4,
      storefront_failed_commits_total: 0,
      storefront_sandboxes: 2,
    });
    expect(metrics.storefront_commit_changes_count).toBe(metrics.storefront_commit_duration_seconds_count);
    expect(metrics.storefront_journal_bytes).toBeGreaterThan(1_000);
  });

  it('counts responses that violate the contract, and connections without a response', async () => {
    const { shop, sendControl } = await startWithControl({
      handlers: { listOrders: () => ({ body: [{}] }) as never },
      verify: 'log',
      errorsExpected: true,
    });
    await readMetrics(shop);
    await sendControl('POST', '/default/faults', { operation: 'listProducts', connection: 'reset' });
    await shop.ask('GET', '/api/orders');
    await shop.ask('GET', '/api/products').catch(() => {});
    expect(await readMetrics(shop)).toMatchObject({
      'storefront_invalid_responses_total{operation="listOrders"}': 1,
      'storefront_requests_total{operation="listProducts",status="none"}': 1,
    });
  });

  it('has the format of Prometheus, and needs the token of the control API', async () => {
    const { ask } = await startStorefront({ controlToken: 's3cret' });
    expectProblem(await ask('GET', '/_control/metrics'), 401, 'token-required');
    const metrics = await ask('GET', '/_control/metrics', undefined, { Authorization: 'Bearer s3cret' });
    expect(getHeader(metrics, 'Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(metrics.text).toContain('# TYPE storefront_requests_total counter\n');
  });
});

it('requests of monitoring are logged only if they fail', async () => {
  const { ask, log } = await startStorefront({ controlToken: 's3cret' });
  for (const path of ['/_control/health', '/_control/ready', '/_control/metrics', '/api/orders'])
    await ask('GET', path);
  await vi.waitFor(() => expect(log.at(-1)?.path).toBe('/api/orders'), { timeout: 60_000 });
  expect(log.filter(({ method }) => method).map(({ path }) => path)).toEqual(['/_control/metrics', '/api/orders']);
});
