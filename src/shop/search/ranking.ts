import type { Steps } from '../../util/slices.ts';

/**
 * The rank of each way in which a word can match a search word. The lowest rank is the most relevant. `number`: the word is the singular or plural of
 * the search word.
 */
export const MATCH_RANKS = { exact: 0, number: 1, prefix: 2, infix: 3, misspelled: 4, abbreviated: 5 } as const;

/** The two searched fields of a product, the most relevant first. */
export const SEARCHED_FIELDS = ['name', 'keywords'] as const;

/** The additional cost of a match in the less relevant field. */
const FIELD_COST = 4;

/** The additional cost of each rank. It exceeds the sum of `FIELD_COST` and any distance. */
export const RANK_COST = 8;

/** A word of the vocabulary that may match a search word. */
export interface Candidate {
  /** The index of the word in the vocabulary. */
  readonly id: number;
  readonly rank: number;
  /** The distance between the word and the search word: at least 0 and less than 4. */
  readonly distance: number;
}

/** The costs of the matching products, by their indexes in the catalogue. A product with a lower cost is more relevant. */
export type Costs = ReadonlyMap<number, number>;

/** The costs if no product matches. */
export const NO_COSTS: Costs = new Map();

/** The number of costs that are computed in a step. */
const STEP_COSTS = 4_096;

/** Returns the costs of the products that contain a candidate. The rank counts more than the field, and the field counts more than the distance. */
export function* getProductCosts(
  candidates: readonly Candidate[],
  vocabulary: { getPostings(id: number): Int32Array },
): Steps<Costs> {
  const costs = new Map<number, number>();
  let count = 0;
  for (const { id, rank, distance } of candidates) {
    for (const posting of vocabulary.getPostings(id)) {
      const product = posting >> 1;
      const cost = rank * RANK_COST + (posting & 1) * FIELD_COST + distance;
      const known = costs.get(product);
      if (known === undefined || cost < known) costs.set(product, cost);
      if (++count % STEP_COSTS === 0) yield;
    }
  }
  return costs;
}

/** Returns the products that match all search words. The cost of a product is the sum of its costs for the words. */
export function* intersectCosts(costsOfWords: readonly Costs[]): Steps<Costs> {
  const [fewest, ...others] = costsOfWords.toSorted((costs, other) => costs.size - other.size);
  if (!fewest || others.length === 0) return fewest ?? NO_COSTS;
  const sums = new Map<number, number>();
  let count = 0;
  for (const [product, cost] of fewest) {
    let sum = cost;
    for (const other of others) sum += other.get(product) ?? Number.NaN;
    if (!Number.isNaN(sum)) sums.set(product, sum);
    if (++count % STEP_COSTS === 0) yield;
  }
  return sums;
}

/** Returns the products that match the most search words. Returns no products if the best ones match at most half of the words. */
export function* getPartialMatches(costsOfWords: readonly Costs[]): Steps<Costs> {
  const counts = new Map<number, number>();
  const sums = new Map<number, number>();
  let highest = 0;
  let steps = 0;
  for (const costs of costsOfWords) {
    for (const [product, cost] of costs) {
      const count = (counts.get(product) ?? 0) + 1;
      counts.set(product, count);
      sums.set(product, (sums.get(product) ?? 0) + cost);
      highest = Math.max(highest, count);
      if (++steps % STEP_COSTS === 0) yield;
    }
  }
  if (highest * 2 <= costsOfWords.length) return NO_COSTS;
  return new Map([...sums].filter(([product]) => counts.get(product) === highest));
}

/** Returns the products of all maps, each with its lowest cost. */
export function* mergeCosts(all: readonly Costs[]): Steps<Costs> {
  const [first, ...others] = all.filter(({ size }) => size > 0);
  if (!first || others.length === 0) return first ?? NO_COSTS;
  const merged = new Map<number, number>();
  let count = 0;
  for (const costs of [first, ...others]) {
    for (const [product, cost] of costs) {
      merged.set(product, Math.min(cost, merged.get(product) ?? cost));
      if (++count % STEP_COSTS === 0) yield;
    }
  }
  return merged;
}

/** The unit of rounding. Costs that round to the same value are equal. */
const PRECISION = 1 / 1_024;

/** Returns the indexes of the products by ascending cost. Products with equal costs are in the order of the catalogue. */
export function rankProducts(costs: Costs): readonly number[] {
  let count = 1;
  for (const product of costs.keys()) count = Math.max(count, product + 1);
  // A number that encodes a cost and an index sorts many times faster than a pair.
  const keys = new Float64Array(costs.size);
  let at = 0;
  for (const [product, cost] of costs) keys[at++] = Math.round(cost / PRECISION) * count + product;
  return Array.from(keys.sort(), (key) => key % count);
}
