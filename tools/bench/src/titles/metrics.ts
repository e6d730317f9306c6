import { createRandom } from '../../../../src/util/random.ts';
import type { Item } from '../search/catalogue.ts';

/** The metrics of the result of one query, each from 0 to 1. */
export interface Figures {
  /** The number of relevant products among the first ten, divided by the highest possible number. */
  readonly p10: number;
  /** 1 if the first product is relevant, otherwise 0. */
  readonly top1: number;
  /** 1 divided by the rank of the first relevant product; 0 if no product is relevant. */
  readonly mrr: number;
  readonly f1: number;
}

/** The names of the metrics. The first three rate the ranking of a result. */
export const METRICS = ['p10', 'top1', 'mrr', 'f1'] as const;

const FIRST = 10;

/** Returns the metrics of the result of one query. `found`: the result, in order. `relevant`: the relevant products, at least one. */
export function getFigures(found: readonly Item[], relevant: ReadonlySet<Item>): Figures {
  const isRelevant = (item: Item) => relevant.has(item);
  const first = found.findIndex(isRelevant);
  const hits = found.filter(isRelevant).length;
  return {
    p10: found.slice(0, FIRST).filter(isRelevant).length / Math.min(FIRST, relevant.size),
    top1: first === 0 ? 1 : 0,
    mrr: first < 0 ? 0 : 1 / (first + 1),
    f1: (2 * hits) / (found.length + relevant.size),
  };
}

/** Returns the mean of the values; 0 for an empty list. */
export function getMean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

const RESAMPLES = 2_000;

/** Returns the 95 % confidence interval of the mean of paired differences. Uses a bootstrap (B. Efron, 1979) with a fixed random seed. */
export function getInterval(differences: readonly number[]): readonly [low: number, high: number] {
  const random = createRandom(95);
  const means = Array.from({ length: RESAMPLES }, () =>
    getMean(Array.from(differences, () => random.pick(differences))),
  ).sort((one, other) => one - other);
  return [means[Math.floor(RESAMPLES * 0.025)] ?? 0, means[Math.floor(RESAMPLES * 0.975)] ?? 0];
}
