import { describe, expect, it } from 'vitest';
import { createSandboxClient } from '../support/harness/sandboxes.ts';
import {
  createDatabaseOptions,
  runSql,
  startServer,
  startServers,
  type TestServer,
} from '../support/postgres/servers.ts';

/** How long a test waits for a condition, in ms. */
const WAIT = { timeout: 60_000, interval: 50 };

/** Starts servers, and returns a function that runs statements in their schema. */
async function startWithSql(count: number) {
  const options = createDatabaseOptions();
  const servers = await startServers(count, options);
  const sql = (statement: string) =>
    runSql(`${options.database}?options=-csearch_path%3D${options.databaseSchema}`, statement);
  const countLists = async () => (await sql('SELECT hash FROM lists')).length;
  return { options, servers, sql, countLists };
}

/** Changes a product of the sandbox `default`, and saves a snapshot. */
async function saveSnapshot({ sendControl }: TestServer, name: string): Promise<void> {
  const { body: state } = await sendControl('GET', '/default/state');
  state.products[0].name = `Product of ${name}`;
  expect((await sendControl('PUT', '/default/state', state)).status).toBe(204);
  expect((await sendControl('PUT', `/default/snapshots/${name}`)).status).toBeLessThan(300);
}

async function createSandbox({ sendControl }: TestServer, id: string, from: string): Promise<void> {
  expect((await sendControl('PUT', `/${id}`, { from })).status).toBe(200);
}

async function remove({ sendControl }: TestServer, path: string): Promise<void> {
  expect((await sendControl('DELETE', path)).status).toBe(204);
}

const readName = async (server: TestServer, id: string) =>
  (await createSandboxClient(server, id)('GET', '/api/products')).body[0].name;

describe('collections in the database', () => {
  it('are deleted with the last sandbox that has them', async () => {
    const { servers, countLists } = await startWithSql(2);
    const [one, other] = servers;
    const before = await countLists();
    for (let cycle = 0; cycle < 40; cycle++) {
      await saveSnapshot(one, `s-${cycle}`);
      await createSandbox(one, `test-${cycle}`, `s-${cycle}`);
      expect(await readName(other, `test-${cycle}`)).toBe(`Product of s-${cycle}`);
      await remove(one, `/default/snapshots/s-${cycle}`);
      await remove(other, `/test-${cycle}`);
    }
    expect(await countLists()).toBeLessThanOrEqual(before);
  });

  it('stay while another sandbox or a snapshot has them', async () => {
    const { options, servers } = await startWithSql(2);
    const [one, other] = servers;
    await saveSnapshot(one, 's');
    await createSandbox(one, 'first', 's');
    await createSandbox(other, 'second', 's');
    await remove(one, '/first');
    const later = await startServer(options);
    expect(await readName(later, 'second')).toBe('Product of s');
    await remove(later, '/second');
    await createSandbox(other, 'fourth', 's');
    expect(await readName(await startServer(options), 'fourth')).toBe('Product of s');
  });

  it('are stored again if they were deleted before a server refers to them', async () => {
    const { options, servers, sql, countLists } = await startWithSql(1);
    const [one] = servers;
    await saveSnapshot(one, 's');
    await createSandbox(one, 'first', 's');
    await saveSnapshot(one, 'other');
    await remove(one, '/first');
    await sql('DELETE FROM lists WHERE hash NOT IN (SELECT hash FROM list_references)');
    const before = await countLists();
    expect((await one.sendControl('POST', '/default/snapshots/s/restore')).status).toBe(204);
    await createSandbox(one, 'second', 's');
    expect(await countLists()).toBeGreaterThan(before);
    const later = await startServer(options);
    expect(await readName(later, 'default')).toBe('Product of s');
    expect(await readName(later, 'second')).toBe('Product of s');
  });

  it('are readable in all sandboxes while two servers create and delete sandboxes', async () => {
    const { options, servers } = await startWithSql(2);
    await saveSnapshot(servers[0], 's');
    const created = Array.from({ length: 60 }, (_, index) => index);
    await Promise.all(
      created.map(async (index) => {
        const [server, other] = index % 2 === 0 ? servers : [servers[1], servers[0]];
        await createSandbox(server, `short-${index}`, 's');
        await remove(other, `/short-${index}`);
        await createSandbox(server, `long-${index}`, 's');
        if (index % 3 > 0) await remove(server, `/long-${index}`);
      }),
    );
    const later = await startServer(options);
    const left = created.filter((index) => index % 3 === 0);
    for (const index of left) expect(await readName(later, `long-${index}`)).toBe('Product of s');
  });

  it('of earlier changes are deleted after the changes of a sandbox were merged', async () => {
    const { servers, sql, countLists } = await startWithSql(1);
    const [one] = servers;
    for (const name of ['a', 'b']) {
      await saveSnapshot(one, name);
      await createSandbox(one, `test-${name}`, name);
    }
    const restored = Array.from({ length: 240 }, (_, index) => (index % 2 === 0 ? 'a' : 'b'));
    for (const name of restored)
      expect((await one.sendControl('POST', `/default/snapshots/${name}/restore`)).status).toBe(204);
    const countReferences = async () => (await sql("SELECT 1 FROM list_references WHERE sandbox = 'default'")).length;
    await expect.poll(countReferences, WAIT).toBeLessThan(150);
    for (const name of ['a', 'b']) await remove(one, `/default/snapshots/${name}`);
    for (const name of ['a', 'b']) await remove(one, `/test-${name}`);
    expect(await countLists()).toBeLessThan(8);
  });

  it('are found in the tables of an earlier version', async () => {
    const { options, servers, sql, countLists } = await startWithSql(1);
    await saveSnapshot(servers[0], 's');
    await createSandbox(servers[0], 'first', 's');
    const references = await sql('SELECT * FROM list_references ORDER BY 1, 2, 3');
    await servers[0].close();
    await sql('DROP TABLE list_references, coverage; DELETE FROM versions WHERE version >= 2');
    const later = await startServer(options);
    expect(await sql('SELECT * FROM list_references ORDER BY 1, 2, 3')).toEqual(references);
    expect(await readName(later, 'first')).toBe('Product of s');
    const before = await countLists();
    await remove(later, '/first');
    expect(await countLists()).toBe(before - 1);
  });
});
