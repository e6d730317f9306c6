import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findMeasures, foldText } from '../../src/shop/search/fold-text.ts';
import { getSearch, withoutFillers } from '../../src/shop/search/product-search.ts';
import type { Product } from '../../src/shop/types.ts';
import { defaults } from '../support/fixtures/default-data.ts';

const { products } = defaults;
const search = getSearch(products);

/** Returns the words of a product: runs of letters and digits, after apostrophes are removed. */
function wordsOf({ name, keywords }: Product): readonly string[] {
  return [name, ...keywords]
    .join(' ')
    .replaceAll("'", '')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
}

const anyProduct = fc.constantFrom(...products);

/** A product, and a term of prefixes of its words. */
const anyMeant = anyProduct.chain((product) => {
  const anyBeginning = fc
    .tuple(fc.constantFrom(...wordsOf(product)), fc.integer({ min: 1, max: 20 }), fc.boolean())
    .map(([word, length, isLoud]) => (isLoud ? word.toUpperCase() : word).slice(0, length));
  const anyTerm = fc.array(anyBeginning, { minLength: 1, maxLength: 6 }).map((beginnings) => beginnings.join(' '));
  return fc.record({ product: fc.constant(product), term: anyTerm });
});

/** A product, and a part of its joined keywords of at least three letters. */
const anyKeywordPart = anyProduct.chain((product) => {
  const text = product.keywords.join(',');
  const anyPlace = fc.integer({ min: 0, max: text.length - 1 });
  return fc
    .record({ product: fc.constant(product), from: anyPlace, length: fc.integer({ min: 1, max: 30 }) })
    .map(({ from, length, ...rest }) => ({ ...rest, term: text.slice(from, from + length) }))
    .filter(({ term }) => /[a-z]{3}/.test(term));
});

describe('a search in the default catalogue', () => {
  it('finds a product by prefixes of its words in any order, unless they are a measure', () => {
    fc.assert(
      fc.property(anyMeant, ({ product, term }) => {
        fc.pre(findMeasures(foldText(term)).length === 0);
        expect(search(term)).toContain(product);
      }),
      { numRuns: 1000 },
    );
  });

  it('finds a product by any part of its keywords, joined with commas', () => {
    fc.assert(
      fc.property(anyKeywordPart, ({ product, term }) => {
        expect(search(term)).toContain(product);
      }),
    );
  });

  it('lists products with words that begin with each word of the term before products that lack a word', () => {
    fc.assert(
      fc.property(anyMeant, ({ term }) => {
        const parts = withoutFillers(term.toLowerCase().split(' '));
        const hasEach = (product: Product, isIn: (word: string, part: string) => boolean) =>
          parts.every((part) => wordsOf(product).some((word) => isIn(word.toLowerCase(), part)));
        const found = search(term);
        const lacking = found.findIndex(
          (product) =>
            !hasEach(product, (word, part) => word.includes(part) || part.includes(word)) &&
            !`${product.name}\n${product.keywords}`.toLowerCase().includes(term.toLowerCase()),
        );
        const later = lacking === -1 ? [] : found.slice(lacking);
        expect(later.filter((product) => hasEach(product, (word, part) => word.startsWith(part)))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it('finds each product once, and in the same order each time', () => {
    fc.assert(
      fc.property(anyMeant, ({ term }) => {
        const found = search(term);
        expect(new Set(found).size).toBe(found.length);
        expect(getSearch([...products])(term)).toEqual(found);
      }),
    );
  });

  it('accepts any term', () => {
    const anyText = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme', maxLength: 2000 }),
    );
    fc.assert(
      fc.property(anyText, (term) => {
        expect(search(term).every((product) => products.includes(product))).toBe(true);
      }),
    );
  });
});
