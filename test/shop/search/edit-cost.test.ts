import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getEditCost } from '../../../src/shop/search/candidates.ts';
import { anyCodePoint } from '../../support/fixtures/code-points.ts';
import { editDistance, getPrefixes } from '../../support/oracles/edit-distance.ts';

/** The lowest and the highest cost of an edit, and the additional cost of an edit of the first letter. */
const MIN_COST = 0.3;
const MAX_COST = 1;
const FIRST_LETTER_COST = 0.35;

/** The maximum rounding error of a sum of costs. */
const ROUNDING = 1e-9;

/** Words with vowels, letters that sound alike, adjacent keys, and characters other than a to z. */
const anyWord = fc.string({ unit: fc.constantFrom('a', 'e', 'b', 'p', 'k', 'c', 'z', 'й', '1', '日'), maxLength: 8 });

/** Words up to the maximum length of a word. */
const anyLongWord = fc.string({ unit: anyCodePoint, maxLength: 31 }).map((text) => text.slice(0, 31));

function getWordCost(searchWord: string, word: string) {
  return getEditCost(searchWord, word, false);
}

function getPrefixCost(searchWord: string, word: string) {
  return getEditCost(searchWord, word, true);
}

describe('the cost of an edit', () => {
  it.each([
    ['a doubled letter', 'keettle', 'another vowel', 'kattle'],
    ['a single instead of a doubled letter', 'ketle', 'another vowel', 'kattle'],
    ['a doubled letter', 'kettlle', 'an additional vowel', 'kettlae'],
    ['another vowel', 'kattle', 'another letter', 'kettbe'],
    ['another vowel', 'kattle', 'the letter of an adjacent key', 'krttle'],
    ['a missing vowel', 'kttle', 'a missing consonant', 'kette'],
    ['an additional vowel', 'kettlae', 'an additional consonant', 'kettlbe'],
    ['the letter of an adjacent key', 'ketrle', 'another letter', 'ketmle'],
    ['two letters with a similar sound', 'keddle', 'two other letters', 'kemmle'],
    ['two transposed letters', 'kettel', 'two other letters', 'kettmb'],
    ['two transposed letters', 'ekttle', 'two other letters', 'mbttle'],
    ['a missing letter', 'kette', 'two missing letters', 'kete'],
    ['another letter', 'kebtle', 'another first letter', 'bettle'],
    ['a missing letter', 'kette', 'a missing first letter', 'ettle'],
    ['an additional letter', 'kebttle', 'an additional first letter', 'bkettle'],
    ['two transposed letters', 'ketlte', 'the transposed first two letters', 'ekttle'],
  ])('is lower for %s (%s) than for %s (%s)', (_less, less, _more, more) => {
    expect(getWordCost(less, 'kettle')).toBeLessThan(getWordCost(more, 'kettle'));
  });

  it.each([
    ['kettle', 'cettle', 'bettle'],
    ['socks', 'zocks', 'mocks'],
    ['phone', 'bhone', 'whone'],
    ['jeans', 'geans', 'beans'],
    ['drill', 'trill', 'prill'],
    ['mug', 'nug', 'pug'],
    ['velvet', 'felfet', 'pelpet'],
  ])('of %s is lower for %s, which sounds similar, than for %s', (word, similar, other) => {
    expect(getWordCost(similar, word)).toBeLessThan(getWordCost(other, word));
  });
});

describe('the edit cost between two words', () => {
  it('is 0 if and only if the words are equal', () => {
    fc.assert(
      fc.property(anyWord, anyWord, (searchWord, word) => {
        expect(getWordCost(searchWord, searchWord)).toBe(0);
        expect(getWordCost(searchWord, word) === 0).toBe(searchWord === word);
      }),
    );
  });

  it('is at least the edit distance times the lowest cost, and at most about the edit distance times the highest cost', () => {
    fc.assert(
      fc.property(anyWord, anyWord, (searchWord, word) => {
        const distance = editDistance(searchWord, word);
        const cost = getWordCost(searchWord, word);
        expect(cost).toBeGreaterThanOrEqual(MIN_COST * distance - ROUNDING);
        expect(cost).toBeLessThanOrEqual(MAX_COST * distance + 2 * FIRST_LETTER_COST + ROUNDING);
      }),
      { numRuns: 300 },
    );
  });

  it('is symmetric after the same first letter', () => {
    fc.assert(
      fc.property(anyWord, anyWord, fc.constantFrom('a', 'b', 'й'), (one, other, first) => {
        expect(getWordCost(first + one, first + other)).toBeCloseTo(getWordCost(first + other, first + one), 9);
      }),
      { numRuns: 300 },
    );
  });

  it('does not increase with a common prefix or a common suffix', () => {
    fc.assert(
      fc.property(anyWord, anyWord, anyWord, (searchWord, word, same) => {
        const cost = getWordCost(searchWord, word) + ROUNDING;
        expect(getWordCost(same + searchWord, same + word)).toBeLessThanOrEqual(cost);
        expect(getWordCost(searchWord + same, word + same)).toBeLessThanOrEqual(cost);
      }),
    );
  });

  it('does not depend on earlier calls', () => {
    fc.assert(
      fc.property(anyWord, anyWord, anyLongWord, anyLongWord, (searchWord, word, one, other) => {
        const cost = getWordCost(searchWord, word);
        getWordCost(one, other);
        expect(getWordCost(searchWord, word)).toBe(cost);
      }),
    );
  });

  it('is a number in the expected range for any words', () => {
    fc.assert(
      fc.property(anyLongWord, anyLongWord, (searchWord, word) => {
        expect(getWordCost(searchWord, word)).toBeGreaterThanOrEqual(0);
        expect(getWordCost(searchWord, word)).toBeLessThanOrEqual(
          MAX_COST * Math.max(searchWord.length, word.length) + 2 * FIRST_LETTER_COST,
        );
      }),
    );
  });
});

describe('the edit cost between a word and the prefixes of another word', () => {
  it.each([
    ['ket', 'kettle', 0],
    ['', 'kettle', 0],
    ['kettle', 'kettle', 0],
  ])('of %j and %s is %d', (searchWord, word, cost) => {
    expect(getPrefixCost(searchWord, word)).toBe(cost);
  });

  it('is 0 if and only if the word is a prefix', () => {
    fc.assert(
      fc.property(anyWord, anyWord, (searchWord, more) => {
        expect(getPrefixCost(searchWord, searchWord + more)).toBe(0);
        expect(getPrefixCost(searchWord, more) === 0).toBe(more.startsWith(searchWord));
      }),
    );
  });

  it('is at most the cost for each prefix, including the whole word', () => {
    fc.assert(
      fc.property(anyWord, anyWord, (searchWord, word) => {
        const costs = getPrefixes(word).map((prefix) => getWordCost(searchWord, prefix));
        expect(getPrefixCost(searchWord, word)).toBeLessThanOrEqual(Math.min(...costs) + ROUNDING);
      }),
    );
  });
});
