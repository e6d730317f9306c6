import { describe, expect, it } from 'vitest';
import { expectProblem } from '../support/harness/problems.ts';
import type { TestResponse } from '../support/harness/start-storefront.ts';
import { listNotes, writeNotesDocument } from '../support/postgres/notes.ts';
import { createDatabaseOptions, startServer, startTestCluster, type TestServer } from '../support/postgres/servers.ts';
import { startTcpProxy } from '../support/postgres/tcp-proxy.ts';

const KEY = { 'Idempotency-Key': 'lost-key' };

/** Starts a server whose connections to the database pass through a proxy. The server has one note. */
async function startWithProxy() {
  const cluster = await startTestCluster();
  const proxy = await startTcpProxy(cluster.port);
  const database = cluster.getUrl('postgres', proxy.port);
  const contract = await writeNotesDocument();
  const server = await startServer({ ...createDatabaseOptions(), contract, database, errorsExpected: true });
  await server.ask('POST', '/notes', { text: 'first' });
  return { proxy, server };
}

const createNote = ({ ask }: TestServer, headers = {}) => ask('POST', '/notes', { text: 'lost-note' }, headers);

function expectUnknownOutcome(response: TestResponse): void {
  expectProblem(response, 503, 'unavailable');
  expect(response.body.detail).toContain('It is unknown whether the change was stored');
  expect(response.body.detail).toContain('A request with an Idempotency-Key can be repeated safely');
}

describe('a POST whose commit is stored, but whose reply from the database is lost', () => {
  it('gets a 503 which says that the outcome is unknown', async () => {
    const { proxy, server } = await startWithProxy();
    proxy.loseReply('lost-note');
    expectUnknownOutcome(await createNote(server));
    proxy.repair();
    await expect.poll(() => listNotes(server.url).catch(() => [])).toEqual(['first', 'lost-note']);
  });

  it('can be repeated with its Idempotency-Key', async () => {
    const { proxy, server } = await startWithProxy();
    proxy.loseReply('lost-note');
    expectUnknownOutcome(await createNote(server, KEY));
    proxy.repair();
    await expect.poll(async () => (await createNote(server, KEY)).status).toBe(201);
    expect((await createNote(server, KEY)).headers.get('Idempotent-Replayed')).toBe('true');
    expect(await listNotes(server.url)).toEqual(['first', 'lost-note']);
  });
});

/** How long a test waits until a key can be used again. A claim that nobody releases expires after 60 s. */
const WAIT = { timeout: 30_000, interval: 100 };

it('an Idempotency-Key can be used again soon after the reply to its claim was lost', async () => {
  const { proxy, server } = await startWithProxy();
  proxy.loseReply('lost-key');
  expectProblem(await createNote(server, KEY), 503, 'unavailable');
  proxy.repair();
  await expect.poll(async () => (await createNote(server, KEY)).status, WAIT).toBe(201);
  expect(await listNotes(server.url)).toEqual(['first', 'lost-note']);
});
