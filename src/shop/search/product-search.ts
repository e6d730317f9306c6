import { memoizeByObject } from '../../util/memoize-by-object.ts';
import type { Product } from '../types.ts';
import { getNumberForms } from './abbreviations.ts';
import { findFuzzyMatches, findLiteralMatches, getLowestDistance } from './candidates.ts';
import { foldText, splitWords } from './fold-text.ts';
import {
  type Costs,
  getPartialMatches,
  getProductCosts,
  intersectCosts,
  MATCH_RANKS,
  mergeCosts,
  RANK_COST,
  rankProducts,
} from './ranking.ts';
import { createTextIndex, type TextIndex } from './texts.ts';
import { createVocabulary, type Vocabulary } from './vocabulary.ts';

/** Returns the products that match a search term, the most relevant first. */
type Search = (term: string) => readonly Product[];

/** The indexes of a list of products. */
interface SearchIndex {
  readonly vocabulary: Vocabulary;
  readonly texts: TextIndex;
}

/** The maximum length of a search term, in characters. Longer terms are truncated. */
export const MAX_TERM_LENGTH = 512;

/**
 * Matches a term whose words are searched separately, without a literal match of the whole term. Such a term is one word, or it has several words
 * with single spaces between them and at least 3 letters in the first word.
 */
const PLAIN_TERM = /^([\p{L}\p{N}]+|[\p{L}\p{N}]{3,}( [\p{L}\p{N}]+)+)$/u;

/** The cost of a literal match of a whole term. It equals the cost of an infix match. */
const LITERAL_COST = MATCH_RANKS.infix * RANK_COST;

/** The minimum length of a search word that matches across two keywords, in letters. */
const ACROSS_LENGTH = 4;

/** The cost of a match across two keywords. It is slightly less than the cost of a misspelled word. */
const ACROSS_COST = MATCH_RANKS.misspelled * RANK_COST - 1;

/**
 * The minimum number of letters that a match across two keywords has in each keyword. It does not apply if the distance exceeds
 * `SINGLE_LETTER_DISTANCE`.
 */
const ACROSS_LETTERS = 3;

/** If the lowest distance of the fuzzy matches exceeds this distance, a match across two keywords may have a single letter in a keyword. */
const SINGLE_LETTER_DISTANCE = 1;

/** If the lowest distance of the fuzzy matches exceeds this distance, matches across two keywords replace the fuzzy matches. */
const TYPO_DISTANCE = 0.75;

/** The separators between the two parts of a compound word, such as "t-shirt". */
const SEPARATORS = [' ', '-'];

/** Returns the search over a list of products. Builds the vocabulary of the list on the first call. */
export const getSearch: (products: readonly Product[]) => Search = memoizeByObject(createSearch);

/** A term that matches no product, so a search for it uses every index. */
const WARM_UP_TERM = 'zqxzvjkq zqxzv';

/** Builds all indexes of a list of products, so that the first search with a typo is not slow. */
export function prepareSearch(products: readonly Product[]): void {
  getSearch(products)(WARM_UP_TERM);
}

/** Creates a search over names and keywords. An empty term, or a term of spaces, returns all products. */
function createSearch(products: readonly Product[]): Search {
  const index: SearchIndex = { vocabulary: createVocabulary(products), texts: createTextIndex(products) };
  return (term) => {
    const folded = foldText(term.slice(0, MAX_TERM_LENGTH)).trim();
    if (folded === '') return products;
    return rankProducts(matchTerm(folded, index)).map((product) => products[product] as Product);
  };
}

/**
 * Returns the products that match a term literally, and the products that match all of its words. If there are none, returns the products that match
 * most words. If a term with a comma matches literally (interface, search rule 5), only exact matches of its words count.
 */
function matchTerm(term: string, index: SearchIndex): Costs {
  const words = [...new Set(splitWords(term))];
  const literal = PLAIN_TERM.test(term) ? new Map() : matchLiterally(term, index);
  const compound = words.length === 2 ? matchExact(words.join(''), index) : new Map();
  const isLiteralOnly = literal.size > 0 && term.includes(',');
  const costsOfWords = words.map((word) => (isLiteralOnly ? matchExact(word, index) : matchWord(word, index)));
  const costs = mergeCosts([literal, compound, intersectCosts(costsOfWords)]);
  if (costs.size > 0) return costs;
  // No product matches all words, so a word with a prefix match or an infix match may still be misspelled.
  const withTypos = costsOfWords.map((costs, at) => mergeCosts([costs, matchTypo(words[at] ?? '', index)]));
  const all = intersectCosts(withTypos);
  return all.size > 0 ? all : getPartialMatches(costsOfWords);
}

/** Returns the products whose name or joined keywords contain a term. */
function matchLiterally(term: string, { texts }: SearchIndex): Costs {
  return new Map(texts.findContaining(term).map((product) => [product, LITERAL_COST]));
}

/**
 * Returns the products that match a search word literally. If there are none, splits the word into two words. If no product contains both, returns the
 * fuzzy matches. A match across two keywords replaces distant fuzzy matches.
 */
function matchWord(word: string, index: SearchIndex): Costs {
  const { vocabulary } = index;
  const literal = findLiteralMatches(word, vocabulary);
  const costs = getProductCosts(literal, vocabulary);
  if (literal.some(({ rank }) => rank < MATCH_RANKS.infix)) return costs;
  const splits = Array.from(
    { length: word.length - 1 },
    (_, at) => [word.slice(0, at + 1), word.slice(at + 1)] as const,
  );
  const withSplits = mergeCosts([costs, ...splits.map(([first, second]) => matchBoth(first, second, index))]);
  if (withSplits.size > 0) return withSplits;
  const fuzzy = findFuzzyMatches(word, vocabulary);
  const distance = getLowestDistance(fuzzy);
  const minLetters = distance > SINGLE_LETTER_DISTANCE ? 1 : ACROSS_LETTERS;
  const across = distance > TYPO_DISTANCE ? matchAcrossKeywords(word, minLetters, index) : new Map();
  return across.size > 0 ? across : getProductCosts(fuzzy, vocabulary);
}

/**
 * Returns the products that contain both parts of a split word. The second part also matches as a singular or plural. A part of one letter must be
 * adjacent to the other part.
 */
function matchBoth(first: string, second: string, index: SearchIndex): Costs {
  const isKnown = (word: string) => index.vocabulary.getId(word) !== undefined;
  const secondForms = [second, ...getNumberForms(second)].filter(isKnown);
  if (!isKnown(first) || secondForms.length === 0) return new Map();
  const costsOfSecond = mergeCosts(secondForms.map((form) => matchExact(form, index)));
  const costs = intersectCosts([matchExact(first, index), costsOfSecond]);
  if (costs.size === 0 || Math.min(first.length, second.length) > 1) return costs;
  const adjacent = new Set(SEPARATORS.flatMap((separator) => index.texts.findContaining(first + separator + second)));
  return new Map([...costs].filter(([product]) => adjacent.has(product)));
}

/** Returns the products with a fuzzy match for a search word. Returns none if the vocabulary contains the word, its singular or its plural. */
function matchTypo(word: string, { vocabulary }: SearchIndex): Costs {
  const isKnown = findLiteralMatches(word, vocabulary).some(({ rank }) => rank < MATCH_RANKS.prefix);
  return isKnown ? new Map() : getProductCosts(findFuzzyMatches(word, vocabulary), vocabulary);
}

/** Returns the products that contain a word exactly. */
function matchExact(word: string, { vocabulary }: SearchIndex): Costs {
  const id = vocabulary.getId(word);
  return id === undefined ? new Map() : getProductCosts([{ id, rank: MATCH_RANKS.exact, distance: 0 }], vocabulary);
}

/** Returns the products with two adjacent keywords that, joined to one word, contain a search word. */
function matchAcrossKeywords(word: string, minLetters: number, { texts }: SearchIndex): Costs {
  const products = word.length < ACROSS_LENGTH ? [] : texts.findAcrossKeywords(word, minLetters);
  return new Map(products.map((product) => [product, ACROSS_COST]));
}
