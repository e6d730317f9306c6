import { runAtOnce, runInSlices, type Steps } from '../../util/slices.ts';
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
  NO_COSTS,
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

/** The indexes by list of products. A promise resolves when the indexes are built in slices. */
const indexes = new WeakMap<readonly Product[], SearchIndex | Promise<SearchIndex>>();

/** Returns the search over a list of products. Builds the indexes of the list unless they exist. */
export function getSearch(products: readonly Product[]): Search {
  let index = indexes.get(products);
  if (index === undefined || index instanceof Promise) {
    index = runAtOnce(createIndex(products));
    indexes.set(products, index);
  }
  const ready = index;
  return (term) => runAtOnce(search(products, term, ready));
}

/** Builds the indexes of a list of products in slices, so that the first search is not slow. */
export async function prepareSearch(products: readonly Product[]): Promise<void> {
  await getIndexInSlices(products);
}

/** Searches a long list of products. The server can handle other requests during the search. */
export async function searchInSlices(products: readonly Product[], term: string): Promise<readonly Product[]> {
  return runInSlices(search(products, term, await getIndexInSlices(products)));
}

/** Concurrent calls for the same list wait for the same indexes. */
function getIndexInSlices(products: readonly Product[]): SearchIndex | Promise<SearchIndex> {
  const known = indexes.get(products);
  if (known) return known;
  const building = runInSlices(createIndex(products));
  indexes.set(products, building);
  building.then(
    (index) => indexes.set(products, index),
    () => indexes.delete(products),
  );
  return building;
}

function* createIndex(products: readonly Product[]): Steps<SearchIndex> {
  return { vocabulary: yield* createVocabulary(products), texts: yield* createTextIndex(products) };
}

/** Searches names and keywords. An empty term, or a term of spaces, returns all products. */
function* search(products: readonly Product[], term: string, index: SearchIndex): Steps<readonly Product[]> {
  const folded = foldText(term.slice(0, MAX_TERM_LENGTH)).trim();
  if (folded === '') return products;
  const ranked = rankProducts(yield* matchTerm(folded, index));
  yield;
  return ranked.map((product) => products[product] as Product);
}

/**
 * Returns the products that match a term literally, and the products that match all of its words. If there are none, returns the products that match
 * most words. If a term with a comma matches literally (interface, search rule 5), only exact matches of its words count.
 */
function* matchTerm(term: string, index: SearchIndex): Steps<Costs> {
  const words = [...new Set(splitWords(term))];
  const literal = PLAIN_TERM.test(term) ? NO_COSTS : matchLiterally(term, index);
  yield;
  const compound = words.length === 2 ? yield* matchExact(words.join(''), index) : NO_COSTS;
  const isLiteralOnly = literal.size > 0 && term.includes(',');
  const match = isLiteralOnly ? matchExact : matchWord;
  const costsOfWords = yield* mapInSteps(words, (word) => match(word, index));
  const costs = yield* mergeCosts([literal, compound, yield* intersectCosts(costsOfWords)]);
  if (costs.size > 0) return costs;
  // No product matches all words, so a word with a prefix match or an infix match may still be misspelled.
  const withTypos = yield* mapInSteps([...costsOfWords.entries()], function* ([at, costs]) {
    return yield* mergeCosts([costs, yield* matchTypo(words[at] ?? '', index)]);
  });
  const all = yield* intersectCosts(withTypos);
  return all.size > 0 ? all : yield* getPartialMatches(costsOfWords);
}

/** Returns the results for some values. Each result is a step of its own. */
function* mapInSteps<Value, Result>(
  values: readonly Value[],
  toResult: (value: Value) => Steps<Result>,
): Steps<readonly Result[]> {
  const results: Result[] = [];
  for (const value of values) {
    results.push(yield* toResult(value));
    yield;
  }
  return results;
}

/** Returns the products whose name or joined keywords contain a term. */
function matchLiterally(term: string, { texts }: SearchIndex): Costs {
  return new Map(texts.findContaining(term).map((product) => [product, LITERAL_COST]));
}

/**
 * Returns the products that match a search word literally. If there are none, splits the word into two words. If no product contains both, returns the
 * fuzzy matches. A match across two keywords replaces distant fuzzy matches.
 */
function* matchWord(word: string, index: SearchIndex): Steps<Costs> {
  const { vocabulary } = index;
  const literal = findLiteralMatches(word, vocabulary);
  yield;
  const costs = yield* getProductCosts(literal, vocabulary);
  if (literal.some(({ rank }) => rank < MATCH_RANKS.infix)) return costs;
  const splits = Array.from({ length: word.length - 1 }, (_, at) => at + 1).filter(
    (at) => vocabulary.getId(word.slice(0, at)) !== undefined,
  );
  const costsOfSplits = yield* mapInSteps(splits, (at) => matchBoth(word.slice(0, at), word.slice(at), index));
  const withSplits = yield* mergeCosts([costs, ...costsOfSplits]);
  if (withSplits.size > 0) return withSplits;
  const fuzzy = findFuzzyMatches(word, vocabulary);
  yield;
  const distance = getLowestDistance(fuzzy);
  const minLetters = distance > SINGLE_LETTER_DISTANCE ? 1 : ACROSS_LETTERS;
  const across = distance > TYPO_DISTANCE ? matchAcrossKeywords(word, minLetters, index) : NO_COSTS;
  return across.size > 0 ? across : yield* getProductCosts(fuzzy, vocabulary);
}

/**
 * Returns the products that contain both parts of a split word, of which the first is known. The second part also matches as a singular or plural. A part of one letter must be
 * adjacent to the other part.
 */
function* matchBoth(first: string, second: string, index: SearchIndex): Steps<Costs> {
  const isKnown = (word: string) => index.vocabulary.getId(word) !== undefined;
  const secondForms = [second, ...getNumberForms(second)].filter(isKnown);
  if (secondForms.length === 0) return NO_COSTS;
  const costsOfForms = yield* mapInSteps(secondForms, (form) => matchExact(form, index));
  const costsOfSecond = yield* mergeCosts(costsOfForms);
  const costs = yield* intersectCosts([yield* matchExact(first, index), costsOfSecond]);
  if (costs.size === 0 || Math.min(first.length, second.length) > 1) return costs;
  const adjacent = new Set(SEPARATORS.flatMap((separator) => index.texts.findContaining(first + separator + second)));
  return new Map([...costs].filter(([product]) => adjacent.has(product)));
}

/** Returns the products with a fuzzy match for a search word. Returns none if the vocabulary contains the word, its singular or its plural. */
function* matchTypo(word: string, { vocabulary }: SearchIndex): Steps<Costs> {
  const isKnown = findLiteralMatches(word, vocabulary).some(({ rank }) => rank < MATCH_RANKS.prefix);
  yield;
  return isKnown ? NO_COSTS : yield* getProductCosts(findFuzzyMatches(word, vocabulary), vocabulary);
}

/** Returns the products that contain a word exactly. */
function* matchExact(word: string, { vocabulary }: SearchIndex): Steps<Costs> {
  const id = vocabulary.getId(word);
  if (id === undefined) return NO_COSTS;
  return yield* getProductCosts([{ id, rank: MATCH_RANKS.exact, distance: 0 }], vocabulary);
}

/** Returns the products with two adjacent keywords that, joined to one word, contain a search word. */
function matchAcrossKeywords(word: string, minLetters: number, { texts }: SearchIndex): Costs {
  const products = word.length < ACROSS_LENGTH ? [] : texts.findAcrossKeywords(word, minLetters);
  return new Map(products.map((product) => [product, ACROSS_COST]));
}
