import { Index } from 'flexsearch';
import type { Steps } from '../../util/slices.ts';
import type { Product } from '../types.ts';
import { collectPostings, getNumber, groupValues, NumberList, type WordId } from './postings.ts';
import { createSimilarWordSearch, getConsonants, getEnds, getPhoneticCode } from './similar-words.ts';

/**
 * The maximum length of the prefixes in FlexSearch's index, in letters.
 * A search for a longer prefix also compares the other letters of the found words.
 * An index of all prefixes would need three to five times the memory.
 */
const FORWARD_LENGTH = 3;

/** The number of 32-bit integers in the Bloom filter of a word. */
const FILTER_WORDS = 1;

/** The different words in the product texts, with indexes that find words by prefix, similarity or sound. */
export type Vocabulary = ReturnType<typeof createVocabulary> extends Generator<unknown, infer Result> ? Result : never;

/** The number of words after which `createVocabulary` yields. */
const STEP_WORDS = 256;

/**
 * Collects the different words in the names and keywords of products.
 * Creates indexes that find words by prefix, similarity or sound.
 */
export function* createVocabulary(products: readonly Product[]) {
  const { ids, isPlain, getPostings } = yield* collectPostings(products);
  const words = [...ids.keys()];
  yield;
  /**
   * The words, with an empty string in place of each joined form (such as "tshirt" for "t-shirt").
   * A joined form matches only an equal search word.
   */
  const plainWords = words.map((word, id) => (isPlain[id] ? word : ''));
  yield;
  const forwardIndex = new Index({
    tokenize: 'forward',
    resolution: 1,
    encode: (word: string) => [word.slice(0, FORWARD_LENGTH)],
  });
  for (const [id, word] of plainWords.entries()) {
    if (word !== '') forwardIndex.add(id, word);
    if (id % STEP_WORDS === 0) yield;
  }
  const prefilter = yield* createPrefilter(words.length, (id) => plainWords[id] as string, FILTER_WORDS);
  return {
    /** The different words. The index of a word is its id. */
    words,
    getId: (word: string) => ids.get(word),
    /** Returns the ids of the words that start with a text. */
    findByPrefix(text: string): readonly WordId[] {
      const candidates = forwardIndex.search(text.slice(0, FORWARD_LENGTH), { limit: words.length }) as WordId[];
      return text.length <= FORWARD_LENGTH ? candidates : candidates.filter((id) => words[id]?.startsWith(text));
    },
    /** Returns the ids of the words that contain a text. */
    findByInfix: (text: string): readonly WordId[] => prefilter(text).filter((id) => plainWords[id]?.includes(text)),
    /** Returns the words that are similar to a search word, or that start with a similar text. */
    findSimilar: yield* createSimilarWordSearch(plainWords),
    /** Returns the ids of the words with the given first letter and last three letters: "ktle" finds "kettle". */
    findByEnds: yield* groupByKey(plainWords, getEnds),
    findByPhoneticCode: yield* groupByKey(plainWords, getPhoneticCode),
    findByConsonants: yield* groupByKey(plainWords, getConsonants),
    getPostings,
  };
}

/** Groups words by a key. Returns a function that returns the ids of the words with the given key. */
function* groupByKey(
  words: readonly string[],
  getKey: (word: string) => string,
): Steps<(key: string) => readonly WordId[]> {
  const groups = new Map<string, number>();
  const groupOfWord = new NumberList();
  const ids = new NumberList();
  for (const [id, word] of words.entries()) {
    groupOfWord.push(getNumber(groups, getKey(word)));
    ids.push(id);
    if (id % STEP_WORDS === 0) yield;
  }
  const getGroup = yield* groupValues(groups.size, groupOfWord, ids);
  return (key) => {
    const group = groups.get(key);
    return group === undefined ? [] : [...getGroup(group)];
  };
}

/**
 * Returns the indexes of the texts that may contain a string, in ascending order.
 * No text that contains the string is missing, but a few others may be included.
 */
type Prefilter = (part: string) => readonly number[];

/** The number of texts after which `createPrefilter` yields. */
const STEP_TEXTS = 64;

/** The number of bits in each integer of an `Int32Array`. */
const BITS = 32;

/**
 * Creates a filter that quickly excludes most texts that do not contain a string: a Bloom filter of pairs of adjacent
 * letters (B.
 * Bloom, Space/time trade-offs in hash coding with allowable errors, 1970).
 * `count`: the number of texts.
 * `getText`: returns the text at an index.
 * `wordsPerText`: the number of 32-bit integers per text, about one for every 5 letters.
 */
export function* createPrefilter(
  count: number,
  getText: (index: number) => string,
  wordsPerText: number,
): Steps<Prefilter> {
  // The array contains the first integer of every text, then the second integer of every text, and so on.
  // A search reads one of these rows first, which excludes most texts.
  const filter = new Int32Array(count * wordsPerText);
  const bits = new Int32Array(wordsPerText);
  for (let index = 0; index < count; index++) {
    addPairs(getText(index), bits.fill(0));
    for (let at = 0; at < wordsPerText; at++) filter[at * count + index] = bits[at] as number;
    if (index % STEP_TEXTS === 0) yield;
  }
  return (part) => {
    addPairs(part, bits.fill(0));
    const [first = 0, ...others] = Array.from(bits.keys()).filter((at) => bits[at] !== 0);
    const firstBits = bits[first] as number;
    const firstFilter = filter.subarray(first * count, (first + 1) * count);
    const matchesOthers = (index: number) =>
      others.every((at) => ((bits[at] as number) & ~(filter[at * count + index] as number)) === 0);
    const indexes: number[] = [];
    for (let index = 0; index < count; index++) {
      if ((firstBits & ~(firstFilter[index] as number)) !== 0) continue;
      if (matchesOthers(index)) indexes.push(index);
    }
    return indexes;
  };
}

/** The number of letters above which a text is a candidate for each search: reading a text of 90 MB takes seconds. */
const MAX_FILTERED_LETTERS = 100_000;

/** Sets a bit for each pair of adjacent letters in a text, and all bits for a very long text. */
function addPairs(text: string, bits: Int32Array): void {
  if (text.length > MAX_FILTERED_LETTERS) return void bits.fill(-1);
  const range = bits.length * BITS;
  for (let at = 1; at < text.length; at++) {
    const bit = (text.charCodeAt(at - 1) * 37 + text.charCodeAt(at)) % range;
    bits[bit >>> 5] = (bits[bit >>> 5] as number) | (1 << (bit & 31));
  }
}
