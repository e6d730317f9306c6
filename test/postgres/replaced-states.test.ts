import { describe, expect, it } from 'vitest';
import { expectProblem } from '../support/harness/problems.ts';
import { createSandboxClient } from '../support/harness/sandboxes.ts';
import type { TestResponse } from '../support/harness/start-storefront.ts';
import { createDatabaseOptions, runSql, startServers, type TestServer } from '../support/postgres/servers.ts';

const KEY = { 'Idempotency-Key': 'a-key' };

/** Lets each deletion of idempotency keys fail. */
const FAIL = `
  CREATE FUNCTION $.fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no deletion''; END';
  CREATE TRIGGER fail BEFORE DELETE ON $.idempotency_keys FOR EACH STATEMENT EXECUTE FUNCTION $.fail()
`;

type Replace = (server: TestServer) => Promise<TestResponse>;

const REPLACEMENTS: readonly (readonly [what: string, id: string, replace: Replace])[] = [
  ['a reset by the application', 'a', (server) => createSandboxClient(server, 'a')('POST', '/api/reset')],
  [
    'a reset with a key',
    'a',
    (server) => createSandboxClient(server, 'a')('POST', '/api/reset', undefined, { 'Idempotency-Key': 'other' }),
  ],
  ['a reset by the control API', 'a', ({ sendControl }) => sendControl('POST', '/a/reset')],
  ['a restored snapshot', 'a', ({ sendControl }) => sendControl('POST', '/a/snapshots/full-cart/restore')],
  ['a replaced sandbox', 'a', ({ sendControl }) => sendControl('PUT', '/a')],
  ['a replaced sandbox default', 'default', ({ sendControl }) => sendControl('PUT', '/default')],
];

describe('the idempotency keys of a sandbox are deleted in the same commit as', () => {
  it.each(REPLACEMENTS)('%s', async (_, id, replace) => {
    const { database, databaseSchema } = createDatabaseOptions();
    const [one, other] = await startServers(2, { database, databaseSchema, errorsExpected: true });
    const run = (statement: string) => runSql(database, statement.replaceAll('$', databaseSchema));
    const order = () => createSandboxClient(one, id)('POST', '/api/orders', undefined, KEY);
    const countOrders = async () => (await createSandboxClient(other, id)('GET', '/api/orders')).body.length;
    const first = await order();
    expect(await countOrders()).toBe(3);
    await run(FAIL);
    expectProblem(await replace(other), 503, 'unavailable');
    expect(await countOrders()).toBe(3);
    expect((await order()).text).toBe(first.text);
    await run('DROP TRIGGER fail ON $.idempotency_keys');
    // The key of a reset that has failed is free a second later.
    await expect.poll(async () => (await replace(other)).status, { timeout: 30_000 }).toBeLessThan(300);
    expect(await countOrders()).toBe(2);
    const second = await order();
    expect([second.status, second.headers.get('Idempotent-Replayed')]).toEqual([201, null]);
    expect(second.body.id).not.toBe(first.body.id);
  });
});
