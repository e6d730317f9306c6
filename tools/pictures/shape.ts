import type { Outline, Point } from './outline.ts';
import { oval } from './outline.ts';

/** SVG markup of something painted. Shapes that are joined lie on one another, the last on top. */
export type Shape = string;

/** The outlines filled with one colour. */
export const fill = (color: string, ...outlines: readonly Outline[]): Shape =>
  `<path fill="${color}" d="${outlines.join('')}"/>`;

/** The outlines filled with one colour that lets what is beneath show through; `opacity` is 0 to 1. */
export const veil = (color: string, opacity: number, outline: Outline): Shape =>
  `<path fill="${color}" fill-opacity="${opacity}" d="${outline}"/>`;

/** A line along the outline, round at its ends and corners. */
export const stroke = (color: string, width: number, outline: Outline): Shape =>
  `<path fill="none" stroke="${color}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round" d="${outline}"/>`;

/** The shapes, seen only inside the outline. This is how bodies get their shading and their stripes. */
export function within(outline: Outline, ...shapes: readonly Shape[]): Shape {
  const id = `c${checksum(outline)}`;
  return `<clipPath id="${id}"><path d="${outline}"/></clipPath><g clip-path="url(#${id})">${shapes.join('')}</g>`;
}

/** The outline in one colour with the shapes on it, none of them reaching beyond it. */
export const solid = (outline: Outline, color: string, ...shapes: readonly Shape[]): Shape =>
  within(outline, fill(color, 'M-300-300h1200v1200h-1200z'), ...shapes);

/** The shapes turned clockwise about a point. */
export const turned = (degrees: number, [x, y]: Point, ...shapes: readonly Shape[]): Shape =>
  `<g transform="rotate(${degrees} ${x} ${y})">${shapes.join('')}</g>`;

/** The shapes moved and, when `scale` is given, enlarged from the origin first. */
export const moved = ([x, y]: Point, scale: number, ...shapes: readonly Shape[]): Shape =>
  `<g transform="translate(${x} ${y})${scale === 1 ? '' : `scale(${scale})`}">${shapes.join('')}</g>`;

/** The shapes and their mirror image about the vertical line at x = 300, the middle that products are drawn around. */
export const mirrored = (...shapes: readonly Shape[]): Shape =>
  `${shapes.join('')}<g transform="matrix(-1 0 0 1 600 0)">${shapes.join('')}</g>`;

/** The soft shadow on the ground beneath things that stand. Things that hang or lie flat have none. */
export const groundShadow = (center: Point, halfWidth: number): Shape =>
  veil('#232b3f', 0.12, oval(center, [halfWidth, 16]));

/**
 * A short name for an outline, the same on every run, so that a redrawn file is the same byte for byte
 * and two pictures put into one page do not share the names of their clip paths.
 * FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/
 */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return (hash >>> 0).toString(36);
}
