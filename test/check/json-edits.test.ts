import { describe, expect, it } from 'vitest';
import { parseFinite, replaceFirst } from '../../src/check/hostile-input.ts';

describe('replaceFirst', () => {
  it.each([
    [{ price: 165.39 }, '{"price":1e400}'],
    [{ text: 'say "size":12', size: 3 }, '{"text":"say \\"size\\":12","size":1e400}'],
    [{ list: [{ a: 'x' }, { a: -1.5e-7 }], b: 2 }, '{"list":[{"a":"x"},{"a":1e400}],"b":2}'],
    [7.25, '1e400'],
    [{ a: 'x', b: null }, undefined],
  ])('replaces the whole of the first number of %j', (value, expected) => {
    expect(replaceFirst('number', value, '1e400')).toBe(expected);
  });

  it('replaces the first text that is a value, not a name', () => {
    expect(replaceFirst('string', { 'a":"b': 1, c: 'd":"e' }, '"\\u0000"')).toBe('{"a\\":\\"b":1,"c":"\\u0000"}');
  });
});

describe('parseFinite', () => {
  it('reads a number that is too large for a double as the largest one', () => {
    expect(parseFinite('{"a":1e400,"b":[-1e400,5]}')).toEqual({
      a: Number.MAX_VALUE,
      b: [-Number.MAX_VALUE, 5],
    });
  });
});
