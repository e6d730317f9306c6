import { expect, it } from 'vitest';
import { searchOf } from '../../src/search/product-index.ts';
import { defaults, productId } from './default-data.ts';

const search = searchOf(defaults.products);

/** How the names of some products of the default data begin. */
export const NAMES = {
  KETTLE: 'Cordless Electric Kettle',
  HEADPHONES: 'Over-Ear Wireless Headphones',
  BASKETBALL: 'Deep-Grip Street Basketball',
  SOCKS: 'Cushioned Merino Wool',
  KEYBOARD: 'Compact Mechanical Keyboard',
  SUNGLASSES: 'Polarized Tortoiseshell',
  UMBRELLA: 'Windproof Walking Umbrella',
  CANDLE: 'Fig and Cedar',
  KNIFE: "Chef's Knife",
  RACKET: 'Graphite Tennis Racket',
  CAMERA: 'Compact Mirrorless Camera',
  HAMMER: 'Forged Steel Claw Hammer',
  LAMP: 'Stoneware Bedside Lamp',
  BLENDER: 'Countertop Blender',
  SHOES: 'Lightweight Trail Running',
  T_SHIRT: 'Organic Cotton Crew-Neck',
  YOGA_MAT: 'Non-Slip Natural Rubber',
  MUG: 'Hand-Glazed Breakfast Mug',
  HOODIE: "Women's Brushed Fleece",
} as const;

/** What is typed, and how the names begin of all that must be found, in this order. */
type Found = readonly [term: string, ...found: readonly string[]];

/** The ids of the products of the default data that a term finds. */
export function idsFoundBy(term: string): readonly string[] {
  return search(term).map(({ id }) => id);
}

/** Tests that each term finds just these products, in this order. */
export function finds(cases: readonly Found[]): () => void {
  return () =>
    it.each(cases.map(([term, ...found]) => ({ term, found })))('$term: $found', ({ term, found }) => {
      expect(idsFoundBy(term)).toEqual(found.map(productId));
    });
}

/** Tests that each term finds this product before all others. */
export function findsFirst(cases: readonly (readonly [term: string, first: string])[]): () => void {
  return () =>
    it.each(cases)('%s: %s', (term, first) => {
      expect(idsFoundBy(term)[0]).toBe(productId(first));
    });
}
