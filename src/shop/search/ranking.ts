import type { Candidate } from './candidates.ts';
import type { Vocabulary } from './vocabulary.ts';

/** How much each product costs for a word of the search, by its place in the catalogue; those without it don't have the word. */
export type Costs = ReadonlyMap<number, number>;

/** What a tier costs: more than any effort within it and the step from name to keywords. */
export const TIER = 8;
const KEYWORDS = 4;

/** The products that have one of the candidates, and what they cost: the tier counts first, then name before keywords, then the effort. */
export function costsOf(candidates: readonly Candidate[], vocabulary: Vocabulary): Costs {
  const costs = new Map<number, number>();
  for (const { id, tier, effort } of candidates) {
    for (const place of vocabulary.placesOf(id)) {
      const product = place >> 1;
      const cost = tier * TIER + (place & 1) * KEYWORDS + effort;
      const known = costs.get(product);
      if (known === undefined || cost < known) costs.set(product, cost);
    }
  }
  return costs;
}

/** What the products cost that have all words of a search. */
export function common(words: readonly Costs[]): Costs {
  const [fewest, ...others] = words.toSorted((one, other) => one.size - other.size);
  if (!fewest || others.length === 0) return fewest ?? new Map();
  const costs = new Map<number, number>();
  for (const [product, cost] of fewest) {
    let sum = cost;
    for (const other of others) sum += other.get(product) ?? Number.NaN;
    if (!Number.isNaN(sum)) costs.set(product, sum);
  }
  return costs;
}

/** What the products cost that have the most words of a search, and more than half of them; a word that lacks costs as much as a bad one. */
export function mostOf(words: readonly Costs[]): Costs {
  const counts = new Map<number, { count: number; cost: number }>();
  for (const word of words) {
    for (const [product, cost] of word) {
      const known = counts.get(product) ?? { count: 0, cost: 0 };
      counts.set(product, { count: known.count + 1, cost: known.cost + cost });
    }
  }
  const most = Math.max(0, ...[...counts.values()].map(({ count }) => count));
  if (most * 2 <= words.length) return new Map();
  return new Map([...counts].flatMap(([product, { count, cost }]) => (count === most ? [[product, cost]] : [])));
}

/** The least that each product costs. */
export function cheapest(all: readonly Costs[]): Costs {
  const [first, ...others] = all.filter(({ size }) => size > 0);
  if (!first || others.length === 0) return first ?? new Map();
  const costs = new Map(first);
  for (const one of others)
    for (const [product, cost] of one) costs.set(product, Math.min(cost, costs.get(product) ?? cost));
  return costs;
}

/** Costs that differ by less are the same. */
const FINENESS = 1 / 1_024;

/** The places of the products, the cheapest first; of those that cost the same, in the order of the catalogue. */
export function rankProducts(costs: Costs): readonly number[] {
  let count = 1;
  for (const place of costs.keys()) count = Math.max(count, place + 1);
  // Cost and place in one number: such are sorted many times as quickly as pairs.
  const keys = new Float64Array(costs.size);
  let at = 0;
  for (const [place, cost] of costs) keys[at++] = Math.round(cost / FINENESS) * count + place;
  return Array.from(keys.sort(), (key) => key % count);
}
