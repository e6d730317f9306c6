import { expect, it } from 'vitest';
import { joinList, limitList } from '../../src/util/text.ts';

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

it('limitList formats only the items that it returns', () => {
  const formatted: number[] = [];
  const format = (item: number) => `<${formatted.push(item)}>`;
  expect(limitList([7, 8, 9], 2, format)).toEqual(['<1>', '<2>', 'and 1 more']);
  expect(formatted).toEqual([7, 8]);
});

it.each([
  [['a', 'b'], 2, 'a, b'],
  [['a', 'b', 'c'], 2, 'a, b, and 1 more'],
  [Array(300).fill('name'), 200, `${'name, '.repeat(133)}and 167 more`],
  [['x'.repeat(900), 'b'], 5, `${'x'.repeat(900)}, and 1 more`],
])('joinList limits the number of items and the length of the text: %#', (items, max, joined) => {
  expect(joinList(items, max)).toBe(joined);
});
