import type { Steps } from '../../util/slices.ts';
import { foldText, splitWords } from './fold-text.ts';
import type { ProductOrder } from './product-order.ts';
import type { Costs } from './ranking.ts';

/** Costs are rounded to a multiple of this value before they are compared. */
const PRECISION = 1 / 1_024;

/** The lowest possible cost of a product. A cost can be negative because of bonuses. */
const LOWEST_COST = -64;

/**
 * The number of results that can get a bonus for containing the whole search term in the name.
 * Only the most relevant results are compared with the term.
 */
export const COMPARED = 128;

/**
 * The bonus of a product whose name contains the whole search term.
 * It is subtracted from the cost.
 * It exceeds the difference between an exact match and a prefix match.
 */
const PHRASE_BONUS = 17;

/**
 * Returns the indexes of the found products, the most relevant first.
 * Sorts by cost (the lowest first), then by rating.
 * A product ranks higher if its name contains all words of the search term next to each other.
 */
export function* rankResults(
  term: string,
  costs: Costs,
  order: ProductOrder,
  getName: (product: number) => string,
): Steps<readonly number[]> {
  const ranked = yield* sortByCost(costs, order);
  if (ranked.length < 2) return ranked;
  const getBonus = createPhraseBonus(term);
  if (!getBonus) return ranked;
  const first = ranked
    .slice(0, COMPARED)
    .map((product) => [product, (costs.get(product) ?? 0) - getBonus(getName(product))] as const);
  const compared = yield* sortByCost(new Map(first), order);
  return [...compared, ...ranked.slice(COMPARED)];
}

/**
 * Creates a function that returns the bonus of a product name: `PHRASE_BONUS` if the name contains the words of the
 * search term next to each other, otherwise
 * 0. Returns undefined if the term has fewer than two words.
 */
export function createPhraseBonus(term: string): ((name: string) => number) | undefined {
  const words = splitWords(term);
  if (words.length < 2) return undefined;
  const phrases = [` ${words.join(' ')}`, ` ${words.join('')}`];
  return (name) => {
    const text = ` ${splitWords(foldText(name)).join(' ')}`;
    return phrases.some((phrase) => text.includes(phrase)) ? PHRASE_BONUS : 0;
  };
}

function* sortByCost(costs: Costs, { places, products }: ProductOrder): Steps<readonly number[]> {
  // Each key is one number for the cost and the place by rating. Numbers sort many times faster than pairs.
  const keys = new Float64Array(costs.size);
  let at = 0;
  for (const [product, cost] of costs)
    keys[at++] = Math.round((cost - LOWEST_COST) / PRECISION) * places.length + (places[product] as number);
  yield;
  keys.sort();
  yield;
  return Array.from(keys, (key) => products[key % places.length] as number);
}
