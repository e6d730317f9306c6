import { expect, it, onTestFinished } from 'vitest';
import { startProgram } from '../support/harness/start-program.ts';
import { listNotes, NoteWriters, writeNotesDocument } from '../support/postgres/notes.ts';
import { createDatabaseOptions } from '../support/postgres/servers.ts';

const ROUNDS = 3;

it('servers that are killed under load lose and repeat nothing', async () => {
  const { database, databaseSchema } = createDatabaseOptions();
  const contract = await writeNotesDocument();
  const args = [contract, '--port', '0', '--database', database, '--database-schema', databaseSchema];
  const start = () => startProgram({ onTestFinished }, args);
  const lasting = await start();
  const killed = [await start(), await start()];
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const urls: string[] = await Promise.all([lasting, ...killed].map(({ url }) => url()));
    const writers = new NoteWriters(urls, 16, `round ${round}: `);
    await expect.poll(() => writers.acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(200);
    killed[round % 2]?.child.kill('SIGKILL');
    await killed[round % 2]?.ended;
    const before = writers.acknowledged.length;
    await expect.poll(() => writers.acknowledged.length - before, { timeout: 60_000 }).toBeGreaterThan(200);
    await writers.stop();
    expect(writers.unexpected).toEqual([]);
    acknowledged.push(...writers.acknowledged);
    killed[round % 2] = await start();
  }
  for (const { url } of [lasting, ...killed]) {
    const notes = await listNotes(await url());
    const known = new Set(notes);
    expect(known.size).toBe(notes.length);
    expect(acknowledged.filter((text) => !known.has(text))).toEqual([]);
  }
});
