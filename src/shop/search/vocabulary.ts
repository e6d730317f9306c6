import { Index } from 'flexsearch';
import type { Product } from '../types.ts';
import { endsOf, getConsonants } from './abbreviations.ts';
import { foldText, splitWords } from './fold-text.ts';
import { getPhoneticCode } from './phonetic-code.ts';
import { createPrefilter } from './prefilter.ts';
import { findSimilarWords, type Near } from './similar-words.ts';

/** How many letters of a word the forward index keeps; what is left of the few words that share these is compared. All would take seven times the memory. */
const FORWARD_LENGTH = 3;

/** The machine words by which the parts of a word are noted. */
const WORD_PAIRS = 1;

/** A word of a vocabulary, by its place in it. */
export type WordId = number;

/** The distinct words of a catalogue, and where they stand. */
export interface Vocabulary {
  /** The words: the place of each is its id. */
  readonly words: readonly string[];
  idOf(word: string): WordId | undefined;
  /** The words that begin with a text. */
  beginningWith(text: string): readonly WordId[];
  /** The words that hold a text. */
  holding(text: string): readonly WordId[];
  /** The words that are near to what was typed, or of which a beginning is. */
  nearTo(typed: string): readonly Near[];
  /** The words that have the same head and tail, at least. */
  withEnds(ends: string): readonly WordId[];
  /** The words that sound alike. */
  sounding(sound: string): readonly WordId[];
  /** The words that have the same consonants. */
  withSkeleton(skeleton: string): readonly WordId[];
  /** Where a word stands, in the order of the catalogue: twice the product's place, and one more where its keywords alone have it. */
  placesOf(id: WordId): Int32Array;
}

/** The vocabulary of names and keywords. */
export function createVocabulary(products: readonly Product[]): Vocabulary {
  const ids = new Map<string, WordId>();
  const found: string[] = [];
  const idFor = (word: string) => {
    let id = ids.get(word);
    if (id === undefined) {
      id = found.length;
      ids.set(word, id);
      found.push(word);
    }
    return id;
  };
  const keywordIds = new Map<string, readonly WordId[]>();
  const idsOfKeyword = (keyword: string) => {
    let own = keywordIds.get(keyword);
    if (!own) {
      own = splitWords(foldText(keyword)).map(idFor);
      keywordIds.set(keyword, own);
    }
    return own;
  };
  const pairs: number[] = [];
  const wordOfPair: number[] = [];
  /** The last product that each word was noted for. */
  const lastPlace: number[] = [];
  const note = (id: WordId, place: number, field: number) => {
    if (lastPlace[id] === place) return;
    lastPlace[id] = place;
    wordOfPair.push(id);
    pairs.push(2 * place + field);
  };
  products.forEach(({ name, keywords }, place) => {
    for (const word of splitWords(foldText(name))) note(idFor(word), place, 0);
    for (const keyword of keywords) for (const id of idsOfKeyword(keyword)) note(id, place, 1);
  });
  return indexed(found, ids, grouped(found.length, wordOfPair, pairs));
}

/** The values by their groups, each in the order given. */
function grouped(count: number, groups: readonly number[], values: readonly number[]): (group: number) => Int32Array {
  const starts = new Int32Array(count + 1);
  for (const group of groups) starts[group + 1] = (starts[group + 1] ?? 0) + 1;
  for (let group = 0; group < count; group++) starts[group + 1] = (starts[group + 1] ?? 0) + (starts[group] ?? 0);
  const next = starts.slice();
  const all = new Int32Array(values.length);
  for (let at = 0; at < values.length; at++) {
    const group = groups[at] as number;
    const to = next[group] as number;
    all[to] = values[at] as number;
    next[group] = to + 1;
  }
  return (group) => all.subarray(starts[group], starts[group + 1]);
}

function indexed(
  list: readonly string[],
  ids: ReadonlyMap<string, WordId>,
  placesOf: Vocabulary['placesOf'],
): Vocabulary {
  const forward = new Index({
    tokenize: 'forward',
    resolution: 1,
    encode: (word: string) => [word.slice(0, FORWARD_LENGTH)],
  });
  list.forEach((word, id) => {
    forward.add(id, word);
  });
  const groups = {
    ends: lazily(() => byKey(list, endsOf)),
    sound: lazily(() => byKey(list, getPhoneticCode)),
    skeleton: lazily(() => byKey(list, getConsonants)),
  };
  const sieve = createPrefilter(list.length, (id) => list[id] as string, WORD_PAIRS);
  return {
    words: list,
    holding: (text) => sieve.mayHold(text).filter((id) => list[id]?.includes(text)),
    nearTo: findSimilarWords(list),
    idOf: (word) => ids.get(word),
    beginningWith(text) {
      const found = forward.search(text.slice(0, FORWARD_LENGTH), { limit: list.length }) as WordId[];
      return text.length <= FORWARD_LENGTH ? found : found.filter((id) => list[id]?.startsWith(text));
    },
    withEnds: (ends) => groups.ends()(ends),
    sounding: (sound) => groups.sound()(sound),
    withSkeleton: (skeleton) => groups.skeleton()(skeleton),
    placesOf,
  };
}

/** The words that have a key, in their order: of each word is noted which one before it has the same. */
function byKey(list: readonly string[], keyOf: (word: string) => string): (key: string) => readonly WordId[] {
  const last = new Map<string, WordId>();
  const before = new Int32Array(list.length);
  list.forEach((word, id) => {
    const key = keyOf(word);
    before[id] = last.get(key) ?? -1;
    last.set(key, id);
  });
  return (key) => {
    const ids: WordId[] = [];
    for (let id = last.get(key) ?? -1; id >= 0; id = before[id] as number) ids.push(id);
    return ids.reverse();
  };
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
