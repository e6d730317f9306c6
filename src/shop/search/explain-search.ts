import type { CostPart, ExplainedResult, ExplainedWord, SearchExplanation } from '../../application-views.ts';
import type { Steps } from '../../util/slices.ts';
import type { Product } from '../types.ts';
import { explainWord, listWordMatches, suggestWord, WORD_BONUS_TITLE } from './explain-word.ts';
import type { WordIndexes } from './match-word.ts';
import type { Costs } from './ranking.ts';
import { COMPARED, createPhraseBonus } from './result-order.ts';
import type { SearchTrace } from './trace.ts';

/**
 * The results of a search that is to be explained. `term`: the search term in lower case and without accents. `trace`: the products that each word matched, and
 * why. `ranked`: the indexes of the found products, the most relevant first.
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
 * Explains why a search returned its results: the matches of each search word, and the parts of each result's cost. A result with a lower cost is more
 * relevant. `limit`: the maximum number of explained results.
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
