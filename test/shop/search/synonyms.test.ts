import { describe, expect, it } from 'vitest';
import { explainSearch, getSearch } from '../../../src/shop/search/product-search.ts';
import { NO_SYNONYMS, parseSynonyms } from '../../../src/shop/search/synonyms.ts';
import { createCatalogue } from '../../support/fixtures/catalogue-builders.ts';

const SYNONYMS = parseSynonyms(
  '[["Sofa", "couch"], ["cell phone", "mobile"], ["tv", "television", "telly"]]',
  's.json',
);

const products = createCatalogue([
  ['Red Sofa'],
  ['Leather Pouch'],
  ['Cell Phone with Case'],
  ['Mobile Charger'],
  ['TV Stand'],
  ['Television'],
  ['Red Couch'],
]);

function findNames(term: string, synonyms = SYNONYMS) {
  return getSearch(products, synonyms)(term).map(({ name }) => name);
}

describe('a search with synonyms', () => {
  it.each([
    ['sofa', ['Red Sofa', 'Red Couch']],
    ['couch', ['Red Couch', 'Red Sofa']],
    ['couches', ['Red Couch', 'Red Sofa']],
    ['cell phones', ['Cell Phone with Case', 'Mobile Charger']],
    ['tellies', ['Television', 'TV Stand']],
    ['red couch', ['Red Couch', 'Red Sofa']],
    ['mobile', ['Mobile Charger', 'Cell Phone with Case']],
    ['cell phone', ['Cell Phone with Case', 'Mobile Charger']],
    ['telly', ['Television', 'TV Stand']],
    ['telly stand', ['TV Stand']],
    ['pouch', ['Leather Pouch']],
  ])('for %s finds %j', (term, names) => {
    expect(findNames(term)).toEqual(names);
  });

  it('finds no synonyms without the file', () => {
    expect(findNames('telly', NO_SYNONYMS)).not.toContain('TV Stand');
  });

  it('is explained by them', async () => {
    const { suggestion, results } = await explainSearch(products, { term: 'telly stand', limit: 1 }, SYNONYMS);
    expect(suggestion).toBeUndefined();
    expect(results[0]?.parts).toContainEqual({ word: 'telly', title: 'synonym', cost: expect.any(Number) });
  });
});

describe('a file of synonyms is refused', () => {
  it.each([
    ['[', 'it is not a JSON list of lists'],
    ['{"sofa": "couch"}', 'it is not a JSON list of lists'],
    ['["sofa"]', '/0 must be a list of at least two words'],
    ['[["sofa"]]', '/0 must be a list of at least two words'],
    ['[["sofa", "couch"], ["a", 5]]', '/1/1 must be one to 6 words'],
    ['[["sofa", " - "]]', '/0/1 must be one to 6 words'],
    ['[["sofa", "a b c d e f g"]]', '/0/1 must be one to 6 words'],
  ])('if it is %s', (text, problem) => {
    expect(() => parseSynonyms(text, 's.json')).toThrow(`Invalid synonyms in s.json: ${problem}. An example: [["sofa"`);
  });
});
