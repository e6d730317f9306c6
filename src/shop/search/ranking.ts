import type { Steps } from '../../util/slices.ts';

/**
 * The rank of each way in which a word can match a search word. The lowest rank is the most relevant. `number`: the word is the singular or plural of the
 * search word. `infix`: the word contains the search word.
 */
export const MATCH_RANKS = { exact: 0, number: 1, prefix: 2, infix: 3, misspelled: 4, abbreviated: 5 } as const;

/** The two searched fields of a product, the most relevant first. */
export const SEARCHED_FIELDS = ['name', 'keywords'] as const;

/** The additional cost of a match in the keywords. A match in the name has no additional cost. */
export const FIELD_COST = 4;

/**
 * The cost of a match is its rank times this value, plus the cost of the field and the distance. This value exceeds the sum of `FIELD_COST` and the maximum
 * distance.
 */
export const RANK_COST = 8;

/**
 * The amounts that are subtracted from the cost if the matching word says what kind of product it is ("kettle" in "Electric Kettle"), in the name or in the
 * first keyword. Their sum is less than `FIELD_COST`.
 */
const HEAD_BONUS = { name: 1, keyword: 2 };

/** The share of `HEAD_BONUS` for a misspelled or abbreviated word. It is small, because the distance is more important for these words. */
const FUZZY_SHARE = 0.005;

/** A word of the catalogue that matches a search word. */
export interface Candidate {
  /** The index of the word in the list of all words of the catalogue. */
  readonly id: number;
  readonly rank: number;
  /** The distance between the word and the search word: at least 0 and less than 4. */
  readonly distance: number;
}

/** The matching products: a map from the index of a product to its cost. A lower cost means a more relevant product. */
export type Costs = ReadonlyMap<number, number>;

/** The empty result: no product matches. */
export const NO_COSTS: Costs = new Map();

/** Functions that compute costs yield after this number of costs. */
const STEP_COSTS = 4_096;

/** The indexes that `getProductCosts` needs. */
interface CostIndexes {
  readonly vocabulary: { getPostings(id: number): Int32Array };
  readonly order: { readonly nameHeads: Int32Array; readonly keywordHeads: Int32Array };
}

/**
 * Returns the products that contain one of the matching words, with their costs. The cost depends on the rank of the match first, then on the field, then on
 * the distance. A word that says what kind of product it is (the last word in "Electric Kettle") costs less than other words of the same field.
 */
export function* getProductCosts(
  candidates: readonly Candidate[],
  { vocabulary, order: { nameHeads, keywordHeads } }: CostIndexes,
): Steps<Costs> {
  const costs = new Map<number, number>();
  let count = 0;
  for (const { id, rank, distance } of candidates) {
    const share = rank >= MATCH_RANKS.misspelled ? FUZZY_SHARE : 1;
    for (const posting of vocabulary.getPostings(id)) {
      const product = posting >> 1;
      const cost = rank * RANK_COST + (posting & 1) * FIELD_COST + distance;
      const known = costs.get(product);
      const bonus =
        (nameHeads[product] === id ? HEAD_BONUS.name : 0) + (keywordHeads[product] === id ? HEAD_BONUS.keyword : 0);
      if (bonus > 0) costs.set(product, Math.min(cost, known ?? cost) - share * bonus);
      else if (known === undefined || cost < known) costs.set(product, cost);
      if (++count % STEP_COSTS === 0) yield;
    }
  }
  return costs;
}

/** Calls a function for each product in each map. Yields after every `STEP_COSTS` products. */
function* visitCosts(all: readonly Costs[], visit: (product: number, cost: number) => void): Steps<void> {
  let count = 0;
  for (const costs of all) {
    for (const [product, cost] of costs) {
      visit(product, cost);
      if (++count % STEP_COSTS === 0) yield;
    }
  }
}

/** Returns the products with new costs, which `toCost` computes. Omits a product if `toCost` returns undefined. */
export function* mapCosts(costs: Costs, toCost: (cost: number, product: number) => number | undefined): Steps<Costs> {
  const mapped = new Map<number, number>();
  yield* visitCosts([costs], (product, cost) => {
    const result = toCost(cost, product);
    if (result !== undefined) mapped.set(product, result);
  });
  return mapped;
}

/** Returns the products that match all search words. The cost of a product is the sum of its costs for the words. */
export function* intersectCosts(costsOfWords: readonly Costs[]): Steps<Costs> {
  const [fewest, ...others] = costsOfWords.toSorted((costs, other) => costs.size - other.size);
  if (!fewest || others.length === 0) return fewest ?? NO_COSTS;
  return yield* mapCosts(fewest, (cost, product) => {
    let sum = cost;
    for (const other of others) sum += other.get(product) ?? Number.NaN;
    return Number.isNaN(sum) ? undefined : sum;
  });
}

/**
 * Returns the products that match the highest number of search words. Returns no products if this number is at most half of the words. The cost of a product is
 * the sum of its costs for the words.
 */
export function* getPartialMatches(costsOfWords: readonly Costs[]): Steps<Costs> {
  const counts = new Map<number, number>();
  const sums = new Map<number, number>();
  let highest = 0;
  yield* visitCosts(costsOfWords, (product, cost) => {
    const count = (counts.get(product) ?? 0) + 1;
    counts.set(product, count);
    sums.set(product, (sums.get(product) ?? 0) + cost);
    highest = Math.max(highest, count);
  });
  if (highest * 2 <= costsOfWords.length) return NO_COSTS;
  return yield* mapCosts(sums, (cost, product) => (counts.get(product) === highest ? cost : undefined));
}

/** The additional cost of a product that lacks one search word. It exceeds all other costs. */
const MISSING_COST = 1_024;

/**
 * Returns the products that match all search words except the word with the most matching products. A product may lack that word, because it is the least
 * selective word.
 */
export function* getAlmostMatches(costsOfWords: readonly Costs[]): Steps<Costs> {
  const bySelectivity = costsOfWords.toSorted((costs, other) => costs.size - other.size);
  const costs = yield* intersectCosts(bySelectivity.slice(0, -1));
  return yield* mapCosts(costs, (cost) => cost + MISSING_COST);
}

/** Returns the products of all maps. A product that is in several maps has its lowest cost. */
export function* mergeCosts(all: readonly Costs[]): Steps<Costs> {
  const [first, ...others] = all.filter(({ size }) => size > 0);
  if (!first || others.length === 0) return first ?? NO_COSTS;
  const merged = new Map<number, number>();
  yield* visitCosts([first, ...others], (product, cost) => {
    merged.set(product, Math.min(cost, merged.get(product) ?? cost));
  });
  return merged;
}
