import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findEqualEntries } from '../../src/openapi/formats.ts';

describe('findEqualEntries', () => {
  it.each([
    [[1, 2, 3], undefined],
    [[1, '1', true, 'true', null, 'null'], undefined],
    [
      [1, 2, 1],
      [0, 2],
    ],
    [
      [0, -0],
      [0, 1],
    ],
    [
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
      [0, 1],
    ],
    [
      [
        [1, [2]],
        [1, 2],
        ['1', '[2]'],
      ],
      undefined,
    ],
    [[['a,b'], ['a', 'b']], undefined],
    [[{ a: 'b' }, { 'a":"b': 1 }, {}], undefined],
  ])('finds in %j the entries %j', (list, expected) => {
    expect(findEqualEntries(list)).toEqual(expected);
  });

  it('finds equal entries exactly if a comparison of all pairs finds some', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 12 }), (values) => {
        // A JSON text has no -0.
        const list = JSON.parse(JSON.stringify(values)) as unknown[];
        const hasEqual = list.some((entry, at) =>
          list.some((other, index) => index > at && isDeepStrictEqual(entry, other)),
        );
        expect(findEqualEntries(list) !== undefined).toBe(hasEqual);
      }),
    );
  });
});
