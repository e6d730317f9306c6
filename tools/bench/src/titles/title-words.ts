import { words as englishWords } from 'popular-english-words';
import type { Random } from '../../../../src/util/random.ts';
import { otherNumber } from '../search/misspell.ts';
import { distance } from '../search/relevance.ts';
import type { TitledItem } from './data.ts';
import { type Facts, UNITS, wordsIn } from './facts.ts';

/** What the queries are created from: the catalogue, its nouns and brands, and a random number generator. */
export interface Source {
  readonly facts: Facts;
  readonly nouns: ReadonlySet<string>;
  readonly brands: ReadonlySet<string>;
  readonly random: Random;
}

/** Frequent English words. A compound can consist of two of them. */
const ENGLISH = new Set(englishWords.getMostPopular(5_000).filter((text) => text.length >= 3));

/** Words that are not used in queries, because they say nothing about a product. */
export const STOP_WORDS = new Set([
  'and',
  'for',
  'the',
  'with',
  'from',
  'new',
  'all',
  'your',
  'has',
  'not',
  'you',
  'are',
  'per',
  'best',
  'good',
  'please',
  'cheap',
  'sale',
  'buy',
  'show',
]);

/** Returns the number of products that contain a word. */
export function countProducts(text: string, { words }: Facts): number {
  return words.get(text)?.size ?? 0;
}

/**
 * Returns a random word of a title. The word has at least `minLength` letters, is in at least three titles, and is not `except` or its plural or singular.
 * Returns undefined if there is no such word.
 */
export function pickPlain(
  item: TitledItem,
  random: Random,
  facts: Facts,
  minLength = 3,
  except = '',
): string | undefined {
  const fit = wordsIn(item.name).filter(
    (text) =>
      /^[a-z]+$/.test(text) &&
      text.length >= minLength &&
      !STOP_WORDS.has(text) &&
      !UNITS.flat().includes(text) &&
      text !== except &&
      otherNumber(text) !== except &&
      countProducts(text, facts) >= 3,
  );
  return fit.length === 0 ? undefined : random.pick(fit);
}

/** Returns a random word of a title that has at least four letters and is not part of the text `except`. Returns undefined if there is no such word. */
export function pickWordExcept(item: TitledItem, random: Random, except: string): string | undefined {
  const fit = wordsIn(item.name).filter(
    (text) => /^[a-z]{4,}$/.test(text) && !except.includes(text) && !STOP_WORDS.has(text),
  );
  return fit.length === 0 ? undefined : random.pick(fit);
}

/** Returns a random noun of a title. Returns undefined if the title has no noun. */
export function pickNoun(item: TitledItem, { nouns, random }: Source): string | undefined {
  const fit = wordsIn(item.name).filter((text) => nouns.has(text));
  return fit.length === 0 ? undefined : random.pick(fit);
}

/**
 * Returns whether a misspelled word can only mean one word. `typed`: the misspelled word. `meant`: the correct word. No other word that is about as frequent
 * may have the same or a smaller edit distance to `typed`.
 */
export function isClear(typed: string, meant: string, { words }: Facts): boolean {
  if (typed.length < 3 || typed === meant || otherNumber(meant) === typed) return false;
  const near = distance(typed, meant, 5);
  const count = words.get(meant)?.size ?? 0;
  if ((words.get(typed)?.size ?? 0) * 10 > count) return false;
  for (const [other, { size }] of words)
    if (size * 2 >= count && other !== meant && otherNumber(other) !== meant && distance(typed, other, near) <= near)
      return false;
  return true;
}

/** Returns the nouns of a catalogue: words that are the last word of at least five categories, titles or parts of titles. */
export function collectNouns({ items, words }: Facts): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { name, keywords } of items) {
    for (const part of [...name.split(/ [-–|/] |,|\(| with | for | in | by /), ...keywords]) {
      const last = wordsIn(part).at(-1) ?? '';
      counts.set(last, (counts.get(last) ?? 0) + 1);
    }
  }
  const isFrequent = (text: string) => (counts.get(text) ?? 0) >= 5;
  return new Set(
    [...words.keys()].filter(
      (text) => /^[a-z]{4,}$/.test(text) && !STOP_WORDS.has(text) && isFrequent(text) && words.has(otherNumber(text)),
    ),
  );
}

/** Returns the brands of a catalogue: texts that are the brand or the first word of at least five titles. */
export function collectBrands({ items }: Facts): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { name, brand } of items) {
    const texts = new Set([brand, wordsIn(name)[0] ?? '']);
    for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return new Set(
    [...counts]
      .filter(([text, count]) => count >= 5 && /^[a-z][a-z &-]{2,}$/.test(text) && !STOP_WORDS.has(text))
      .map(([text]) => text),
  );
}

/** Returns the parts of a random word with hyphens in a title, such as "t-shirt" or "all-in-one". Returns undefined if there is no such word. */
export function pickHyphenated(item: TitledItem, { random }: Source): readonly string[] | undefined {
  const fit = item.name.toLowerCase().match(/(?<![\w-])[a-z]+(-[a-z]+){1,2}(?![\w-])/g) ?? [];
  return fit.length === 0 ? undefined : random.pick(fit).split('-');
}

/** Returns two random adjacent words of a title that are written as one word in another title. Returns undefined if there are no such words. */
export function pickJoined(item: TitledItem, { facts, random }: Source): readonly string[] | undefined {
  const words = wordsIn(item.name);
  const pairs = words.slice(1).map((text, at) => [words[at] ?? '', text]);
  const fit = pairs.filter((pair) => pair.every((text) => /^[a-z]{2,}$/.test(text)) && facts.words.has(pair.join('')));
  return fit.length === 0 ? undefined : random.pick(fit);
}

/** Returns the two parts of a random word of a title that consists of two English words. Returns undefined if there is no such word. */
export function pickSplit(item: TitledItem, { random }: Source): readonly string[] | undefined {
  const fit = wordsIn(item.name).flatMap((text) =>
    Array.from({ length: Math.max(0, text.length - 5) }, (_, at) => [text.slice(0, at + 3), text.slice(at + 3)]).filter(
      (parts) => parts.every((part) => ENGLISH.has(part)),
    ),
  );
  return fit.length === 0 ? undefined : random.pick(fit);
}

/** Returns the values of a list in random order. */
export function shuffle<Value>(values: readonly Value[], random: Random): readonly Value[] {
  return values
    .map((value) => ({ value, rank: random.next() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ value }) => value);
}
