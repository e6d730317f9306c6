import { type Steps, sortInSteps } from '../../util/slices.ts';
import type { Product } from '../types.ts';
import { foldText, splitWords } from './fold-text.ts';
import type { WordId } from './postings.ts';
import type { Costs } from './ranking.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * The data about products that affects the order of search results independently of the search term.
 * Products are represented by their indexes.
 */
export interface ProductOrder {
  /**
   * For each product, the id of the word that names the kind of product, such as "kettle" for "Electric Kettle, 1.7
   * Liters".
   * `nameHeads`: the word in the name.
   * `keywordHeads`: the word in the first keyword.
   * The id is -1 if there is no such word.
   */
  readonly nameHeads: Int32Array;
  readonly keywordHeads: Int32Array;
  /**
   * The products by rating, the best first.
   * `products`: the indexes of the products in this order.
   * `places`: the position of each product in `products`.
   */
  readonly places: Uint32Array;
  readonly products: Uint32Array;
}

/** The number of products after which `createProductOrder` yields. */
const STEP_PRODUCTS = 64;

/**
 * Matches the end of the main part of a product name.
 * The rest describes accessories, purposes, materials, sizes or colors, such as "with Linen Shade".
 */
const HEAD_END = / (?:with|for|in|by|from|w) |[,(/|:;]| [-–—] /;

/**
 * Imaginary ratings that are added to the ratings of every product: 10 ratings of 3 stars (Bayesian average).
 * They keep a product with a few perfect ratings below a product with many good ratings.
 */
const PRIOR = { stars: 3, count: 10 };

/** Computes the data that affects the order of search results independently of the search term. */
export function* createProductOrder(products: readonly Product[], vocabulary: Vocabulary): Steps<ProductOrder> {
  const [nameHeads, keywordHeads] = [new Int32Array(products.length), new Int32Array(products.length)];
  const scores = new Float64Array(products.length);
  const headOfKeyword = new Map<string, WordId>();
  for (const [index, { name, keywords, rating }] of products.entries()) {
    nameHeads[index] = getHead(name, vocabulary);
    // Many products have the same first keyword.
    const [keyword = ''] = keywords;
    const keywordHead = headOfKeyword.get(keyword) ?? getHead(keyword, vocabulary);
    headOfKeyword.set(keyword, keywordHead);
    keywordHeads[index] = keywordHead;
    scores[index] = (rating.stars * rating.count + PRIOR.stars * PRIOR.count) / (rating.count + PRIOR.count);
    if (index % STEP_PRODUCTS === 0) yield;
  }
  const sorted = yield* sortInSteps([...scores.keys()], (one, other) => (scores[other] ?? 0) - (scores[one] ?? 0));
  yield;
  const byPlace = Uint32Array.from(sorted);
  yield;
  const places = new Uint32Array(products.length);
  for (let place = 0; place < byPlace.length; place++) places[byPlace[place] as number] = place;
  yield;
  return { nameHeads, keywordHeads, places, products: byPlace };
}

/**
 * Returns the id of the word that says what kind of product a name or keyword describes, such as "kettle".
 * It is the last word before `HEAD_END`.
 * Returns -1 if there is none.
 */
function getHead(text: string, { getId }: Vocabulary): WordId {
  const folded = foldText(text);
  const words = splitWords(folded.split(HEAD_END)[0] ?? '');
  return getId(words.findLast((word) => /^\p{L}+$/u.test(word)) ?? '') ?? -1;
}

/** Costs are rounded to a multiple of this value before they are compared. */
const PRECISION = 1 / 1_024;

/** The lowest possible cost of a product. A cost can be negative because of bonuses. */
const LOWEST_COST = -64;

/**
 * The number of results that can get a bonus for containing the whole search term in the name.
 * Only the most relevant results are compared with the term.
 */
export const COMPARED = 128;

/**
 * The bonus of a product whose name contains the whole search term.
 * It is subtracted from the cost.
 * It exceeds the difference between an exact match and a prefix match.
 */
const PHRASE_BONUS = 17;

/**
 * Returns the indexes of the found products, the most relevant first.
 * Sorts by cost (the lowest first), then by rating.
 * A product ranks higher if its name contains all words of the search term next to each other.
 */
export function* rankResults(
  term: string,
  costs: Costs,
  order: ProductOrder,
  getName: (product: number) => string,
): Steps<readonly number[]> {
  const ranked = yield* sortByCost(costs, order);
  if (ranked.length < 2) return ranked;
  const getBonus = createPhraseBonus(term);
  if (!getBonus) return ranked;
  const first = ranked
    .slice(0, COMPARED)
    .map((product) => [product, (costs.get(product) ?? 0) - getBonus(getName(product))] as const);
  const compared = yield* sortByCost(new Map(first), order);
  return [...compared, ...ranked.slice(COMPARED)];
}

/**
 * Creates a function that returns the bonus of a product name: `PHRASE_BONUS` if the name contains the words of the
 * search term next to each other, otherwise
 * 0. Returns undefined if the term has fewer than two words.
 */
export function createPhraseBonus(term: string): ((name: string) => number) | undefined {
  const words = splitWords(term);
  if (words.length < 2) return undefined;
  const phrases = [` ${words.join(' ')}`, ` ${words.join('')}`];
  return (name) => {
    const text = ` ${splitWords(foldText(name)).join(' ')}`;
    return phrases.some((phrase) => text.includes(phrase)) ? PHRASE_BONUS : 0;
  };
}

function* sortByCost(costs: Costs, { places, products }: ProductOrder): Steps<readonly number[]> {
  // Each key is one number for the cost and the place by rating. Numbers sort many times faster than pairs.
  const keys = new Float64Array(costs.size);
  let at = 0;
  for (const [product, cost] of costs)
    keys[at++] = Math.round((cost - LOWEST_COST) / PRECISION) * places.length + (places[product] as number);
  yield;
  keys.sort();
  yield;
  return Array.from(keys, (key) => products[key % places.length] as number);
}
