import type { Item } from './catalogue.ts';
import type { Meaning } from './families.ts';

/** Returns a text as it is compared: in lower case, with one space between words. */
export function textOf(text: string): string {
  return text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .join(' ');
}

/** Returns the words in the name and the keywords of an item, without duplicates. */
export function wordsOf({ name, keywords }: Pick<Item, 'name' | 'keywords'>): readonly string[] {
  return [...new Set(textOf([name, ...keywords].join(' ')).split(' '))];
}

/** A catalogue, and its items by word. */
export interface Corpus {
  readonly items: readonly Item[];
  readonly itemsOf: ReadonlyMap<string, ReadonlySet<Item>>;
}

export function corpusOf(items: readonly Item[]): Corpus {
  const itemsOf = new Map<string, Set<Item>>();
  for (const item of items) {
    for (const word of wordsOf(item)) {
      const having = itemsOf.get(word);
      if (having) having.add(item);
      else itemsOf.set(word, new Set([item]));
    }
  }
  return { items, itemsOf };
}

/** The items that a result must contain (`wanted`), and the other items that it may contain (`right`). */
export interface Relevance {
  readonly wanted: ReadonlySet<Item>;
  readonly right: ReadonlySet<Item>;
}

const NOTHING: Relevance = { wanted: new Set(), right: new Set() };

/**
 * Returns the relevant items for a term. If the meaning is a list of words, the result must contain the products with all of these words in name and
 * keywords. It may also contain products with a similar word for each of the words: a word that contains it ("basketball" for "ball"), a word that it
 * begins with ("lamp" for "lamps"), or a word with the same or a smaller edit distance to the typed word, because no engine could distinguish these
 * words. If the meaning is a part of a word (`inside`), the result must contain every product with a word that contains the part. If the meaning is a
 * text across two keywords (`border`), the result must contain every product whose joined keywords contain the text.
 */
export function relevanceOf(term: string, meaning: Meaning, corpus: Corpus): Relevance {
  switch (meaning.kind) {
    case 'none':
      return NOTHING;
    case 'border':
      return same(new Set(corpus.items.filter(({ keywords }) => isOverBorder(meaning.text, keywords))));
    case 'inside':
      return same(having(corpus, (word) => word.includes(meaning.text)));
    case 'words': {
      const typed = textOf(term).split(' ');
      const alike = meaning.words.map((word, at) =>
        likeness(word, typed.length === meaning.words.length ? typed[at] : undefined),
      );
      return {
        wanted: common(meaning.words.map((word) => corpus.itemsOf.get(word) ?? new Set())),
        right: common(alike.map((isLike) => having(corpus, isLike))),
      };
    }
  }
}

function same(items: ReadonlySet<Item>): Relevance {
  return { wanted: items, right: items };
}

function having({ itemsOf }: Corpus, test: (word: string) => boolean): Set<Item> {
  const found = new Set<Item>();
  for (const [word, items] of itemsOf) if (test(word)) for (const item of items) found.add(item);
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
 * Returns the edit distance of two words: the number of wrong, missing, extra or swapped letters (optimal string alignment). For a distance above
 * `limit`, returns any number above `limit`.
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

/** Returns whether a word of the corpus contains the text, or has an edit distance of at most `limit` to it. */
export function isNear(text: string, { itemsOf }: Corpus, limit: number): boolean {
  return [...itemsOf.keys()].some((word) => word.includes(text) || distance(text, word, limit) <= limit);
}
