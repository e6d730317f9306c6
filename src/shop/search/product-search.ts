import type { ExplainedSearch, SearchExplanation } from '../../application.ts';
import { runAtOnce, runInSlices, type Steps } from '../../util/slices.ts';
import type { Product } from '../types.ts';
import { findWordForms } from './candidates.ts';
import { explainResults } from './explain-search.ts';
import { findMeasures, foldText, splitWords } from './fold-text.ts';
import {
  mapInSteps,
  matchBeginning,
  matchExact,
  matchSynonyms,
  matchTypo,
  matchWord,
  SearchTrace,
  type WordIndexes,
} from './match-word.ts';
import { createProductOrder, rankResults } from './product-order.ts';
import {
  type Costs,
  getAlmostMatches,
  getPartialMatches,
  getProductCosts,
  intersectCosts,
  MATCH_RANKS,
  mapCosts,
  mergeCosts,
  NO_COSTS,
  RANK_COST,
} from './ranking.ts';
import { MAX_SYNONYM_WORDS, NO_SYNONYMS } from './synonyms.ts';
import { createTextIndex } from './texts.ts';
import { createVocabulary } from './vocabulary.ts';

/** Words that do not matter in a search term, such as "show me the best". A product can match without them. */
const FILLER_WORDS = new Set(
  [
    'a an the of for from with without and or in on at to by is are am i me my we our you your it its this that some any',
    'best good great nice cheap affordable buy get find show want need needs looking search searching please where can could would like',
  ].flatMap((line) => line.split(' ')),
);

/**
 * Removes filler words such as "the" and "best" from a list.
 * Returns the list unchanged if it has only filler words.
 */
export function withoutFillers(words: readonly string[]): readonly string[] {
  const named = words.filter((word) => !FILLER_WORDS.has(word));
  return named.length > 0 ? named : words;
}

/**
 * Matches a search term that needs only a search for its single words: one word, or words with single spaces between
 * them.
 * The first of several words must have at least three letters.
 * For any other term, such as "usb-c", the search also looks for the whole text.
 */
const PLAIN_TERM = /^([\p{L}\p{N}]+|[\p{L}\p{N}]{3,}( [\p{L}\p{N}]+)+)$/u;

/**
 * The cost of a product whose name or keywords contain the whole search term.
 * A lower cost means more relevant.
 * A match inside another word, such as "board" in "cupboard", costs the same.
 */
const LITERAL_COST = MATCH_RANKS.infix * RANK_COST;

/**
 * The maximum number of adjacent search words that the search also tries as one word ("headphones" for "head phones")
 * or as a phrase with synonyms.
 */
const MAX_PARTS = MAX_SYNONYM_WORDS;

/**
 * The conditions for adding products that lack one word of the search term.
 * The term has at least `minWords` words, and fewer than `maxResults` products contain all of them.
 */
const FILL = { minWords: 3, maxResults: 10 };

/**
 * The bonus of a product for each filler word of the search term (such as "the") that the product contains.
 * It is subtracted from the cost, and exceeds `FIELD_COST`.
 */
const FILLER_BONUS = 8;

/**
 * The filler word of a two-word search term (such as "the") counts as part of the product names if more than this share
 * of the found products contain it.
 */
const FILLER_SHARE = 1 / 100;

/**
 * The words of a search term.
 * `all`: each different word once, in the order of the term.
 * `required`: the same list without filler words such as "the".
 */
interface TermWords {
  readonly all: readonly string[];
  readonly required: readonly string[];
}

/** The words of a search term, and the matching products of each required word. */
interface MatchedWords extends TermWords {
  readonly costs: readonly Costs[];
}

/**
 * Returns the products that contain the whole search term or match all its words.
 * If there are none, returns the products that match most words.
 * If the term contains a comma and a product contains the whole term, each word of the term must match exactly.
 */
function* matchTerm(term: string, index: WordIndexes): Steps<Costs> {
  const literal = PLAIN_TERM.test(term) ? NO_COSTS : yield* matchLiterally(term, index);
  yield;
  const isLiteralOnly = literal.size > 0 && term.includes(',');
  const attempts: MatchedWords[] = [];
  for (const words of listReadings(term, index)) {
    const matched = yield* matchWords(words, isLiteralOnly ? matchExact : matchWord, index);
    const costs = yield* mergeCosts([literal, yield* intersectCosts(matched.costs)]);
    if (costs.size > 0) return yield* preferFillers(yield* fillUp(term, costs, matched.costs, index), matched, index);
    attempts.push(matched);
  }
  for (const matched of attempts) {
    const costs = yield* relax(matched, index);
    if (costs.size > 0) return yield* preferFillers(costs, matched, index);
  }
  return NO_COSTS;
}

/**
 * Returns one or two ways to split a search term into words, in the order in which the search tries them.
 * The first treats each measure as one word ("6ft" for "6 ft").
 * The last treats "6 ft" as two words, because "ft" can be the start of another word.
 */
function listReadings(term: string, index: WordIndexes): readonly (readonly string[])[] {
  const withMeasures = splitMeasures(term, index);
  return [...(withMeasures ? [withMeasures] : []), splitWords(term)];
}

/**
 * Finds the products that match each word, except filler words.
 * `match`: the function that finds the products for one word.
 */
function* matchWords(words: readonly string[], match: typeof matchWord, index: WordIndexes): Steps<MatchedWords> {
  const all = [...new Set(words)];
  const required = withoutFillers(all);
  const separate = yield* mapInSteps(required, (word) => match(word, index));
  const costs = yield* addJoined({ all, required }, separate, index);
  index.trace?.setWords(required, costs);
  return { all, required, costs };
}

/**
 * Lowers the cost of a product by `FILLER_BONUS` for each filler word (such as "the") that the product contains.
 * If the search term has two words and enough products contain its filler word (see `FILLER_SHARE`), returns only these
 * products.
 */
function* preferFillers(costs: Costs, { all, required }: TermWords, index: WordIndexes): Steps<Costs> {
  const words = all.filter((word) => !required.includes(word));
  const fillers = yield* mapInSteps(words, function* (word) {
    const match = all.length === 2 || word === all.at(-1) ? matchBeginning : matchExact;
    return { word, costs: yield* match(word, index) };
  });
  const [filler] = fillers;
  if (!filler) return costs;
  if (all.length === 2) {
    const both = yield* intersectCosts([costs, filler.costs]);
    if (both.size > costs.size * FILLER_SHARE) {
      index.trace?.addWords([filler]);
      return both;
    }
  }
  index.trace?.addWords(fillers.map((one) => ({ ...one, bonus: FILLER_BONUS })));
  const countFillers = (product: number) => fillers.filter((one) => one.costs.has(product)).length;
  return yield* mapCosts(costs, (cost, product) => cost - FILLER_BONUS * countFillers(product));
}

/**
 * Splits a search term into words, but keeps each measure that products contain as one word ("6ft" for "6 ft").
 * Returns undefined if the term has no such measure.
 */
function splitMeasures(term: string, { vocabulary }: WordIndexes): readonly string[] | undefined {
  const measures = findMeasures(term).filter(({ word }) => vocabulary.getId(word) !== undefined);
  if (measures.length === 0) return undefined;
  const starts = [0, ...measures.map(({ end }) => end)];
  return [...measures, { word: '', start: term.length }].flatMap(({ word, start }, at) => [
    ...splitWords(term.slice(starts[at], start)),
    ...(word === '' ? [] : [word]),
  ]);
}

/**
 * Adds products to the matches of the search words: products that contain adjacent words as one word ("headphones" for
 * "head phones"), or a synonym of adjacent words.
 * Returns the matches of each required word.
 */
function* addJoined({ all, required }: TermWords, costsOfWords: readonly Costs[], index: WordIndexes) {
  const joined = required.map((_, at) => [costsOfWords[at] ?? NO_COSTS]);
  for (let start = 0; start < all.length; start++) {
    for (let end = start + 2; end <= Math.min(all.length, start + MAX_PARTS); end++) {
      const parts = all.slice(start, end);
      const costs = yield* getProductCosts(findWordForms(parts.join(''), index.vocabulary), index);
      for (const word of parts) index.trace?.addMatch({ word, by: 'joined words', costs });
      const synonyms = yield* matchSynonyms(parts.join(' '), parts, index);
      for (const part of parts) joined[required.indexOf(part)]?.push(costs, synonyms);
    }
    yield;
  }
  return yield* mapInSteps(joined, mergeCosts);
}

/**
 * Returns the products that match all words, even if words are misspelled.
 * If there are none, returns the products that match most words.
 */
function* relax({ required, costs: costsOfWords }: MatchedWords, index: WordIndexes): Steps<Costs> {
  // No product matches all words.
  // So a word may be misspelled even if it matches the start or the middle of a word in the catalogue.
  const withTypos = yield* mapInSteps([...costsOfWords.entries()], function* ([at, costs]) {
    return yield* mergeCosts([costs, yield* matchTypo(required[at] ?? '', index)]);
  });
  const all = yield* intersectCosts(withTypos);
  index.trace?.setWords(required, all.size === 0 ? costsOfWords : withTypos);
  return all.size === 0 ? yield* getPartialMatches(costsOfWords) : all;
}

/**
 * Adds products that lack one word of the search term, if few products contain all words (see `FILL`).
 * Adds none if a product contains the whole term.
 */
function* fillUp(term: string, costs: Costs, costsOfWords: readonly Costs[], { texts }: WordIndexes): Steps<Costs> {
  if (costsOfWords.length < FILL.minWords || costs.size >= FILL.maxResults) return costs;
  if ((yield* texts.findContaining(term)).length > 0) return costs;
  yield;
  return yield* mergeCosts([costs, yield* getAlmostMatches(costsOfWords)]);
}

/**
 * Returns the products that contain the whole search term, either in the name or in the list of keywords (joined by
 * commas).
 */
function* matchLiterally(term: string, { texts, trace }: WordIndexes): Steps<Costs> {
  const costs = new Map((yield* texts.findContaining(term)).map((product) => [product, LITERAL_COST]));
  trace?.addMatch({ word: term, by: 'text', costs });
  return costs;
}

/** Returns the products that match a search term, the most relevant first. */
type Search = (term: string) => readonly Product[];

/** The search indexes of a list of products. They do not depend on the search term or the synonyms. */
type SearchIndex = Omit<WordIndexes, 'synonyms' | 'trace'>;

/** The maximum length of a search term, in characters. Longer terms are truncated. */
export const MAX_TERM_LENGTH = 512;

/** The search indexes of each list of products. A value is a promise until the indexes are complete. */
const indexes = new WeakMap<readonly Product[], SearchIndex | Promise<SearchIndex>>();

/**
 * Returns a function that searches a list of products.
 * Builds the search indexes of the list first, without a pause, if they do not exist yet.
 */
export function getSearch(products: readonly Product[], synonyms = NO_SYNONYMS): Search {
  let index = indexes.get(products);
  if (index === undefined || index instanceof Promise) {
    index = runAtOnce(createIndex(products));
    indexes.set(products, index);
  }
  const ready = { ...index, synonyms };
  return (term) => runAtOnce(search(products, term, ready));
}

/**
 * Builds the search indexes of a list of products, so that the first search is not slow.
 * The server handles other requests in the meantime.
 */
export async function prepareSearch(products: readonly Product[]): Promise<void> {
  await getIndexInSlices(products);
}

/** Searches a long list of products. The server handles other requests in the meantime. */
export async function searchInSlices(
  products: readonly Product[],
  term: string,
  synonyms = NO_SYNONYMS,
): Promise<readonly Product[]> {
  return runInSlices(search(products, term, { ...(await getIndexInSlices(products)), synonyms }));
}

/**
 * Returns the search indexes of a list of products.
 * If they do not exist yet, builds them in slices of a few milliseconds.
 * Concurrent calls with the same list get the same promise.
 */
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
  const vocabulary = yield* createVocabulary(products);
  return {
    vocabulary,
    texts: yield* createTextIndex(products),
    order: yield* createProductOrder(products, vocabulary),
  };
}

/**
 * Explains a search: the words in the product texts that match each search word, and the parts of each result's cost.
 * A result with a lower cost is more relevant.
 */
export async function explainSearch(
  products: readonly Product[],
  search: ExplainedSearch,
  synonyms = NO_SYNONYMS,
): Promise<SearchExplanation> {
  const trace = new SearchTrace();
  const index = { ...(await getIndexInSlices(products)), synonyms, trace };
  const term = foldTerm(search.term);
  const results = await runInSlices(findResults(products, term, index));
  return runInSlices(explainResults({ products, term, trace, index, ...results }, search.limit));
}

/** Searches the names and keywords of products. A blank search term finds all products. */
function* search(products: readonly Product[], term: string, index: WordIndexes): Steps<readonly Product[]> {
  const folded = foldTerm(term);
  if (folded === '') return products;
  const { ranked } = yield* findResults(products, folded, index);
  return ranked.map((product) => products[product] as Product);
}

function foldTerm(term: string): string {
  return foldText(term.slice(0, MAX_TERM_LENGTH)).trim();
}

/**
 * Returns the cost of each product that matches a search term, and the indexes of these products, the most relevant
 * first.
 * The term must be in lower case and without accents.
 */
function* findResults(products: readonly Product[], term: string, index: WordIndexes) {
  const costs = term === '' ? NO_COSTS : yield* matchTerm(term, index);
  const ranked = yield* rankResults(term, costs, index.order, (product) => products[product]?.name ?? '');
  yield;
  return { costs, ranked };
}
