import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sortFirst } from '../../src/resources/lists/sort-entries.ts';

interface Row {
  readonly key: number;
  readonly index: number;
}

const compare = (a: Row, b: Row) => a.key - b.key;

it('sortFirst returns the same first values as a full sort, and keeps all others', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { maxLength: 200 }), fc.nat(60), (keys, count) => {
      const rows = keys.map((key, index) => ({ key, index }));
      const sorted = sortFirst(rows, count, compare);
      expect(sorted.slice(0, count)).toEqual(rows.toSorted(compare).slice(0, count));
      expect(sorted.toSorted((a, b) => a.index - b.index)).toEqual(rows);
    }),
  );
});
