import type { Random } from '../../util/random.ts';
import { MAX_TERM_LENGTH } from '../search/product-search.ts';
import type { Product } from '../types.ts';
import {
  findPartialWords,
  getPlainWords,
  getSearchText,
  indexWords,
  pickSome,
  pickWordCase,
  type WordCase,
  type WordEntry,
} from './search-words.ts';
import type { ShopTester } from './shop-tester.ts';

/**
 * Sends a search for products, and returns the found products. `query`: the percent-encoded search term. Throws `ModelMismatchError` if the status is not 200.
 */
export async function search(tester: ShopTester, query: string): Promise<readonly Product[]> {
  const response = await tester.sendJson('listProducts', `/api/products?search=${query}`);
  tester.expectStatus('listProducts', response, 200, `the query is search=${query}`);
  return response.body as readonly Product[];
}

/** A search term that resembles no word of any product. */
const MEANINGLESS_TERM = 'qqqqqqxzqq';

/** Sends one or more searches and checks the results. Throws `ModelMismatchError` if a result breaks a rule. */
export type SearchCheck = (tester: ShopTester) => Promise<void>;

/** Creates checks of the product search. Some expect exact results, and others compare the results of several searches. */
export function createComparisons(products: readonly Product[], random: Random): readonly SearchCheck[] {
  const words = indexWords(products);
  const partial = findPartialWords(products, words);
  const cases = [1, 1, 2].flatMap((count) => pickWordCase(products, count, random));
  const [mostFrequent] = words.toSorted((one, other) => other.products.length - one.products.length);
  const ranked = [...pickSome(partial, 2, random), ...(mostFrequent ? [mostFrequent] : [])];
  const encodable = words.filter(({ word }) => ENCODABLE_LETTER.test(word));
  return [
    ...createFixedCases(products).map((one) => (tester: ShopTester) => checkFixedCase(tester, one)),
    ...(products.some((product) => getSearchText(product).includes('+')) ? [] : [checkEscapedPlus]),
    ...cases.map((one) => (tester: ShopTester) => checkAllWords(tester, one)),
    ...ranked.map((entry) => (tester: ShopTester) => checkRanking(tester, entry)),
    ...pickSome(encodable, 1, random).map((entry) => (tester: ShopTester) => checkEncodings(tester, entry)),
  ];
}

/** A search with known results: the rule that it checks, its query, and the expected products in order. */
type FixedCase = readonly [rule: string, query: string, results: readonly Product[]];

/** Returns searches with known results. Blank search terms find all products in the order of the product list. A meaningless term finds none. */
function createFixedCases(products: readonly Product[]): readonly FixedCase[] {
  return [
    ['finds all products for a blank term', '', products],
    ['finds all products for a blank term', '%20%20', products],
    ['+ is a space', '+', products],
    ['finds nothing for a meaningless term', MEANINGLESS_TERM, []],
  ];
}

async function checkFixedCase(tester: ShopTester, [rule, query, expected]: FixedCase): Promise<void> {
  const actual = await search(tester, query);
  tester.expectEqual('listProducts', rule, { expected, actual }, `In the results of search=${query}`);
}

/** Checks that the search reads `%2B` in the query as a plus sign and not as a space. The search must find nothing, because no product contains a plus sign. */
async function checkEscapedPlus(tester: ShopTester): Promise<void> {
  const { length } = await search(tester, '%2B');
  const detail = `No product contains a +, but the search finds ${length} products.`;
  if (length > 0) tester.failRule('listProducts', 'an escaped + is not a space', detail);
}

/**
 * Checks that a search uses all words of a term, in any order. If the term has more than two words, products that lack one word may follow the products that
 * contain all words.
 */
async function checkAllWords(tester: ShopTester, { product, shared, distinct }: WordCase): Promise<void> {
  const rule = 'searches for all words of a term';
  const allowed = await search(tester, distinct);
  for (const query of [[...shared, distinct].join('%20'), [distinct, ...shared].join('+')]) {
    if (shared.length === 1) await expectResults(tester, { rule, query, required: product, allowed, term: distinct });
    else await expectFirst(tester, { rule, query, required: product, allowed, term: distinct });
  }
}

/** Checks that the results contain the product `required`. Only products in `allowed` may come before it. */
async function expectFirst(tester: ShopTester, expected: ExpectedResults & { readonly required: Product }) {
  const { rule, query, required, allowed, term } = expected;
  const results = await search(tester, query);
  const fail = (detail: string) => tester.failRule('listProducts', rule, `search=${query} ${detail}.`);
  const place = results.findIndex(({ id }) => id === required.id);
  const name = JSON.stringify(required.name);
  if (place < 0) fail(`does not find ${name}`);
  const other = results.slice(0, Math.max(place, 0)).find(({ id }) => !allowed.some((one) => one.id === id));
  if (!other) return;
  const otherName = JSON.stringify(other.name);
  fail(`lists ${otherName} before ${name}, but a search for ${term} does not find ${otherName}`);
}

/**
 * Checks that a search for a word finds all products that contain it as a whole word. Products that contain it only inside another word must come after them.
 */
async function checkRanking(tester: ShopTester, { word, products }: WordEntry): Promise<void> {
  const results = await search(tester, word);
  const hasWord = ({ id }: Product) => products.some((product) => product.id === id);
  const missing = products.find(({ id }) => !results.some((product) => product.id === id));
  if (missing) {
    const message = `The search for ${word} does not find ${JSON.stringify(missing.name)}`;
    tester.fail('listProducts', 'finds the words of names and keywords', message);
  }
  const firstOther = results.findIndex((product) => !hasWord(product));
  const misplaced = firstOther < 0 ? undefined : results.slice(firstOther).find(hasWord);
  if (!misplaced) return;
  const [name, before] = [misplaced.name, results[firstOther]?.name].map((one) => JSON.stringify(one));
  const detail = `${name} contains the word ${word}, but comes after ${before}, which does not contain this word.`;
  tester.failRule('listProducts', 'the best match comes first', detail);
}

/** Matches a letter whose percent-encoding is different in lower and upper case: `k` is `%6b` or `%6B`. */
const ENCODABLE_LETTER = /[klmno]/;

/** Checks that a search finds the same products if its term is written differently, for example with percent-encoding. */
async function checkEncodings(tester: ShopTester, { word }: WordEntry): Promise<void> {
  const allowed = await search(tester, word);
  const required = tester.model.products.find((product) => getPlainWords(product).has(word));
  const padding = '%20'.repeat(MAX_TERM_LENGTH - word.length);
  const encoded = word.replace(ENCODABLE_LETTER, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  const queries = [
    ['a % that does not start an escape is literal', `%%20${word}`],
    ['escapes with lower-case hexadecimal digits (such as %6b) are decoded', encoded],
    [`the first ${MAX_TERM_LENGTH} characters of a term are used`, padding + word],
    [`only the first ${MAX_TERM_LENGTH} characters of a term are used`, `${word}${padding}${MEANINGLESS_TERM}`],
  ] as const;
  for (const [rule, query] of queries) await expectResults(tester, { rule, query, required, allowed, term: word });
}

/** A search and its expected results. The results must contain `required`. All results must be in `allowed`, the results of a search for `term`. */
interface ExpectedResults {
  readonly rule: string;
  readonly query: string;
  readonly required: Product | undefined;
  readonly allowed: readonly Product[];
  readonly term: string;
}

async function expectResults(tester: ShopTester, expected: ExpectedResults): Promise<void> {
  const { rule, query, required, allowed, term } = expected;
  const results = await search(tester, query);
  const shortQuery = query.length > 80 ? `${query.slice(0, 40)}…${query.slice(-20)}` : query;
  const fail = (detail: string) => tester.failRule('listProducts', rule, `search=${shortQuery} ${detail}.`);
  const unexpected = results.find(({ id }) => !allowed.some((one) => one.id === id));
  if (unexpected) fail(`finds ${JSON.stringify(unexpected.name)}, which a search for ${term} does not find`);
  if (required && !results.some(({ id }) => id === required.id)) fail(`does not find ${JSON.stringify(required.name)}`);
}
