import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getConsonants, getNumberForms, isHeadAndTail, isSubsequence } from '../../../src/shop/search/abbreviations.ts';

const anyWord = fc
  .array(fc.constantFrom('a', 'b', 'l', 's', 'й'), { maxLength: 10 })
  .map((letters) => letters.join(''));

describe('the consonants of a word', () => {
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
  ])('%j: %j', (word, skeleton) => {
    expect(getConsonants(word)).toBe(skeleton);
  });

  it('is that of the word without its vowels', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abdeiklnorstu'), maxLength: 12 }), (rest) => {
        const bare = rest.replaceAll(/[aeiou]/g, '');
        expect(getConsonants(`b${bare}`)).toBe(getConsonants(`b${rest}`));
      }),
    );
  });
});

describe('whether a text is a subsequence of a word', () => {
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
  ])('%j in %j: %j', (text, word, expected) => {
    expect(isSubsequence(text, word)).toBe(expected);
  });

  it('is so for what is left of a word whose letters are taken out, and for nothing longer', () => {
    fc.assert(
      fc.property(anyWord, fc.func(fc.boolean()), (word, isKept) => {
        const left = [...word].filter((letter, at) => isKept(letter, at)).join('');
        expect(isSubsequence(left, word)).toBe(true);
        expect(isSubsequence(`${word}a`, word)).toBe(false);
      }),
    );
  });
});

describe('whether a text is the head and the tail of a word', () => {
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
  ])('%j of %j: %j', (text, word, expected) => {
    expect(isHeadAndTail(text, word)).toBe(expected);
  });

  it('is so just where the word can be cut in that way', () => {
    fc.assert(
      fc.property(anyWord, anyWord, (text, word) => {
        const cuts = Array.from({ length: text.length }, (_, at) => at).filter(
          (at) => at >= 1 && text.length - at >= 1,
        );
        const isTruncated = cuts.some((at) => word.startsWith(text.slice(0, at)) && word.endsWith(text.slice(at)));
        const hasTail = text.length >= 3 && word.endsWith(text.slice(-3));
        const isShorter = word.length >= text.length + 2;
        expect(isHeadAndTail(text, word)).toBe(isShorter && isTruncated && hasTail);
      }),
      { numRuns: 500 },
    );
  });

  it('is so for any word without its middle', () => {
    const anyPart = (minLength: number) => fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength, maxLength: 5 });
    fc.assert(
      fc.property(anyPart(1), anyPart(2), anyPart(3), (head, middle, tail) => {
        expect(isHeadAndTail(head + tail, head + middle + tail)).toBe(true);
      }),
    );
  });
});

describe('the number forms of a word', () => {
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
  ])('%s, %s', (singular, plural) => {
    expect(getNumberForms(singular)).toContain(plural);
    expect(getNumberForms(plural)).toContain(singular);
  });

  it.each(['', 'a', 'ab', 'tv'])('is not guessed of %j', (word) => {
    expect(getNumberForms(word)).toEqual([]);
  });

  it.each([
    ['glass', 'glas'],
    ['kiss', 'kis'],
    ['mug', 'mu'],
    ['boot', 'boo'],
  ])('of %s is not %s', (word, other) => {
    expect(getNumberForms(word)).not.toContain(other);
  });

  it('is never the word itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'efisvy'), maxLength: 8 }), (word) => {
        expect(getNumberForms(word)).not.toContain(word);
      }),
    );
  });
});
