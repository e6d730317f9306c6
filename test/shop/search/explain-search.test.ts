import { describe, expect, it } from 'vitest';
import { explainSearch, getSearch } from '../../../src/shop/search/product-search.ts';
import { createCatalogue } from '../../support/fixtures/catalogue-builders.ts';
import { defaults } from '../../support/fixtures/default-data.ts';

const { products } = defaults;

/** Explains a search in the default data. */
function explain(term: string, limit = 50) {
  return explainSearch(products, { term, limit });
}

/** Terms that match in each way: words, beginnings, parts, typos, compounds, units, optional and missing words. */
const TERMS = [
  ...['kettle', 'shoe', 'umbr', 'ottle', 'ketle', 'hdphns', 'bball', 'tshirts', 't-shirt', 'teddybear', 'head phones'],
  ...['steel toaster', 'steel kettle', 'ketle kitchn', 'where can i buy a kettle', 'best kettle', 'with handle', 'the'],
  ...['boots,foot', 'apparel,shoes', '1.7 l kettle', '28cm pan', '35 mm lens camera', 'red running shoes', 'wool,hik'],
  ...[
    'wooden toys for kids',
    'mens womens jeans hoodie',
    'set of 4',
    'cafe',
    'wearspo',
    'Cotton Bath Towels, Set of 4',
  ],
];

describe('the explanation of a search', () => {
  it.each(TERMS)('has the results of the search in their order, with costs that add up: %s', async (term) => {
    const { total, results } = await explain(term);
    const found = getSearch(products)(term);
    expect(total).toBe(found.length);
    expect(results.map(({ position }) => products[position])).toEqual(found);
    for (const { cost, parts } of results) {
      expect(parts.length).toBeGreaterThan(0);
      expect(parts.reduce((sum, part) => sum + part.cost, 0)).toBeCloseTo(cost, 6);
      expect(parts.map(({ title }) => title)).not.toContain('match');
    }
    const costs = results.map(({ cost }) => Math.round(cost * 1_024));
    expect(costs).toEqual(costs.toSorted((one, other) => one - other));
  });

  it('says which word matches, how, and the parts of its cost', async () => {
    const { words, results } = await explain('ketle');
    expect(words).toEqual([
      {
        word: 'ketle',
        isOptional: false,
        entries: 1,
        matches: [{ text: 'kettle', how: 'misspelled', distance: expect.any(Number), entries: 1 }],
      },
    ]);
    expect(results[0]).toMatchObject({
      cost: 32.285,
      parts: [
        { word: 'ketle', title: 'misspelled: kettle', cost: 32 },
        { word: 'ketle', title: 'in name', cost: 0 },
        { word: 'ketle', title: 'difference', cost: 0.3 },
        { word: 'ketle', title: 'kind of product', cost: -0.015 },
      ],
    });
  });

  it('names optional words, and words that are missing', async () => {
    const [kettle] = (await explain('Electric Kettle with handle')).results;
    expect(kettle?.parts.map(({ title }) => title)).toContain('exact: kettle');
    const { words } = await explain('handle with ash');
    expect(words.map(({ word, isOptional }) => [word, isOptional])).toEqual([
      ['handle', false],
      ['ash', false],
      ['with', true],
    ]);
    const entries = [['Red Wool Hat'], ['Blue Wool Hat'], ['Red Wool Scarf']] as const;
    const explained = await explainSearch(createCatalogue(entries), { term: 'blue wool scarf', limit: 5 });
    expect(explained.results.map(({ parts }) => parts.some(({ title }) => title === 'match'))).not.toContain(true);
  });

  it('is empty for a blank term, which is no search', async () => {
    expect(await explain(' ')).toEqual({ total: 0, words: [], results: [] });
  });
});

describe('the suggestion for a term', () => {
  it.each([
    ['ketle', 'kettle'],
    ['Elektric KETLE', 'electric kettle'],
    ['hdphns', 'headphones'],
    ['steel toster', 'steel toaster'],
    ['kettle', undefined],
    ['umbr', undefined],
    ['teddybear', undefined],
    ['qqqqqq', undefined],
  ])('for %s is %s', async (term, expected) => {
    expect((await explain(term)).suggestion).toBe(expected);
  });

  it('corrects a word that stands in one product, if a similar word is much more frequent', async () => {
    const entries = [
      ['Jewlery Box'],
      ...Array.from({ length: 60 }, (_, at) => [`Jewelry Case ${at}`] as const),
    ] as const;
    const { suggestion } = await explainSearch(createCatalogue(entries), { term: 'jewlery', limit: 5 });
    expect(suggestion).toBe('jewelry');
  });
});
