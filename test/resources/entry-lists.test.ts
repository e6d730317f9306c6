import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  appendEntry,
  findByKeys,
  getIdNumbers,
  replaceEntry,
  withoutEntries,
} from '../../src/resources/entries/entry-lists.ts';
import { getKeyValue } from '../../src/resources/entries/entry-values.ts';
import { PATH_VALUES, type PathKey } from '../../src/resources/resource.ts';
import { EntryList, findListChanges, getList, setList } from '../../src/store/entry-list.ts';
import type { Entry } from '../../src/store/state.ts';
import { applyChanges, compareStates } from '../../src/store/state-change.ts';

const ID: PathKey = { parameter: 'taskId', property: 'id', name: 'taskId', schema: '' };
const OWNER: PathKey = { parameter: 'ownerId', property: 'owner.id', name: 'ownerId', schema: '' };
const HIDDEN: PathKey = { parameter: 'teamId', property: undefined, name: 'teamId', schema: '' };
const KEYS: readonly (readonly PathKey[])[] = [[ID], [OWNER], [HIDDEN], [ID, OWNER], [HIDDEN, ID]];

/** An entry with an id that others can have too, with an owner, and with a team that is only in the path. */
const anEntry = fc.record({
  id: fc.oneof(fc.nat(6), fc.constantFrom('1', 'a', true, null, undefined)),
  owner: fc.record({ id: fc.nat(2) }),
  [PATH_VALUES]: fc.record({ teamId: fc.nat(1) }),
});

const aStep = fc.oneof(
  fc.record({ kind: fc.constant('append' as const), entry: anEntry }),
  fc.record({ kind: fc.constant('replace' as const), at: fc.nat(), entry: anEntry }),
  fc.record({ kind: fc.constant('rename' as const), at: fc.nat(), title: fc.string() }),
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat(), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('return' as const), at: fc.nat() }),
);

type Step = typeof aStep extends fc.Arbitrary<infer Value> ? Value : never;

/** Applies a step to the last list with the functions of the module, and to an array without them. */
function apply(lists: readonly EntryList[], step: Step): readonly [EntryList, readonly Entry[]] | undefined {
  const list = lists.at(-1) ?? EntryList.of([]);
  const { entries } = list;
  if (step.kind === 'append') return [appendEntry(list, step.entry), [...entries, step.entry]];
  if (step.kind === 'return') {
    const old = lists[step.at % lists.length] ?? list;
    return [old, [...old.entries]];
  }
  const current = entries[step.at % Math.max(1, entries.length)];
  if (!current) return undefined;
  if (step.kind === 'remove') {
    const removed = new Set(entries.slice(step.at % entries.length).slice(0, step.count));
    return [withoutEntries(list, removed), entries.filter((entry) => !removed.has(entry))];
  }
  const entry: Entry = step.kind === 'replace' ? step.entry : { ...current, title: step.title };
  return [replaceEntry(list, current, entry), entries.map((one) => (one === current ? entry : one))];
}

function listNumbers(entries: readonly Entry[]) {
  return entries.map(({ id }) => (typeof id !== 'boolean' && /^\d+$/.test(String(id)) ? Number(id) : undefined));
}

it('the indexes of a list find the same entries as a search through the list, after any changes', () => {
  fc.assert(
    fc.property(fc.array(aStep, { maxLength: 40 }), (steps) => {
      const lists = [EntryList.of([])];
      for (const step of steps) {
        const [next, expected] = apply(lists, step) ?? [];
        if (!next || !expected) continue;
        expect(next.length).toBe(expected.length);
        expect(next.entries).toEqual(expected);
        lists.push(next);
        for (const keys of KEYS)
          for (const entry of [...expected, { id: 'unknown' }]) {
            const values = keys.map((key) => getKeyValue(entry, key));
            const hasValues = (other: Entry) => keys.every((key, index) => getKeyValue(other, key) === values[index]);
            const found = findByKeys(next, keys, values);
            const searched = expected.filter(hasValues);
            expect(found.length).toBe(searched.length);
            expect(found.every((one, index) => one === searched[index])).toBe(true);
          }
        const numbers = listNumbers(expected);
        expect(getIdNumbers(next, 'id')).toEqual({
          highest: Math.max(0, ...numbers.map((number) => number ?? 0)),
          areAll: expected.length > 0 && !numbers.includes(undefined),
        });
      }
    }),
    { numRuns: 300 },
  );
});

it('the difference of two states leads to the second, whether arrays were read or changes discarded or not', () => {
  const someSteps = fc.array(fc.tuple(aStep, fc.boolean()), { maxLength: 150, size: 'max' });
  fc.assert(
    fc.property(someSteps, fc.nat(), (steps, at) => {
      let state = setList({ others: [{ id: 1 }] }, 'tasks', EntryList.of([]));
      let expected: readonly Entry[] = [];
      const states = [{ state, expected }];
      for (const [step, reads] of steps) {
        const list = getList(state, 'tasks');
        const current = expected[('at' in step ? step.at : 0) % Math.max(1, expected.length)];
        if (step.kind === 'append') {
          state = setList(state, 'tasks', appendEntry(list, step.entry));
          expected = [...expected, step.entry];
        } else if (step.kind === 'remove' && current) {
          state = setList(state, 'tasks', withoutEntries(list, new Set([current])));
          expected = expected.filter((entry) => entry !== current);
        } else if (step.kind === 'replace' && current) {
          state = setList(state, 'tasks', replaceEntry(list, current, step.entry));
          expected = expected.map((entry) => (entry === current ? step.entry : entry));
        } else if (step.kind === 'return')
          ({ state, expected } = states[step.at % states.length] ?? { state, expected });
        if (reads) expect(state.tasks).toEqual(expected);
        states.push({ state, expected });
      }
      const from = states[at % states.length]?.state ?? state;
      expect(Object.keys(state)).toEqual(['others', 'tasks']);
      const change = compareStates(from, state);
      expect(applyChanges(from, [change])).toEqual({ others: [{ id: 1 }], tasks: expected });
      expect(findListChanges(from, state, 'others')).toEqual([]);
    }),
    { numRuns: 200 },
  );
});
