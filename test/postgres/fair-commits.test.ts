import { expect, it, onTestFinished } from 'vitest';
import { writeNotesDocument } from '../support/postgres/notes.ts';
import {
  createDatabaseOptions,
  runSql,
  startServer,
  startTestCluster,
  type TestServer,
} from '../support/postgres/servers.ts';

/** The duration of each commit in the database, in seconds. */
const COMMIT_SECONDS = 0.05;

/** Starts two servers with one database, which needs long for each commit. */
async function startPair() {
  const cluster = await startTestCluster();
  const database = cluster.getUrl();
  const options = { ...createDatabaseOptions(), contract: await writeNotesDocument(), database };
  const servers = [await startServer(options), await startServer(options)] as const;
  const schema = options.databaseSchema;
  await runSql(
    database,
    `CREATE FUNCTION ${schema}.wait() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_sleep(${COMMIT_SECONDS}); RETURN NEW; END $$;
    CREATE TRIGGER wait AFTER INSERT ON ${schema}.changes EXECUTE FUNCTION ${schema}.wait()`,
  );
  return servers;
}

/** Lets eight clients create notes without a pause until the test ends. Returns a function that returns the number of created notes. */
function writeAllTheTime({ ask }: TestServer): () => number {
  let isEnded = false;
  let count = 0;
  const write = async (): Promise<void> => {
    while (!isEnded) {
      await ask('POST', '/notes', { text: 'busy' });
      count++;
    }
  };
  const clients = Array.from({ length: 8 }, write);
  onTestFinished(async () => {
    isEnded = true;
    await Promise.all(clients);
  });
  return () => count;
}

/** Returns how many notes the busy server creates while a request of the other server is handled. */
async function countMeanwhile(getCount: () => number, request: () => Promise<unknown>): Promise<number> {
  const before = getCount();
  await request();
  return getCount() - before;
}

it('A server that commits all the time keeps another server neither from committing nor from reading', async () => {
  const [busy, other] = await startPair();
  const getCount = writeAllTheTime(busy);
  await expect.poll(getCount, { timeout: 60_000 }).toBeGreaterThan(8);
  for (let n = 0; n < 5; n++) {
    // A commit of the busy server stores up to four notes.
    expect(await countMeanwhile(getCount, () => other.ask('POST', '/notes', { text: 'other' }))).toBeLessThanOrEqual(
      40,
    );
    expect(await countMeanwhile(getCount, () => other.ask('GET', '/notes'))).toBeLessThanOrEqual(40);
  }
  const writing = Promise.all(Array.from({ length: 5 }, () => other.ask('POST', '/notes', { text: 'other' })));
  expect(await countMeanwhile(getCount, () => other.ask('GET', '/notes'))).toBeLessThanOrEqual(40);
  for (const { status } of await writing) expect(status).toBe(201);
});
