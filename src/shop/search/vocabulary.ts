import { Index } from 'flexsearch';
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
export type Vocabulary = ReturnType<typeof createVocabulary>;

/** Creates the vocabulary of the names and keywords of a catalogue. */
export function createVocabulary(products: readonly Product[]) {
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
  products.forEach((product, index) => {
    SEARCHED_FIELDS.forEach((field, rank) => {
      for (const text of [product[field]].flat()) for (const id of addText(text)) addPosting(id, index, rank);
    });
  });
  return indexWords(ids, groupValues(ids.size, wordOfPosting, postings));
}

/** Groups values in one typed array. Returns a function that returns the values of a group, in their original order. */
function groupValues(
  count: number,
  groups: readonly number[],
  values: readonly number[],
): (group: number) => Int32Array {
  const starts = new Int32Array(count + 1);
  for (const group of groups) starts[group + 1] = (starts[group + 1] ?? 0) + 1;
  for (let group = 0; group < count; group++) starts[group + 1] = (starts[group + 1] ?? 0) + (starts[group] ?? 0);
  const next = starts.slice();
  const grouped = new Int32Array(values.length);
  for (let at = 0; at < values.length; at++) {
    const group = groups[at] as number;
    const position = next[group] as number;
    grouped[position] = values[at] as number;
    next[group] = position + 1;
  }
  return (group) => grouped.subarray(starts[group], starts[group + 1]);
}

function indexWords(ids: ReadonlyMap<string, WordId>, getPostings: (id: WordId) => Int32Array) {
  const words = [...ids.keys()];
  const forwardIndex = new Index({
    tokenize: 'forward',
    resolution: 1,
    encode: (word: string) => [word.slice(0, FORWARD_LENGTH)],
  });
  words.forEach((word, id) => {
    forwardIndex.add(id, word);
  });
  const prefilter = createPrefilter(words.length, (id) => words[id] as string, FILTER_WORDS);
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
    findSimilar: createSimilarWordSearch(words),
    /** Returns the words with the given first letter and last three letters. */
    findByEnds: groupByKey(words, getEnds),
    findByPhoneticCode: groupByKey(words, getPhoneticCode),
    findByConsonants: groupByKey(words, getConsonants),
    /**
     * Returns the postings of a word, in the order of the catalogue. A posting is twice the index of a product, plus one if only the less relevant
     * field of the product contains the word.
     */
    getPostings,
  };
}

/** Returns a function that finds the words with a key. Groups the words by their keys on the first call. */
function groupByKey(words: readonly string[], getKey: (word: string) => string): (key: string) => readonly WordId[] {
  const groups = new Map<string, number>();
  let getGroup: ((group: number) => Int32Array) | undefined;
  const createGroups = () => {
    const groupOfWord = words.map((word) => getNumber(groups, getKey(word)));
    return groupValues(groups.size, groupOfWord, [...words.keys()]);
  };
  return (key) => {
    getGroup ??= createGroups();
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
