import type { CheckContext } from '../../check/check-context.ts';
import { examineAll } from '../../check/confirm-findings.ts';
import { createRandom, type Random } from '../../util/random.ts';
import { MAX_TERM_LENGTH } from '../search/product-search.ts';
import type { Product } from '../types.ts';
import type { Model } from './model.ts';
import { findDifference } from './model.ts';
import { catchMismatch, ShopTester } from './shop-tester.ts';

/** The maximum number of products in which `pickWordCase` searches for common words. */
const MAX_COMPARED = 100;

/** The minimum length of a word that the check searches for. Shorter words are often inside other words. */
const MIN_WORD_LENGTH = 3;

/** Returns the text of a product that the search uses, in lower case: the name and the keywords, each on a line. */
function getSearchText({ name, keywords }: Product): string {
  return [name, ...keywords].join('\n').toLowerCase();
}

/**
 * Returns the words of a product that have only the letters a to z.
 * Omits words such as `t-shirt`, because a server may search them as one word or as two words.
 */
function getPlainWords(product: Product): ReadonlySet<string> {
  const words = getSearchText(product).split(/[\s,]+/);
  return new Set(words.filter((word) => word.length >= MIN_WORD_LENGTH && /^[a-z]+$/.test(word)));
}

/**
 * Words of `product` for a test search that must find it.
 * A second product contains the words `shared`, but not the word `distinct`.
 */
interface WordCase {
  readonly product: Product;
  readonly shared: readonly string[];
  readonly distinct: string;
}

/**
 * Picks `count` random values from a list, possibly the same value several times.
 * Returns an empty list if the list has no values.
 */
function pickSome<Value>(values: readonly Value[], count: number, random: Random): readonly Value[] {
  return values.length === 0 ? [] : Array.from({ length: count }, () => random.pick(values));
}

/**
 * Picks words for a test search: `count` words that two random products share, and a word that only one of them
 * contains.
 * Returns a list with one `WordCase`.
 * Returns an empty list if there are no such products.
 */
function pickWordCase(products: readonly Product[], count: number, random: Random): readonly WordCase[] {
  const compared = products.slice(0, MAX_COMPARED);
  const cases = compared.flatMap((product) =>
    compared.flatMap((other) => {
      if (other === product) return [];
      const words = [...getPlainWords(product)];
      const otherWords = getPlainWords(other);
      const shared = words.filter((word) => otherWords.has(word)).slice(0, count);
      const distinct = words.filter((word) => !getSearchText(other).includes(word));
      return shared.length === count && distinct.length > 0 ? [{ product, shared, distinct }] : [];
    }),
  );
  return pickSome(cases, 1, random).map((one) => ({ ...one, distinct: random.pick(one.distinct) }));
}

/** A word, and the products that contain it as a whole word. */
interface WordEntry {
  readonly word: string;
  readonly products: readonly Product[];
}

/**
 * Returns the words that have only the letters a to z, with the products that contain them.
 * Omits "shirt" if a product contains "t-shirt" but not "shirt", because a search for "shirt" may or may not find that
 * product.
 */
function indexWords(products: readonly Product[]): readonly WordEntry[] {
  const index = new Map<string, Product[]>();
  for (const product of products)
    for (const word of getPlainWords(product)) index.set(word, [...(index.get(word) ?? []), product]);
  const isUnambiguous = (word: string, matches: readonly Product[]) =>
    products.every((product) => matches.includes(product) || !getAllWords(product).has(word));
  return [...index].flatMap(([word, matches]) => (isUnambiguous(word, matches) ? [{ word, products: matches }] : []));
}

/**
 * Returns words that can test the order of search results.
 * An example is "board" if the product list has a cupboard before a board.
 * A search for "board" must list the board first.
 */
function findPartialWords(products: readonly Product[], words: readonly WordEntry[]): readonly WordEntry[] {
  return words.filter(({ word, products: matches }) => {
    const last = products.findLastIndex((product) => matches.includes(product));
    return products.some(
      (product, index) => index < last && !matches.includes(product) && getSearchText(product).includes(word),
    );
  });
}

/**
 * Returns all sequences of letters and digits in a product.
 * A word with an apostrophe counts in both ways: "men's" gives "men", "s" and "mens".
 */
function getAllWords(product: Product): ReadonlySet<string> {
  const text = getSearchText(product);
  return new Set([text, text.replaceAll(/['’]/g, '')].flatMap(splitWords));
}

/** Splits a text into its sequences of letters and digits. */
function splitWords(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * Sends a search for products, and returns the found products.
 * `query`: the percent-encoded search term.
 * Throws `ModelMismatchError` if the status is not 200.
 */
async function search(tester: ShopTester, query: string): Promise<readonly Product[]> {
  const response = await tester.sendJson('listProducts', `/api/products?search=${query}`);
  tester.expectStatus('listProducts', response, 200, `the query is search=${query}`);
  return response.body as readonly Product[];
}

/** A search term that resembles no word of any product. */
const MEANINGLESS_TERM = 'qqqqqqxzqq';

/** Sends one or more searches and checks the results. Throws `ModelMismatchError` if a result breaks a rule. */
type SearchCheck = (tester: ShopTester) => Promise<void>;

/**
 * Creates checks of the product search.
 * Some expect exact results, and others compare the results of several searches.
 */
function createComparisons(products: readonly Product[], random: Random): readonly SearchCheck[] {
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

/**
 * Returns searches with known results.
 * Blank search terms find all products in the order of the product list.
 * A meaningless term finds none.
 */
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

/**
 * Checks that the search reads `%2B` in the query as a plus sign and not as a space.
 * The search must find nothing, because no product contains a plus sign.
 */
async function checkEscapedPlus(tester: ShopTester): Promise<void> {
  const { length } = await search(tester, '%2B');
  const detail = `No product contains a +, but the search finds ${length} products.`;
  if (length > 0) tester.failRule('listProducts', 'an escaped + is not a space', detail);
}

/**
 * Checks that a search uses all words of a term, in any order.
 * If the term has more than two words, products that lack one word may follow the products that contain all words.
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
 * Checks that a search for a word finds all products that contain it as a whole word.
 * Products that contain it only inside another word must come after them.
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

/**
 * Checks that a search finds the same products if its term is written differently, for example with percent-encoding.
 */
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

/**
 * A search and its expected results.
 * The results must contain `required`.
 * All results must be in `allowed`, the results of a search for `term`.
 */
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

/**
 * A search term that must find a certain product.
 * `description`: the kind of term for messages, such as "words with accents".
 */
type Term = readonly [term: string, description: string];

/** The minimum length of a word that the check misspells. */
const MIN_MISSPELLED_LENGTH = 5;

/** The number of random products for which the check creates search terms. */
const SEARCHED_PRODUCTS = 8;

/** Checks the product search of a shop, with search terms from the names and keywords of its products. */
export async function checkSearch({ session, seed }: CheckContext, model: Model): Promise<void> {
  const random = createRandom(seed);
  const { products } = model;
  const createTermChecks = (product: Product): readonly SearchCheck[] =>
    createTerms(product, random).map((term) => (tester) => checkTerm(tester, product, term));
  const searchChecks = [
    ...pickSome(products, SEARCHED_PRODUCTS, random).flatMap(createTermChecks),
    ...createComparisons(products, random),
  ];
  const examine = async (searchCheck: SearchCheck) => {
    const tester = new ShopTester({ session, check: 'behaviour' }, model);
    return (await catchMismatch(() => searchCheck(tester))).findings ?? [];
  };
  await examineAll(session, searchChecks, { examine, mustRunAlone: () => true });
}

async function checkTerm(tester: ShopTester, required: Product, [term, description]: Term): Promise<void> {
  const { products } = tester.model;
  const results = await search(tester, encodeURIComponent(term));
  const start = `The search for ${JSON.stringify(term)}`;
  if (!results.some(({ id }) => id === required.id)) {
    const message = `${start} does not find ${JSON.stringify(required.name)}: it must find ${description}`;
    tester.fail('listProducts', `finds ${description}`, message);
  }
  for (const result of results) {
    const listed = products.find(({ id }) => id === result.id);
    const difference = findDifference(listed, result);
    if (difference === undefined) continue;
    const message = `${start} finds the product ${result.id}, which differs from the same product in the list of all products: ${difference}`;
    tester.fail('listProducts', 'search results equal the listed products', message);
  }
}

/**
 * Creates search terms that must find a product, such as its name in capitals or one of its words with a typing error.
 */
function createTerms(product: Product, random: Random): readonly Term[] {
  const texts = [product.name, ...product.keywords];
  const words = texts.flatMap(splitWords).filter((word) => word.length >= MIN_WORD_LENGTH);
  if (words.length === 0) return [];
  const word = random.pick(words);
  // Omits words with hyphens and apostrophes, because a server may search `t-shirt` as one word or as two words.
  const longWords = texts
    .flatMap((text) => text.split(/[\s,]+/))
    .filter((one) => one.length >= MIN_MISSPELLED_LENGTH && /^[a-z]+$/i.test(one));
  const keyword = product.keywords.find((one) => splitWords(one).some((part) => part.length >= MIN_WORD_LENGTH));
  const accented = word.replace(/[aeiou]/, (vowel) => `${vowel}\u0301`);
  return [
    [word, 'the words of names and keywords'],
    ...(keyword === undefined ? [] : [[keyword, 'keywords'] as const]),
    [word.toUpperCase(), 'words in any letter case'],
    [word.toLowerCase(), 'words in any letter case'],
    [product.name, 'whole names'],
    ...(longWords.length === 0 ? [] : misspell(random.pick(longWords), random)),
    ...(accented === word ? [] : [[accented, 'words with accents'] as const]),
    ...createKeywordBoundaryTerms(product),
  ];
}

/**
 * Returns two misspellings of a word: one with a missing letter, and one with a wrong letter.
 * The first letter stays the same.
 */
function misspell(word: string, random: Random): readonly Term[] {
  const index = random.integer(1, word.length - 1);
  const wrongLetter = word[index]?.toLowerCase() === 'x' ? 'z' : 'x';
  return [
    [word.slice(0, index) + word.slice(index + 1), 'words with a letter missing'],
    [word.slice(0, index) + wrongLetter + word.slice(index + 1), 'words with a wrong letter'],
  ];
}

/**
 * Returns a search term with a keyword and the start of the next keyword, such as "wool,hik".
 * The shop must find the product, because a search treats all keywords as one text, joined by commas.
 * Returns no term if the keywords are too short.
 */
function createKeywordBoundaryTerms({ keywords }: Product): readonly Term[] {
  const [one = '', next = ''] = keywords.filter((keyword) => !keyword.includes(','));
  const areAdjacent = keywords.indexOf(next) === keywords.indexOf(one) + 1;
  if (!areAdjacent || one.length < 3 || next.length < 3) return [];
  return [[`${one},${next.slice(0, 3)}`, 'text across two keywords']];
}
