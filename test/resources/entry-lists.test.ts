import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  appendEntry,
  findByKeys,
  getIdNumbers,
  replaceEntry,
  withoutEntries,
} from '../../src/resources/entry-lists.ts';
import { getKeyValue } from '../../src/resources/entry-values.ts';
import { PATH_VALUES, type PathKey } from '../../src/resources/resource.ts';
import type { Entry } from '../../src/store/state.ts';

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

/** Applies a step to the last list with the functions of the module, and to a copy without them. */
function apply(lists: readonly (readonly Entry[])[], step: Step): readonly (readonly [readonly Entry[], Entry[]])[] {
  const list = lists.at(-1) ?? [];
  if (step.kind === 'append') return [[appendEntry(list, step.entry), [...list, step.entry]]];
  if (step.kind === 'return') {
    const old = lists[step.at % lists.length] ?? [];
    return [[old, [...old]]];
  }
  const current = list[step.at % Math.max(1, list.length)];
  if (!current) return [];
  if (step.kind === 'remove') {
    const removed = new Set(list.slice(step.at % list.length).slice(0, step.count));
    return [[withoutEntries(list, removed), list.filter((entry) => !removed.has(entry))]];
  }
  const entry: Entry = step.kind === 'replace' ? step.entry : { ...current, title: step.title };
  return [[replaceEntry(list, current, entry), list.map((one) => (one === current ? entry : one))]];
}

function listNumbers(entries: readonly Entry[]) {
  return entries.map(({ id }) => (typeof id !== 'boolean' && /^\d+$/.test(String(id)) ? Number(id) : undefined));
}

it('the indexes of a list find the same entries as a search through the list, after any changes', () => {
  fc.assert(
    fc.property(fc.array(aStep, { maxLength: 40 }), (steps) => {
      const lists: (readonly Entry[])[] = [[]];
      for (const step of steps)
        for (const [next, expected] of apply(lists, step)) {
          expect(next).toEqual(expected);
          lists.push(next);
          for (const keys of KEYS)
            for (const entry of [...next, { id: 'unknown' }]) {
              const values = keys.map((key) => getKeyValue(entry, key));
              const hasValues = (other: Entry) => keys.every((key, index) => getKeyValue(other, key) === values[index]);
              const found = findByKeys(next, keys, values);
              const searched = next.filter(hasValues);
              expect(found.length).toBe(searched.length);
              expect(found.every((one, index) => one === searched[index])).toBe(true);
            }
          const numbers = listNumbers(next);
          expect(getIdNumbers(next, 'id')).toEqual({
            highest: Math.max(0, ...numbers.map((number) => number ?? 0)),
            areAll: next.length > 0 && !numbers.includes(undefined),
          });
        }
    }),
    { numRuns: 300 },
  );
});
