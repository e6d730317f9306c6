import { describe, expect, it } from 'vitest';
import type { Cluster } from '../support/postgres/cluster.ts';
import { listNotes, MAX_RESPONSE_MS, NoteWriters, writeNotesDocument } from '../support/postgres/notes.ts';
import {
  countConnections,
  createDatabaseOptions,
  startServer,
  startServers,
  startTestCluster,
  type TestServer,
} from '../support/postgres/servers.ts';

const CLIENTS = 16;

/** The maximum number of connections of two servers. */
const MAX_CONNECTIONS = 16;

/** Starts two servers with a PostgreSQL of their own, and clients that write to both. */
async function startWriters(cluster: Cluster) {
  const contract = await writeNotesDocument();
  const servers = await startServers(2, { contract, database: cluster.getUrl(), errorsExpected: true });
  const writers = new NoteWriters(
    servers.map(({ url }) => url),
    CLIENTS,
  );
  await waitForNotes(writers, 50);
  return { servers, writers };
}

/** Waits until servers have acknowledged more notes. */
async function waitForNotes(writers: NoteWriters, count: number): Promise<void> {
  const before = writers.acknowledged.length;
  await expect.poll(() => writers.acknowledged.length - before, { timeout: 60_000 }).toBeGreaterThan(count);
}

/** Stops the clients. Expects each acknowledged note exactly once, each other note at most once, and only 503 as an error. */
async function expectNoLoss(writers: NoteWriters, servers: readonly TestServer[]): Promise<void> {
  await writers.stop();
  for (const { url } of servers) {
    const notes = await listNotes(url);
    const known = new Set(notes);
    expect(known.size).toBe(notes.length);
    expect(writers.acknowledged.filter((text) => !known.has(text))).toEqual([]);
    const sent = new Set(writers.sent);
    expect(notes.filter((text) => !sent.has(text))).toEqual([]);
  }
  expect(writers.unexpected).toEqual([]);
  expect(writers.longestMs).toBeLessThan(MAX_RESPONSE_MS);
}

describe('two servers under load', () => {
  it('lose and repeat nothing if PostgreSQL is restarted, and recover', async () => {
    const cluster = await startTestCluster();
    const { servers, writers } = await startWriters(cluster);
    for (let round = 0; round < 3; round++) {
      await cluster.stop('fast');
      await expect.poll(() => writers.unavailable, { timeout: 60_000 }).toBeGreaterThan(0);
      await cluster.start();
      await waitForNotes(writers, 100);
    }
    await expectNoLoss(writers, servers);
    expect(await countConnections(cluster.getUrl())).toBeLessThanOrEqual(MAX_CONNECTIONS);
  });

  it('lose and repeat nothing if PostgreSQL is killed, and recover', async () => {
    const cluster = await startTestCluster();
    const { servers, writers } = await startWriters(cluster);
    for (let round = 0; round < 3; round++) {
      cluster.kill();
      await cluster.start();
      await waitForNotes(writers, 100);
    }
    await expectNoLoss(writers, servers);
    expect(await countConnections(cluster.getUrl())).toBeLessThanOrEqual(MAX_CONNECTIONS);
  });
});

describe('two servers after a failover to a database that lacks the last commits', () => {
  it('use the content of this database, and log the loss', async () => {
    const cluster = await startTestCluster();
    const contract = await writeNotesDocument();
    const options = { ...createDatabaseOptions(), contract, database: cluster.getUrl(), errorsExpected: true };
    const servers = await startServers(2, options);
    const [one, other] = servers;
    await one.ask('POST', '/notes', { text: 'kept' });
    await cluster.backUp();
    const create = (text: string) =>
      expect.poll(async () => (await one.ask('POST', '/notes', { text })).status).toBe(201);
    for (const text of ['lost-1', 'lost-2', 'lost-3']) await create(text);
    expect(await listNotes(other.url)).toHaveLength(4);
    await cluster.restoreBackUp();
    for (const { url, log } of servers) {
      await expect.poll(() => listNotes(url).catch(() => undefined)).toEqual(['kept']);
      expect(log.map(({ msg }) => msg)).toContainEqual(expect.stringContaining('The database has lost changes'));
    }
    await create('new');
    const third = await startServer(options);
    for (const { url } of [...servers, third]) expect((await listNotes(url)).toSorted()).toEqual(['kept', 'new']);
  });

  it('log the loss also if the other server has changed the state again before', async () => {
    const cluster = await startTestCluster();
    const contract = await writeNotesDocument();
    const servers = await startServers(2, { contract, database: cluster.getUrl(), errorsExpected: true });
    const [one, other] = servers;
    await cluster.backUp();
    const create = (text: string) =>
      expect.poll(async () => (await one.ask('POST', '/notes', { text })).status).toBe(201);
    await create('lost');
    expect(await listNotes(other.url)).toEqual(['lost']);
    await cluster.restoreBackUp();
    for (const text of ['a', 'b', 'c']) await create(text);
    await expect.poll(async () => (await listNotes(other.url).catch(() => [])).toSorted()).toEqual(['a', 'b', 'c']);
    expect(other.log.map(({ msg }) => msg)).toContainEqual(expect.stringContaining('The database has lost changes'));
  });

  it('have the new requests in their journals', async () => {
    const cluster = await startTestCluster();
    const [one, other] = await startServers(2, { database: cluster.getUrl(), errorsExpected: true });
    await one.ask('GET', '/api/orders');
    expect((await other.sendControl('GET', '/default/requests')).body).toHaveLength(1);
    await cluster.backUp();
    const ask = () => expect.poll(async () => (await one.ask('GET', '/api/products')).status).toBe(200);
    for (let number = 0; number < 5; number++) await ask();
    await expect.poll(async () => (await other.sendControl('GET', '/default/requests')).body.length).toBe(6);
    await cluster.restoreBackUp();
    await ask();
    await expect
      .poll(async () =>
        (await other.sendControl('GET', '/default/requests')).body.map?.(
          (entry: { operation: string }) => entry.operation,
        ),
      )
      .toEqual(['listOrders', 'listProducts']);
  });
});
