import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { ITEM_PATH } from '../support/fixtures/cart-item.ts';
import { createDatabaseOptions, startServer } from '../support/postgres/servers.ts';

/** How long a test waits for a condition, in ms. */
const WAIT = { timeout: 60_000, interval: 20 };

/** Starts two servers with one database. Also returns a function that opens a connection to their schema. */
async function startTwoServers() {
  const options = createDatabaseOptions();
  const servers = [await startServer(options), await startServer(options)] as const;
  const openConnection = async () => {
    const client = new pg.Client(options.database);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query(`SET search_path = ${options.databaseSchema}`);
    return (statement: string) => client.query(statement);
  };
  return { servers, openConnection };
}

const BLOCKED = 'SELECT pid FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))';

it('reads do not wait for a commit, neither of the same server nor of another one', async () => {
  const { servers, openConnection } = await startTwoServers();
  const [one, other] = servers;
  const sql = await openConnection();
  await sql("BEGIN; SELECT 1 FROM sandboxes WHERE id = 'default' FOR NO KEY UPDATE");
  let hasChanged = false;
  const changing = one.ask('PUT', ITEM_PATH, { quantity: 7 }).finally(() => {
    hasChanged = true;
  });
  await expect.poll(async () => (await sql(BLOCKED)).rows.length, WAIT).toBe(1);
  const reads = await Promise.all([one, other].map(({ ask }) => ask('GET', '/api/cart-items')));
  expect(hasChanged).toBe(false);
  for (const { body } of reads) expect(body[0].quantity).not.toBe(7);
  await sql('COMMIT');
  expect((await changing).status).toBe(200);
  for (const { ask } of servers) expect((await ask('GET', '/api/cart-items')).body[0].quantity).toBe(7);
});

/**
 * Commits a change of the sandbox `default` without a pause, as another server does. Each commit takes 20 ms, in which other commits wait. Returns the number
 * of commits so far, and a function that ends them.
 */
function commitWithoutPause(sql: (statement: string) => Promise<unknown>) {
  const state = { commits: 0, isStopped: false };
  const commit = () =>
    sql(`BEGIN;
      WITH former AS (SELECT head FROM sandboxes WHERE id = 'default' FOR NO KEY UPDATE), moved AS (
        UPDATE sandboxes SET revision = revision + 1, head = gen_random_uuid()::text FROM former WHERE id = 'default'
        RETURNING revision, sandboxes.head, former.head AS previous
      ) INSERT INTO changes (sandbox, revision, head, previous, content)
      SELECT 'default', revision, head, previous, '{"lists":{},"settings":{},"snapshots":{}}' FROM moved;
      SELECT pg_sleep(0.02);
      COMMIT`);
  const run = async () => {
    for (; !state.isStopped && state.commits < MAX_COMMITS; state.commits++) await commit();
  };
  const running = run();
  const stop = () => {
    state.isStopped = true;
    return running;
  };
  return { state, stop };
}

/** The number of commits of another server after which a test gives up. */
const MAX_COMMITS = 200;

it('a change is stored after a few commits of another server that commits without a pause', async () => {
  const { servers, openConnection } = await startTwoServers();
  const { state, stop } = commitWithoutPause(await openConnection());
  await expect.poll(() => state.commits, WAIT).toBeGreaterThan(0);
  const waited: number[] = [];
  for (const quantity of [1, 2, 3]) {
    const before = state.commits;
    expect((await servers[0].ask('PUT', ITEM_PATH, { quantity })).status).toBe(200);
    waited.push(state.commits - before);
  }
  expect(state.commits).toBeLessThan(MAX_COMMITS);
  await stop();
  for (const commits of waited) expect(commits).toBeLessThan(20);
  expect((await servers[1].ask('GET', '/api/cart-items')).body[0].quantity).toBe(3);
});
