import type { RenderedImage } from '@resvg/resvg-js';
import { Resvg } from '@resvg/resvg-js';
import type { Point } from './outline.ts';
import type { Shape } from './shape.ts';
import { moved } from './shape.ts';

/** Side of a product picture's square view box, and its natural size in pixels. */
const productSide = 600;

/** The share of the picture's side that the longer side of a product has. The rest is margin. */
const filledPart = 0.8;

/** The margin around the view box during the measurement, because some products are drawn partly outside the view box. */
const measuringMargin = 200;

/** A shape with the size of its view box, which starts at 0 0. */
export interface Mark {
  readonly size: Point;
  readonly shape: Shape;
}

/** The SVG file of a product: centred and enlarged or reduced so that all products look equally large. */
export function productSvg(product: Shape): string {
  const { x, y, width, height } = visibleBounds(product);
  const scale = Number(((productSide * filledPart) / Math.max(width, height)).toFixed(2));
  const centred = (start: number, length: number) => Math.round(productSide / 2 - (start + length / 2) * scale);
  return svg({
    size: [productSide, productSide],
    shape: moved([centred(x, width), centred(y, height)], scale, product),
  });
}

/** A rectangle in the units of a product picture. */
interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The PNG file of a mark on a transparent background. `widthPx`: its width. The height results from the proportions of the mark. */
export const png = (mark: Mark, widthPx: number): Buffer => paint(mark, widthPx).asPng();

const paint = (mark: Mark, widthPx: number): RenderedImage =>
  new Resvg(svg(mark), { fitTo: { mode: 'width', value: widthPx }, font: { loadSystemFonts: false } }).render();

/** Sets width and height in addition to the view box. Without them, the image has no size of its own in a page that only limits it (`max-width: 100%`). */
const svg = ({ size: [width, height], shape }: Mark): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${shape}</svg>\n`;

/** Returns the bounds of the painted area of a shape, with an error of one unit. Renders the shape, because clipping and rotation change the bounds. */
function visibleBounds(shape: Shape): Bounds {
  const side = productSide + 2 * measuringMargin;
  const { pixels } = paint({ size: [side, side], shape: moved([measuringMargin, measuringMargin], 1, shape) }, side);
  let [left, top, right, bottom] = [side, side, 0, 0];
  for (let pixel = 0; pixel < side * side; pixel++) {
    if (pixels[pixel * 4 + 3] === 0) continue;
    const [x, y] = [pixel % side, Math.floor(pixel / side)];
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + 1);
    bottom = Math.max(bottom, y + 1);
  }
  return { x: left - measuringMargin, y: top - measuringMargin, width: right - left, height: bottom - top };
}
