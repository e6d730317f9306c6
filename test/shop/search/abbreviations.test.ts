import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getConsonants, getNumberForms, isHeadAndTail, isSubsequence } from '../../../src/shop/search/similar-words.ts';

const anyWord = fc.string({ unit: fc.constantFrom('a', 'b', 'l', 's', 'й'), maxLength: 10 });

describe('getConsonants', () => {
  it.each([
    ['basketball', 'bsktbl'],
    ['bsktbl', 'bsktbl'],
    ['kettle', 'ktl'],
    ['keyboard', 'kybrd'],
    ['sunglasses', 'sngls'],
    ['bookkeeper', 'bkpr'],
    ['apple', 'apl'],
    ['aeiou', 'a'],
    ['a', 'a'],
    ['', ''],
    ['чайник', 'чайник'],
    ['ванна', 'вана'],
    ['7up', '7p'],
  ])('returns for %j %j', (word, consonants) => {
    expect(getConsonants(word)).toBe(consonants);
  });

  it('returns the same for a word without its vowels', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abdeiklnorstu'), maxLength: 12 }), (rest) => {
        const withoutVowels = rest.replaceAll(/[aeiou]/g, '');
        expect(getConsonants(`b${withoutVowels}`)).toBe(getConsonants(`b${rest}`));
      }),
    );
  });
});

describe('isSubsequence', () => {
  it.each([
    ['bktl', 'basketball', true],
    ['bsktbl', 'basketball', true],
    ['basketball', 'basketball', true],
    ['', 'basketball', true],
    ['', '', true],
    ['lb', 'basketball', false],
    ['balll', 'ball', false],
    ['x', '', false],
    ['чк', 'чайник', true],
  ])('returns for %j and %j %j', (text, word, expected) => {
    expect(isSubsequence(text, word)).toBe(expected);
  });

  it('returns true for a word without some of its letters, and false for a longer text', () => {
    fc.assert(
      fc.property(anyWord, fc.func(fc.boolean()), (word, isIncluded) => {
        const text = [...word].filter((letter, at) => isIncluded(letter, at)).join('');
        expect(isSubsequence(text, word)).toBe(true);
        expect(isSubsequence(`${word}a`, word)).toBe(false);
      }),
    );
  });
});

describe('isHeadAndTail', () => {
  it.each([
    ['bball', 'basketball', true],
    ['bketball', 'basketball', true],
    ['sglasses', 'sunglasses', true],
    ['kboard', 'keyboard', true],
    ['headnes', 'headphones', true],
    ['чник', 'чайник', true],
    ['ball', 'basketball', true],
    ['bll', 'basketball', false],
    ['all', 'basketball', false],
    ['bbbll', 'basketball', false],
    ['xball', 'basketball', false],
    ['bbal', 'basketball', false],
    ['basketball', 'basketball', false],
    ['asketball', 'basketball', false],
    ['bsketball', 'basketball', false],
    ['', 'basketball', false],
    ['', '', false],
  ])('returns for %j and %j %j', (text, word, expected) => {
    expect(isHeadAndTail(text, word)).toBe(expected);
  });

  it('returns true if and only if the text can be split into a head and a tail of the word', () => {
    fc.assert(
      fc.property(anyWord, anyWord, (text, word) => {
        const splits = Array.from({ length: text.length }, (_, at) => at).filter(
          (at) => at >= 1 && text.length - at >= 1,
        );
        const hasSplit = splits.some((at) => word.startsWith(text.slice(0, at)) && word.endsWith(text.slice(at)));
        const hasTail = text.length >= 3 && word.endsWith(text.slice(-3));
        const isShorter = word.length >= text.length + 2;
        expect(isHeadAndTail(text, word)).toBe(isShorter && hasSplit && hasTail);
      }),
      { numRuns: 500 },
    );
  });

  it('returns true for any word without its middle', () => {
    const anyPart = (minLength: number) => fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength, maxLength: 5 });
    fc.assert(
      fc.property(anyPart(1), anyPart(2), anyPart(3), (head, middle, tail) => {
        expect(isHeadAndTail(head + tail, head + middle + tail)).toBe(true);
      }),
    );
  });
});

describe('getNumberForms', () => {
  it.each([
    ['mug', 'mugs'],
    ['box', 'boxes'],
    ['brush', 'brushes'],
    ['battery', 'batteries'],
    ['toy', 'toys'],
    ['leaf', 'leaves'],
    ['knife', 'knives'],
    ['glass', 'glasses'],
    ['shoe', 'shoes'],
    ['чайник', 'чайникs'],
  ])('returns %s for %s and the other way round', (singular, plural) => {
    expect(getNumberForms(singular)).toContain(plural);
    expect(getNumberForms(plural)).toContain(singular);
  });

  it.each(['', 'a', 'ab', 'tv'])('returns no forms of the short word %j', (word) => {
    expect(getNumberForms(word)).toEqual([]);
  });

  it.each([
    ['glass', 'glas'],
    ['kiss', 'kis'],
    ['mug', 'mu'],
    ['boot', 'boo'],
  ])('does not return for %s %s', (word, other) => {
    expect(getNumberForms(word)).not.toContain(other);
  });

  it('does not return the word itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'efisvy'), maxLength: 8 }), (word) => {
        expect(getNumberForms(word)).not.toContain(word);
      }),
    );
  });
});
