import { describe, expect, it } from 'vitest';
import { getFindingKey } from '../../src/check/findings.ts';
import { getNode } from '../../src/openapi/document.ts';
import { formatFindings, runCheck } from '../support/harness/check.ts';
import { loadNotesContract, type NotesDefects, startNotesServer } from '../support/reference-servers/notes-server.ts';

/** Checks a server of notes by its contract. */
async function checkNotes(defects: NotesDefects = {}, seed = 1) {
  const contract = await loadNotesContract();
  const { url, seen } = await startNotesServer(defects);
  return { contract, seen, verdict: await runCheck(url, { contract, seed, runs: 10, isFresh: false }) };
}

describe('checkServer on an API other than the shop', () => {
  it('reports no findings for a server that conforms to its contract, and the scope of the check', async () => {
    for (const seed of [1, 2]) {
      const { verdict } = await checkNotes({}, seed);
      expect(formatFindings(verdict.findings)).toEqual([]);
      expect([verdict.model, verdict.notes]).toEqual([undefined, []]);
    }
  });

  it('finds a resource that still exists after it was deleted', async () => {
    const { verdict, contract } = await checkNotes({ removesNothing: true });
    expect(verdict.findings).toMatchObject([
      { check: 'behaviour', operationId: 'readNote', status: '200', title: 'deleted resources cannot be read' },
    ]);
    const [{ exchanges = [], pointer = '' } = {}] = verdict.findings;
    const [created, read, removed, again] = exchanges.map(({ request: ask }) => `${ask.method} ${ask.target}`);
    expect([created, removed, again]).toEqual(['POST /notes', read?.replace('GET', 'DELETE'), read]);
    expect(getNode(contract.normalized, pointer)).toMatchObject({ operationId: 'readNote' });
  });

  it('is incomplete if an operation never succeeds, although its errors conform to the contract', async () => {
    const { verdict } = await checkNotes({ forbidsDeletes: true });
    expect(formatFindings(verdict.findings)).toEqual([]);
    expect(verdict.unchecked).toEqual([
      'removeNote (only 403 received)',
      'life cycle of addNote (removeNote responded with 403)',
    ]);
    expect(verdict.notes).toEqual([expect.stringMatching(/never succeeded.*--exclude/)]);
  });

  it('finds a link to a missing resource, and reports the response that contains it', async () => {
    const { verdict, contract } = await checkNotes({ answersOtherIds: true });
    const [dangling] = verdict.findings.filter(({ check }) => check === 'links');
    expect(dangling).toMatchObject({
      operationId: 'readNote',
      title: 'link readIt',
      message: expect.stringContaining('404'),
    });
    expect(getNode(contract.normalized, dangling?.pointer ?? '')).toMatchObject({ operationId: 'readNote' });
    const [made, followed] = dangling?.exchanges ?? [];
    expect(JSON.parse(made?.response.text ?? '')).toMatchObject({
      id: followed?.request.target.replace('/notes/', ''),
    });
  });

  it('finds a repeated name in an object of a response', async () => {
    const { verdict } = await checkNotes({ repeatsText: true });
    expect(verdict.findings).toMatchObject([
      {
        operationId: 'readNote',
        status: '200',
        title: 'unique names',
        message: expect.stringContaining('"text" twice'),
      },
    ]);
  });

  it('sends the same requests and has the same findings with the same seed', async () => {
    const both = [await checkNotes({ removesNothing: true }, 7), await checkNotes({ removesNothing: true }, 7)];
    const [first, second] = both.map(({ verdict, seen }) => ({
      findings: verdict.findings.map(getFindingKey),
      // Requests are sent concurrently, so their order is random.
      asked: seen.map(({ method, target, body }) => `${method} ${target} ${body}`).sort(),
    }));
    expect(second).toEqual(first);
    const other = await checkNotes({ removesNothing: true }, 8);
    expect(other.seen.map(({ body }) => `${body}`)).not.toEqual(both[0]?.seen.map(({ body }) => `${body}`));
  });
});
