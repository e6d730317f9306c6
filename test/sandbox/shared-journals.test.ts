import { expect, it } from 'vitest';
import { JournalMemory } from '../../src/sandbox/journal/journal.ts';
import { toStoredRequest } from '../../src/sandbox/journal/recorded-request.ts';
import { SharedJournals } from '../../src/sandbox/shared/shared-journals.ts';
import type { JournalTables, NewRows } from '../../src/store/postgres/journal-tables.ts';

const request = (url: string) =>
  toStoredRequest({
    method: 'GET',
    url,
    prefix: '',
    rawHeaders: [],
    response: undefined,
    durationMs: 0,
    operationId: undefined,
    remarks: undefined,
  });

it('A shared journal stores the last entries of a busy server, and counts the others', async () => {
  const stored: NewRows[] = [];
  const tables = { add: async (rows: NewRows[]) => stored.push(...rows), trim() {}, async unregister() {} };
  const journals = new SharedJournals(tables as unknown as JournalTables);
  const options = { maxRecords: 100, onUnfollow() {}, nowMs: () => 0, elapsedMs: () => 0 };
  const journal = journals.createJournal('a', { ...options, memory: new JournalMemory() });
  for (let number = 1; number <= 25_000; number++) journal.addStored(request(`/${number}`));
  await journals.close();
  const [{ skipped, contents } = { skipped: 0, contents: [] }] = stored;
  expect(skipped).toBe(24_900);
  expect(contents.map((content) => JSON.parse(content).request.url)).toEqual(
    Array.from({ length: 100 }, (_, index) => `/${24_901 + index}`),
  );
});
