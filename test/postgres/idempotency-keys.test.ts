import { EventEmitter, once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ITEM, ITEM_PATH } from '../support/fixtures/cart-item.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { createSandboxClient } from '../support/harness/sandboxes.ts';
import { startProgram } from '../support/harness/start-program.ts';
import { createFetchClient, type TestResponse } from '../support/harness/start-storefront.ts';
import {
  createDatabaseOptions,
  startServer,
  startServers,
  startTestCluster,
  type TestServer,
} from '../support/postgres/servers.ts';

const KEY = { 'Idempotency-Key': 'a-key' };

const createOrder = ({ ask }: Pick<TestServer, 'ask'>, headers = KEY) => ask('POST', '/api/orders', undefined, headers);

const isReplayed = ({ headers }: TestResponse) => headers.get('Idempotent-Replayed') === 'true';

describe('an Idempotency-Key at two servers with one database', () => {
  it('makes one order of 20 concurrent requests', async () => {
    const servers = await startServers(2);
    const before = (await servers[0].ask('GET', '/api/orders')).body.length;
    const sends = Array.from({ length: 20 }, (_, index) => createOrder(servers[index % 2] as TestServer));
    const responses = await Promise.all(sends);
    const created = responses.filter(({ status }) => status === 201);
    expect(created.filter((response) => !isReplayed(response))).toHaveLength(1);
    expect(new Set(created.map(({ text }) => text)).size).toBe(1);
    for (const response of responses)
      if (response.status !== 201) expectProblem(response, 409, 'idempotency-key-in-use');
    for (const { ask } of servers) expect((await ask('GET', '/api/orders')).body).toHaveLength(before + 1);
  });

  it('makes one order of 20 clients that repeat the request until they get one', async () => {
    const servers = await startServers(2);
    const order = async (index: number) => {
      for (let attempt = index; ; attempt++) {
        const response = await createOrder(servers[attempt % 2] as TestServer);
        if (response.status !== 409) return response;
      }
    };
    const responses = await Promise.all(Array.from({ length: 20 }, (_, index) => order(index)));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(responses.filter((response) => !isReplayed(response))).toHaveLength(1);
  });

  it('gets the first response from the other server, which is marked', async () => {
    const [one, other] = await startServers(2);
    const first = await createOrder(one);
    const repeated = await createOrder(other);
    expect([repeated.status, repeated.text]).toEqual([201, first.text]);
    expect(repeated.headers.get('Location')).toBe(first.headers.get('Location'));
    expect([first, repeated].map(isReplayed)).toEqual([false, true]);
  });

  it('gets the same error from the other server', async () => {
    const [one, other] = await startServers(2);
    await one.sendControl('PUT', '/default/state', { cartItems: [] });
    const first = await createOrder(one);
    expectProblem(first, 409, 'empty-cart');
    await one.ask('POST', '/api/cart-items', ITEM);
    const repeated = await createOrder(other);
    expect([repeated.status, repeated.text, isReplayed(repeated)]).toEqual([409, first.text, true]);
  });

  it('of another request is refused by the other server with 422', async () => {
    const [one, other] = await startServers(2);
    await createOrder(one);
    expectProblem(await other.ask('POST', '/api/cart-items', ITEM, KEY), 422, 'idempotency-key-reused');
  });

  it('is a new key after the state was replaced by the other server', async () => {
    const [one, other] = await startServers(2);
    const [askOne, askOther] = [one, other].map((server) => createSandboxClient(server, 'a'));
    for (const replace of [
      () => askOther?.('POST', '/api/reset'),
      () => other.sendControl('POST', '/a/reset'),
      () => other.sendControl('POST', '/a/snapshots/full-cart/restore'),
      () => other.sendControl('PUT', '/a'),
      () => other.sendControl('DELETE', '/a'),
    ]) {
      const order = () => askOne?.('POST', '/api/orders', undefined, KEY) as Promise<TestResponse>;
      expect(isReplayed(await order()), String(replace)).toBe(false);
      expect(isReplayed(await order()), String(replace)).toBe(true);
      await replace();
    }
  });

  it('is handled while other clients change the cart without a pause', async () => {
    const [one, other] = await startServers(2);
    let isStopped = false;
    const change = async ({ ask }: TestServer, client: number) => {
      for (let number = 0; !isStopped; number++)
        await ask('PUT', ITEM_PATH, { quantity: 1 + ((client + number) % 10) });
    };
    const clients = Array.from({ length: 16 }, (_, client) => change(client % 2 === 0 ? one : other, client));
    const responses: TestResponse[] = [];
    for (let number = 0; number < 10; number++)
      responses.push(await one.ask('POST', '/api/cart-items', ITEM, { 'Idempotency-Key': `key-${number}` }));
    isStopped = true;
    await Promise.all(clients);
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(201));
  });
});

/** How long a test waits for a condition. A key that no server frees can be claimed after a minute. */
const WAIT = { timeout: 45_000, interval: 100 };

const HOUR_MS = 3_600_000;

it('an Idempotency-Key stays stored if one server has not used its sandbox for an hour', async () => {
  let elapsedMs = 0;
  const options = createDatabaseOptions();
  const one = await startServer({ ...options, elapsedMs: () => elapsedMs });
  const other = await startServer(options);
  const order = (server: TestServer) => createSandboxClient(server, 'a')('POST', '/api/orders', undefined, KEY);
  await order(one);
  elapsedMs = HOUR_MS;
  expect((await one.sendControl('GET', '')).status).toBe(200);
  expect(isReplayed(await order(other))).toBe(true);
});

/** Starts a server whose handler of `resetData` empties the cart as soon as the test lets it. */
async function startWithWaitingHandler(options: Parameters<typeof startServer>[0]) {
  const events = new EventEmitter();
  const started = once(events, 'started');
  const resetData = async (
    _: unknown,
    { update }: { update: (change: (state: object) => unknown) => Promise<unknown> },
  ) => {
    events.emit('started');
    await once(events, 'continued');
    await update((state) => ({ next: { ...state, cartItems: [] }, result: undefined }));
    return {};
  };
  const server = await startServer({ ...options, handlers: { resetData } as never, errorsExpected: true });
  const response = server.ask('POST', '/api/reset', undefined, KEY);
  await started;
  return { server, response, continueHandler: () => events.emit('continued') };
}

describe('the Idempotency-Key of a request in progress', () => {
  it('can be used again soon after its server was killed', async () => {
    const options = createDatabaseOptions();
    const args = ['--port', '0', '--database', options.database, '--database-schema', options.databaseSchema];
    const handlers = 'export const createOrder = () => (console.log("started"), new Promise(() => {}));';
    const killed = await startProgram({ onTestFinished }, [...args, '--handlers', 'handlers.mjs'], {
      prepare: (folder) => writeFile(join(folder, 'handlers.mjs'), handlers),
    });
    const other = await startServer(options);
    const lost = createOrder({ ask: createFetchClient(await killed.url()) }).catch(() => undefined);
    await expect.poll(killed.stdout, WAIT).toContain('started');
    expectProblem(await createOrder(other), 409, 'idempotency-key-in-use');
    killed.child.kill('SIGKILL');
    expect(await lost).toBeUndefined();
    await expect.poll(async () => (await createOrder(other)).status, WAIT).toBe(201);
    expect((await other.ask('GET', '/api/orders')).body).toHaveLength(3);
  });

  it('can be used again soon after a database failure', async () => {
    const cluster = await startTestCluster();
    const { server, response, continueHandler } = await startWithWaitingHandler({ database: cluster.getUrl() });
    await cluster.stop('fast');
    continueHandler();
    expectProblem(await response, 503, 'unavailable');
    await cluster.start();
    const other = await startServer({ database: cluster.getUrl() });
    const reset = async () => (await other.ask('POST', '/api/reset', undefined, KEY)).status;
    await expect.poll(reset, WAIT).toBe(204);
    expect((await server.ask('GET', '/api/cart-items')).body).toHaveLength(2);
  });

  it('prevents its change if another request claims the key at the time of the commit', async () => {
    const options = createDatabaseOptions();
    const { server, response, continueHandler } = await startWithWaitingHandler(options);
    const client = new pg.Client(options.database);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query(`BEGIN; UPDATE ${options.databaseSchema}.idempotency_keys SET claim = 'other'`);
    continueHandler();
    const blocked = 'SELECT pid FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))';
    await expect.poll(async () => (await client.query(blocked)).rows.length, WAIT).toBe(1);
    await client.query('COMMIT');
    expectProblem(await response, 503, 'unavailable');
    expect((await server.ask('GET', '/api/cart-items')).body).toHaveLength(2);
  });
});
