import { randomBytes } from 'node:crypto';
import { expect, inject, onTestFinished } from 'vitest';
import { createSandboxClient } from '../harness/sandboxes.ts';
import type { TestResponse } from '../harness/start-storefront.ts';
import { runSql, startServers, type TestServer } from './servers.ts';

/** How long a test waits until servers have recovered. */
export const WAIT = { timeout: 60_000, interval: 50 };

export const TABLES =
  'sandboxes, bases, changes, lists, journals, journal_entries, servers, idempotency_keys, flushes, expired_sandboxes, list_references, coverage';

/** A database of a test. `run`: runs statements in the schema `storefront`. */
export interface TestDatabase {
  readonly url: string;
  run(statements: string): Promise<readonly unknown[]>;
  /** Deletes the database, and creates it again. */
  recreate(): Promise<void>;
}

/** Creates a database for a test. */
export async function createDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = Object.assign(new URL(inject('databaseUrl')), { pathname: name }).href;
  const create = () => runSql(inject('databaseUrl'), `CREATE DATABASE ${name}`);
  const drop = () => runSql(inject('databaseUrl'), `DROP DATABASE ${name} WITH (FORCE)`);
  await create();
  onTestFinished(async () => void (await drop()));
  return {
    url,
    run: (statements) => runSql(`${url}?options=-csearch_path%3Dstorefront`, statements),
    async recreate() {
      await drop();
      await create();
    },
  };
}

/** Starts servers with a database of their own. */
export async function startWithDatabase(count: number, options: Parameters<typeof startServers>[1] = {}) {
  const database = await createDatabase();
  const all = { database: database.url, databaseSchema: 'storefront', errorsExpected: true, ...options };
  return { database, servers: await startServers(count, all), options: all };
}

/** Expects a response, or 503 with `Retry-After`. */
export function expectUsable(response: TestResponse): void {
  if (response.status === 503) expect(response.headers.get('Retry-After'), response.text).toMatch(/^\d+$/);
  else expect(response.status, response.text).toBeLessThan(500);
}

/** Repeats a request until its status is not 503. */
export async function sendUntilServed(send: () => Promise<TestResponse>): Promise<TestResponse> {
  let response: TestResponse | undefined;
  await expect
    .poll(async () => {
      response = await send();
      expectUsable(response);
      return response.status;
    }, WAIT)
    .not.toBe(503);
  return response as TestResponse;
}

/** Changes the state of servers, so that the database has something to lose. */
export async function fill(servers: readonly TestServer[]): Promise<void> {
  for (const [index, server] of servers.entries()) {
    const key = { 'Idempotency-Key': 'a-key' };
    await createSandboxClient(server, 'a')('POST', '/api/orders', undefined, key);
    await createSandboxClient(server, `b${index}`)('POST', '/api/orders');
    await server.ask('POST', '/api/orders');
    await server.sendControl('PUT', '/default/snapshots/mine');
    await server.sendControl('GET', '/a/requests');
  }
}
