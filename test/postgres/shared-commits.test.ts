import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectProblem } from '../support/harness/problems.ts';
import { writeNotesDocument } from '../support/postgres/notes.ts';
import { createDatabaseOptions, startServer, type TestServer } from '../support/postgres/servers.ts';

/** How long a test waits for a condition, in ms. */
const WAIT = { timeout: 60_000, interval: 20 };

const createNote = ({ ask }: TestServer, key: string) =>
  ask('POST', '/notes', { text: key }, { 'Idempotency-Key': key });

const createNotes = (server: TestServer, count: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => createNote(server, `key-${index}`)));

/** Starts a server with notes. `sql` runs a statement in its schema. */
async function startWithSql(options: object = {}) {
  const database = createDatabaseOptions();
  const server = await startServer({ ...database, contract: await writeNotesDocument(), ...options });
  const client = new pg.Client(database.database);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`SET search_path = ${database.databaseSchema}`);
  const sql = async (statement: string) => (await client.query(statement)).rows;
  const readRevision = async () =>
    Number((await sql("SELECT revision FROM sandboxes WHERE id = 'default'"))[0].revision);
  return { server, sql, readRevision };
}

type Started = Awaited<ReturnType<typeof startWithSql>>;

/** Delays the commits of a server. Sends a POST whose commit waits, and then POSTs with the given keys, which wait for this commit. */
async function sendDuringCommit({ server, sql }: Started, keys: readonly string[]) {
  await sql("BEGIN; SELECT 1 FROM sandboxes WHERE id = 'default' FOR NO KEY UPDATE");
  const first = server.ask('POST', '/notes', { text: 'first' });
  const blocked = 'SELECT pid FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))';
  await expect.poll(async () => (await sql(blocked)).length, WAIT).toBe(1);
  const responses = keys.map((key) => createNote(server, key));
  await expect.poll(async () => (await sql('SELECT 1 FROM idempotency_keys')).length, WAIT).toBe(keys.length);
  return { first, responses };
}

describe('POSTs with different Idempotency-Keys', () => {
  it('share a commit', async () => {
    const started = await startWithSql();
    const before = await started.readRevision();
    const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`);
    const { first, responses } = await sendDuringCommit(started, keys);
    await started.sql('COMMIT');
    const all = await Promise.all([first, ...responses]);
    expect(all.map(({ status }) => status)).toEqual(Array(21).fill(201));
    expect(new Set(all.map(({ body }) => body.id)).size).toBe(21);
    // One commit for the first POST, and a few for the others, depending on when the server gets the replies to their claims.
    expect((await started.readRevision()) - before).toBeLessThan(10);
  });

  it('are stored if another request in the commit has lost its key', async () => {
    const started = await startWithSql({ errorsExpected: true });
    const { first, responses } = await sendDuringCommit(started, ['lost', 'other-1', 'other-2']);
    await started.sql("UPDATE idempotency_keys SET claim = 'another' WHERE key = 'lost'; COMMIT");
    const [lost, ...others] = await Promise.all(responses);
    expectProblem(lost as Awaited<typeof first>, 503, 'unavailable');
    for (const response of [await first, ...others]) expect(response.status).toBe(201);
    const { body } = await started.server.ask('GET', '/notes');
    expect(body.map(({ text }: { text: string }) => text).sort()).toEqual(['first', 'other-1', 'other-2']);
  });
});

/** The context of a handler that the tests use. */
interface NotesContext {
  update<Result>(change: (state: { readonly notes: readonly object[] }) => object): Promise<Result>;
}

/** Starts a server whose handler of POST /notes numbers the notes. `pause`: called by the handler before and after its change. */
function startWithHandler(pause: (when: 'before' | 'after') => Promise<unknown>) {
  const postNotes = async ({ body }: { body: { text: string } }, { update }: NotesContext) => {
    await pause('before');
    const note = await update<object>(({ notes }) => {
      const added = { id: notes.length + 1, text: body.text };
      return { next: { notes: [...notes, added] }, result: added };
    });
    await pause('after');
    return { status: 201, body: note };
  };
  return startWithSql({ handlers: { postNotes } });
}

describe('a handler of POSTs with Idempotency-Keys', () => {
  it.each(['before', 'after'] as const)('can wait %s its change without losing a change', async (when) => {
    const { server } = await startWithHandler(async (now) => now === when && (await waitTurns(5)));
    const responses = await createNotes(server, 12);
    expect(responses.map(({ status }) => status)).toEqual(Array(12).fill(201));
    const { body } = await server.ask('GET', '/notes?limit=100');
    expect(body.map(({ id }: { id: number }) => id)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    const byText = (one: { text: string }, other: { text: string }) => one.text.localeCompare(other.text);
    expect(responses.map(({ body: note }) => note).sort(byText)).toEqual([...body].sort(byText));
    for (const { body: note } of responses) {
      const repeated = await createNote(server, note.text);
      expect([repeated.body, repeated.headers.get('Idempotent-Replayed')]).toEqual([note, 'true']);
    }
  });
});

async function waitTurns(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await setImmediate();
}
