import { Index } from 'flexsearch';
import type { Steps } from '../../util/slices.ts';
import type { Product } from '../types.ts';
import { getConsonants, getEnds } from './abbreviations.ts';
import { foldText, splitWords } from './fold-text.ts';
import { getPhoneticCode } from './phonetic-code.ts';
import { createPrefilter } from './prefilter.ts';
import { SEARCHED_FIELDS } from './ranking.ts';
import { createSimilarWordSearch } from './similar-words.ts';

/**
 * The maximum length of a prefix in FlexSearch's forward index, in letters. A search for a longer prefix first finds the words with the same first
 * letters, and then compares the other letters. An index of all prefixes needs three to five times the memory, and finds the same words.
 */
const FORWARD_LENGTH = 3;

/** The number of 32-bit integers of the prefilter for each word. */
const FILTER_WORDS = 1;

/** The index of a word in the vocabulary. */
export type WordId = number;

/** The distinct words of a catalogue, with indexes to search them. */
export type Vocabulary = ReturnType<typeof createVocabulary> extends Generator<unknown, infer Result> ? Result : never;

/** The number of products, words or postings in a step of the creation. */
const STEP_PRODUCTS = 32;
const STEP_WORDS = 256;
const STEP_POSTINGS = 16_384;

/** Creates the vocabulary of the names and keywords of a catalogue. */
export function* createVocabulary(products: readonly Product[]) {
  const ids = new Map<string, WordId>();
  const idsByText = new Map<string, readonly WordId[]>();
  const addText = (text: string) => {
    const textIds = idsByText.get(text) ?? splitWords(foldText(text)).map((word) => getNumber(ids, word));
    idsByText.set(text, textIds);
    return textIds;
  };
  const postings: number[] = [];
  const wordOfPosting: number[] = [];
  /** The last product that contains each word. */
  const lastProduct: number[] = [];
  const addPosting = (id: WordId, product: number, field: number) => {
    if (lastProduct[id] === product) return;
    lastProduct[id] = product;
    wordOfPosting.push(id);
    postings.push(2 * product + field);
  };
  for (const [index, product] of products.entries()) {
    SEARCHED_FIELDS.forEach((field, rank) => {
      for (const text of [product[field]].flat()) for (const id of addText(text)) addPosting(id, index, rank);
    });
    if (index % STEP_PRODUCTS === 0) yield;
  }
  return yield* indexWords(ids, yield* groupValues(ids.size, wordOfPosting, postings));
}

/** Groups values in one typed array. Returns a function that returns the values of a group, in their original order. */
function* groupValues(
  count: number,
  groups: readonly number[],
  values: readonly number[],
): Steps<(group: number) => Int32Array> {
  const starts = new Int32Array(count + 1);
  for (let at = 0; at < groups.length; at++) {
    const next = (groups[at] as number) + 1;
    starts[next] = (starts[next] ?? 0) + 1;
    if (at % STEP_POSTINGS === 0) yield;
  }
  for (let group = 0; group < count; group++) starts[group + 1] = (starts[group + 1] ?? 0) + (starts[group] ?? 0);
  const next = starts.slice();
  const grouped = new Int32Array(values.length);
  for (let at = 0; at < values.length; at++) {
    const group = groups[at] as number;
    const position = next[group] as number;
    grouped[position] = values[at] as number;
    next[group] = position + 1;
    if (at % STEP_POSTINGS === 0) yield;
  }
  return (group) => grouped.subarray(starts[group], starts[group + 1]);
}

function* indexWords(ids: ReadonlyMap<string, WordId>, getPostings: (id: WordId) => Int32Array) {
  const words = [...ids.keys()];
  const forwardIndex = new Index({
    tokenize: 'forward',
    resolution: 1,
    encode: (word: string) => [word.slice(0, FORWARD_LENGTH)],
  });
  for (const [id, word] of words.entries()) {
    forwardIndex.add(id, word);
    if (id % STEP_WORDS === 0) yield;
  }
  const prefilter = yield* createPrefilter(words.length, (id) => words[id] as string, FILTER_WORDS);
  return {
    /** The words by their ids. */
    words,
    getId: (word: string) => ids.get(word),
    /** Returns the words that start with a text. */
    findByPrefix(text: string): readonly WordId[] {
      const candidates = forwardIndex.search(text.slice(0, FORWARD_LENGTH), { limit: words.length }) as WordId[];
      return text.length <= FORWARD_LENGTH ? candidates : candidates.filter((id) => words[id]?.startsWith(text));
    },
    /** Returns the words that contain a text. */
    findByInfix: (text: string): readonly WordId[] => prefilter(text).filter((id) => words[id]?.includes(text)),
    /** Returns the words that are similar to a search word, as a whole or with a prefix. */
    findSimilar: yield* createSimilarWordSearch(words),
    /** Returns the words with the given first letter and last three letters. */
    findByEnds: yield* groupByKey(words, getEnds),
    findByPhoneticCode: yield* groupByKey(words, getPhoneticCode),
    findByConsonants: yield* groupByKey(words, getConsonants),
    /**
     * Returns the postings of a word, in the order of the catalogue. A posting is twice the index of a product, plus one if only the less relevant
     * field of the product contains the word.
     */
    getPostings,
  };
}

/** Groups words by a key. Returns a function that finds the words with a key. */
function* groupByKey(
  words: readonly string[],
  getKey: (word: string) => string,
): Steps<(key: string) => readonly WordId[]> {
  const groups = new Map<string, number>();
  const groupOfWord: number[] = [];
  for (const [id, word] of words.entries()) {
    groupOfWord.push(getNumber(groups, getKey(word)));
    if (id % STEP_WORDS === 0) yield;
  }
  const getGroup = yield* groupValues(groups.size, groupOfWord, [...words.keys()]);
  return (key) => {
    const group = groups.get(key);
    return group === undefined ? [] : [...getGroup(group)];
  };
}

/** Returns the number of a text in a map of numbered texts. Adds the text with the next number if the map does not contain it. */
function getNumber(numbers: Map<string, number>, text: string): number {
  const number = numbers.get(text) ?? numbers.size;
  if (number === numbers.size) numbers.set(text, number);
  return number;
}
