import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getEditCost } from '../../../src/shop/search/edit-cost.ts';
import { editDistance, getPrefixes } from '../../support/oracles/edit-distance.ts';

/** The least and the most that a letter takes, what the first one takes beside, and what sums of such figures may be off. */
const LEAST = 0.3;
const MOST = 1;
const FIRST = 0.35;
const CLOSE = 1e-9;

/** Letters that are doubled, near, alike, vowels or beyond a to z. */
const anyWord = fc
  .array(fc.constantFrom('a', 'e', 'b', 'p', 'k', 'c', 'z', 'й', '1', '日'), { maxLength: 8 })
  .map((letters) => letters.join(''));

/** Any word as long as the longest that is searched. */
const anyLongWord = fc.string({ unit: 'binary', maxLength: 31 }).map((text) => text.slice(0, 31));

function whole(typed: string, meant: string) {
  return getEditCost(typed, meant, false);
}

function open(typed: string, meant: string) {
  return getEditCost(typed, meant, true);
}

describe('the cost of one edit', () => {
  it.each([
    ['a doubled letter', 'keettle', 'a vowel for another', 'kattle'],
    ['a doubled letter left single', 'ketle', 'a vowel for another', 'kattle'],
    ['a doubled letter', 'kettlle', 'a vowel too many', 'kettlae'],
    ['a vowel for another', 'kattle', 'a letter for another', 'kettbe'],
    ['a vowel for another', 'kattle', 'the next key', 'krttle'],
    ['a vowel missing', 'kttle', 'a consonant missing', 'kette'],
    ['a vowel too many', 'kettlae', 'a consonant too many', 'kettlbe'],
    ['the next key', 'ketrle', 'a letter for another', 'ketmle'],
    ['a letter of the same sound', 'keddle', 'two letters for others', 'kemmle'],
    ['two letters swapped', 'kettel', 'two letters for others', 'kettmb'],
    ['two letters swapped', 'ekttle', 'two letters for others', 'mbttle'],
    ['a letter missing', 'kette', 'two missing', 'kete'],
    ['a letter for another', 'kebtle', 'the first for another', 'bettle'],
    ['a letter missing', 'kette', 'the first missing', 'ettle'],
    ['a letter too many', 'kebttle', 'the first too many', 'bkettle'],
    ['two letters swapped', 'ketlte', 'the first two swapped', 'ekttle'],
  ])('%s (%s) takes less than %s (%s)', (_less, less, _more, more) => {
    expect(whole(less, 'kettle')).toBeLessThan(whole(more, 'kettle'));
  });

  it.each([
    ['kettle', 'cettle', 'bettle'],
    ['socks', 'zocks', 'mocks'],
    ['phone', 'bhone', 'whone'],
    ['jeans', 'geans', 'beans'],
    ['drill', 'trill', 'prill'],
    ['mug', 'nug', 'pug'],
    ['velvet', 'felfet', 'pelpet'],
  ])('of %s: %s sounds more like it than %s', (meant, alike, other) => {
    expect(whole(alike, meant)).toBeLessThan(whole(other, meant));
  });
});

describe('the cost of editing one word into another', () => {
  it('is none for the same, and only for that', () => {
    fc.assert(
      fc.property(anyWord, anyWord, (typed, meant) => {
        expect(whole(typed, typed)).toBe(0);
        expect(whole(typed, meant) === 0).toBe(typed === meant);
      }),
    );
  });

  it('lies between what as many of the least and of the greatest slips take', () => {
    fc.assert(
      fc.property(anyWord, anyWord, (typed, meant) => {
        const slips = editDistance(typed, meant);
        const effort = whole(typed, meant);
        expect(effort).toBeGreaterThanOrEqual(LEAST * slips - CLOSE);
        expect(effort).toBeLessThanOrEqual(MOST * slips + 2 * FIRST + CLOSE);
      }),
      { numRuns: 300 },
    );
  });

  it('is the same both ways behind the same letter', () => {
    fc.assert(
      fc.property(anyWord, anyWord, fc.constantFrom('a', 'b', 'й'), (one, other, first) => {
        expect(whole(first + one, first + other)).toBeCloseTo(whole(first + other, first + one), 9);
      }),
      { numRuns: 300 },
    );
  });

  it('is not more behind the same beginning, nor before the same end', () => {
    fc.assert(
      fc.property(anyWord, anyWord, anyWord, (typed, meant, same) => {
        const effort = whole(typed, meant) + CLOSE;
        expect(whole(same + typed, same + meant)).toBeLessThanOrEqual(effort);
        expect(whole(typed + same, meant + same)).toBeLessThanOrEqual(effort);
      }),
    );
  });

  it('keeps nothing of what was asked before', () => {
    fc.assert(
      fc.property(anyWord, anyWord, anyLongWord, anyLongWord, (typed, meant, one, other) => {
        const effort = whole(typed, meant);
        whole(one, other);
        expect(whole(typed, meant)).toBe(effort);
      }),
    );
  });

  it('is a number for any words that are searched', () => {
    fc.assert(
      fc.property(anyLongWord, anyLongWord, (typed, meant) => {
        expect(whole(typed, meant)).toBeGreaterThanOrEqual(0);
        expect(whole(typed, meant)).toBeLessThanOrEqual(MOST * Math.max(typed.length, meant.length) + 2 * FIRST);
      }),
    );
  });
});

describe('the cost of editing a word into a prefix of another', () => {
  it.each([
    ['ket', 'kettle', 0],
    ['', 'kettle', 0],
    ['kettle', 'kettle', 0],
  ])('of %j for %s is %d', (typed, meant, effort) => {
    expect(open(typed, meant)).toBe(effort);
  });

  it('is none for a beginning, and only for that', () => {
    fc.assert(
      fc.property(anyWord, anyWord, (typed, more) => {
        expect(open(typed, typed + more)).toBe(0);
        expect(open(typed, more) === 0).toBe(more.startsWith(typed));
      }),
    );
  });

  it('is not more than that of any beginning, the whole word included', () => {
    fc.assert(
      fc.property(anyWord, anyWord, (typed, meant) => {
        const efforts = getPrefixes(meant).map((beginning) => whole(typed, beginning));
        expect(open(typed, meant)).toBeLessThanOrEqual(Math.min(...efforts) + CLOSE);
      }),
    );
  });
});
