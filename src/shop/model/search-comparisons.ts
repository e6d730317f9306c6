import type { Random } from '../../util/random.ts';
import type { Product } from '../types.ts';
import type { WordCase, WordEntry } from './search-words.ts';
import { findWithinWords, getPlainWords, getSearchText, indexWords, pickSome, pickWordCase } from './search-words.ts';
import type { ShopTester } from './shop-tester.ts';

/** Searches for a raw value of `search`, with its escapes. */
export async function search(tester: ShopTester, query: string): Promise<readonly Product[]> {
  const target = `/api/products?search=${query}`;
  const { body } = await tester.sendCase({
    id: 'listProducts',
    target,
    status: 200,
    why: `the query is search=${query}`,
  });
  return body as readonly Product[];
}

/** The number of characters of a term that are used. */
const TERM_LENGTH = 512;

/** A word without similar words. */
const MEANINGLESS = 'qqqqqqxzqq';

/** Checks searches; throws `ModelMismatchError` on a violation. */
export type SearchCheck = (tester: ShopTester) => Promise<void>;

/** Returns checks that compare searches with each other. */
export function createComparisons(products: readonly Product[], random: Random): readonly SearchCheck[] {
  const words = indexWords(products);
  const within = findWithinWords(products, words);
  const cases = [1, 1, 2].flatMap((count) => pickWordCase(products, count, random));
  const most = words.toSorted((one, other) => other.holders.length - one.holders.length).slice(0, 1);
  const ordered = [...pickSome(within, 2, random), ...most];
  const encoded = words.filter(({ word }) => /[klmno]/.test(word));
  return [
    checkBlankTerm,
    ...(products.some((product) => getSearchText(product).includes('+')) ? [] : [checkEscapedPlus]),
    ...cases.map((one) => (tester: ShopTester) => checkAllWords(tester, one)),
    ...ordered.map((one) => (tester: ShopTester) => checkOrder(tester, one)),
    ...pickSome(encoded, 1, random).map((one) => (tester: ShopTester) => checkForms(tester, one)),
  ];
}

/** Checks that `+` is a space, and that a blank term finds all products in their order. */
async function checkBlankTerm(tester: ShopTester): Promise<void> {
  const values = { expected: tester.model.products, actual: await search(tester, '+') };
  tester.expectEqual('listProducts', '+ is a space', values, 'A blank term finds all products');
}

/** Checks that an escaped `+` is not a space. */
async function checkEscapedPlus(tester: ShopTester): Promise<void> {
  const { length } = await search(tester, '%2B');
  const detail = `It matches nothing here, but ${length} products are found.`;
  if (length > 0) tester.failRule('listProducts', 'an escaped + is not a space', detail);
}

/** Checks that all words of a term are searched for, in any order. */
async function checkAllWords(tester: ShopTester, { product, common, last }: WordCase): Promise<void> {
  const rule = 'searches for all words of a term';
  const byLast = await search(tester, last);
  for (const query of [[...common, last].join('%20'), [last, ...common].join('+')])
    await expectWithin(tester, { rule, query, product, outer: byLast, why: `the results of ${last}` });
}

/** Checks that all products with a whole word are found, before all others. */
async function checkOrder(tester: ShopTester, { word, holders }: WordEntry): Promise<void> {
  const found = await search(tester, word);
  const isHolder = ({ id }: Product) => holders.some((holder) => holder.id === id);
  const missing = holders.find(({ id }) => !found.some((product) => product.id === id));
  if (missing) {
    const message = `The search for ${word} does not find ${JSON.stringify(missing.name)}`;
    tester.fail('listProducts', 'finds the words of names and keywords', message);
  }
  const place = found.findIndex((product) => !isHolder(product));
  const late = place < 0 ? undefined : found.slice(place).find(isHolder);
  if (!late) return;
  const [name, before] = [late.name, found[place]?.name].map((one) => JSON.stringify(one));
  const detail = `${name}, which has the word ${word}, comes after ${before}, which does not.`;
  tester.failRule('listProducts', 'the best match comes first', detail);
}

/** Checks that other forms of a term have the same results. */
async function checkForms(tester: ShopTester, { word }: WordEntry): Promise<void> {
  const outer = await search(tester, word);
  const product = tester.model.products.find((one) => getPlainWords(one).has(word));
  const blanks = '%20'.repeat(TERM_LENGTH - word.length);
  const forms = [
    ['a % that does not start an escape is literal', `%%20${word}`],
    ['lower-case escapes are decoded', word.replace(/[klmno]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)],
    [`the first ${TERM_LENGTH} characters of a term are used`, blanks + word],
    [`only the first ${TERM_LENGTH} characters of a term are used`, `${word}${blanks}${MEANINGLESS}`],
  ] as const;
  for (const [rule, query] of forms)
    await expectWithin(tester, { rule, query, product, outer, why: `the results of ${word}` });
}

interface Within {
  readonly rule: string;
  readonly query: string;
  /** The product that must be found. */
  readonly product: Product | undefined;
  /** The products that may be found. */
  readonly outer: readonly Product[];
  readonly why: string;
}

async function expectWithin(tester: ShopTester, { rule, query, product, outer, why }: Within): Promise<void> {
  const found = await search(tester, query);
  const format = query.length > 80 ? `${query.slice(0, 40)}…${query.slice(-20)}` : query;
  const stray = found.find(({ id }) => !outer.some((one) => one.id === id));
  const fail = (detail: string) => tester.failRule('listProducts', rule, `search=${format} ${detail}.`);
  if (stray) fail(`finds ${JSON.stringify(stray.name)}, which is not among ${why}`);
  if (product && !found.some(({ id }) => id === product.id)) fail(`does not find ${JSON.stringify(product.name)}`);
}
