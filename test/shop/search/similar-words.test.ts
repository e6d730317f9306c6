import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSimilarWordSearch } from '../../../src/shop/search/similar-words.ts';
import { editDistance, getPrefixes } from '../../support/oracles/edit-distance.ts';

/** The longest word there is, in characters. */
const LONGEST = 31;

/** Few letters, so that words are near to each other; letters of one and of two characters beyond Latin; and those of neighbouring codes. */
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

/** A word, and some that a few edits part from it. */
const anyNeighbours = fc
  .record({ typed: anyWord, edits: fc.array(anyEdits, { maxLength: 8 }) })
  .map(({ typed, edits }) => ({
    typed,
    words: edits.map((each) =>
      each
        .reduce((text, { at, drop, put }) => text.slice(0, at) + put + text.slice(at + drop), typed)
        .slice(0, LONGEST),
    ),
  }));

/** What is near, from the definition. */
function expected(typed: string, words: readonly string[]) {
  const limitOf = (word: string) => (word.length >= 5 ? 2 : 1);
  return words.flatMap((word, id) => {
    const isWhole = editDistance(typed, word) <= Math.min(limitOf(typed), limitOf(word));
    const beginning = Math.min(...getPrefixes(word).map((part) => editDistance(typed, part)));
    const isOpen = typed.length >= 4 && word.length > typed.length && beginning <= 1;
    return isWhole || isOpen ? [{ id, isWhole }] : [];
  });
}

function found(typed: string, words: readonly string[]) {
  return createSimilarWordSearch(words)(typed).toSorted((one, other) => one.id - other.id);
}

function distinct(words: readonly string[]) {
  return [...new Set(words)].filter((word) => word !== '');
}

describe('the similar words', () => {
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
  ])('of %s: %s', (typed, word, isWhole) => {
    expect(found(typed, [word])).toEqual(isWhole === undefined ? [] : [{ id: 0, isWhole }]);
  });

  it('are those of the definition, for any words', () => {
    fc.assert(
      fc.property(anyWord, fc.array(anyWord, { maxLength: 12 }), (typed, some) => {
        const words = distinct(some);
        expect(found(typed, words)).toEqual(expected(typed, words));
      }),
      { numRuns: 300 },
    );
  });

  it('are those of the definition, for words that have much in common', () => {
    fc.assert(
      fc.property(anyNeighbours, ({ typed, words: some }) => {
        const words = distinct(some);
        expect(found(typed, words)).toEqual(expected(typed, words));
      }),
      { numRuns: 1_000 },
    );
  });

  it('are those of the definition, for short words of few letters', () => {
    const anyShort = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(anyShort, fc.array(anyShort, { maxLength: 30 }), (typed, some) => {
        const words = distinct(some);
        expect(found(typed, words)).toEqual(expected(typed, words));
      }),
      { numRuns: 1_000 },
    );
  });

  it('are so up to the longest word', () => {
    const longest = 'abcdefghijklmnopqrstuvwxyz01234';
    const words = [
      longest,
      longest.slice(0, -1),
      longest.slice(0, -3),
      'a'.repeat(LONGEST),
      'abcdefghijklmnopqrstuvwxyz01243',
    ];
    expect(found(longest, words).map(({ id }) => id)).toEqual([0, 1, 4]);
  });

  it('do not depend on earlier searches', () => {
    const near = createSimilarWordSearch(['kettle', 'kettles', 'mug']);
    const alone = near('ketle');
    near('мug');
    near('x'.repeat(LONGEST));
    expect(near('ketle')).toEqual(alone);
  });

  it('are none of no words', () => {
    expect(createSimilarWordSearch([])('kettle')).toEqual([]);
  });
});
