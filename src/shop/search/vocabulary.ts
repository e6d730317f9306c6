import { Index } from 'flexsearch';
import type { Product } from '../types.ts';
import { getConsonants, getEnds } from './abbreviations.ts';
import { foldText, splitWords } from './fold-text.ts';
import { getPhoneticCode } from './phonetic-code.ts';
import { createPrefilter } from './prefilter.ts';
import { findSimilarWords } from './similar-words.ts';

/**
 * The longest prefix in FlexSearch's forward index, in letters. The candidates for a longer prefix are the words that share these letters. An index
 * of all prefixes finds the same words with three to five times the memory.
 */
const FORWARD_LENGTH = 3;

/** The number of 32-bit words of the prefilter for each word. */
const FILTER_WORDS = 1;

/** The index of a word in the vocabulary. */
export type WordId = number;

/** The distinct words of a catalogue and their postings. */
export type Vocabulary = ReturnType<typeof createVocabulary>;

/** Creates the vocabulary of the names and keywords of a catalogue. */
export function createVocabulary(products: readonly Product[]) {
  const ids = new Map<string, WordId>();
  const addWord = (word: string) => {
    const id = ids.get(word) ?? ids.size;
    if (id === ids.size) ids.set(word, id);
    return id;
  };
  const keywordIds = new Map<string, readonly WordId[]>();
  const addKeyword = (keyword: string) => {
    let idsOfKeyword = keywordIds.get(keyword);
    if (!idsOfKeyword) {
      idsOfKeyword = splitWords(foldText(keyword)).map(addWord);
      keywordIds.set(keyword, idsOfKeyword);
    }
    return idsOfKeyword;
  };
  const postings: number[] = [];
  const wordOfPosting: number[] = [];
  /** The last product of each word. */
  const lastProduct: number[] = [];
  const addPosting = (id: WordId, product: number, field: number) => {
    if (lastProduct[id] === product) return;
    lastProduct[id] = product;
    wordOfPosting.push(id);
    postings.push(2 * product + field);
  };
  products.forEach(({ name, keywords }, product) => {
    for (const word of splitWords(foldText(name))) addPosting(addWord(word), product, 0);
    for (const keyword of keywords) for (const id of addKeyword(keyword)) addPosting(id, product, 1);
  });
  return indexWords(ids, groupValues(ids.size, wordOfPosting, postings));
}

/** Groups values in one typed array. Returns a function from a group to its values, in their order. */
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
    /** Returns the words within a small edit distance of a search word, and those with such a prefix. */
    findSimilar: findSimilarWords(words),
    /** Returns the words with the given first letter and last letters. */
    findByEnds: groupByKey(words, getEnds),
    findByPhoneticCode: groupByKey(words, getPhoneticCode),
    findByConsonants: groupByKey(words, getConsonants),
    /** Returns the postings of a word in the order of the catalogue: twice the index of the product, plus one if only its keywords contain the word. */
    getPostings,
  };
}

/** Returns a function from a key to the words that have it. The words are grouped on its first use. */
function groupByKey(words: readonly string[], getKey: (word: string) => string): (key: string) => readonly WordId[] {
  let links: ReturnType<typeof linkByKey> | undefined;
  return (key) => {
    links ??= linkByKey(words, getKey);
    const ids: WordId[] = [];
    for (let id = links.last.get(key) ?? -1; id >= 0; id = links.previous[id] as number) ids.push(id);
    return ids.reverse();
  };
}

/** Returns the last word with each key, and for each word the previous one with the same key, or -1. */
function linkByKey(words: readonly string[], getKey: (word: string) => string) {
  const last = new Map<string, WordId>();
  const previous = new Int32Array(words.length);
  words.forEach((word, id) => {
    const key = getKey(word);
    previous[id] = last.get(key) ?? -1;
    last.set(key, id);
  });
  return { last, previous };
}
