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

/** Returns the costs of the products that contain a candidate. The rank counts more than the field, and the field counts more than the distance. */
export function getProductCosts(
  candidates: readonly Candidate[],
  vocabulary: { getPostings(id: number): Int32Array },
): Costs {
  const costs = new Map<number, number>();
  for (const { id, rank, distance } of candidates) {
    for (const posting of vocabulary.getPostings(id)) {
      const product = posting >> 1;
      const cost = rank * RANK_COST + (posting & 1) * FIELD_COST + distance;
      const known = costs.get(product);
      if (known === undefined || cost < known) costs.set(product, cost);
    }
  }
  return costs;
}

/** Returns the products that match all search words. The cost of a product is the sum of its costs for the words. */
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

/** Returns the products that match the most search words. Returns no products if the best ones match at most half of the words. */
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

/** Returns the products of all maps, each with its lowest cost. */
export function mergeCosts(all: readonly Costs[]): Costs {
  const [first, ...others] = all.filter(({ size }) => size > 0);
  if (!first || others.length === 0) return first ?? new Map();
  const merged = new Map(first);
  for (const costs of others)
    for (const [product, cost] of costs) merged.set(product, Math.min(cost, merged.get(product) ?? cost));
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
