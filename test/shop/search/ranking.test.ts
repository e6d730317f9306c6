import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getSearch } from '../../../src/shop/search/product-search.ts';
import { createCatalogue } from '../../support/fixtures/catalogue-builders.ts';
import { anyCodePoint } from '../../support/fixtures/code-points.ts';
import { defaults } from '../../support/fixtures/default-data.ts';

/** Returns the names of the results in a catalogue of these names and keywords. */
function findNames(term: string, entries: readonly (readonly [name: string, ...keywords: string[]])[]) {
  return getSearch(createCatalogue(entries))(term).map(({ name }) => name);
}

describe('a search result', () => {
  it('is more relevant for an exact match than for a number form, then for a prefix, then for an infix', () => {
    const entries = [['Overlamping'], ['Lampshade'], ['Lamps'], ['Lamp']] as const;
    expect(findNames('lamp', entries)).toEqual(['Lamp', 'Lamps', 'Lampshade', 'Overlamping']);
  });

  it('is more relevant for a misspelled word than for an abbreviation', () => {
    expect(findNames('hmmr', [['Hammer'], ['Hmur']])).toEqual(['Hmur', 'Hammer']);
  });

  it('is more relevant for a match in the name than in the keywords, for each kind of match', () => {
    for (const term of ['kettle', 'kettles', 'kett', 'ettle', 'ketle', 'kttl', 'ktl']) {
      expect(findNames(term, [['One', 'kettle'], ['Kettle'], ['Two', 'kettle']]), term).toEqual([
        'Kettle',
        'One',
        'Two',
      ]);
    }
  });

  it('is more relevant for an exact match in the keywords than for a prefix match in the name', () => {
    expect(findNames('lamp', [['Lampshade'], ['Light', 'lamp']])).toEqual(['Light', 'Lampshade']);
  });

  it('is more relevant for a prefix match in the keywords than for an infix match in the name', () => {
    expect(findNames('lamp', [['Overlamping'], ['Light', 'lampshade']])).toEqual(['Light', 'Overlamping']);
  });

  it('is more relevant the closer its word is', () => {
    expect(findNames('ket', [['Kettledrum'], ['Ketone'], ['Ketch']])).toEqual(['Ketch', 'Ketone', 'Kettledrum']);
    expect(findNames('kattle', [['Battle'], ['Kettle']])[0]).toBe('Kettle');
    expect(findNames('sonp', [['Song'], ['Snop']])[0]).toBe('Snop');
  });

  it('keeps the order of the catalogue among equally relevant products', () => {
    expect(findNames('mug', [['Red Mug'], ['Blue Mug'], ['Mug']])).toEqual(['Red Mug', 'Blue Mug', 'Mug']);
    expect(findNames('mgu', [['Red Mug'], ['Blue Mug'], ['Mug']])).toEqual(['Red Mug', 'Blue Mug', 'Mug']);
  });

  it('has all words of the term, if any product has them', () => {
    const entries = [['Red Kettle'], ['Blue Electric Kettle'], ['Electric Drill']] as const;
    expect(findNames('electric kettle', entries)).toEqual(['Blue Electric Kettle']);
    expect(findNames('electric kettle zzzz', entries)).toEqual(['Blue Electric Kettle']);
  });
});

describe('a search for a word of the catalogue', () => {
  it.each([
    ['cap', [['Map'], ['Cap'], ['Cup'], ['Clap']], ['Cap']],
    ['class', [['Glass'], ['Class']], ['Class']],
    ['boot', [['Book'], ['Boots'], ['Boat']], ['Boots']],
    ['ball', [['Bell'], ['Bull'], ['Ball'], ['Basketball']], ['Ball', 'Basketball']],
    ['night', [['Knight'], ['Nite'], ['Night']], ['Night', 'Knight']],
    ['kttl', [['Kettle'], ['Kttl']], ['Kttl']],
    ['chair', [['Choir'], ['Other', 'chair']], ['Other']],
  ] as const)('returns no products with similar words: %s', (term, entries, expected) => {
    expect(findNames(term, entries)).toEqual(expected);
  });

  it('returns no products with similar words in the default catalogue', () => {
    for (const { name, keywords } of defaults.products) {
      for (const word of `${name} ${keywords}`.toLowerCase().match(/[a-z]{3,}/g) ?? []) {
        const surplus = getSearch(defaults.products)(word).filter(
          (product) => !`${product.name} ${product.keywords}`.toLowerCase().includes(word.replace(/e?s$/, '')),
        );
        expect(surplus, word).toEqual([]);
      }
    }
  });
});

describe('a search for a short word', () => {
  it.each([
    ['mg', [['Mug']]],
    ['ug', [['Mug']]],
    ['mub', [['Bmu']]],
    ['kebb', [['Kettle']]],
    ['lxmx', [['Lamp']]],
  ] as const)('does not match a word with two typos: %s', (term, entries) => {
    expect(findNames(term, entries)).toEqual([]);
  });
});

describe('a search for any term', () => {
  const search = getSearch(defaults.products);

  it.each([
    ['10,000 letters', 'x'.repeat(10_000)],
    ['10,000 letters of a word', 'kettle'.repeat(1667)],
    ['10,000 single letters', 'k '.repeat(5000)],
    ['10,000 commas', ','.repeat(10_000)],
    ['10,000 surrogate pairs', '\u{20000}'.repeat(5000)],
    ['10,000 combining marks', `e${'\u0301'.repeat(10_000)}`],
    ['unpaired surrogates', '\ud800kettle\udc00'],
    ['a surrogate pair at the maximum length of a word', `${'x'.repeat(30)}\u{20000}`],
    ['a surrogate pair at the maximum length of a term', `${'x '.repeat(255)}x\u{20000}`],
    ['NUL', '\0'],
    ['special characters of regular expressions', '^(?:k+)+$|[*\\.?{1,}/'],
    ['names of object properties', '__proto__ constructor toString hasOwnProperty'],
    ['ligatures and full-width letters', 'ﬀﬁﬂ㎏ﷺ'],
    ['a dotted I', 'İİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİ'],
  ])('returns each product at most once: %s', (_what, term) => {
    const results = search(term);
    expect(new Set(results).size).toBe(results.length);
  });

  it('works in any catalogue, and finds a product by its name', () => {
    const anyText = fc.oneof(
      fc.string({ unit: anyCodePoint, maxLength: 40 }),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
    );
    fc.assert(
      fc.property(anyText, fc.array(anyText, { maxLength: 4 }), anyText, (name, keywords, term) => {
        const catalogue = createCatalogue([
          [name, ...keywords],
          ['Kettle', name],
        ]);
        const searchAny = getSearch(catalogue);
        expect(searchAny(name)).toContain(catalogue[0]);
        expect(searchAny(term).every((product) => catalogue.includes(product))).toBe(true);
        expect(searchAny(term)).toEqual(getSearch([...catalogue])(term));
      }),
      { numRuns: 100 },
    );
  });
});
