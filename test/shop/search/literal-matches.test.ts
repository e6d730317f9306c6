import { describe, expect, it } from 'vitest';
import { defaults } from '../../support/fixtures/default-data.ts';
import { searchIds, testFirstResults, testSearches } from '../../support/fixtures/search-cases.ts';

describe('a search for a word that a product contains', () => {
  describe(
    'as a whole word',
    testSearches([
      ['kettle', 'KETTLE'],
      ['KETTLE', 'KETTLE'],
      ['hat', 'Washed Cotton', 'Chunky Knit'],
    ]),
  );
  describe(
    'with accents or full-width letters',
    testSearches([
      ['kéttle', 'KETTLE'],
      ['ｋｅｔｔｌｅ', 'KETTLE'],
      ['MÜG', 'MUG'],
    ]),
  );
  describe(
    'as a prefix of a word',
    testFirstResults([
      ['ket', 'KETTLE'],
      ['umbr', 'UMBRELLA'],
      ['headp', 'HEADPHONES'],
      ['keyb', 'KEYBOARD'],
    ]),
  );
  describe(
    'within a word',
    testSearches([
      ['ettl', 'KETTLE'],
      ['phone', 'HEADPHONES'],
      ['toiseshe', 'SUNGLASSES'],
    ]),
  );
  describe(
    'and for another word of its name or keywords, in any order',
    testSearches([
      ['kettle electric', 'KETTLE'],
      ['tea kettle', 'KETTLE'],
      ['rain umbrella', 'UMBRELLA'],
      ['towels cotton', 'Cotton Bath Towels'],
    ]),
  );
  it.each(defaults.products)('returns a product first for its full name: $name', ({ id, name }) => {
    expect(searchIds(name)[0]).toBe(id);
    expect(searchIds(name.toUpperCase())[0]).toBe(id);
  });
});

describe('a search for a text across two keywords', () => {
  describe(
    'that are joined with a comma',
    testSearches([
      ['ol,hi', 'SOCKS'],
      ['wool,hiking', 'SOCKS'],
      ['ting,bedr', 'LAMP'],
      ['wear,spo', 'SHOES'],
    ]),
  );
  describe(
    'that are joined with a comma and a space',
    testSearches([
      ['ol, hi', 'SOCKS'],
      ['wool, hiking', 'SOCKS'],
      ['wear, spo', 'SHOES'],
    ]),
  );
  describe(
    'that are joined without a separator',
    testSearches([
      ['olhi', 'SOCKS'],
      ['woolhiking', 'SOCKS'],
      ['tingbedr', 'LAMP'],
      ['mugkitchen', 'MUG'],
      ['wearspo', 'SHOES'],
    ]),
  );
});

describe(
  'a search for a word of shoppers',
  testSearches([
    ['shoes', 'SHOES', 'SNEAKERS', 'Knee-High', 'Everyday Beach'],
    ['apparel', 'SNEAKERS', 'SOCKS', 'HOODIE', 'T_SHIRT', "Men's Relaxed", 'Washed Cotton', 'Chunky Knit'],
    ['tshirts', 'T_SHIRT'],
    ['kitchen', 'Pre-Seasoned', 'KNIFE', 'KETTLE', 'MUG', 'Wide-Slot', 'BLENDER'],
    ['bathroom', 'Cotton Bath', 'Ionic Hair'],
    ['womens', 'HOODIE'],
    ['tennis shoe', 'SNEAKERS'],
    ['apparel,shoes', 'SNEAKERS'],
    ['rel,sho', 'SNEAKERS'],
  ]),
);
describe('a search for mens', testFirstResults([['mens', "Men's Relaxed"]]));

describe('a search for a word that is not similar to any word', () => {
  it.each([
    'guitar',
    'laptop',
    'bicycle',
    'qwerty',
    'banana',
    'couch',
    'table',
    'television',
    'pizza',
    'violin',
    'microwave',
    'helicopter',
    'pillow',
    'xyzzy',
    'zzzz',
    'dog',
    'gas',
    'ceramic',
    'jewelry',
    'raincoat',
    'чайник',
    '日本語',
    '🫖',
    'guitar violin',
  ])('returns no products for %s', (term) => {
    expect(searchIds(term)).toEqual([]);
  });
});
