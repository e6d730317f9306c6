import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EntryList, findListChanges, getList, setList } from '../../src/store/entry-list.ts';
import type { Entry } from '../../src/store/state.ts';
import { compareStates } from '../../src/store/state-change.ts';
import type { Store } from '../../src/store/store.ts';
import { createCartFile } from '../support/fixtures/cart-file.ts';
import { PRODUCT_IDS } from '../support/fixtures/states.ts';
import { createFaultyDisk } from '../support/harness/faulty-disk.ts';
import { openTestState } from '../support/harness/open-store.ts';
import { readStoredState } from '../support/harness/stored-state.ts';

const [a, b, c, d] = [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }];

describe('a list of entries', () => {
  it('rejects the change of an entry that it does not have or no longer has', () => {
    const list = EntryList.of([a, b]);
    expect(() => list.remove(c)).toThrow('does not have the entry');
    expect(() => list.replace(c, d)).toThrow('does not have the entry');
    const next = list.replace(a, c);
    expect(() => next.replace(a, d)).toThrow('does not have the entry');
    expect(() => list.remove(b).remove(b)).toThrow('does not have the entry');
    expect(next.entries).toEqual([c, b]);
  });

  it('is the same list after an entry was replaced by itself', () => {
    const list = EntryList.of([a, b]);
    expect(list.replace(a, a)).toBe(list);
  });

  it('does not change an earlier list, and has an entry again that was removed and added', () => {
    const list = EntryList.of([a, b, c]);
    const next = list.remove(a).append(a).replace(a, d);
    expect(next.entries).toEqual([b, c, d]);
    expect(list.entries).toEqual([a, b, c]);
  });

  it('knows the last thousand changes, and forgets earlier ones', () => {
    const first = EntryList.of([a]);
    let list = first;
    for (let count = 0; count < 1_000; count++) list = list.append({ id: String(count) });
    expect(list.findChanges(first)).toHaveLength(1_000);
    for (let count = 0; count < 2_000; count++) list = list.replace(list.entries[0] as Entry, { id: String(count) });
    expect(list.findChanges(first)).toBeUndefined();
    expect(list.entries).toHaveLength(1_001);
  });

  it('has the same entries as an array after changes anywhere in it', () => {
    let expected: readonly Entry[] = Array.from({ length: 1_500 }, (_, id) => ({ id }));
    let list = EntryList.of(expected);
    for (let count = 0; count < 3_000; count++) {
      const index = (count * 7_919) % expected.length;
      const entry = expected[index] as Entry;
      const changed = { id: `changed ${count}` };
      if (count % 3 === 0) [list, expected] = [list.replace(entry, changed), expected.with(index, changed)];
      else if (count % 3 === 1) [list, expected] = [list.remove(entry), expected.toSpliced(index, 1)];
      else if (count > 2_000) [list, expected] = [list.append(changed), [...expected, changed]];
    }
    expect(list.length).toBe(expected.length);
    expect(list.entries.every((entry, index) => entry === expected[index])).toBe(true);
  });
});

describe('a state with a changed list', () => {
  it('keeps lists with the names of inherited properties', () => {
    const state = setList(
      JSON.parse('{"__proto__":[{"id":"a"}]}'),
      'constructor',
      getList({}, 'constructor').append(b),
    );
    const next = setList(state, '__proto__', getList(state, '__proto__').append(b));
    expect(JSON.stringify(next)).toBe('{"__proto__":[{"id":"a"},{"id":"b"}],"constructor":[{"id":"b"}]}');
    expect(Object.getPrototypeOf(next)).toBe(Object.prototype);
  });

  it('has the difference of each of its changes, and one for entries that were added together', () => {
    const state = { pets: [a, b, c] };
    const list = getList(state, 'pets').replace(a, d).remove(c).append(a).append(c);
    const next = setList(state, 'pets', list);
    const changes = [
      [0, 1, [d]],
      [2, 1, [a, c]],
    ];
    expect(compareStates(state, next)).toEqual({ pets: changes });
    expect(compareStates(state, { ...next })).toEqual({ pets: changes });
    expect(compareStates(state, { pets: [...(next.pets ?? [])] })).toEqual({ pets: [0, 2, [d, b, a]] });
    expect(compareStates(next, { ...next })).toEqual({});
    expect(findListChanges(next, next, 'pets')).toEqual([]);
  });
});

it('several changes of one list in one commit are in one line of the log, and a start applies them in their order', async () => {
  const file = await createCartFile(PRODUCT_IDS.slice(0, 20));
  const disk = createFaultyDisk();
  const { store } = (await openTestState({ data: file.path, disk })) as unknown as { store: Store };
  disk.begin(({ name }) => (name === 'rename' ? { code: 'EIO' } : undefined));
  const items = store.read().state.cartItems as readonly Entry[];
  const [first, second, last] = [items[0], items[1], items.at(-1)] as [Entry, Entry, Entry];
  const [changedSecond, changedLast] = [
    { ...second, quantity: 8 },
    { ...last, quantity: 7 },
  ];
  const change = (edit: (list: EntryList) => EntryList) =>
    store.update((state) => ({ next: setList(state, 'cartItems', edit(getList(state, 'cartItems'))), result: 0 }));
  await Promise.all([
    change((list) => list.remove(first).replace(last, changedLast)),
    expect(change((list) => list.remove(second).remove(second))).rejects.toThrow('does not have the entry'),
    change((list) => list.append(first).replace(second, changedSecond).remove(first).append(first)),
  ]);
  const expected = [changedSecond, ...items.slice(2, -1), changedLast, first];
  expect(store.read().state.cartItems).toEqual(expected);
  const changes = readFileSync(`${file.path}.wal`, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"change":'));
  expect(changes).toHaveLength(1);
  expect(changes[0]).not.toContain(String(items[10]?.productId));
  expect((await readStoredState(file.path)).cartItems).toEqual(expected);
  disk.end();
  await store.close();
  expect(JSON.parse(readFileSync(file.path, 'utf8')).cartItems).toEqual(expected);
});
