import type { Random } from '../../util/random.ts';
import type { Product } from '../types.ts';

/** The maximum number of products that are compared with each other. */
const MAX_COMPARED = 100;

/** The minimum length of a search word, in letters: shorter ones occur within others by chance. */
const MIN_WORD_LENGTH = 3;

/** Returns the searched text of a product, in lower case. */
export function getSearchText({ name, keywords }: Product): string {
  return [name, ...keywords].join('\n').toLowerCase();
}

/** Returns the words of a product between spaces and commas; a part beside a hyphen or an apostrophe may count as part of a longer word. */
export function getPlainWords(product: Product): ReadonlySet<string> {
  const words = getSearchText(product).split(/[\s,]+/);
  return new Set(words.filter((word) => word.length >= MIN_WORD_LENGTH && /^[a-z]+$/.test(word)));
}

/** A product with some words; another product with the common words does not have the last one. */
export interface WordCase {
  readonly product: Product;
  readonly common: readonly string[];
  readonly last: string;
}

/** Returns random values, as many as `count`; none if there are none. */
export function pickSome<Value>(values: readonly Value[], count: number, random: Random): readonly Value[] {
  return values.length === 0 ? [] : Array.from({ length: count }, () => random.pick(values));
}

/** Returns a random case with this number of common words; none if there is none. */
export function pickWordCase(products: readonly Product[], count: number, random: Random): readonly WordCase[] {
  const compared = products.slice(0, MAX_COMPARED);
  const cases = compared.flatMap((product) =>
    compared.flatMap((other) => {
      if (other === product) return [];
      const words = [...getPlainWords(product)];
      const theirs = getPlainWords(other);
      const common = words.filter((word) => theirs.has(word)).slice(0, count);
      const own = words.filter((word) => !getSearchText(other).includes(word));
      return common.length === count && own.length > 0 ? [{ product, common, own }] : [];
    }),
  );
  return pickSome(cases, 1, random).map(({ product, common, own }) => ({ product, common, last: random.pick(own) }));
}

/** A word, and the products that have it as a whole word. */
export interface WordEntry {
  readonly word: string;
  readonly holders: readonly Product[];
}

/** Returns each word with the products that have it, except words that a product has beside a hyphen or the like. */
export function indexWords(products: readonly Product[]): readonly WordEntry[] {
  const holders = new Map<string, Product[]>();
  for (const product of products)
    for (const word of getPlainWords(product)) holders.set(word, [...(holders.get(word) ?? []), product]);
  const isPlain = (word: string, having: readonly Product[]) =>
    products.every((product) => having.includes(product) || !getWordRuns(product).has(word));
  return [...holders].flatMap(([word, having]) => (isPlain(word, having) ? [{ word, holders: having }] : []));
}

/** Returns the words that products before some of their holders have only within other words. */
export function findWithinWords(products: readonly Product[], words: readonly WordEntry[]): readonly WordEntry[] {
  return words.filter(({ word, holders }) => {
    const last = products.findLastIndex((product) => holders.includes(product));
    return products.some(
      (product, place) => place < last && !holders.includes(product) && getSearchText(product).includes(word),
    );
  });
}

/** Returns the sequences of letters and digits of a product, with and without its apostrophes. */
function getWordRuns(product: Product): ReadonlySet<string> {
  const text = getSearchText(product);
  return new Set([text, text.replaceAll(/['’]/g, '')].flatMap((one) => one.match(/[\p{L}\p{N}]+/gu) ?? []));
}
