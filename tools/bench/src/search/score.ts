import type { Item } from './catalogue.ts';
import type { Find } from './engines.ts';
import type { Query } from './families.ts';
import type { Relevance } from './relevance.ts';

/** How well an engine answers some queries: means over them. */
export interface Score {
  readonly queries: number;
  readonly recall: number;
  readonly precision: number;
  readonly f1: number;
  /** Mean reciprocal rank of the first product that is wanted. */
  readonly mrr: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** What one query was answered with. */
export interface Judged {
  readonly query: Query;
  readonly recall: number;
  readonly precision: number;
  readonly reciprocalRank: number;
  readonly isFalseHit: boolean;
  readonly ms: number;
}

/** An answer that takes longer than this, in ms, is not asked for again. */
const SLOW_MS = 5;

/** Asks a query four times, of which the quickest counts, or once where that takes long, and judges the answer. */
export function judged(find: Find, query: Query, { wanted, right }: Relevance): Judged {
  let ms = Number.POSITIVE_INFINITY;
  let answer: readonly Item[] = [];
  for (let time = 0; time < 4 && (time === 0 || ms < SLOW_MS); time++) {
    const startedMs = performance.now();
    answer = find(query.term);
    ms = Math.min(ms, performance.now() - startedMs);
  }
  const isRight = answer.filter((item) => right.has(item) || wanted.has(item)).length;
  const first = answer.findIndex((item) => wanted.has(item));
  return {
    query,
    recall: wanted.size === 0 ? 1 : answer.filter((item) => wanted.has(item)).length / wanted.size,
    precision: answer.length === 0 ? (wanted.size === 0 ? 1 : 0) : isRight / answer.length,
    reciprocalRank: first < 0 ? 0 : 1 / (first + 1),
    isFalseHit: query.meaning.kind === 'none' && answer.length > 0,
    ms,
  };
}

/** The score over queries, those left out that mean nothing: of these counts how many were answered with something. */
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

/** The share of the queries that mean nothing that were answered with something. */
export function falseHits(all: readonly Judged[]): number {
  const nothing = all.filter(({ query }) => query.meaning.kind === 'none');
  return nothing.filter(({ isFalseHit }) => isFalseHit).length / Math.max(1, nothing.length);
}
