import type { Candidate } from './candidates.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The costs of the products that match, by their indexes in the catalogue. The lower the cost, the more relevant the product. */
export type Costs = ReadonlyMap<number, number>;

/** The cost of a tier: more than any distance within it plus the cost of a keyword match. */
export const TIER_COST = 8;
const KEYWORD_COST = 4;

/** Returns the costs of the products that contain a candidate: the tier counts first, then name before keywords, then the distance. */
export function getProductCosts(candidates: readonly Candidate[], vocabulary: Vocabulary): Costs {
  const costs = new Map<number, number>();
  for (const { id, tier, distance } of candidates) {
    for (const posting of vocabulary.getPostings(id)) {
      const product = posting >> 1;
      const cost = tier * TIER_COST + (posting & 1) * KEYWORD_COST + distance;
      const known = costs.get(product);
      if (known === undefined || cost < known) costs.set(product, cost);
    }
  }
  return costs;
}

/** Returns the products that match all search words, with the sums of their costs. */
export function intersectCosts(costsOfWords: readonly Costs[]): Costs {
  const [fewest, ...others] = costsOfWords.toSorted((costs, other) => costs.size - other.size);
  if (!fewest || others.length === 0) return fewest ?? new Map();
  const sums = new Map<number, number>();
  for (const [product, cost] of fewest) {
    let sum = cost;
    for (const other of others) sum += other.get(product) ?? Number.NaN;
    if (!Number.isNaN(sum)) sums.set(product, sum);
  }
  return sums;
}

/** Returns the products that match the highest number of search words, if that is more than half of them. */
export function getPartialMatches(costsOfWords: readonly Costs[]): Costs {
  const matches = new Map<number, { count: number; cost: number }>();
  for (const costs of costsOfWords) {
    for (const [product, cost] of costs) {
      const known = matches.get(product) ?? { count: 0, cost: 0 };
      matches.set(product, { count: known.count + 1, cost: known.cost + cost });
    }
  }
  const highest = Math.max(0, ...[...matches.values()].map(({ count }) => count));
  if (highest * 2 <= costsOfWords.length) return new Map();
  return new Map([...matches].flatMap(([product, { count, cost }]) => (count === highest ? [[product, cost]] : [])));
}

/** Returns all products with the lowest of their costs. */
export function mergeCosts(all: readonly Costs[]): Costs {
  const [first, ...others] = all.filter(({ size }) => size > 0);
  if (!first || others.length === 0) return first ?? new Map();
  const merged = new Map(first);
  for (const costs of others)
    for (const [product, cost] of costs) merged.set(product, Math.min(cost, merged.get(product) ?? cost));
  return merged;
}

/** Costs are rounded to multiples of this. */
const PRECISION = 1 / 1_024;

/** Returns the indexes of the products by ascending cost; products with equal costs in the order of the catalogue. */
export function rankProducts(costs: Costs): readonly number[] {
  let count = 1;
  for (const product of costs.keys()) count = Math.max(count, product + 1);
  // Numbers that encode the cost and the index sort many times faster than pairs.
  const keys = new Float64Array(costs.size);
  let at = 0;
  for (const [product, cost] of costs) keys[at++] = Math.round(cost / PRECISION) * count + product;
  return Array.from(keys.sort(), (key) => key % count);
}
