import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bitsIn, lettersOf, textList } from '../../src/search/text-list.ts';

/** Few letters, so that texts hold each other; and those that are not texts to everybody. */
const anyUnit = fc.constantFrom(
  'a',
  'b',
  'A',
  '!',
  ',',
  ' ',
  '\n',
  '\0',
  'й',
  '日',
  '🫖',
  '\ud83e',
  '\uffff',
  '__proto__',
);

function anyText(maxLength: number) {
  return fc.array(anyUnit, { maxLength }).map((units) => units.join(''));
}

function placesWhere(texts: readonly string[], isSo: (text: string) => boolean) {
  return texts.flatMap((text, place) => (isSo(text) ? [place] : []));
}

describe('a list of texts', () => {
  it('finds the texts that hold another one, in their order', () => {
    fc.assert(
      fc.property(fc.array(anyText(40)), anyText(3), (texts, wanted) => {
        expect(textList(texts).holding(wanted)).toEqual(placesWhere(texts, (text) => text.includes(wanted)));
      }),
      { numRuns: 500 },
    );
  });

  it('finds each text by each part of it', () => {
    const anyCase = fc
      .array(anyText(40), { minLength: 1 })
      .chain((texts) => fc.record({ texts: fc.constant(texts), at: fc.nat(texts.length - 1), from: fc.nat(40) }));
    fc.assert(
      fc.property(anyCase, fc.nat(40), ({ texts, at, from }, length) => {
        const part = texts[at]?.slice(from, from + length) ?? '';
        expect(textList(texts).holding(part)).toContain(at);
      }),
    );
  });

  it.each([
    ['', [0, 1, 2, 3, 4, 5]],
    ['\n', [1]],
    ['\0', [2]],
    ['__proto__', [3]],
    ['🫖', [4]],
    ['\ud83e', [4]],
    ['x'.repeat(40), [5]],
    ['x'.repeat(41), []],
    ['`', []],
    ['socksmug', []],
    ['.', []],
  ])('finds %j at %j', (wanted, places) => {
    const texts = ['socks', 'socks\nmug', 'so\0cks', '__proto__', 'tea 🫖', 'x'.repeat(40)];
    expect(textList(texts).holding(wanted)).toEqual(places);
  });

  it('may have no texts', () => {
    expect(textList([]).holding('')).toEqual([]);
    expect(textList([]).holding('a')).toEqual([]);
  });

  it('has the texts and their letters by the same places', () => {
    const texts = ['mug', '', 'чайник'];
    const list = textList(texts);
    expect(list.texts).toEqual(texts);
    expect([...list.letters]).toEqual(texts.map(lettersOf));
  });
});

describe('the letters of a text', () => {
  it('are among those of each text that holds it', () => {
    fc.assert(
      fc.property(anyText(10), anyText(10), anyText(10), (before, text, after) => {
        expect(lettersOf(text) & ~lettersOf(before + text + after)).toBe(0);
      }),
    );
  });

  it('are as many as the letters from a to z that it has', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz') }), (text) => {
        expect(bitsIn(lettersOf(text))).toBe(new Set(text).size);
      }),
    );
  });

  it('lack one of a text that has a letter more, at most', () => {
    fc.assert(
      fc.property(anyText(10), fc.nat(10), (text, at) => {
        const without = text.slice(0, at) + text.slice(at + 1);
        expect(bitsIn(lettersOf(text) & ~lettersOf(without))).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('the number of bits', () => {
  it.each([
    [0, 0],
    [1, 1],
    [-1, 32],
    [1 << 31, 1],
    [0x7fff_ffff, 31],
    [0x5555_5555, 16],
  ])('of %d is %d', (bits, count) => {
    expect(bitsIn(bits)).toBe(count);
  });

  it('is that of the ones it is written with', () => {
    fc.assert(
      fc.property(fc.integer(), (bits) => {
        expect(bitsIn(bits)).toBe((bits >>> 0).toString(2).replaceAll('0', '').length);
      }),
    );
  });
});
