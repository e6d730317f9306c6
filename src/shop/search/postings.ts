import type { Steps } from '../../util/slices.ts';
import type { Product } from '../types.ts';
import { findMeasures, foldText, splitWords, truncate } from './fold-text.ts';
import { SEARCHED_FIELDS } from './ranking.ts';

/** Matches words that are joined by hyphens or dots, such as "t-shirt". Also matches decimal numbers such as "1.5l". */
const COMPOUND = /[\p{L}\p{N}]+(?:[-.][\p{L}\p{N}]+)+/gu;

/** Matches a decimal number such as "1.5l", which is not a compound. */
const DECIMAL = /^\d+\.\d+\p{L}*$/u;

/**
 * Returns the compounds in a text, each as a single word ("tshirt" for "t-shirt"), and the measures in the text ("6ft"
 * for "6-foot").
 * The text must be in lower case and without accents.
 */
function findCompounds(foldedText: string): readonly string[] {
  if (!/[-.\d]/.test(foldedText)) return [];
  const compounds = (foldedText.match(COMPOUND) ?? []).filter((text) => !DECIMAL.test(text));
  const joined = compounds.map((text) => truncate(text.replaceAll(/[-.]/g, '')));
  return [...joined, ...findMeasures(foldedText).map(({ word }) => word)];
}

/** The index of a word in the list of all words in the product texts. */
export type WordId = number;

/** An inverted index: the words in the names and keywords of products, and the products that contain each word. */
interface Postings {
  readonly ids: ReadonlyMap<string, WordId>;
  /**
   * For each word id, whether products contain the word itself.
   * False for a word that only results from joining, such as "tshirt" for "t-shirt" or "6ft" for "6-foot".
   */
  readonly isPlain: readonly (boolean | undefined)[];
  /**
   * Returns an integer for each product that contains a word, in the order of the products.
   * The integer is twice the index of the product, plus 1 if only its keywords contain the word.
   */
  getPostings(id: WordId): Int32Array;
}

/** The number of products after which the creation of the inverted index yields. */
const STEP_PRODUCTS = 32;

/** The number of index entries after which the creation of the inverted index yields. */
const STEP_POSTINGS = 16_384;

/**
 * Creates an inverted index of the names and keywords of products.
 * It also contains compounds and measures as single words, such as "tshirt" for "t-shirt".
 */
export function* collectPostings(products: readonly Product[]): Steps<Postings> {
  const ids = new Map<string, WordId>();
  const isPlain: boolean[] = [];
  const postings = new NumberList();
  const wordOfPosting = new NumberList();
  /** For each word id, the index of the last product that contains the word. */
  const lastProduct: number[] = [];
  const addPosting = (id: WordId, product: number, field: number) => {
    if (lastProduct[id] === product) return;
    lastProduct[id] = product;
    wordOfPosting.push(id);
    postings.push(2 * product + field);
  };
  const addText = (text: string, product: number, field: number) => {
    const folded = foldText(text);
    for (const word of splitWords(folded)) {
      const id = getNumber(ids, word);
      isPlain[id] = true;
      addPosting(id, product, field);
    }
    for (const word of findCompounds(folded)) addPosting(getNumber(ids, word), product, field);
  };
  for (const [index, product] of products.entries()) {
    SEARCHED_FIELDS.forEach((field, rank) => {
      for (const text of [product[field]].flat()) addText(text, index, rank);
    });
    if (index % STEP_PRODUCTS === 0) yield;
  }
  return { ids, isPlain, getPostings: yield* groupValues(ids.size, wordOfPosting, postings) };
}

/**
 * Groups values.
 * `groups`: the group of each value, a number from 0 to `count` - 1.
 * Returns a function that returns the values of a group in their original order.
 */
export function* groupValues(
  count: number,
  groups: NumberList,
  values: NumberList,
): Steps<(group: number) => Int32Array> {
  const starts = new Int32Array(count + 1);
  for (let at = 0; at < groups.length; at++) {
    const next = groups.get(at) + 1;
    starts[next] = (starts[next] ?? 0) + 1;
    if (at % STEP_POSTINGS === 0) yield;
  }
  for (let group = 0; group < count; group++) starts[group + 1] = (starts[group + 1] ?? 0) + (starts[group] ?? 0);
  const next = starts.slice();
  const grouped = new Int32Array(values.length);
  for (let at = 0; at < values.length; at++) {
    const group = groups.get(at);
    const position = next[group] as number;
    grouped[position] = values.get(at);
    next[group] = position + 1;
    if (at % STEP_POSTINGS === 0) yield;
  }
  return (group) => grouped.subarray(starts[group], starts[group + 1]);
}

/** Returns the number of a text in a map. A text that is not in the map gets the next number, starting with 0. */
export function getNumber(numbers: Map<string, number>, text: string): number {
  const number = numbers.get(text) ?? numbers.size;
  if (number === numbers.size) numbers.set(text, number);
  return number;
}

/** The number of integers in each array of a `NumberList`. */
const CHUNK = 65_536;

/**
 * A list of 32-bit integers that can grow.
 * It consists of arrays of a fixed size, because a single array of millions of integers takes up to 20 ms to grow.
 */
export class NumberList {
  readonly #chunks: Int32Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    const at = this.#length++ % CHUNK;
    if (at === 0) this.#chunks.push(new Int32Array(CHUNK));
    (this.#chunks.at(-1) as Int32Array)[at] = value;
  }

  /** Returns the integer at an index from 0 to `length` - 1. */
  get(index: number): number {
    return (this.#chunks[Math.floor(index / CHUNK)] as Int32Array)[index % CHUNK] as number;
  }
}
