import type { Steps } from '../../util/slices.ts';

/**
 * The kinds of matches between a search word and a word of a product, from the most relevant (0) to the least relevant.
 * `number`: the word is the singular or plural of the search word.
 * `infix`: the search word is inside the word.
 */
export const MATCH_RANKS = { exact: 0, number: 1, prefix: 2, infix: 3, misspelled: 4, abbreviated: 5 } as const;

/** The two product fields that a search uses, the most relevant first. */
export const SEARCHED_FIELDS = ['name', 'keywords'] as const;

/**
 * The additional cost of a match in the keywords of a product.
 * A match in the name has none.
 * A lower cost means more relevant.
 */
export const FIELD_COST = 4;

/**
 * The cost that each rank in `MATCH_RANKS` adds: a match of rank 2 costs twice this value.
 * The field and the distance between the words together add less, so the rank decides first.
 */
export const RANK_COST = 8;

/**
 * The bonuses for a match with the word that says what kind of product it is, such as "kettle" in "Electric Kettle".
 * There is one bonus for the name and one for the first keyword.
 * They are subtracted from the cost, and their sum is less than `FIELD_COST`.
 */
const HEAD_BONUS = { name: 1, keyword: 2 };

/**
 * The share of `HEAD_BONUS` for a misspelled or abbreviated search word.
 * It is small, because the distance between the words is more important here.
 */
const FUZZY_SHARE = 0.005;

/** A word in the product texts that matches a search word. */
export interface Candidate {
  /** The index of the word in the list of all words in the product texts. */
  readonly id: number;
  readonly rank: number;
  /** How much the word differs from the search word: at least 0 and less than 4. */
  readonly distance: number;
}

/** The products that match, as a map from the index of a product to its cost. A lower cost means more relevant. */
export type Costs = ReadonlyMap<number, number>;

/** The result if no product matches. */
export const NO_COSTS: Costs = new Map();

/** The number of costs after which the functions of this module yield. */
const STEP_COSTS = 4_096;

/** The parts of the search index that `getProductCosts` uses. */
interface CostIndexes {
  readonly vocabulary: { getPostings(id: number): Int32Array };
  readonly order: { readonly nameHeads: Int32Array; readonly keywordHeads: Int32Array };
}

/**
 * Returns the products that contain at least one of the candidates, with their costs.
 * The cost depends first on the rank of the match, then on the field, then on the distance.
 * A word for the kind of product (the last word in "Electric Kettle") costs less than another word of the same field.
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

/** Calls `visit` for each product in each map. Yields after every `STEP_COSTS` products. */
function* visitCosts(all: readonly Costs[], visit: (product: number, cost: number) => void): Steps<void> {
  let count = 0;
  for (const costs of all) {
    for (const [product, cost] of costs) {
      visit(product, cost);
      if (++count % STEP_COSTS === 0) yield;
    }
  }
}

/** Returns a copy of a map with the costs that `toCost` computes. Omits a product if `toCost` returns undefined. */
export function* mapCosts(costs: Costs, toCost: (cost: number, product: number) => number | undefined): Steps<Costs> {
  const mapped = new Map<number, number>();
  yield* visitCosts([costs], (product, cost) => {
    const result = toCost(cost, product);
    if (result !== undefined) mapped.set(product, result);
  });
  return mapped;
}

/**
 * Returns the products that match all search words.
 * Adds up their costs for the single words.
 * `costsOfWords`: the matching products of each word.
 */
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
 * Returns the products that match as many search words as possible, but more than half of them.
 * Adds up their costs for the single words.
 * `costsOfWords`: the matching products of each word.
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

/** The additional cost of a product that lacks one search word. It is higher than any other cost. */
const MISSING_COST = 1_024;

/**
 * Returns the products that match all search words except the most common word.
 * The most common word is the one that matches the most products.
 * `costsOfWords`: the matching products of each word.
 */
export function* getAlmostMatches(costsOfWords: readonly Costs[]): Steps<Costs> {
  const bySelectivity = costsOfWords.toSorted((costs, other) => costs.size - other.size);
  const costs = yield* intersectCosts(bySelectivity.slice(0, -1));
  return yield* mapCosts(costs, (cost) => cost + MISSING_COST);
}

/** Combines several maps of products. A product that is in more than one map gets its lowest cost. */
export function* mergeCosts(all: readonly Costs[]): Steps<Costs> {
  const [first, ...others] = all.filter(({ size }) => size > 0);
  if (!first || others.length === 0) return first ?? NO_COSTS;
  const merged = new Map<number, number>();
  yield* visitCosts([first, ...others], (product, cost) => {
    merged.set(product, Math.min(cost, merged.get(product) ?? cost));
  });
  return merged;
}
