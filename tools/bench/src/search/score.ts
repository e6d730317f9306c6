import type { Item } from './catalogue.ts';
import type { Find } from './engines.ts';
import type { Query } from './families.ts';
import type { Relevance } from './relevance.ts';

/** The relevance and the speed of a search engine. Recall, precision, F1 and MRR are means over all queries with a meaning. p50 and p99 are times, in ms. */
export interface Score {
  readonly queries: number;
  readonly recall: number;
  readonly precision: number;
  readonly f1: number;
  /** The mean reciprocal rank of the first wanted product. */
  readonly mrr: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The relevance and the time of one search. `isFalseHit`: whether a query without a meaning has found products. */
export interface QueryResult {
  readonly query: Query;
  readonly recall: number;
  readonly precision: number;
  readonly reciprocalRank: number;
  readonly isFalseHit: boolean;
  readonly ms: number;
}

/** A query that takes longer than this time, in ms, runs only once. */
const SLOW_MS = 5;

/**
 * Runs a query up to four times, and compares the result with the relevant items. `ms` is the time of the fastest run. A query that takes more than 5 ms
 * runs once.
 */
export function evaluateQuery(find: Find, query: Query, { wanted, right }: Relevance): QueryResult {
  let ms = Number.POSITIVE_INFINITY;
  let result: readonly Item[] = [];
  for (let time = 0; time < 4 && (time === 0 || ms < SLOW_MS); time++) {
    const startedMs = performance.now();
    result = find(query.term);
    ms = Math.min(ms, performance.now() - startedMs);
  }
  const isRight = result.filter((item) => right.has(item) || wanted.has(item)).length;
  const first = result.findIndex((item) => wanted.has(item));
  return {
    query,
    recall: wanted.size === 0 ? 1 : result.filter((item) => wanted.has(item)).length / wanted.size,
    precision: result.length === 0 ? (wanted.size === 0 ? 1 : 0) : isRight / result.length,
    reciprocalRank: first < 0 ? 0 : 1 / (first + 1),
    isFalseHit: query.meaning.kind === 'none' && result.length > 0,
    ms,
  };
}

/** Returns the score of a search engine for all queries. Only queries with a meaning count for recall, precision and rank. */
export function getScore(all: readonly QueryResult[]): Score {
  const meaningful = all.filter(({ query }) => query.meaning.kind !== 'none');
  const mean = (value: (one: QueryResult) => number) =>
    meaningful.reduce((sum, one) => sum + value(one), 0) / Math.max(1, meaningful.length);
  const [recall, precision] = [mean((one) => one.recall), mean((one) => one.precision)];
  const times = all.map(({ ms }) => ms).sort((one, other) => one - other);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return {
    queries: all.length,
    recall,
    precision,
    f1: (2 * recall * precision) / (recall + precision || 1),
    mrr: mean((one) => one.reciprocalRank),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}

/** Returns the fraction of the queries without a meaning that have found products, from 0 to 1. */
export function falseHits(all: readonly QueryResult[]): number {
  const nothing = all.filter(({ query }) => query.meaning.kind === 'none');
  return nothing.filter(({ isFalseHit }) => isFalseHit).length / Math.max(1, nothing.length);
}
