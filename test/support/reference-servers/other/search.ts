import type { Product } from './default-data.ts';

const LONGEST_TERM = 512;

/**
 * Returns the products that match a search term; all products for a blank term. Products that contain the words of the term as whole words come first. If no
 * product matches, returns products with similar words: each word of the term must be similar to the beginning of a word of the product.
 */
export function searchProducts(products: readonly Product[], term: string): readonly Product[] {
  const wanted = folded([...term].slice(0, LONGEST_TERM).join('')).trim();
  if (wanted === '') return products;
  const words = getWords(wanted);
  const exact = products.filter((one) => matches(one, wanted, words));
  if (exact.length === 0) return products.filter((one) => resembles(one, words));
  const rank = (one: Product) => Number(!words.every((word) => getTexts(one).flatMap(getWords).includes(word)));
  return exact.toSorted((one, other) => rank(one) - rank(other));
}

function matches(product: Product, wanted: string, words: readonly string[]): boolean {
  const texts = getTexts(product);
  if (texts.some((text) => text.includes(wanted))) return true;
  const there = texts.flatMap(getWords);
  return words.length > 0 && words.every((word) => there.some((one) => one.startsWith(word)));
}

function resembles(product: Product, words: readonly string[]): boolean {
  const there = getTexts(product).flatMap(getWords);
  const isNear = (word: string) => there.some((one) => distanceToBeginning(word, one) <= mistakesIn(word));
  return words.length > 0 && words.every(isNear);
}

function getTexts(product: Product): readonly string[] {
  return [folded(product.name), folded(product.keywords.join(','))];
}

/** Normalizes a text: letter case, accents and full-width letters do not matter. */
function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase().toLowerCase();
}

function getWords(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function mistakesIn(word: string): number {
  if (word.length < 3) return 0;
  return word.length < 6 ? 1 : 2;
}

/** Returns the edit distance (Levenshtein) between a word and the most similar prefix of another word. */
function distanceToBeginning(word: string, other: string): number {
  let column = Array.from({ length: word.length + 1 }, (_, row) => row);
  let least = word.length;
  for (const letter of other) {
    column = nextColumn(column, word, letter);
    least = Math.min(least, column[word.length] ?? least);
  }
  return least;
}

function nextColumn(before: readonly number[], word: string, letter: string): number[] {
  const at = (cells: readonly number[], row: number) => cells[row] ?? Number.POSITIVE_INFINITY;
  const column = [at(before, 0) + 1];
  for (let row = 1; row <= word.length; row++) {
    const replaced = at(before, row - 1) + (word[row - 1] === letter ? 0 : 1);
    column.push(Math.min(replaced, at(before, row) + 1, at(column, row - 1) + 1));
  }
  return column;
}
