import { memoizeByObject } from '../../util/memoize-by-object.ts';
import type { Product } from '../types.ts';
import { TIERS } from './candidates.ts';
import { foldText, splitWords } from './fold-text.ts';
import { matchExact, matchTypo, matchWord, type SearchIndex } from './match-word.ts';
import { type Costs, getPartialMatches, intersectCosts, mergeCosts, rankProducts, TIER_COST } from './ranking.ts';
import { createTextIndex } from './texts.ts';
import { createVocabulary } from './vocabulary.ts';

/** Returns the products that match a search term, the most relevant first. */
type Search = (term: string) => readonly Product[];

/** The maximum length of a search term, in characters: longer ones are truncated. */
export const MAX_TERM_LENGTH = 512;

/** A word, or words of which the first is long enough for an infix match: terms for which matching word by word is enough. */
const PLAIN_TERM = /^([\p{L}\p{N}]+|[\p{L}\p{N}]{3,}( [\p{L}\p{N}]+)+)$/u;

/** The cost of a literal match of a term of several words: that of an infix match. */
const LITERAL_COST = TIERS.infix * TIER_COST;

/** Returns the search over a list of products. Its index is built once for each list, on the first use. */
export const getSearch: (products: readonly Product[]) => Search = memoizeByObject(createSearch);

/** Builds all indexes of a list of products. Otherwise the first search with a typo would wait for them. */
export function prepareSearch(products: readonly Product[]): void {
  getSearch(products)(WARM_UP_TERM);
}

/** A term that no product matches, so that every index is searched. */
const WARM_UP_TERM = 'zqxzvjkq zqxzv';

/**
 * Creates a search over names and keywords. A blank term returns all products. The results match all words of the term, or the term literally; if there
 * are none, most of its words. If a term with a comma matches literally (interface, search rule 5), its words only match exactly.
 */
function createSearch(products: readonly Product[]): Search {
  const index: SearchIndex = { vocabulary: createVocabulary(products), texts: createTextIndex(products) };
  return (term) => {
    const folded = foldText(term.slice(0, MAX_TERM_LENGTH)).trim();
    if (folded === '') return products;
    return rankProducts(matchTerm(folded, index)).map((product) => products[product] as Product);
  };
}

function matchTerm(term: string, index: SearchIndex): Costs {
  const words = [...new Set(splitWords(term))];
  const literal = PLAIN_TERM.test(term) ? new Map() : matchLiterally(term, index);
  const compound = words.length === 2 ? matchExact(words.join(''), index) : new Map();
  const isLiteralOnly = literal.size > 0 && term.includes(',');
  const costsOfWords = words.map((word) => (isLiteralOnly ? matchExact(word, index) : matchWord(word, index)));
  const costs = mergeCosts([literal, compound, intersectCosts(costsOfWords)]);
  if (costs.size > 0) return costs;
  // No product matches all words: a word with a prefix or infix match may be misspelled nevertheless.
  const withTypos = costsOfWords.map((costs, at) => mergeCosts([costs, matchTypo(words[at] ?? '', index)]));
  const all = intersectCosts(withTypos);
  return all.size > 0 ? all : getPartialMatches(costsOfWords);
}

/** Returns the products whose name or joined keywords contain a term. */
function matchLiterally(term: string, { texts }: SearchIndex): Costs {
  return new Map(texts.findContaining(term).map((product) => [product, LITERAL_COST]));
}
