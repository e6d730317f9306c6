import type { Product } from '../contract/operation.ts';
import { asItStands, leastEffort, lookAlikes, TIERS } from './candidates.ts';
import { folded, words } from './fold.ts';
import { type Costs, cheapest, common, costsOf, mostOf, ranked, TIER } from './ranking.ts';
import { textsOf } from './texts.ts';
import { vocabularyOf } from './vocabulary.ts';

/** The products that a term means, the best first. */
export type Search = (term: string) => readonly Product[];

/** The longest part of a term that is looked at, in characters. */
const TERM_LIMIT = 512;

/** The shortest text that is looked for where two keywords run together, and what it costs to be found there: hardly less than a misspelt word. */
const BORDER_LENGTH = 4;
const BORDER_COST = TIERS.misspelt * TIER - 1;

/** How many letters of each of two keywords leave little doubt that their border is meant. */
const BORDER_SIDE = 3;

/** The most effort of a slip that is likelier than a border, and that of one letter, beyond which any border is likelier. */
const SLIP_EFFORT = 0.75;
const LETTER_EFFORT = 1;

/** What it costs to have a term of several words as it is written: as much as a word that holds it. */
const WRITTEN_COST = TIERS.inside * TIER;

const searches = new WeakMap<readonly Product[], Search>();

/** The search over a list of products; its index is made once for each list, when it is first asked for. */
export function searchOf(products: readonly Product[]): Search {
  let search = searches.get(products);
  if (!search) {
    search = createSearch(products);
    searches.set(products, search);
  }
  return search;
}

/** Makes ready all that the searches over a list of products need: the first one that is misspelt would else wait for it. */
export function prepareSearch(products: readonly Product[]): void {
  searchOf(products)(MEANINGLESS);
}

/** A term that is looked for in every way, since nothing has it. */
const MEANINGLESS = 'zqxzvjkq zqxzv';

/**
 * A search over name and keywords. A blank term finds all. The products found have all words of the term, or the term as it is written; where none
 * has, most of its words. What is found as it is written with a comma (interface, search rule 5) is not taken for words but where these are
 * there exactly.
 */
function createSearch(products: readonly Product[]): Search {
  const vocabulary = vocabularyOf(products);
  const texts = textsOf(products);

  /** What the products cost that have a word: as it stands; else in two; else one that looks alike, unless only by much effort and it stands over a border of keywords. */
  function costsOfWord(word: string): Costs {
    const standing = asItStands(word, vocabulary);
    const costs = costsOf(standing, vocabulary);
    if (standing.some(({ tier }) => tier < TIERS.inside)) return costs;
    const parts = splits(word).map(([one, other]) => common([costsOfExact(one), costsOfExact(other)]));
    const found = cheapest([costs, ...parts]);
    if (found.size > 0) return found;
    const alike = lookAlikes(word, vocabulary);
    const least = leastEffort(alike);
    const border = least > SLIP_EFFORT ? overBorder(word, least > LETTER_EFFORT ? 1 : BORDER_SIDE) : new Map();
    return border.size > 0 ? border : costsOf(alike, vocabulary);
  }

  function overBorder(word: string, least: number): Costs {
    const places = word.length < BORDER_LENGTH ? [] : texts.runningTogether(word, least);
    return new Map(places.map((place) => [place, BORDER_COST]));
  }

  function costsOfExact(word: string): Costs {
    const id = vocabulary.idOf(word);
    return id === undefined ? new Map() : costsOf([{ id, tier: TIERS.exact, effort: 0 }], vocabulary);
  }

  /** What the products cost that have the whole term as it is written, in their name or over their keywords. */
  function costsAsWritten(wanted: string): Costs {
    return new Map(texts.holding(wanted).map((place) => [place, WRITTEN_COST]));
  }

  return (term) => {
    const wanted = folded(term.slice(0, TERM_LIMIT)).trim();
    if (wanted === '') return products;
    const typed = [...new Set(words(wanted))];
    const written = typed[0] === wanted ? new Map() : costsAsWritten(wanted);
    const glued = typed.length === 2 ? costsOfExact(typed.join('')) : new Map();
    const isThere = written.size > 0 && wanted.includes(',');
    const each = typed.map(isThere ? costsOfExact : costsOfWord);
    const all = cheapest([written, glued, common(each)]);
    return ranked(all.size > 0 ? all : mostOf(each)).flatMap((place) => products[place] ?? []);
  };
}

/** A word in two parts, each way to part it. */
function splits(word: string): (readonly [string, string])[] {
  return Array.from({ length: word.length - 1 }, (_, at) => [word.slice(0, at + 1), word.slice(at + 1)]);
}
