const COUNTED_CHARACTERS = 512;

interface Searched {
  readonly name: string;
  readonly keywords: readonly string[];
}

/**
 * Returns the products that match a search term; all products for a blank term. Products that contain the words of the term as whole words come first. If no
 * product matches exactly, returns products with similar words.
 */
export function searchProducts<P extends Searched>(products: readonly P[], term: string): readonly P[] {
  const counted = folded([...term].slice(0, COUNTED_CHARACTERS).join('').trim());
  if (counted === '') return products;
  const asWritten = products.filter((product) => hasAsWritten(getTexts(product), counted));
  if (asWritten.length === 0) return products.filter((product) => hasClose(getTexts(product), counted));
  return [
    ...asWritten.filter((product) => hasWhole(product, counted)),
    ...asWritten.filter((product) => !hasWhole(product, counted)),
  ];
}

function hasWhole(product: Searched, term: string): boolean {
  return everyWord(getTexts(product), term, (word, there) => there === word);
}

// Normalizes a text: letter case, accents and the width of letters do not matter.
function folded(text: string): string {
  return text.normalize('NFKD').toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
}

function getTexts(product: Searched): string[] {
  return [folded(product.name), folded(product.keywords.join(','))];
}

function getWords(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function hasAsWritten(texts: string[], term: string): boolean {
  return texts.some((text) => text.includes(term)) || everyWord(texts, term, (word, there) => there.startsWith(word));
}

function hasClose(texts: string[], term: string): boolean {
  return everyWord(texts, term, isClose);
}

function everyWord(texts: string[], term: string, matches: (word: string, there: string) => boolean): boolean {
  const words = getWords(term);
  const present = texts.flatMap(getWords);
  return words.length > 0 && words.every((word) => present.some((there) => matches(word, there)));
}

function isClose(word: string, there: string): boolean {
  const distances = distancesToBeginnings(word, there);
  return Math.min(...distances) <= tolerance(word) || (distances.at(-1) ?? 0) <= tolerance(there);
}

function tolerance(word: string): number {
  if (word.length < 3) return 0;
  return word.length < 6 ? 1 : 2;
}

/** Returns the edit distances between a word and each prefix of another word. An added, missing, replaced or swapped letter counts 1. */
function distancesToBeginnings(word: string, there: string): number[] {
  const first = Array.from({ length: there.length + 1 }, (_, column) => column);
  const rows = [first];
  for (let row = 1; row <= word.length; row++) {
    const current = [row];
    for (let column = 1; column <= there.length; column++) {
      current.push(distanceAt(rows, current, word, there, column));
    }
    rows.push(current);
  }
  return rows.at(-1) ?? first;
}

function distanceAt(rows: number[][], current: number[], word: string, there: string, column: number): number {
  const row = rows.length;
  const at = (line: number[] | undefined, index: number): number => line?.[index] ?? Number.POSITIVE_INFINITY;
  const replaced = at(rows[row - 1], column - 1) + (word[row - 1] === there[column - 1] ? 0 : 1);
  const swaps = word[row - 1] === there[column - 2] && word[row - 2] === there[column - 1];
  const swapped = row > 1 && column > 1 && swaps ? at(rows[row - 2], column - 2) + 1 : replaced;
  return Math.min(replaced, swapped, at(rows[row - 1], column) + 1, at(current, column - 1) + 1);
}
