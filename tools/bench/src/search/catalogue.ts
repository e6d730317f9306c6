import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { words } from 'popular-english-words';
import { createRandom, type Random } from '../../../../src/util/random.ts';

/** The properties of a product that the search engines search. */
export interface Item {
  readonly id: string;
  readonly name: string;
  readonly keywords: readonly string[];
}

/** The number of popular English words from which the words of a generated catalogue are chosen. */
const WORDS = 60_000;

/** The number of the most popular words that no catalogue uses, such as "the". */
const TOO_COMMON = 150;

const vocabulary: readonly string[] = words
  .getMostPopular(WORDS + TOO_COMMON)
  .slice(TOO_COMMON)
  .filter((word) => /^[a-z]{3,14}$/.test(word));

const UNITS = ['cm', 'ml', 'kg', 'W', 'mm'];

/** Returns a catalogue with `size` products. The 40 products of the shop are the catalogue of size 40. All other catalogues are generated. */
export function getCatalogue(size: number): readonly Item[] {
  if (size !== 40) return makeCatalogue(size, 1);
  return JSON.parse(readFileSync(new URL('../../../../db.json.default', import.meta.url), 'utf8')).products;
}

/**
 * Generates the catalogue of a fictional shop. As in real text, a few words are frequent and most words are rare (Zipf's law), and a larger catalogue has more
 * different words (Heaps' law).
 */
function makeCatalogue(size: number, seed: number): readonly Item[] {
  const random = createRandom(seed);
  const known = Math.min(vocabulary.length, Math.round(60 * size ** 0.62));
  // Each catalogue uses different words.
  const chosen = shuffled(vocabulary.slice(0, Math.max(known * 3, 2_000)), random).slice(0, known);
  const categories = chosen.slice(0, Math.max(8, Math.round(size ** 0.5)));
  const word = () => random.pick(random.next() < 0.25 ? categories : chosen);
  return Array.from({ length: size }, () => item(word, categories, random));
}

function item(word: () => string, categories: readonly string[], random: Random): Item {
  const [noun, kind] = [word(), word()];
  const size = random.next() < 0.3 ? `, ${random.integer(1, 90)} ${random.pick(UNITS)}` : '';
  const joined = random.next() < 0.15 ? `${capital(word())}-${capital(word())} ` : '';
  const name = `${capital(word())} ${joined}${capital(kind)} ${capital(noun)}${size}`;
  const pair = random.next() < 0.3 ? [`${kind} ${noun}`] : [noun];
  return { id: randomUUID(), name, keywords: [...new Set([...pair, random.pick(categories), word(), word()])] };
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function shuffled<Entry>(entries: readonly Entry[], random: Random): Entry[] {
  return entries
    .map((entry) => ({ entry, rank: random.next() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ entry }) => entry);
}
