import type { Item } from './catalogue.ts';
import type { Meaning } from './families.ts';

/** Normalizes a text for comparisons: converts it to lower case, and separates words by one space. */
export function getText(text: string): string {
  return text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .join(' ');
}

/** Returns the different words in the name and the keywords of an item, in lower case. */
export function getWords({ name, keywords }: Pick<Item, 'name' | 'keywords'>): readonly string[] {
  return [...new Set(getText([name, ...keywords].join(' ')).split(' '))];
}

/** A catalogue: its items, and for each word the items that contain the word. */
export interface Corpus {
  readonly items: readonly Item[];
  readonly getItems: ReadonlyMap<string, ReadonlySet<Item>>;
}

/** Returns a catalogue with the items that contain each word. */
export function getCorpus(items: readonly Item[]): Corpus {
  const getItems = new Map<string, Set<Item>>();
  for (const item of items) {
    for (const word of getWords(item)) {
      const having = getItems.get(word);
      if (having) having.add(item);
      else getItems.set(word, new Set([item]));
    }
  }
  return { items, getItems };
}

/** The items that a search must find (`wanted`), and all items that it may find (`right`). */
export interface Relevance {
  readonly wanted: ReadonlySet<Item>;
  readonly right: ReadonlySet<Item>;
}

const NOTHING: Relevance = { wanted: new Set(), right: new Set() };

/**
 * Returns the items that are relevant for a search term. The meaning of the term determines the items:
 *
 * - `words`: A search must find the products with all of these words. It may also find products that have a similar word instead of a word. A similar word
 *   contains the word ("basketball" for "ball"), is the beginning of the word ("lamp" for "lamps"), or has at most the same edit distance to the typed word,
 *   because no search engine could know which word is meant.
 * - `inside`: A search must find every product with a word that contains the text.
 * - `border`: A search must find every product whose joined keywords contain the text.
 * - `none`: No product is relevant.
 */
export function getRelevance(term: string, meaning: Meaning, corpus: Corpus): Relevance {
  switch (meaning.kind) {
    case 'none':
      return NOTHING;
    case 'border':
      return same(new Set(corpus.items.filter(({ keywords }) => isOverBorder(meaning.text, keywords))));
    case 'inside':
      return same(having(corpus, (word) => word.includes(meaning.text)));
    case 'words': {
      const typed = getText(term).split(' ');
      const alike = meaning.words.map((word, at) =>
        likeness(word, typed.length === meaning.words.length ? typed[at] : undefined),
      );
      return {
        wanted: common(meaning.words.map((word) => corpus.getItems.get(word) ?? new Set())),
        right: common(alike.map((isLike) => having(corpus, isLike))),
      };
    }
  }
}

function same(items: ReadonlySet<Item>): Relevance {
  return { wanted: items, right: items };
}

function having({ getItems }: Corpus, test: (word: string) => boolean): Set<Item> {
  const found = new Set<Item>();
  for (const [word, items] of getItems) if (test(word)) for (const item of items) found.add(item);
  return found;
}

function common([first = new Set(), ...others]: readonly ReadonlySet<Item>[]): ReadonlySet<Item> {
  return new Set([...first].filter((item) => others.every((set) => set.has(item))));
}

function isOverBorder(text: string, keywords: readonly string[]): boolean {
  return [',', ', ', ''].some((between) => keywords.join(between).toLowerCase().includes(text));
}

function likeness(word: string, typed: string | undefined): (other: string) => boolean {
  const near = typed === undefined || typed === word ? -1 : distance(typed, word, 20);
  return (other) =>
    other.includes(word) ||
    (other.length > 3 && word.startsWith(other)) ||
    (typed !== undefined && near > 0 && distance(typed, other, near) <= near);
}

/**
 * Returns the edit distance of two words: the number of wrong, missing, extra or swapped letters (optimal string alignment). If the distance is above
 * `limit`, returns a number above `limit`.
 */
export function distance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  const [width, rows] = [
    other.length + 1,
    Array.from({ length: one.length + 1 }, () => new Uint8Array(other.length + 1)),
  ];
  for (let at = 0; at < width; at++) (rows[0] as Uint8Array)[at] = at;
  for (let row = 1; row <= one.length; row++) {
    const [here, last, before] = [rows[row], rows[row - 1], rows[row - 2]] as [
      Uint8Array,
      Uint8Array,
      Uint8Array | undefined,
    ];
    here[0] = row;
    let least = row;
    for (let at = 1; at < width; at++) {
      const cost = one[row - 1] === other[at - 1] ? 0 : 1;
      let best = Math.min((last[at] as number) + 1, (here[at - 1] as number) + 1, (last[at - 1] as number) + cost);
      if (before && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]) {
        best = Math.min(best, (before[at - 2] as number) + 1);
      }
      here[at] = best;
      least = Math.min(least, best);
    }
    if (least > limit) return limit + 1;
  }
  return rows[one.length]?.[other.length] ?? 0;
}

/** Returns whether a word of a catalogue contains the text, or is similar to it: the edit distance is at most `limit`. */
export function isNear(text: string, { getItems }: Corpus, limit: number): boolean {
  return [...getItems.keys()].some((word) => word.includes(text) || distance(text, word, limit) <= limit);
}
