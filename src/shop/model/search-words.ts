import type { Random } from '../../util/random.ts';
import type { Product } from '../types.ts';

/** The maximum number of products in which `pickWordCase` searches for common words. */
const MAX_COMPARED = 100;

/** The minimum length of a word that the check searches for. Shorter words are often inside other words. */
export const MIN_WORD_LENGTH = 3;

/** Returns the text of a product that the search uses, in lower case: the name and the keywords, each on a line. */
export function getSearchText({ name, keywords }: Product): string {
  return [name, ...keywords].join('\n').toLowerCase();
}

/**
 * Returns the words of a product that have only the letters a to z. Omits words such as `t-shirt`, because a server may search them as one word or as two
 * words.
 */
export function getPlainWords(product: Product): ReadonlySet<string> {
  const words = getSearchText(product).split(/[\s,]+/);
  return new Set(words.filter((word) => word.length >= MIN_WORD_LENGTH && /^[a-z]+$/.test(word)));
}

/** Words of `product` for a test search that must find it. A second product contains the words `shared`, but not the word `distinct`. */
export interface WordCase {
  readonly product: Product;
  readonly shared: readonly string[];
  readonly distinct: string;
}

/** Picks `count` random values from a list, possibly the same value several times. Returns an empty list if the list has no values. */
export function pickSome<Value>(values: readonly Value[], count: number, random: Random): readonly Value[] {
  return values.length === 0 ? [] : Array.from({ length: count }, () => random.pick(values));
}

/**
 * Picks words for a test search: `count` words that two random products share, and a word that only one of them contains. Returns a list with one `WordCase`.
 * Returns an empty list if there are no such products.
 */
export function pickWordCase(products: readonly Product[], count: number, random: Random): readonly WordCase[] {
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
export interface WordEntry {
  readonly word: string;
  readonly products: readonly Product[];
}

/**
 * Returns the words that have only the letters a to z, with the products that contain them. Omits "shirt" if a product contains "t-shirt" but not "shirt",
 * because a search for "shirt" may or may not find that product.
 */
export function indexWords(products: readonly Product[]): readonly WordEntry[] {
  const index = new Map<string, Product[]>();
  for (const product of products)
    for (const word of getPlainWords(product)) index.set(word, [...(index.get(word) ?? []), product]);
  const isUnambiguous = (word: string, matches: readonly Product[]) =>
    products.every((product) => matches.includes(product) || !getAllWords(product).has(word));
  return [...index].flatMap(([word, matches]) => (isUnambiguous(word, matches) ? [{ word, products: matches }] : []));
}

/**
 * Returns words that can test the order of search results. An example is "board" if the product list has a cupboard before a board. A search for "board" must
 * list the board first.
 */
export function findPartialWords(products: readonly Product[], words: readonly WordEntry[]): readonly WordEntry[] {
  return words.filter(({ word, products: matches }) => {
    const last = products.findLastIndex((product) => matches.includes(product));
    return products.some(
      (product, index) => index < last && !matches.includes(product) && getSearchText(product).includes(word),
    );
  });
}

/** Returns all sequences of letters and digits in a product. A word with an apostrophe counts in both ways: "men's" gives "men", "s" and "mens". */
function getAllWords(product: Product): ReadonlySet<string> {
  const text = getSearchText(product);
  return new Set([text, text.replaceAll(/['’]/g, '')].flatMap(splitWords));
}

/** Splits a text into its sequences of letters and digits. */
export function splitWords(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}
