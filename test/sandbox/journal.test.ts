import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Journal } from '../../src/sandbox/journal/journal.ts';
import type { RecordedRequest } from '../../src/sandbox/journal/recorded-request.ts';
import { MEGABYTE } from '../../src/util/limits.ts';
import { createJournal, createRequest, createResponse, createTestJournals } from '../support/harness/journals.ts';
import { NOW_MS } from '../support/harness/start-storefront.ts';

const MOST_BYTES = 32 * MEGABYTE;

/** Returns the ids of the requests in a journal. */
function getIds(journal: Journal): readonly number[] {
  return journal.records().map(({ id }) => id);
}

let largeRequests = 0;

/** Returns a request of a million bytes: a header of its own has them, because URLs and bodies are truncated. */
function createLarge(): RecordedRequest {
  largeRequests++;
  return createRequest({ rawHeaders: ['X-Large', `${largeRequests}`.padEnd(1_000_000)] });
}

describe('a journal', () => {
  it('numbers requests in the order of arrival', () => {
    const journal = createJournal(5);
    for (const url of ['/a', '/b', '/c']) journal.add(createRequest({ url }));
    expect(journal.records().map(({ id, url, atMs }) => [id, url, atMs])).toEqual([
      [1, '/a', NOW_MS],
      [2, '/b', NOW_MS],
      [3, '/c', NOW_MS],
    ]);
  });

  it('keeps only the newest requests up to its limit', () => {
    const journal = createJournal(3);
    for (let n = 0; n < 7; n++) journal.add(createRequest());
    expect(getIds(journal)).toEqual([5, 6, 7]);
  });

  it('continues its numbers after it is cleared', () => {
    const journal = createJournal(3);
    for (let n = 0; n < 2; n++) journal.add(createRequest());
    journal.clear();
    expect(getIds(journal)).toEqual([]);
    for (let n = 0; n < 4; n++) journal.add(createRequest());
    expect(getIds(journal)).toEqual([4, 5, 6]);
  });

  it('returns the id of the last dropped request until it is cleared', () => {
    const journal = createJournal(3);
    const lastDroppedId = [0, 1, 2].map(() => {
      for (let n = 0; n < 2; n++) journal.add(createRequest());
      return journal.lastDroppedId();
    });
    journal.clear();
    expect([...lastDroppedId, journal.lastDroppedId()]).toEqual([0, 1, 3, 0]);
  });

  it('keeps the newest requests in any order of additions and clears', () => {
    const steps = fc.array(fc.constantFrom('add', 'add', 'add', 'add', 'clear'), { maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), steps, (most, actions) => {
        const journal = createJournal(most);
        let [last, lastDroppedId, kept]: [number, number, number[]] = [0, 0, []];
        for (const step of actions) {
          if (step === 'clear') {
            journal.clear();
            [lastDroppedId, kept] = [0, []];
          } else {
            journal.add(createRequest());
            kept.push(++last);
            if (kept.length > most) lastDroppedId = kept.shift() ?? 0;
          }
          expect([getIds(journal), journal.lastDroppedId()]).toEqual([kept, lastDroppedId]);
        }
      }),
    );
  });

  it('drops a request that started before it was cleared', () => {
    const journal = createJournal(3);
    journal.clear();
    // Each read of the clock advances it by a second.
    journal.add(createRequest({ durationMs: 1_500 }));
    journal.add(createRequest({ durationMs: 500 }));
    expect(journal.records().map(({ durationMs: ms }) => ms)).toEqual([500]);
  });

  it('drops requests and notifies no followers after its end', () => {
    const journal = createJournal(3);
    const notifications: string[] = [];
    journal.follow({
      onRecord: () => void notifications.push('a request'),
      onEnd: (ending) => void notifications.push(`${ending?.event} ${ending?.sandbox}`),
    });
    journal.end({ event: 'removed', sandbox: 'w1', atMs: NOW_MS });
    journal.add(createRequest());
    expect([getIds(journal), notifications]).toEqual([[], ['removed w1']]);
  });

  it('notifies its followers of each request until they stop', () => {
    const journal = createJournal(1);
    const notifications: [string, number][] = [];
    const follow = (who: string) =>
      journal.follow({ onRecord: ({ id }) => void notifications.push([who, id]), onEnd() {} });
    journal.add(createRequest());
    const [stopOne, stopOther] = [follow('one'), follow('other')];
    journal.add(createRequest());
    stopOne();
    journal.add(createRequest());
    stopOther();
    journal.add(createRequest());
    expect(notifications).toEqual([
      ['one', 2],
      ['other', 2],
      ['other', 3],
    ]);
  });
});

describe('the journals of a server', () => {
  it('use at most 32 MB in total, and the largest journals drop their oldest requests', () => {
    const [quiet, old, busy] = createTestJournals(10, 1_000_000, 1_000_000);
    quiet.add(createRequest());
    for (let n = 0; n < 10; n++) old.add(createLarge());
    for (let n = 0; n < 22; n++) busy.add(createLarge());
    expect([quiet, old, busy].map((journal) => getIds(journal).length)).toEqual([1, 10, 22]);
    for (let n = 0; n < 4; n++) busy.add(createLarge());
    expect(getIds(quiet)).toEqual([1]);
    expect(getIds(busy)[0]).toBeGreaterThan(1);
    expect(getIds(busy).at(-1)).toBe(26);
    expect(getIds(old).length + getIds(busy).length).toBeLessThanOrEqual(MOST_BYTES / 1_000_000);
  });

  it('do not count dropped requests towards the limit', () => {
    const [kept, cleared, short] = createTestJournals(10, 1_000, 2);
    kept.add(createRequest());
    for (let round = 0; round < 4; round++) {
      for (let n = 0; n < 20; n++) cleared.add(createLarge());
      cleared.clear();
      for (let n = 0; n < 20; n++) short.add(createLarge());
    }
    expect([getIds(kept), getIds(cleared), getIds(short)]).toEqual([[1], [], [79, 80]]);
  });

  it.each<readonly [what: string, overrides: Partial<RecordedRequest>]>([
    ['the body of a request', { bodyText: 'x'.repeat(4_000) }],
    ['the URL of a request', { url: `/${'x'.repeat(3_999)}` }],
    ['the headers of a request', { rawHeaders: ['X-Page', 'x'.repeat(4_000)] }],
    ['the response', { response: createResponse('x'.repeat(4_000)) }],
  ])('count %s towards the limit', (_, overrides) => {
    const journal = createJournal(20_000);
    for (let n = 0; n < 9_000; n++) journal.add(createRequest(overrides));
    expect(getIds(journal).length).toBeLessThanOrEqual(MOST_BYTES / 4_000);
    expect(getIds(journal).at(-1)).toBe(9_000);
  });

  it('keep recording with continuous numbers after the limit is reached', () => {
    const journal = createJournal(1_000);
    for (let n = 0; n < 200; n++) journal.add(createLarge());
    const ids = getIds(journal);
    expect(ids).toEqual(Array.from({ length: ids.length }, (_, n) => 200 - ids.length + 1 + n));
    expect(ids.length).toBeGreaterThan(10);
  });
});
