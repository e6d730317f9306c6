import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSimilarWordSearch } from '../../../src/shop/search/similar-words.ts';
import { runAtOnce } from '../../../src/util/slices.ts';
import { editDistance, getPrefixes } from '../../support/oracles/edit-distance.ts';

/** The maximum length of a word, in characters. */
const LONGEST = 31;

/** Few different letters, so that words are often similar, and letters of other scripts with one or two UTF-16 code units. */
const anyLetter = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'c') },
  fc.constantFrom('чай', 'й', 'ß', '日', '本', '\u0000', '\uffff', '\u{10400}', '0', '\u0101'),
);

const anyWord = fc
  .array(anyLetter, { minLength: 1, maxLength: LONGEST })
  .map((letters) => letters.join('').slice(0, LONGEST));

const anyEdits = fc.array(
  fc.record({ at: fc.nat(LONGEST), drop: fc.nat(2), put: fc.constantFrom('', 'a', 'b', 'ab', 'ba', 'й') }),
  { maxLength: 4 },
);

/** A search word, and words that differ from it by a few edits. */
const anySearch = fc
  .record({ searchWord: anyWord, edits: fc.array(anyEdits, { maxLength: 8 }) })
  .map(({ searchWord, edits }) => ({
    searchWord,
    words: edits.map((each) =>
      each
        .reduce((text, { at, drop, put }) => text.slice(0, at) + put + text.slice(at + drop), searchWord)
        .slice(0, LONGEST),
    ),
  }));

/** Returns the similar words by their definition. */
function findByDefinition(searchWord: string, words: readonly string[]) {
  const getLimit = (word: string) => (word.length >= 5 ? 2 : 1);
  return words.flatMap((word, id) => {
    const isWhole = editDistance(searchWord, word) <= Math.min(getLimit(searchWord), getLimit(word));
    const prefixDistance = Math.min(...getPrefixes(word).map((part) => editDistance(searchWord, part)));
    const isPrefix = searchWord.length >= 4 && word.length > searchWord.length && prefixDistance <= 1;
    return isWhole || isPrefix ? [{ id, isWhole }] : [];
  });
}

function findSimilar(searchWord: string, words: readonly string[]) {
  return runAtOnce(createSimilarWordSearch(words))(searchWord).toSorted((one, other) => one.id - other.id);
}

function distinct(words: readonly string[]) {
  return [...new Set(words)].filter((word) => word !== '');
}

describe('the similar words of a search word', () => {
  it.each([
    ['kettle', 'kettle', true],
    ['kettle', 'ketle', true],
    ['kettle', 'kettel', true],
    ['kettle', 'ekttle', true],
    ['kettle', 'settle', true],
    ['kettle', 'kittel', true],
    ['kettle', 'kettledrum', false],
    ['ketle', 'kettledrum', false],
    ['ketl', 'kettle', false],
    ['baba', 'abab', undefined],
    ['ababa', 'babab', true],
    ['kte', 'kettle', undefined],
    ['kte', 'ket', true],
    ['mug', 'xyz', undefined],
    ['mugs', 'xugsx', false],
    ['mugs', 'xuxsx', undefined],
    ['чайник', 'чайнки', true],
    ['日本語', '日本', true],
  ])('of %s are correct for the word %s', (searchWord, word, isWhole) => {
    expect(findSimilar(searchWord, [word])).toEqual(isWhole === undefined ? [] : [{ id: 0, isWhole }]);
  });

  it('match their definition for any words', () => {
    fc.assert(
      fc.property(anyWord, fc.array(anyWord, { maxLength: 12 }), (searchWord, some) => {
        const words = distinct(some);
        expect(findSimilar(searchWord, words)).toEqual(findByDefinition(searchWord, words));
      }),
      { numRuns: 300 },
    );
  });

  it('match their definition for words that are often similar', () => {
    fc.assert(
      fc.property(anySearch, ({ searchWord, words: some }) => {
        const words = distinct(some);
        expect(findSimilar(searchWord, words)).toEqual(findByDefinition(searchWord, words));
      }),
      { numRuns: 1_000 },
    );
  });

  it('match their definition for short words of few letters', () => {
    const anyShort = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(anyShort, fc.array(anyShort, { maxLength: 30 }), (searchWord, some) => {
        const words = distinct(some);
        expect(findSimilar(searchWord, words)).toEqual(findByDefinition(searchWord, words));
      }),
      { numRuns: 1_000 },
    );
  });

  it('are found for words of the maximum length', () => {
    const longest = 'abcdefghijklmnopqrstuvwxyz01234';
    const words = [
      longest,
      longest.slice(0, -1),
      longest.slice(0, -3),
      'a'.repeat(LONGEST),
      'abcdefghijklmnopqrstuvwxyz01243',
    ];
    expect(findSimilar(longest, words).map(({ id }) => id)).toEqual([0, 1, 4]);
  });

  it('do not depend on earlier searches', () => {
    const search = runAtOnce(createSimilarWordSearch(['kettle', 'kettles', 'mug']));
    const first = search('ketle');
    search('мug');
    search('x'.repeat(LONGEST));
    expect(search('ketle')).toEqual(first);
  });

  it('are empty if there are no words', () => {
    expect(runAtOnce(createSimilarWordSearch([]))('kettle')).toEqual([]);
  });
});
