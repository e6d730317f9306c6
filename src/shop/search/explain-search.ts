import type { CostPart, ExplainedResult, ExplainedWord, SearchExplanation, WordMatch } from '../../application.ts';
import type { Steps } from '../../util/slices.ts';
import type { Product } from '../types.ts';
import type { SearchTrace, WordIndexes } from './match-word.ts';
import { COMPARED, createPhraseBonus } from './product-order.ts';
import { type Candidate, type Costs, FIELD_COST, MATCH_RANKS, RANK_COST, SEARCHED_FIELDS } from './ranking.ts';

/** The maximum number of matching words that the explanation of a search lists for each search word. */
const MAX_MATCHES = 20;

/**
 * If products contain the search word, a correction is suggested only if it is at least this many times as frequent.
 */
const FREQUENT_RATIO = 40;

/**
 * The title of a line in the explanation of a search: the bonus for an optional word, such as "the".
 * Products without the optional word also match, but rank lower.
 */
const WORD_BONUS_TITLE = 'an optional word';

/** The name of each kind of match by its rank, such as "prefix" for rank 2. */
const HOW = new Map<number, string>([
  ...Object.entries(MATCH_RANKS).map(([how, rank]) => [rank, how] as const),
  [MATCH_RANKS.number, 'singular or plural'],
  [MATCH_RANKS.infix, 'part'],
]);

/** A search to explain: the search index, and the matches that the search recorded. */
interface TracedSearch {
  readonly trace: SearchTrace;
  readonly index: WordIndexes;
}

/**
 * Splits the cost of a product for one search word into parts, each with a title.
 * A product with a lower cost is more relevant.
 * `product`: the index of the product.
 */
function explainWord(word: string, product: number, cost: number, { trace, index }: TracedSearch): readonly CostPart[] {
  const match = trace.getMatches(word).find(({ costs }) => costs.get(product) === cost);
  if (match === undefined) return [{ word, title: 'match', cost }];
  if (typeof match.by === 'string') return [{ word, title: match.by, cost }];
  const { candidate, field } = findBest(match.by, product, index);
  if (!candidate) return [{ word, title: 'match', cost }];
  const { id, rank, distance } = candidate;
  const parts = [
    { title: `${HOW.get(rank)}: ${index.vocabulary.words[id]}`, cost: rank * RANK_COST },
    { title: `in ${SEARCHED_FIELDS[field]}`, cost: field * FIELD_COST },
    { title: 'difference', cost: distance },
    { title: 'kind of product', cost: cost - rank * RANK_COST - field * FIELD_COST - distance },
  ];
  return parts.filter((part, at) => at < 2 || Math.abs(part.cost) > 1e-9).map((part) => ({ word, ...part }));
}

/**
 * Returns the best candidate in a product (the one with the lowest cost), and the index of the field that contains this
 * word.
 * A candidate is a word that matches the search word.
 * It is undefined if the product contains none.
 */
function findBest(candidates: readonly Candidate[], product: number, { vocabulary }: WordIndexes) {
  let best: { readonly candidate?: Candidate; readonly field: number; readonly cost: number } = {
    field: 0,
    cost: Number.POSITIVE_INFINITY,
  };
  for (const candidate of candidates) {
    const field = findField(vocabulary.getPostings(candidate.id), product);
    if (field === undefined) continue;
    const cost = candidate.rank * RANK_COST + field * FIELD_COST + candidate.distance;
    if (cost < best.cost) best = { candidate, field, cost };
  }
  return best;
}

/**
 * Returns the index of the product field that contains a word: 0 for the name, 1 for the keywords.
 * Returns undefined if neither contains the word.
 * `postings`: the entries of the word in the inverted index.
 */
function findField(postings: Int32Array, product: number): number | undefined {
  const posting = postings.find((one) => one >> 1 === product);
  return posting === undefined ? undefined : posting & 1;
}

/** Returns the words in the product texts that match a search word, the best matches first. */
function listWordMatches(word: string, trace: SearchTrace, { vocabulary }: WordIndexes): readonly WordMatch[] {
  const sorted = listCandidates(word, trace).toSorted(
    (one, other) => one.rank - other.rank || one.distance - other.distance,
  );
  return sorted.slice(0, MAX_MATCHES).map(({ id, rank, distance }) => ({
    text: vocabulary.words[id] ?? '',
    how: HOW.get(rank) ?? '',
    distance,
    entries: vocabulary.getPostings(id).length,
  }));
}

function listCandidates(word: string, trace: SearchTrace): readonly Candidate[] {
  const all = trace.getMatches(word).flatMap(({ by }) => (typeof by === 'string' ? [] : by));
  return [...new Map(all.map((candidate) => [candidate.id, candidate])).values()];
}

/**
 * Returns the corrected spelling of a search word: the closest word in the product texts.
 * Returns the search word itself if there is no correction.
 * A search word that products contain is only replaced with a much more frequent word.
 */
function suggestWord(word: string, trace: SearchTrace, { vocabulary }: WordIndexes): string {
  const candidates = listCandidates(word, trace);
  const count = ({ id }: Candidate) => vocabulary.getPostings(id).length;
  const isKnown =
    candidates.some(({ rank }) => rank <= MATCH_RANKS.infix) ||
    trace.getMatches(word).some(({ by }) => typeof by === 'string');
  const minimum = isKnown
    ? FREQUENT_RATIO *
      candidates.filter(({ rank }) => rank <= MATCH_RANKS.infix).reduce((sum, one) => sum + count(one), 0)
    : 1;
  const [best] = candidates
    .filter((one) => one.rank > MATCH_RANKS.infix && minimum > 0 && count(one) >= minimum)
    .toSorted((one, other) => one.distance - other.distance || count(other) - count(one));
  return best ? (vocabulary.words[best.id] ?? word) : word;
}

/**
 * The results of a search that is to be explained.
 * `term`: the search term in lower case and without accents.
 * `trace`: the products that each word matched, and why.
 * `ranked`: the indexes of the found products, the most relevant first.
 */
interface FinishedSearch {
  readonly products: readonly Product[];
  readonly term: string;
  readonly trace: SearchTrace;
  readonly index: WordIndexes;
  readonly costs: Costs;
  readonly ranked: readonly number[];
}

/**
 * Explains why a search returned its results: the matches of each search word, and the parts of each result's cost.
 * A result with a lower cost is more relevant.
 * `limit`: the maximum number of explained results.
 */
export function* explainResults(search: FinishedSearch, limit: number): Steps<SearchExplanation> {
  const { term, trace, index, ranked } = search;
  const getPhraseBonus = createPhraseBonus(term) ?? (() => 0);
  const results: ExplainedResult[] = [];
  for (const [place, position] of ranked.slice(0, limit).entries()) {
    // The search gives this bonus only to its first `COMPARED` results, and not to a single result.
    const bonus = place < COMPARED && ranked.length > 1 ? getPhraseBonus(search.products[position]?.name ?? '') : 0;
    results.push(explainResult(search, position, bonus));
    yield;
  }
  const words = trace.words.map(
    ({ word, costs, bonus }): ExplainedWord => ({
      word,
      isOptional: bonus !== undefined,
      entries: costs.size,
      matches: listWordMatches(word, trace, index),
    }),
  );
  const corrected = trace.words.map(({ word }) => [word, suggestWord(word, trace, index)] as const);
  const suggestion = corrected.reduce((text, [word, better]) => replaceWord(text, word, better), term);
  return { total: ranked.length, ...(suggestion !== term && { suggestion }), words, results };
}

/** Replaces each occurrence of `word` in a search term with `better`. */
function replaceWord(term: string, word: string, better: string): string {
  return word === better
    ? term
    : term
        .split(/(?<![\p{L}\p{N}])(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])(?![\p{L}\p{N}])/u)
        .map((part) => (part === word ? better : part))
        .join('');
}

/** The maximum difference of two costs that count as equal. It allows for rounding errors. */
const EPSILON = 1e-6;

function explainResult(search: FinishedSearch, position: number, phraseBonus: number): ExplainedResult {
  const { term, trace, costs } = search;
  const total = costs.get(position) ?? 0;
  const bonuses = trace.words.flatMap(({ word, bonus, costs: own }): CostPart[] =>
    bonus !== undefined && own.has(position) ? [{ word, title: WORD_BONUS_TITLE, cost: -bonus }] : [],
  );
  const parts = trace.words.flatMap(({ word, bonus, costs: own }) => {
    const cost = bonus === undefined ? own.get(position) : undefined;
    return cost === undefined ? [] : explainWord(word, position, cost, search);
  });
  const difference = total - getSum([...parts, ...bonuses]);
  const text = trace.getMatches(term).find(({ by, costs: own }) => by === 'text' && own.has(position));
  const isByText = text !== undefined && Math.abs(difference) > EPSILON;
  const shown = isByText
    ? [{ title: 'the whole term in the name or the keywords', cost: text.costs.get(position) ?? 0 }]
    : [...parts, ...(Math.abs(difference) > EPSILON ? [{ title: 'a word is missing', cost: difference }] : [])];
  const phrase = phraseBonus > 0 ? [{ title: 'the whole term in the name', cost: -phraseBonus }] : [];
  const all = [...shown, ...bonuses, ...phrase].map((part) => ({ ...part, cost: round(part.cost) }));
  return { position, cost: round(total - phraseBonus), parts: all };
}

/** Rounds a cost to six decimals, because sums have rounding errors. */
function round(cost: number): number {
  return Number(cost.toFixed(6));
}

function getSum(parts: readonly CostPart[]): number {
  return parts.reduce((sum, { cost }) => sum + cost, 0);
}
