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

/** The places of the texts that pass a sieve for a part, for sieves of several sizes, and hold it. */
function passing(texts: readonly string[], part: string) {
  const [few, ...more] = [1, 2, 10].map((machineWords) => {
    const sieve = createPrefilter(texts.length, (place) => texts[place] ?? '', machineWords);
    return sieve(part).filter((place) => texts[place]?.includes(part));
  });
  for (const places of more) expect(places).toEqual(few);
  return few;
}

describe('a sieve', () => {
  it('lets all texts pass that hold a part, in their order', () => {
    fc.assert(
      fc.property(fc.array(anyText(40)), anyText(3), (texts, wanted) => {
        expect(passing(texts, wanted)).toEqual(placesWhere(texts, (text) => text.includes(wanted)));
      }),
      { numRuns: 500 },
    );
  });

  it('lets each text pass for each part of it', () => {
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
  ])('lets pass for %j those at %j', (wanted, places) => {
    const texts = ['socks', 'socks\nmug', 'so\0cks', '__proto__', 'tea 🫖', 'x'.repeat(40)];
    expect(passing(texts, wanted)).toEqual(places);
  });

  it('rules out nearly all others', () => {
    const texts = Array.from(
      { length: 1_000 },
      (_, at) => `kettle ${at} of stainless steel, with a lid that closes well`,
    );
    const sieve = createPrefilter(texts.length, (place) => texts[place] ?? '', 10);
    expect(sieve('kettle')).toHaveLength(1_000);
    expect(sieve('sofa').length + sieve('wardrobe').length).toBeLessThan(20);
  });

  it('may have no texts', () => {
    expect(passing([], '')).toEqual([]);
    expect(passing([], 'a')).toEqual([]);
  });
});
