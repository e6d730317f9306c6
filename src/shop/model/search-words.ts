import type { Random } from '../../util/random.ts';
import type { Product } from '../types.ts';

/** The maximum number of products that `pickWordCase` compares with each other. */
const MAX_COMPARED = 100;

/** The minimum number of letters of a word that the check searches. Shorter words are often part of other words. */
export const MIN_WORD_LENGTH = 3;

/** Returns the searchable text of a product: the name and the keywords in lower case, each on its own line. */
export function getSearchText({ name, keywords }: Product): string {
  return [name, ...keywords].join('\n').toLowerCase();
}

/**
 * Returns the words of a product that consist of the letters a to z. Spaces and commas separate words. Omits words with other characters, because a server may
 * search `t-shirt` as one word or as two words.
 */
export function getPlainWords(product: Product): ReadonlySet<string> {
  const words = getSearchText(product).split(/[\s,]+/);
  return new Set(words.filter((word) => word.length >= MIN_WORD_LENGTH && /^[a-z]+$/.test(word)));
}

/**
 * Words of a product, for a search that must find the product. `shared`: words that another product also contains. `distinct`: a word that the other product
 * does not contain.
 */
export interface WordCase {
  readonly product: Product;
  readonly shared: readonly string[];
  readonly distinct: string;
}

/** Returns `count` random values of a list. A value can be picked several times. Returns an empty list if there are no values. */
export function pickSome<Value>(values: readonly Value[], count: number, random: Random): readonly Value[] {
  return values.length === 0 ? [] : Array.from({ length: count }, () => random.pick(values));
}

/** Returns a list with one random `WordCase` that has `count` shared words. The list is empty if no two products share `count` words. */
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
 * Returns each word that consists of the letters a to z, with the products that contain the word. Omits a word such as "shirt" if another product contains it
 * only in a word such as "t-shirt", because a search for "shirt" may or may not find that product.
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
 * Returns the words whose search results must not be in catalogue order. In the catalogue, a product that contains the word only as a part of another word
 * comes before a product with the whole word. The search results must have the whole word first.
 */
export function findPartialWords(products: readonly Product[], words: readonly WordEntry[]): readonly WordEntry[] {
  return words.filter(({ word, products: matches }) => {
    const last = products.findLastIndex((product) => matches.includes(product));
    return products.some(
      (product, index) => index < last && !matches.includes(product) && getSearchText(product).includes(word),
    );
  });
}

/**
 * Returns all sequences of letters and digits in a product. A word with an apostrophe is split at the apostrophe, and is also returned without the apostrophe:
 * "men's" gives "men", "s" and "mens".
 */
function getAllWords(product: Product): ReadonlySet<string> {
  const text = getSearchText(product);
  return new Set([text, text.replaceAll(/['’]/g, '')].flatMap(splitWords));
}

/** Returns the sequences of letters and digits in a text. */
export function splitWords(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}
