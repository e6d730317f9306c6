import { Index } from 'flexsearch';
import type { Steps } from '../../util/slices.ts';
import type { Product } from '../types.ts';
import { getConsonants, getEnds } from './abbreviations.ts';
import { NumberList } from './number-list.ts';
import { getPhoneticCode } from './phonetic-code.ts';
import { collectPostings, getNumber, groupValues, type WordId } from './postings.ts';
import { createPrefilter } from './prefilter.ts';
import { createSimilarWordSearch } from './similar-words.ts';

/**
 * The maximum length of a prefix in FlexSearch's forward index, in letters. A search for a longer prefix first finds the words with the same first
 * letters, and then compares the other letters. An index of all prefixes needs three to five times the memory, and finds the same words.
 */
const FORWARD_LENGTH = 3;

/** The size of the Bloom filter of each word, in 32-bit integers. */
const FILTER_WORDS = 1;

/** The distinct words of a catalogue, with indexes that find words by prefix, similarity or sound. */
export type Vocabulary = ReturnType<typeof createVocabulary> extends Generator<unknown, infer Result> ? Result : never;

/** `createVocabulary` yields after this number of words. */
const STEP_WORDS = 256;

/** Creates the vocabulary of a catalogue: the distinct words of names and keywords, with indexes that find words by prefix, similarity or sound. */
export function* createVocabulary(products: readonly Product[]) {
  const { ids, isPlain, getPostings } = yield* collectPostings(products);
  const words = [...ids.keys()];
  yield;
  /** A joined form of a compound, such as "tshirt" for "t-shirt", is an empty string in this list, because it matches only an equal search word. */
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
    /** The distinct words. The index of a word is its id. */
    words,
    getId: (word: string) => ids.get(word),
    /** Returns the words that start with a text. */
    findByPrefix(text: string): readonly WordId[] {
      const candidates = forwardIndex.search(text.slice(0, FORWARD_LENGTH), { limit: words.length }) as WordId[];
      return text.length <= FORWARD_LENGTH ? candidates : candidates.filter((id) => words[id]?.startsWith(text));
    },
    /** Returns the words that contain a text. */
    findByInfix: (text: string): readonly WordId[] => prefilter(text).filter((id) => plainWords[id]?.includes(text)),
    /** Returns the words that are similar to a search word, and the words that start with a similar text. */
    findSimilar: yield* createSimilarWordSearch(plainWords),
    /** Returns the words that have the first letter and the last three letters of a four-letter key: the key "ktle" finds "kettle". */
    findByEnds: yield* groupByKey(plainWords, getEnds),
    findByPhoneticCode: yield* groupByKey(plainWords, getPhoneticCode),
    findByConsonants: yield* groupByKey(plainWords, getConsonants),
    getPostings,
  };
}

/** Groups words by a key. Returns a function that returns the ids of the words with a key. */
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
