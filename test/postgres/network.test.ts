import { chown } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../../src/store/postgres/database.ts';
import { Turns } from '../../src/util/slices.ts';
import { mountSmallDisk, mountsUnavailable } from '../support/harness/disks.ts';
import { startProgram } from '../support/harness/start-program.ts';
import { createFetchClient, type TestResponse } from '../support/harness/start-storefront.ts';
import { PASSWORD } from '../support/postgres/cluster.ts';
import { findInstallation } from '../support/postgres/installation.ts';
import { listNotes, MAX_RESPONSE_MS, NoteWriters, writeNotesDocument } from '../support/postgres/notes.ts';
import {
  countConnections,
  createDatabaseOptions,
  runSql,
  startServer,
  startTestCluster,
  type TestServer,
} from '../support/postgres/servers.ts';
import { startTcpProxy } from '../support/postgres/tcp-proxy.ts';

/** The maximum number of connections of a server. */
const MAX_CONNECTIONS = 8;

/** The maximum duration of requests while the database does not respond, in ms: 4 s for a statement, 1 s for a test of the database, and a reserve. */
const MAX_HANG_MS = 8_000;

/** Starts two servers: one whose connections to the database pass through a proxy, and one without. */
async function startWithProxy() {
  const cluster = await startTestCluster();
  const proxy = await startTcpProxy(cluster.port);
  const contract = await writeNotesDocument();
  const options = { ...createDatabaseOptions(), contract, errorsExpected: true };
  const server = await startServer({ ...options, database: cluster.getUrl('postgres', proxy.port) });
  const other = await startServer({ ...options, database: cluster.getUrl() });
  return { cluster, proxy, server, other };
}

const createNote = ({ ask }: TestServer, text: string): Promise<TestResponse> => ask('POST', '/notes', { text });

function expectUnavailable({ status, headers, body }: TestResponse): void {
  expect(status).toBe(503);
  expect(headers.get('Retry-After')).toMatch(/^\d+$/);
  expect(JSON.stringify(body)).toContain('the database is not available');
}

/** Returns the messages of a log about the database. */
function listFailures({ log }: TestServer): readonly string[] {
  const messages = log.map(({ msg = '' }) => msg);
  expect(messages.join('\n')).not.toContain(PASSWORD);
  return messages.filter((message) => /is not available|can be used again/.test(message));
}

/** Waits until a server creates notes again. */
async function waitForRecovery(server: TestServer): Promise<void> {
  await expect.poll(async () => (await createNote(server, 'recovered')).status, { timeout: 60_000 }).toBe(201);
}

/** Fills the disk of a database, at the end in small steps. */
async function fillDisk(database: string): Promise<void> {
  await runSql(database, 'CREATE TABLE filler (content text); ALTER TABLE filler ALTER content SET STORAGE EXTERNAL');
  for (const bytes of [1_000_000, 100_000, 8_000, 1_000, 100])
    for (let isFull = false; !isFull; )
      isFull = await runSql(database, `INSERT INTO filler VALUES (repeat('x', ${bytes}))`).then(
        () => false,
        () => true,
      );
}

describe('a server whose network to the database', () => {
  it('is cut responds with 503, and recovers', async () => {
    const { cluster, proxy, server, other } = await startWithProxy();
    const writers = new NoteWriters([server.url, other.url], 8);
    for (let round = 0; round < 5; round++) {
      const { length } = writers.acknowledged;
      await expect.poll(() => writers.acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(length + 50);
      proxy.cut();
      expectUnavailable(await server.ask('GET', '/notes'));
      expectUnavailable(await createNote(server, 'refused'));
      expect((await other.ask('GET', '/notes')).status).toBe(200);
      proxy.repair();
      await waitForRecovery(server);
    }
    await writers.stop();
    expect(writers.unexpected).toEqual([]);
    const notes = (await listNotes(server.url)).filter((text) => text !== 'recovered');
    expect(new Set(notes).size).toBe(notes.length);
    expect(writers.acknowledged.filter((text) => !notes.includes(text))).toEqual([]);
    expect(notes).not.toContain('refused');
    expect(listFailures(server)).toHaveLength(10);
    expect(listFailures(other)).toEqual([]);
    expect(await countConnections(cluster.getUrl())).toBeLessThanOrEqual(2 * MAX_CONNECTIONS);
  });

  it('hangs responds with 503 in time, and recovers', async () => {
    const { proxy, server, other } = await startWithProxy();
    await createNote(server, 'before');
    proxy.hang();
    const startMs = performance.now();
    const sends = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? server.ask('GET', '/notes') : createNote(server, `hung ${index}`),
    );
    const responses = await Promise.all(sends);
    for (const response of responses) expectUnavailable(response);
    expect(performance.now() - startMs).toBeLessThan(MAX_HANG_MS);
    const laterMs = performance.now();
    expectUnavailable(await server.ask('GET', '/_control/ready'));
    expectUnavailable(await createNote(server, 'later'));
    expect(performance.now() - laterMs).toBeLessThan(1_000);
    expect((await createNote(other, 'meanwhile')).status).toBe(201);
    proxy.repair();
    await waitForRecovery(server);
    const notes = await listNotes(server.url);
    expect(new Set(notes).size).toBe(notes.length);
    expect(notes).toEqual(expect.arrayContaining(['before', 'meanwhile', 'recovered']));
    expect(proxy.countConnections()).toBeLessThanOrEqual(MAX_CONNECTIONS);
  });

  it('hangs can be closed in time', async () => {
    const { proxy, server } = await startWithProxy();
    await createNote(server, 'before');
    proxy.hang();
    const startMs = performance.now();
    await server.close();
    expect(performance.now() - startMs).toBeLessThan(MAX_RESPONSE_MS);
  });

  it('hangs ends after SIGTERM by itself', async () => {
    const cluster = await startTestCluster();
    const proxy = await startTcpProxy(cluster.port);
    const { databaseSchema } = createDatabaseOptions();
    const database = cluster.getUrl('postgres', proxy.port);
    const args = ['--port', '0', '--database', database, '--database-schema', databaseSchema];
    const { child, ended, url } = await startProgram({ onTestFinished }, args);
    const ask = createFetchClient(await url());
    proxy.hang();
    const responses = Array.from({ length: 10 }, () => ask('POST', '/api/orders').catch(() => undefined));
    child.kill('SIGTERM');
    expect((await ended).signal).toBeNull();
    for (const response of await Promise.all(responses)) expect(response?.status ?? 503).toBe(503);
  });

  it('is slow responds, and its changes are not repeated', async () => {
    const { proxy, server, other } = await startWithProxy();
    proxy.delay(200);
    const responses = await Promise.all(Array.from({ length: 30 }, (_, index) => createNote(server, `slow ${index}`)));
    expect(responses.map(({ status }) => status)).toEqual(Array(30).fill(201));
    expect(await listNotes(other.url)).toHaveLength(30);
  });
});

it('transactions fail at once while the database does not respond', async () => {
  const cluster = await startTestCluster();
  const proxy = await startTcpProxy(cluster.port);
  const log = { info() {}, warn() {}, error() {} };
  const database = openDatabase({ url: cluster.getUrl('postgres', proxy.port), schema: 'public' }, log);
  onTestFinished(() => database.close());
  const turns = new Turns(1);
  const transaction = await database.begin(turns);
  proxy.hang();
  await expect(transaction.query('SELECT 1')).rejects.toThrow('it does not respond');
  transaction.rollback();
  await expect(database.begin(turns)).rejects.toThrow('it does not respond');
  const startMs = performance.now();
  for (let n = 0; n < 10; n++) await expect(database.begin(turns)).rejects.toThrow('so the statement was not sent');
  expect(performance.now() - startMs).toBeLessThan(1_000);
  proxy.repair();
  const begin = () => database.begin(turns).then((next) => next.commit());
  await expect.poll(begin, { timeout: 60_000 }).toBeUndefined();
});

it('the results of statements that began before a failure are not logged as its end', async () => {
  const cluster = await startTestCluster();
  const events: string[] = [];
  const add = (message: string) => void events.push(message);
  const log = { info: add, warn() {}, error: (_: object, message: string) => add(message) };
  const database = openDatabase({ url: cluster.getUrl(), schema: 'public' }, log);
  onTestFinished(() => database.close());
  database.logAvailability();
  const earlier = database.query('SELECT pg_sleep(2)');
  const failing = expect(database.query('SELECT pg_sleep(30)')).rejects.toThrow('terminating connection');
  const end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(30)'";
  await expect.poll(() => runSql(cluster.getUrl(), end), { timeout: 60_000 }).toHaveLength(1);
  await failing;
  await earlier;
  expect(events).toEqual([expect.stringContaining('is not available')]);
  await database.query('SELECT 1');
  expect(events).toEqual([expect.anything(), expect.stringContaining('can be used again')]);
});

/** The maximum duration of a start that fails because the database does not respond, in ms. */
const MAX_START_MS = 15_000;

/** Starts the program with a database behind a proxy. `hangWhen`: resolves when the database stops responding. */
async function startWithHang(hangWhen: (database: string, schema: string) => Promise<unknown>) {
  const cluster = await startTestCluster();
  const proxy = await startTcpProxy(cluster.port);
  const { databaseSchema: schema } = createDatabaseOptions();
  proxy.delay(50);
  const args = ['--port', '0', '--database', cluster.getUrl('postgres', proxy.port), '--database-schema', schema];
  const starting = hangWhen(cluster.getUrl(), schema).then(proxy.hang);
  const program = await startProgram({ onTestFinished }, args);
  await starting;
  return program;
}

const countTables = async (database: string, schema: string) =>
  (await runSql(database, `SELECT 1 FROM pg_tables WHERE schemaname = '${schema}'`)).length;

describe('a server whose database', () => {
  it.each<readonly [name: string, hangWhen: Parameters<typeof startWithHang>[0]]>([
    ['never responds', async () => {}],
    [
      'stops responding during the start',
      (...names) => expect.poll(() => countTables(...names), { timeout: 60_000, interval: 5 }).toBeGreaterThan(5),
    ],
  ])('%s does not start, and says so', async (_, hangWhen) => {
    const { ended, stdout, stderr } = await startWithHang(hangWhen);
    const startMs = performance.now();
    expect((await ended).code).toBe(1);
    expect(performance.now() - startMs).toBeLessThan(MAX_START_MS);
    expect(stdout()).toBe('');
    expect(stderr()).toMatch(/^storefront: PostgreSQL \(.*\) can't be used: .*\. Check that the database runs/);
    expect(stderr()).not.toContain(PASSWORD);
    expect(stderr().trim().split('\n')).toHaveLength(1);
  });
});

describe('two servers with a PostgreSQL that', () => {
  it('has no free connections respond with 503, and recover', async () => {
    const cluster = await startTestCluster({ settings: ['max_connections=8', 'superuser_reserved_connections=2'] });
    const user = { username: 'shop', password: 'other' };
    await runSql(cluster.getUrl(), "CREATE ROLE shop LOGIN PASSWORD 'other'; GRANT ALL ON DATABASE postgres TO shop");
    const database = Object.assign(new URL(cluster.getUrl()), user).href;
    const options = {
      ...createDatabaseOptions(),
      database,
      contract: await writeNotesDocument(),
      errorsExpected: true,
    };
    const server = await startServer(options);
    const writers = new NoteWriters([server.url], 4);
    await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(10);
    const blocking = Array.from({ length: 8 }, () => runSql(database, 'SELECT pg_sleep(2)').catch(() => {}));
    const other = await startServer(options).catch((error: Error) => error);
    if (other instanceof Error) expect(other.message).toMatch(/connection slots|too many/);
    await Promise.all(blocking);
    await writers.stop();
    expect(writers.unexpected).toEqual([]);
    // The first server closes the connections that it no longer needs only after 10 s.
    const second = await vi.waitFor(() => startServer(options), { timeout: 60_000 });
    await waitForRecovery(server);
    await waitForRecovery(second);
    const notes = await listNotes(second.url);
    expect(writers.acknowledged.filter((text) => !notes.includes(text))).toEqual([]);
  });

  it.skipIf(mountsUnavailable)(`has a full disk respond with 503, and recover ${mountsUnavailable ?? ''}`, async () => {
    const cluster = await startTestCluster();
    const disk = await mountSmallDisk(24_000);
    const { uid = -1, gid = -1 } = findInstallation().user;
    for (const folder of [disk.folder, dirname(disk.folder)]) await chown(folder, uid, gid);
    await runSql(cluster.getUrl(), `CREATE TABLESPACE small LOCATION '${disk.folder}'`);
    await runSql(cluster.getUrl(), 'CREATE DATABASE full_disk TABLESPACE small');
    const database = cluster.getUrl('full_disk');
    const options = {
      ...createDatabaseOptions(),
      database,
      contract: await writeNotesDocument(),
      errorsExpected: true,
    };
    const [server, other] = [await startServer(options), await startServer(options)];
    expect((await createNote(server, 'first')).status).toBe(201);
    await fillDisk(database);
    const writers = new NoteWriters([server.url], 8);
    await expect.poll(() => writers.unavailable, { timeout: 60_000 }).toBeGreaterThan(20);
    for (const { ask } of [server, other]) expect((await ask('GET', '/notes')).status).toBe(200);
    await runSql(database, 'DROP TABLE filler');
    const { length } = writers.acknowledged;
    await expect.poll(() => writers.acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(length + 50);
    await writers.stop();
    expect(writers.unexpected).toEqual([]);
    // The recovery is logged when the statement that failed first succeeds, which can be one that only runs every few seconds.
    await expect
      .poll(() => listFailures(server), { timeout: 60_000 })
      .toEqual([
        expect.stringMatching(/is not available \(could not extend file .*No space left on device\)/),
        expect.stringContaining('can be used again'),
      ]);
    const notes = await listNotes(other.url);
    expect(new Set(notes).size).toBe(notes.length);
    expect(writers.acknowledged.filter((text) => !notes.includes(text))).toEqual([]);
  });
});
