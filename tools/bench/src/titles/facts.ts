import { otherNumber } from '../search/misspell.ts';
import type { TitledItem } from './data.ts';

/** What a product must have to be relevant for a query: a word, a measure such as `6 ft`, a word that starts with a text, or a category. */
export interface Need {
  readonly kind: 'word' | 'measure' | 'start' | 'category';
  readonly text: string;
}

/** The spellings of each unit of measure. The first spelling is the canonical one. */
export const UNITS: readonly (readonly string[])[] = [
  ['ft', 'feet', 'foot'],
  ['in', 'inch', 'inches', '"'],
  ['gb', 'gigabyte'],
  ['tb', 'terabyte'],
  ['mm'],
  ['cm'],
  ['oz', 'ounce'],
  ['lb', 'lbs', 'pound'],
  ['w', 'watt', 'watts'],
  ['pack', 'pk'],
  ['mp', 'megapixel', 'megapixels'],
];

const UNIT_NAMES = UNITS.flat().map((name) => name.replace('"', '\\"'));
const MEASURE = new RegExp(`(?<![\\w.])(\\d+(?:\\.\\d+)?)[\\s-]*(${UNIT_NAMES.join('|')})(?!\\w)`, 'g');

/** Converts a text to lower case, and removes accents and apostrophes. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\p{Mark}'’]/gu, '')
    .toLowerCase();
}

/** Returns the words of a text in lower case. A word consists of letters and digits. */
export function wordsIn(text: string): readonly string[] {
  return fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Returns the measures in a text with canonical units: `6 ft` for `6-foot`. */
export function measuresIn(text: string): readonly string[] {
  return [...fold(text).matchAll(MEASURE)].map(
    ([, number, unit]) => `${Number(number)} ${UNITS.find((names) => names.includes(unit ?? ''))?.[0]}`,
  );
}

/** A catalogue, and the products that contain each word, each measure, and each join of adjacent words, such as `headphones` for `head phones`. */
export interface Facts {
  readonly items: readonly TitledItem[];
  readonly words: ReadonlyMap<string, ReadonlySet<TitledItem>>;
  readonly joins: ReadonlyMap<string, ReadonlySet<TitledItem>>;
  readonly measures: ReadonlyMap<string, ReadonlySet<TitledItem>>;
}

/** The maximum number of adjacent words in a join. */
const MAX_JOINED = 4;

/** Returns a catalogue with the products that contain each word, join and measure. */
export function collectFacts(items: readonly TitledItem[]): Facts {
  const [words, joins, measures] = [1, 2, 3].map(() => new Map<string, Set<TitledItem>>()) as [
    Map<string, Set<TitledItem>>,
    Map<string, Set<TitledItem>>,
    Map<string, Set<TitledItem>>,
  ];
  const add = (map: Map<string, Set<TitledItem>>, key: string, item: TitledItem) => {
    const known = map.get(key);
    if (known) known.add(item);
    else map.set(key, new Set([item]));
  };
  for (const item of items) {
    for (const text of [item.name, ...item.keywords]) {
      const parts = wordsIn(text);
      for (const [at, part] of parts.entries()) {
        add(words, part, item);
        for (let count = 2; count <= MAX_JOINED && at + count <= parts.length; count++)
          add(joins, parts.slice(at, at + count).join(''), item);
      }
      for (const measure of measuresIn(text)) add(measures, measure, item);
    }
  }
  return { items, words, joins, measures };
}

/**
 * Returns the products that satisfy all needs of a query. The singular of a word also matches its plural, and a compound also matches its parts ("headphone"
 * and "head phones"). The result does not depend on a search engine.
 */
export function findRelevant(needs: readonly Need[], facts: Facts): ReadonlySet<TitledItem> {
  const [first, ...others] = needs.map((need) => findHaving(need, facts));
  return new Set([...(first ?? [])].filter((item) => others.every((having) => having.has(item))));
}

const NONE: ReadonlySet<TitledItem> = new Set();

function findHaving({ kind, text }: Need, { items, words, joins, measures }: Facts): ReadonlySet<TitledItem> {
  switch (kind) {
    case 'word':
      return new Set(
        [text, otherNumber(text)].flatMap((form) => [...(words.get(form) ?? []), ...(joins.get(form) ?? [])]),
      );
    case 'measure':
      return measures.get(text) ?? NONE;
    case 'start':
      return new Set([...words].flatMap(([word, having]) => (word.startsWith(text) ? [...having] : [])));
    case 'category': {
      const wanted = wordsIn(text);
      return new Set(items.filter(({ keywords: [category = ''] }) => isCategory(wordsIn(category), wanted)));
    }
  }
}

/**
 * Returns whether a category is a kind of product. The last word of the category must be the last word of the kind. The category must also contain all other
 * words of the kind.
 */
function isCategory(category: readonly string[], wanted: readonly string[]): boolean {
  const isSame = (one: string, other: string) =>
    one === other || otherNumber(one) === other || otherNumber(other) === one;
  return (
    isSame(category.at(-1) ?? '', wanted.at(-1) ?? '-') &&
    wanted.every((word) => category.some((part) => isSame(part, word)))
  );
}
