import { expect, it } from 'vitest';
import { limitList } from '../../src/util/limit-list.ts';

it.each([
  [[], []],
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  [
    ['a', 'b', 'c'],
    ['a', 'b', 'and 1 more'],
  ],
  [
    ['a', 'b', 'c', 'd', 'e'],
    ['a', 'b', 'and 3 more'],
  ],
])('limitList returns at most two items of %j, and how many more there are', (items, expected) => {
  expect(limitList(items, 2)).toEqual(expected);
});
