import type { Product } from '../types.ts';
import { otherNumbersOf } from './abbreviations.ts';
import { asItStands, findFuzzyMatches, leastEffort, TIERS } from './candidates.ts';
import { foldText, splitWords } from './fold-text.ts';
import { type Costs, cheapest, common, costsOf, mostOf, rankProducts, TIER } from './ranking.ts';
import { createTexts } from './texts.ts';
import { createVocabulary } from './vocabulary.ts';

/** The products that a term means, the best first. */
export type Search = (term: string) => readonly Product[];

/** The longest part of a term that is looked at, in characters. */
export const TERM_LIMIT = 512;

/** The shortest text that is looked for where two keywords run together, and what it costs to be found there: hardly less than a misspelt word. */
const BORDER_LENGTH = 4;
const BORDER_COST = TIERS.misspelt * TIER - 1;

/** How many letters of each of two keywords leave little doubt that their border is meant. */
const BORDER_SIDE = 3;

/** What stands between two parts that are also written as one word. */
const PARTING = [' ', '-'];

/** The most effort of a slip that is likelier than a border, and that of one letter, beyond which any border is likelier. */
const SLIP_EFFORT = 0.75;
const LETTER_EFFORT = 1;

/** A word, or words of which the first is long enough to be found within others: all that a term is which is written so. */
const PLAIN = /^([\p{L}\p{N}]+|[\p{L}\p{N}]{3,}( [\p{L}\p{N}]+)+)$/u;

/** What it costs to have a term of several words as it is written: as much as a word that holds it. */
const WRITTEN_COST = TIERS.inside * TIER;

const searches = new WeakMap<readonly Product[], Search>();

/** The search over a list of products; its index is made once for each list, when it is first asked for. */
export function getSearch(products: readonly Product[]): Search {
  let search = searches.get(products);
  if (!search) {
    search = createSearch(products);
    searches.set(products, search);
  }
  return search;
}

/** Makes ready all that the searches over a list of products need: the first one that is misspelt would else wait for it. */
export function prepareSearch(products: readonly Product[]): void {
  getSearch(products)(MEANINGLESS);
}

/** A term that is looked for in every way, since nothing has it. */
const MEANINGLESS = 'zqxzvjkq zqxzv';

/**
 * A search over name and keywords. A blank term finds all. The products found have all words of the term, or the term as it is written; where none
 * has, most of its words. What is found as it is written with a comma (interface, search rule 5) is not taken for words but where these are
 * there exactly.
 */
function createSearch(products: readonly Product[]): Search {
  const vocabulary = createVocabulary(products);
  const texts = createTexts(products);

  /** What the products cost that have a word: as it stands; else in two; else one that looks alike, unless only by much effort and it stands over a border of keywords. */
  function costsOfWord(word: string): Costs {
    const standing = asItStands(word, vocabulary);
    const costs = costsOf(standing, vocabulary);
    if (standing.some(({ tier }) => tier < TIERS.inside)) return costs;
    const found = cheapest([costs, ...splits(word).map(costsOfParts)]);
    if (found.size > 0) return found;
    const alike = findFuzzyMatches(word, vocabulary);
    const least = leastEffort(alike);
    const border = least > SLIP_EFFORT ? overBorder(word, least > LETTER_EFFORT ? 1 : BORDER_SIDE) : new Map();
    return border.size > 0 ? border : costsOf(alike, vocabulary);
  }

  /** What the products cost that have a word that is one slip away, for one that isn't there itself. */
  function costsOfSlips(word: string): Costs {
    const isWord = asItStands(word, vocabulary).some(({ tier }) => tier < TIERS.beginning);
    return isWord ? new Map() : costsOf(findFuzzyMatches(word, vocabulary), vocabulary);
  }

  function overBorder(word: string, least: number): Costs {
    const places = word.length < BORDER_LENGTH ? [] : texts.runningTogether(word, least);
    return new Map(places.map((place) => [place, BORDER_COST]));
  }

  /** What the products cost that have both parts of a word, the second in either number; a letter alone must stand right before or behind the other part. */
  function costsOfParts([one, other]: Parts): Costs {
    const others = [other, ...otherNumbersOf(other)].filter(isThere);
    if (!isThere(one) || others.length === 0) return new Map();
    const costs = common([costsOfExact(one), cheapest(others.map(costsOfExact))]);
    if (costs.size === 0 || Math.min(one.length, other.length) > 1) return costs;
    const together = new Set(PARTING.flatMap((parting) => texts.holding(one + parting + other)));
    return new Map([...costs].filter(([place]) => together.has(place)));
  }

  function isThere(word: string): boolean {
    return vocabulary.idOf(word) !== undefined;
  }

  function costsOfExact(word: string): Costs {
    const id = vocabulary.idOf(word);
    return id === undefined ? new Map() : costsOf([{ id, tier: TIERS.exact, effort: 0 }], vocabulary);
  }

  /** What the products cost that have the whole term as it is written, in their name or over their keywords. */
  function costsAsWritten(wanted: string): Costs {
    return new Map(texts.holding(wanted).map((place) => [place, WRITTEN_COST]));
  }

  function inOrder(costs: Costs): readonly Product[] {
    return rankProducts(costs).map((place) => products[place] as Product);
  }

  return (term) => {
    const wanted = foldText(term.slice(0, TERM_LIMIT)).trim();
    if (wanted === '') return products;
    const typed = [...new Set(splitWords(wanted))];
    const written = PLAIN.test(wanted) ? new Map() : costsAsWritten(wanted);
    const glued = typed.length === 2 ? costsOfExact(typed.join('')) : new Map();
    const isWritten = written.size > 0 && wanted.includes(',');
    const each = typed.map(isWritten ? costsOfExact : costsOfWord);
    const found = cheapest([written, glued, common(each)]);
    if (found.size > 0) return inOrder(found);
    // No product has all of them: one that begins another word, or stands in one, may be misspelt nevertheless.
    const more = typed.map((word, at) => cheapest([each[at] ?? new Map(), costsOfSlips(word)]));
    const all = isWritten ? found : common(more);
    return inOrder(all.size > 0 ? all : mostOf(each));
  };
}

type Parts = readonly [string, string];

/** A word in two parts, each way to part it. */
function splits(word: string): readonly Parts[] {
  return Array.from({ length: word.length - 1 }, (_, at) => [word.slice(0, at + 1), word.slice(at + 1)]);
}
