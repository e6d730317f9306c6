import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPrefilter } from '../../../src/shop/search/prefilter.ts';

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

/** Returns the indexes of the texts that prefilters of several sizes return for a part, and that contain it. */
function passing(texts: readonly string[], part: string) {
  const [few, ...more] = [1, 2, 10].map((machineWords) => {
    const prefilter = createPrefilter(texts.length, (place) => texts[place] ?? '', machineWords);
    return prefilter(part).filter((place) => texts[place]?.includes(part));
  });
  for (const places of more) expect(places).toEqual(few);
  return few;
}

describe('a prefilter', () => {
  it('returns all texts that contain a part, in their order', () => {
    fc.assert(
      fc.property(fc.array(anyText(40)), anyText(3), (texts, wanted) => {
        expect(passing(texts, wanted)).toEqual(placesWhere(texts, (text) => text.includes(wanted)));
      }),
      { numRuns: 500 },
    );
  });

  it('returns each text for each part of it', () => {
    const anyCase = fc
      .array(anyText(40), { minLength: 1 })
      .chain((texts) => fc.record({ texts: fc.constant(texts), at: fc.nat(texts.length - 1), from: fc.nat(40) }));
    fc.assert(
      fc.property(anyCase, fc.nat(40), ({ texts, at, from }, length) => {
        const part = texts[at]?.slice(from, from + length) ?? '';
        expect(passing(texts, part)).toContain(at);
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
  ])('returns for %j the texts at %j', (wanted, places) => {
    const texts = ['socks', 'socks\nmug', 'so\0cks', '__proto__', 'tea 🫖', 'x'.repeat(40)];
    expect(passing(texts, wanted)).toEqual(places);
  });

  it('excludes nearly all texts without the part', () => {
    const texts = Array.from(
      { length: 1_000 },
      (_, at) => `kettle ${at} of stainless steel, with a lid that closes well`,
    );
    const prefilter = createPrefilter(texts.length, (place) => texts[place] ?? '', 10);
    expect(prefilter('kettle')).toHaveLength(1_000);
    expect(prefilter('sofa').length + prefilter('wardrobe').length).toBeLessThan(20);
  });

  it('can have no texts', () => {
    expect(passing([], '')).toEqual([]);
    expect(passing([], 'a')).toEqual([]);
  });
});
