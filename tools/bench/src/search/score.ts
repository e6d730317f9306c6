import type { Item } from './catalogue.ts';
import type { Find } from './engines.ts';
import type { Query } from './families.ts';
import type { Relevance } from './relevance.ts';

/** The quality of the results of an engine: means over all queries that have a meaning. */
export interface Score {
  readonly queries: number;
  readonly recall: number;
  readonly precision: number;
  readonly f1: number;
  /** Mean reciprocal rank of the first wanted product. */
  readonly mrr: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The quality of the result of one query. */
export interface Judged {
  readonly query: Query;
  readonly recall: number;
  readonly precision: number;
  readonly reciprocalRank: number;
  readonly isFalseHit: boolean;
  readonly ms: number;
}

/** A query that takes longer, in ms, is not repeated. */
const SLOW_MS = 5;

/** Runs a query four times and compares the result with the relevant items. The fastest run counts. A slow query runs only once. */
export function judged(find: Find, query: Query, { wanted, right }: Relevance): Judged {
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

/** Returns the score of an engine. Recall, precision and rank are computed without the queries that mean nothing. */
export function scoreOf(all: readonly Judged[]): Score {
  const meaningful = all.filter(({ query }) => query.meaning.kind !== 'none');
  const mean = (value: (one: Judged) => number) =>
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

/** Returns the share of false hits: of the queries that mean nothing, the share with a result that is not empty. */
export function falseHits(all: readonly Judged[]): number {
  const nothing = all.filter(({ query }) => query.meaning.kind === 'none');
  return nothing.filter(({ isFalseHit }) => isFalseHit).length / Math.max(1, nothing.length);
}
