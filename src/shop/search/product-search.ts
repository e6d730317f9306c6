import type { ExplainedSearch, SearchExplanation } from '../../application-views.ts';
import { runAtOnce, runInSlices, type Steps } from '../../util/slices.ts';
import type { Product } from '../types.ts';
import { explainResults } from './explain-search.ts';
import { foldText } from './fold-text.ts';
import { matchTerm } from './match-term.ts';
import type { WordIndexes } from './match-word.ts';
import { createProductOrder } from './product-order.ts';
import { NO_COSTS } from './ranking.ts';
import { rankResults } from './result-order.ts';
import { NO_SYNONYMS } from './synonyms.ts';
import { createTextIndex } from './texts.ts';
import { SearchTrace } from './trace.ts';
import { createVocabulary } from './vocabulary.ts';

/** Returns the products that match a search term, the most relevant first. */
type Search = (term: string) => readonly Product[];

/** The search indexes of a list of products. They do not depend on the search term or the synonyms. */
type SearchIndex = Omit<WordIndexes, 'synonyms' | 'trace'>;

/** The maximum length of a search term, in characters. Longer terms are truncated. */
export const MAX_TERM_LENGTH = 512;

/** The search indexes of each list of products. A value is a promise until the indexes are complete. */
const indexes = new WeakMap<readonly Product[], SearchIndex | Promise<SearchIndex>>();

/** Returns a function that searches a list of products. Builds the search indexes of the list first, without a pause, if they do not exist yet. */
export function getSearch(products: readonly Product[], synonyms = NO_SYNONYMS): Search {
  let index = indexes.get(products);
  if (index === undefined || index instanceof Promise) {
    index = runAtOnce(createIndex(products));
    indexes.set(products, index);
  }
  const ready = { ...index, synonyms };
  return (term) => runAtOnce(search(products, term, ready));
}

/** Builds the search indexes of a list of products, so that the first search is not slow. The server handles other requests in the meantime. */
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
 * Returns the search indexes of a list of products. If they do not exist yet, builds them in slices of a few milliseconds. Concurrent calls with the same list
 * get the same promise.
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
 * Explains a search: the words in the product texts that match each search word, and the parts of each result's cost. A result with a lower cost is more
 * relevant.
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
 * Returns the cost of each product that matches a search term, and the indexes of these products, the most relevant first. The term must be in lower case and
 * without accents.
 */
function* findResults(products: readonly Product[], term: string, index: WordIndexes) {
  const costs = term === '' ? NO_COSTS : yield* matchTerm(term, index);
  const ranked = yield* rankResults(term, costs, index.order, (product) => products[product]?.name ?? '');
  yield;
  return { costs, ranked };
}
