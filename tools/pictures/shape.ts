import type { Outline, Point } from './outline.ts';
import { oval } from './outline.ts';

/** The SVG markup of a painted shape. Shapes can be joined. The last shape is on top. */
export type Shape = string;

/** The outlines filled with one colour. */
export const fill = (color: string, ...outlines: readonly Outline[]): Shape =>
  `<path fill="${color}" d="${outlines.join('')}"/>`;

/** The outlines filled with one transparent colour. `opacity` is from 0 to 1. */
export const veil = (color: string, opacity: number, outline: Outline): Shape =>
  `<path fill="${color}" fill-opacity="${opacity}" d="${outline}"/>`;

/** A line along the outline, with round ends and corners. */
export const stroke = (color: string, width: number, outline: Outline): Shape =>
  `<path fill="none" stroke="${color}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round" d="${outline}"/>`;

/** The shapes, clipped to the outline. Used for shading and stripes. */
export function within(outline: Outline, ...shapes: readonly Shape[]): Shape {
  const id = `c${checksum(outline)}`;
  return `<clipPath id="${id}"><path d="${outline}"/></clipPath><g clip-path="url(#${id})">${shapes.join('')}</g>`;
}

/** The outline filled with one colour, and the shapes on it, clipped to the outline. */
export const solid = (outline: Outline, color: string, ...shapes: readonly Shape[]): Shape =>
  within(outline, fill(color, 'M-300-300h1200v1200h-1200z'), ...shapes);

/** The shapes rotated clockwise around a point. */
export const turned = (degrees: number, [x, y]: Point, ...shapes: readonly Shape[]): Shape =>
  `<g transform="rotate(${degrees} ${x} ${y})">${shapes.join('')}</g>`;

/** The shapes, scaled from the origin by `scale`, and then moved. */
export const moved = ([x, y]: Point, scale: number, ...shapes: readonly Shape[]): Shape =>
  `<g transform="translate(${x} ${y})${scale === 1 ? '' : `scale(${scale})`}">${shapes.join('')}</g>`;

/** The shapes and their mirror image. The axis is the vertical line at x = 300, the middle of each product. */
export const mirrored = (...shapes: readonly Shape[]): Shape =>
  `${shapes.join('')}<g transform="matrix(-1 0 0 1 600 0)">${shapes.join('')}</g>`;

/** The soft shadow on the ground below standing products. Hanging or flat products have no shadow. */
export const groundShadow = (center: Point, halfWidth: number): Shape =>
  veil('#232b3f', 0.12, oval(center, [halfWidth, 16]));

/**
 * Returns a short name for an outline, the hash of its path data. It is the same at each run, so that the files do not change. Different outlines have
 * different names, so that two pictures in one page have different clip paths. FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/
 */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return (hash >>> 0).toString(36);
}
