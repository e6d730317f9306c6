import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rulerFor } from '../../src/search/distance.ts';
import { beginningsOf, editDistance } from '../support/edit-distance.ts';

/** The longest word that is measured, in characters. */
const LONGEST = 31;

/** Few letters, so that words are near to each other; letters of one and of two characters beyond Latin; and those of neighbouring codes. */
const anyLetter = fc.oneof(
  fc.constantFrom('a', 'b', 'c'),
  fc.constantFrom('чай', 'й', 'ß', '日', '本', '\u0000', '\uffff', '\u{10400}', '0', '\u0101'),
);

function anyText(minLength: number, maxLength: number) {
  return fc.array(anyLetter, { minLength, maxLength }).map((letters) => letters.join('').slice(0, maxLength));
}

const anyWord = anyText(1, LONGEST);

/** Of a word, one that a few edits part from it. */
const anyNearby = anyWord.chain((word) =>
  fc
    .array(
      fc.record({ at: fc.nat(word.length), drop: fc.nat(2), put: fc.constantFrom('', 'a', 'b', 'ab', 'ba', 'й') }),
      { maxLength: 4 },
    )
    .map((edits) => ({
      word,
      other: edits
        .reduce((text, { at, drop, put }) => text.slice(0, at) + put + text.slice(at + drop), word)
        .slice(0, LONGEST),
    })),
);

function measured(word: string, other: string, length = other.length) {
  const ruler = rulerFor(word);
  try {
    return { ...ruler.measure(other, length) };
  } finally {
    ruler.done();
  }
}

function expected(word: string, other: string) {
  return {
    whole: editDistance(word, other),
    beginning: Math.min(...beginningsOf(other).map((beginning) => editDistance(word, beginning))),
  };
}

describe('how far a word is from another', () => {
  it.each([
    ['kettle', 'kettle', 0, 0],
    ['kettle', '', 6, 6],
    ['kettle', 'ketle', 1, 1],
    ['kettle', 'kettles', 1, 0],
    ['kettle', 'kkettle', 1, 1],
    ['kettle', 'kettel', 1, 1],
    ['kettle', 'ekttle', 1, 1],
    ['kettle', 'settle', 1, 1],
    ['kettle', 'kittel', 2, 2],
    ['ket', 'kettle', 3, 0],
    ['kte', 'kettle', 3, 1],
    ['ca', 'abc', 3, 1],
    ['ab', 'ba', 1, 1],
    ['abab', 'baba', 2, 1],
    ['abc', 'xyz', 3, 3],
    ['x', 'y', 1, 1],
    ['чайник', 'чайнки', 1, 1],
    ['日本', '日本語', 1, 0],
    ['abc', '\u0301\u0302\u0303', 3, 3],
  ])('%s from %s', (word, other, whole, beginning) => {
    expect(measured(word, other)).toEqual({ whole, beginning });
  });

  it('is what the definition says, for any two words', () => {
    fc.assert(
      fc.property(anyWord, anyText(0, LONGEST), (word, other) => {
        expect(measured(word, other)).toEqual(expected(word, other));
      }),
    );
  });

  it('is what the definition says, for words that are near', () => {
    fc.assert(
      fc.property(anyNearby, ({ word, other }) => {
        expect(measured(word, other)).toEqual(expected(word, other));
      }),
      { numRuns: 300 },
    );
  });

  it('is so up to the longest word', () => {
    const longest = 'abcdefghijklmnopqrstuvwxyz01234';
    expect(longest).toHaveLength(LONGEST);
    expect(measured(longest, longest)).toEqual({ whole: 0, beginning: 0 });
    expect(measured(longest, '')).toEqual({ whole: LONGEST, beginning: LONGEST });
    expect(measured(longest, longest.slice(0, -1))).toEqual({ whole: 1, beginning: 1 });
    expect(measured(longest, `${longest}5`)).toEqual({ whole: 1, beginning: 0 });
    expect(measured(longest, 'abcdefghijklmnopqrstuvwxyz01243')).toEqual({ whole: 1, beginning: 1 });
    expect(measured('a'.repeat(LONGEST), 'b'.repeat(LONGEST))).toEqual({ whole: LONGEST, beginning: LONGEST });
  });

  it('is the same both ways', () => {
    fc.assert(
      fc.property(anyWord, anyWord, (one, other) => {
        expect(measured(one, other).whole).toBe(measured(other, one).whole);
      }),
    );
  });

  it('looks at no more characters than it is told', () => {
    fc.assert(
      fc.property(anyWord, anyText(0, LONGEST), fc.nat(LONGEST), (word, other, most) => {
        const length = Math.min(most, other.length);
        expect(measured(word, other, length)).toEqual(expected(word, other.slice(0, length)));
      }),
    );
  });
});

describe('a ruler', () => {
  it('measures any number of words', () => {
    fc.assert(
      fc.property(anyWord, fc.array(anyText(0, LONGEST), { maxLength: 6 }), (word, others) => {
        const ruler = rulerFor(word);
        const found = others.map((other) => ({ ...ruler.measure(other, other.length) }));
        ruler.done();
        expect(found).toEqual(others.map((other) => expected(word, other)));
      }),
    );
  });

  it('leaves nothing for the next, once it is done', () => {
    rulerFor('ketlй日').done();
    expect(measured('x', 'ketlй日')).toEqual({ whole: 6, beginning: 1 });
    expect(measured('kettle', 'й日')).toEqual({ whole: 6, beginning: 6 });
  });
});
