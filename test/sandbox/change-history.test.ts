import { describe, expect, it } from 'vitest';
import { ChangeHistory, compareAllStates } from '../../src/sandbox/journal/change-history.ts';
import { createJournal, createRequest } from '../support/harness/journals.ts';

/** Returns the change of a state in which a list is replaced. */
function replaceList(before: readonly object[], after: readonly object[]) {
  return [{ before: { list: before as [], other: [] }, after: { list: after as [], other: [] } }];
}

const [a, b, c, d] = [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }];

describe('a history of changes', () => {
  it('keeps only the entries that differ', () => {
    const history = new ChangeHistory(() => {});
    history.add(1, compareAllStates(replaceList([a, b, c], [a, d, c])));
    expect(history.get(1)).toEqual([{ collection: 'list', start: 1, before: [b], after: [d] }]);
  });

  it('counts the memory of its entries until they are dropped', () => {
    let bytes = 0;
    const history = new ChangeHistory((more) => {
      bytes += more;
    });
    for (let id = 1; id <= 30; id++) history.add(id, compareAllStates(replaceList([a], [b])));
    expect([history.get(10), history.get(11)?.length]).toEqual([undefined, 1]);
    const used = bytes;
    history.drop(29);
    expect([history.get(29), history.get(30)?.length, bytes]).toEqual([undefined, 1, used / 20]);
    history.drop(30);
    expect(bytes).toBe(0);
  });

  it('does not keep very many or very large entries', () => {
    const history = new ChangeHistory(() => {});
    history.add(1, compareAllStates(replaceList([], Array(1_001).fill(a))));
    history.add(2, compareAllStates(replaceList([], [{ text: 'x'.repeat(1_000_001) }])));
    history.add(3, compareAllStates(replaceList([], Array(1_000).fill(a))));
    expect([history.get(1), history.get(2), history.get(3)?.length]).toEqual([undefined, undefined, 1]);
  });

  it('is a part of the memory of a journal, and is dropped with its requests', () => {
    const journal = createJournal(2);
    journal.add(createRequest());
    const { usedBytes } = journal;
    journal.add(createRequest({ changes: replaceList([a], [b]) }));
    expect(journal.usedBytes).toBeGreaterThan(2 * usedBytes);
    journal.add(createRequest());
    journal.add(createRequest());
    expect([journal.changes.get(2), journal.usedBytes]).toEqual([undefined, 2 * usedBytes]);
  });
});
