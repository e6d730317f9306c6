import { Index } from 'flexsearch';
import type { Product } from '../contract/operation.ts';
import { folded, words } from './fold.ts';
import { skeletonOf } from './shortened.ts';
import { soundOf } from './sound.ts';
import { type TextList, textList } from './text-list.ts';

/** How many letters of a word the forward index keeps; what is left of the few words that share these is compared. All would take seven times the memory. */
const FORWARD_LENGTH = 5;

/** A word of a vocabulary, by its place in it. */
export type WordId = number;

/** The distinct words of a catalogue, and where they stand. */
export interface Vocabulary {
  /** The words: the place of each is its id. */
  readonly list: TextList;
  idOf(word: string): WordId | undefined;
  /** The words that begin with a text. */
  beginningWith(text: string): readonly WordId[];
  /** The words that begin with a letter. */
  initial(letter: string): readonly WordId[];
  /** The words that sound alike. */
  sounding(sound: string): readonly WordId[];
  /** The words that have the same consonants. */
  withSkeleton(skeleton: string): readonly WordId[];
  /** Where a word stands, in the order of the catalogue: twice the product's place, and one more where its keywords alone have it. */
  placesOf(id: WordId): Int32Array;
}

/** The vocabulary of names and keywords. */
export function vocabularyOf(products: readonly Product[]): Vocabulary {
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
      own = words(folded(keyword)).map(idFor);
      keywordIds.set(keyword, own);
    }
    return own;
  };
  const pairs: number[] = [];
  const wordOfPair: number[] = [];
  products.forEach(({ name, keywords }, place) => {
    const seen = new Set<WordId>();
    const note = (field: number) => (id: WordId) => {
      if (seen.has(id)) return;
      seen.add(id);
      wordOfPair.push(id);
      pairs.push(2 * place + field);
    };
    words(folded(name)).map(idFor).forEach(note(0));
    for (const keyword of keywords) idsOfKeyword(keyword).forEach(note(1));
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
    initial: lazily(() => byKey(list, (word) => word.slice(0, 1))),
    sound: lazily(() => byKey(list, soundOf)),
    skeleton: lazily(() => byKey(list, skeletonOf)),
  };
  return {
    list: textList(list),
    idOf: (word) => ids.get(word),
    beginningWith(text) {
      const found = forward.search(text.slice(0, FORWARD_LENGTH), { limit: list.length }) as WordId[];
      return text.length <= FORWARD_LENGTH ? found : found.filter((id) => list[id]?.startsWith(text));
    },
    initial: (letter) => groups.initial().get(letter) ?? [],
    sounding: (sound) => groups.sound().get(sound) ?? [],
    withSkeleton: (skeleton) => groups.skeleton().get(skeleton) ?? [],
    placesOf,
  };
}

function byKey(list: readonly string[], keyOf: (word: string) => string): ReadonlyMap<string, readonly WordId[]> {
  const groups = new Map<string, WordId[]>();
  list.forEach((word, id) => {
    const key = keyOf(word);
    const group = groups.get(key);
    if (group) group.push(id);
    else groups.set(key, [id]);
  });
  return groups;
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
