import { describe, expect, it } from 'vitest';
import { defaults } from '../../support/fixtures/default-data.ts';
import { NAMES, searchIds, testFirstResults, testSearches } from '../../support/fixtures/search-cases.ts';

const { KETTLE, HEADPHONES, SOCKS, KEYBOARD, SUNGLASSES, UMBRELLA, LAMP, SHOES, MUG } = NAMES;

describe('a literal match of a word', () => {
  describe(
    'whole',
    testSearches([
      ['kettle', KETTLE],
      ['KETTLE', KETTLE],
      ['hat', 'Chunky Knit', 'Washed Cotton'],
    ]),
  );
  describe(
    'with accents, or wide',
    testSearches([
      ['kéttle', KETTLE],
      ['ｋｅｔｔｌｅ', KETTLE],
      ['MÜG', MUG],
    ]),
  );
  describe(
    'begun',
    testFirstResults([
      ['ket', KETTLE],
      ['umbr', UMBRELLA],
      ['headp', HEADPHONES],
      ['keyb', KEYBOARD],
    ]),
  );
  describe(
    'from within',
    testSearches([
      ['ettl', KETTLE],
      ['phone', HEADPHONES],
      ['toiseshe', SUNGLASSES],
    ]),
  );
  describe(
    'beside others, in any order, of name and keywords',
    testSearches([
      ['kettle electric', KETTLE],
      ['tea kettle', KETTLE],
      ['rain umbrella', UMBRELLA],
      ['towels cotton', 'Cotton Bath Towels'],
    ]),
  );
  it.each(defaults.products)('in the full name: $name', ({ id, name }) => {
    expect(searchIds(name)[0]).toBe(id);
    expect(searchIds(name.toUpperCase())[0]).toBe(id);
  });
});

describe('a term across two keywords', () => {
  describe(
    'with a comma',
    testSearches([
      ['ol,hi', SOCKS],
      ['wool,hiking', SOCKS],
      ['ting,bedr', LAMP],
      ['wear,spo', SHOES],
    ]),
  );
  describe(
    'with a comma and a blank',
    testSearches([
      ['ol, hi', SOCKS],
      ['wool, hiking', SOCKS],
      ['wear, spo', SHOES],
    ]),
  );
  describe(
    'without',
    testSearches([
      ['olhi', SOCKS],
      ['woolhiking', SOCKS],
      ['tingbedr', LAMP],
      ['mugkitchen', MUG],
      ['wearspo', SHOES],
    ]),
  );
});

describe('a meaningless word', () => {
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
  ])('%s', (term) => {
    expect(searchIds(term)).toEqual([]);
  });
});
