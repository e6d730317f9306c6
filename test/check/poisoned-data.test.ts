import { expect, it } from 'vitest';
import { runCheck } from '../support/harness/check.ts';
import { loadNotesContract, startNotesServer } from '../support/reference-servers/notes-server.ts';

it('checkServer sends deeply nested bodies last, because a server can store them and then fail', async () => {
  const { url, seen } = await startNotesServer();
  await runCheck(url, { contract: await loadNotesContract(), isFresh: false });
  const isNested = seen.map(({ body }) => body.toString().includes('[[[['));
  const first = isNested.indexOf(true);
  expect(first).toBeGreaterThan(0);
  // Between two nested bodies, the check only prepares its data.
  expect(seen.slice(first).filter(({ method }) => method === 'DELETE' || method === 'PUT')).toEqual([]);
});
