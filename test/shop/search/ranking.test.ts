import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getSearch } from '../../../src/shop/search/product-search.ts';
import { createCatalogue } from '../../support/fixtures/catalogue-builders.ts';
import { defaults } from '../../support/fixtures/default-data.ts';

/** The names that are found in a catalogue of these names and keywords. */
function found(term: string, entries: readonly (readonly [name: string, ...keywords: string[]])[]) {
  return getSearch(createCatalogue(entries))(term).map(({ name }) => name);
}

describe('the results are in the order', () => {
  it('of exact before other number before prefix before inside', () => {
    const entries = [['Overlamping'], ['Lampshade'], ['Lamps'], ['Lamp']] as const;
    expect(found('lamp', entries)).toEqual(['Lamp', 'Lamps', 'Lampshade', 'Overlamping']);
  });

  it('of misspelled before abbreviated', () => {
    expect(found('hmmr', [['Hammer'], ['Hmur']])).toEqual(['Hmur', 'Hammer']);
  });

  it('of name before keywords, for each way to be found', () => {
    for (const term of ['kettle', 'kettles', 'kett', 'ettle', 'ketle', 'kttl', 'ktl']) {
      expect(found(term, [['One', 'kettle'], ['Kettle'], ['Two', 'kettle']]), term).toEqual(['Kettle', 'One', 'Two']);
    }
  });

  it('of exact in the keywords before a beginning in the name', () => {
    expect(found('lamp', [['Lampshade'], ['Light', 'lamp']])).toEqual(['Light', 'Lampshade']);
  });

  it('of a beginning in the keywords before the inside of a name', () => {
    expect(found('lamp', [['Overlamping'], ['Light', 'lampshade']])).toEqual(['Light', 'Overlamping']);
  });

  it('of the closer before the farther', () => {
    expect(found('ket', [['Kettledrum'], ['Ketone'], ['Ketch']])).toEqual(['Ketch', 'Ketone', 'Kettledrum']);
    expect(found('kattle', [['Battle'], ['Kettle']])[0]).toBe('Kettle');
    expect(found('sonp', [['Song'], ['Snop']])[0]).toBe('Snop');
  });

  it('of the catalogue, for those alike', () => {
    expect(found('mug', [['Red Mug'], ['Blue Mug'], ['Mug']])).toEqual(['Red Mug', 'Blue Mug', 'Mug']);
    expect(found('mgu', [['Red Mug'], ['Blue Mug'], ['Mug']])).toEqual(['Red Mug', 'Blue Mug', 'Mug']);
  });

  it('of those with all words, where some have but most', () => {
    const entries = [['Red Kettle'], ['Blue Electric Kettle'], ['Electric Drill']] as const;
    expect(found('electric kettle', entries)).toEqual(['Blue Electric Kettle']);
    expect(found('electric kettle zzzz', entries)).toEqual(['Blue Electric Kettle']);
  });
});

describe('a word that is there', () => {
  it.each([
    ['cap', [['Map'], ['Cap'], ['Cup'], ['Clap']], ['Cap']],
    ['class', [['Glass'], ['Class']], ['Class']],
    ['boot', [['Book'], ['Boots'], ['Boat']], ['Boots']],
    ['ball', [['Bell'], ['Bull'], ['Ball'], ['Basketball']], ['Ball', 'Basketball']],
    ['night', [['Knight'], ['Nite'], ['Night']], ['Night', 'Knight']],
    ['kttl', [['Kettle'], ['Kttl']], ['Kttl']],
    ['chair', [['Choir'], ['Other', 'chair']], ['Other']],
  ] as const)('brings no look-alikes: %s', (term, entries, expected) => {
    expect(found(term, entries)).toEqual(expected);
  });

  it('brings none of the default catalogue either', () => {
    for (const { name, keywords } of defaults.products) {
      for (const word of `${name} ${keywords}`.toLowerCase().match(/[a-z]{3,}/g) ?? []) {
        const lacking = getSearch(defaults.products)(word).filter(
          (product) => !`${product.name} ${product.keywords}`.toLowerCase().includes(word.replace(/e?s$/, '')),
        );
        expect(lacking, word).toEqual([]);
      }
    }
  });
});

describe('a word of few letters', () => {
  it.each([
    ['mg', [['Mug']]],
    ['ug', [['Mug']]],
    ['mub', [['Bmu']]],
    ['kebb', [['Kettle']]],
    ['lxmx', [['Lamp']]],
  ] as const)('has no two slips: %s', (term, entries) => {
    expect(found(term, entries)).toEqual([]);
  });
});

describe('any term', () => {
  const search = getSearch(defaults.products);

  it.each([
    ['10,000 letters', 'x'.repeat(10_000)],
    ['10,000 letters of a word', 'kettle'.repeat(1667)],
    ['10,000 times a letter and a blank', 'k '.repeat(5000)],
    ['10,000 commas', ','.repeat(10_000)],
    ['10,000 letters of two characters', '\u{20000}'.repeat(5000)],
    ['10,000 marks', `e${'\u0301'.repeat(10_000)}`],
    ['half a letter', '\ud800kettle\udc00'],
    ['a letter cut in half', `${'x'.repeat(30)}\u{20000}`],
    ['a term cut in a letter', `${'x '.repeat(255)}x\u{20000}`],
    ['NUL', '\0'],
    ['what means something to a regular expression', '^(?:k+)+$|[*\\.?{1,}/'],
    ['names of objects', '__proto__ constructor toString hasOwnProperty'],
    ['ligatures and wide letters', 'ﬀﬁﬂ㎏ﷺ'],
    ['a dotted I', 'İİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİ'],
  ])('is taken: %s', (_what, term) => {
    const found = search(term);
    expect(new Set(found).size).toBe(found.length);
  });

  it('is taken by any catalogue, and finds what is called so', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
    );
    fc.assert(
      fc.property(anyText, fc.array(anyText, { maxLength: 4 }), anyText, (name, keywords, term) => {
        const catalogue = createCatalogue([
          [name, ...keywords],
          ['Kettle', name],
        ]);
        const names = getSearch(catalogue);
        expect(names(name)).toContain(catalogue[0]);
        expect(names(term).every((product) => catalogue.includes(product))).toBe(true);
        expect(names(term)).toEqual(getSearch([...catalogue])(term));
      }),
      { numRuns: 100 },
    );
  });
});
