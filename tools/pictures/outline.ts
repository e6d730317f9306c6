/** Path data of an SVG `d` attribute. Outlines can be joined with a space. */
export type Outline = string;

/** x and y in units of the picture's view box, y downwards. */
export type Point = readonly [number, number];

/** A circle around `center`. */
export const disc = (center: Point, radius: number): Outline => oval(center, [radius, radius]);

/** An ellipse around `center` with the radii along x and y. */
export const oval = ([x, y]: Point, [rx, ry]: Point): Outline =>
  `M${x - rx} ${y}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0z`;

/** A rectangle from its top left corner, with corners rounded by `radius`. */
export function box([x, y]: Point, [width, height]: Point, radius = 0): Outline {
  if (radius === 0) return `M${x} ${y}h${width}v${height}h${-width}z`;
  const [across, down] = [width - 2 * radius, height - 2 * radius];
  const corner = (dx: number, dy: number) => `a${radius} ${radius} 0 0 1 ${dx} ${dy}`;
  return (
    `M${x + radius} ${y}h${across}${corner(radius, radius)}v${down}${corner(-radius, radius)}` +
    `h${-across}${corner(-radius, -radius)}v${-down}${corner(radius, -radius)}z`
  );
}

/** The closed outline through the corners, in the order of the list. */
export const polygon = (corners: readonly Point[]): Outline => `M${corners.map(([x, y]) => `${x} ${y}`).join('L')}z`;

/** Draws an outline or a shape at each of `places`, and joins the results. */
export const each = <Place>(places: readonly Place[], draw: (place: Place, index: number) => string): string =>
  places.map(draw).join('');

/** Returns the integers from 0 to `count` - 1, for drawing rows. */
export const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
