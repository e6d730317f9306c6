import type { Random } from '../../util/random.ts';
import type { Product } from '../types.ts';

/** The maximum number of products that are compared with each other. */
const MAX_COMPARED = 100;

/** The minimum length of a searched word, in letters. Shorter words are often part of other words. */
export const MIN_WORD_LENGTH = 3;

/** Returns the text in which a search looks for its term: the name and the keywords of a product, in lower case. */
export function getSearchText({ name, keywords }: Product): string {
  return [name, ...keywords].join('\n').toLowerCase();
}

/**
 * Returns the words of a product that have only the letters a to z. Spaces and commas separate words. A server may search `t-shirt` as one word or as
 * two, so words with other characters are ignored.
 */
export function getPlainWords(product: Product): ReadonlySet<string> {
  const words = getSearchText(product).split(/[\s,]+/);
  return new Set(words.filter((word) => word.length >= MIN_WORD_LENGTH && /^[a-z]+$/.test(word)));
}

/** Words of a product. At least one other product has the shared words, but not the distinct word. */
export interface WordCase {
  readonly product: Product;
  readonly shared: readonly string[];
  readonly distinct: string;
}

/** Returns `count` random values, which can be the same; an empty list if there are no values. */
export function pickSome<Value>(values: readonly Value[], count: number, random: Random): readonly Value[] {
  return values.length === 0 ? [] : Array.from({ length: count }, () => random.pick(values));
}

/** Returns a random case with `count` shared words; an empty list if the products have no such words. */
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

/** A word, and the products that have it as a whole word. */
export interface WordEntry {
  readonly word: string;
  readonly products: readonly Product[];
}

/**
 * Returns each plain word with its products. Omits a word if another product contains it only as a part of a word with other characters, such as a
 * hyphen.
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
 * Returns the words that require a ranking. For such a word, the list of products contains a product with the word only as a part of another word,
 * and a later product with the whole word. A server that ranks whole words first must change the order of these products.
 */
export function findPartialWords(products: readonly Product[], words: readonly WordEntry[]): readonly WordEntry[] {
  return words.filter(({ word, products: matches }) => {
    const last = products.findLastIndex((product) => matches.includes(product));
    return products.some(
      (product, index) => index < last && !matches.includes(product) && getSearchText(product).includes(word),
    );
  });
}

/** Returns all sequences of letters and digits in a product. A word with an apostrophe is returned twice: split at the apostrophe, and without it. */
function getAllWords(product: Product): ReadonlySet<string> {
  const text = getSearchText(product);
  return new Set([text, text.replaceAll(/['’]/g, '')].flatMap(splitWords));
}

/** Returns the sequences of letters and digits in a text. */
export function splitWords(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}
