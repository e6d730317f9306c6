import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPrefilter } from '../../../src/shop/search/vocabulary.ts';
import { runAtOnce } from '../../../src/util/slices.ts';

/** Few different characters, so that texts often contain each other, and characters that are unusual in texts. */
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

function getIndexes(texts: readonly string[], isMatch: (text: string) => boolean) {
  return texts.flatMap((text, index) => (isMatch(text) ? [index] : []));
}

/** Returns the indexes of the texts that prefilters of several sizes return for a part, and that contain it. */
function search(texts: readonly string[], part: string) {
  const [few, ...more] = [1, 2, 10].map((wordsPerText) => {
    const prefilter = runAtOnce(createPrefilter(texts.length, (index) => texts[index] ?? '', wordsPerText));
    return prefilter(part).filter((index) => texts[index]?.includes(part));
  });
  for (const indexes of more) expect(indexes).toEqual(few);
  return few;
}

describe('a prefilter', () => {
  it('returns all texts that contain a part, in their order', () => {
    fc.assert(
      fc.property(fc.array(anyText(40)), anyText(3), (texts, part) => {
        expect(search(texts, part)).toEqual(getIndexes(texts, (text) => text.includes(part)));
      }),
      { numRuns: 500 },
    );
  });

  it('returns a text for each of its parts', () => {
    const anyCase = fc
      .array(anyText(40), { minLength: 1 })
      .chain((texts) => fc.record({ texts: fc.constant(texts), at: fc.nat(texts.length - 1), from: fc.nat(40) }));
    fc.assert(
      fc.property(anyCase, fc.nat(40), ({ texts, at, from }, length) => {
        const part = texts[at]?.slice(from, from + length) ?? '';
        expect(search(texts, part)).toContain(at);
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
  ])('returns for %j the indexes %j', (part, indexes) => {
    const texts = ['socks', 'socks\nmug', 'so\0cks', '__proto__', 'tea 🫖', 'x'.repeat(40)];
    expect(search(texts, part)).toEqual(indexes);
  });

  it('excludes nearly all texts without the part', () => {
    const texts = Array.from(
      { length: 1_000 },
      (_, at) => `kettle ${at} of stainless steel, with a lid that closes well`,
    );
    const prefilter = runAtOnce(createPrefilter(texts.length, (index) => texts[index] ?? '', 10));
    expect(prefilter('kettle')).toHaveLength(1_000);
    expect(prefilter('sofa').length + prefilter('wardrobe').length).toBeLessThan(20);
  });

  it('returns nothing if there are no texts', () => {
    expect(search([], '')).toEqual([]);
    expect(search([], 'a')).toEqual([]);
  });

  it('finds a part anywhere in a very long text', () => {
    const texts = [`${'x'.repeat(200_000)}socks`, 'socks', 'kettle'];
    const prefilter = runAtOnce(createPrefilter(texts.length, (index) => texts[index] ?? '', 10));
    expect(prefilter('socks')).toEqual([0, 1]);
  });
});
