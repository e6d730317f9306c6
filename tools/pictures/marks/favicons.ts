import { box, disc } from '../outline.ts';
import type { Tone } from '../palette.ts';
import { palette, white } from '../palette.ts';
import type { Mark } from '../picture.ts';
import type { Shape } from '../shape.ts';
import { fill, stroke } from '../shape.ts';

/** The favicons of shop pages: file name and drawing. Each has few, thick lines, because browsers show favicons with 16 or 32 pixels. */
export const favicons: readonly (readonly [name: string, mark: Mark])[] = [
  ['home-favicon', tile(palette.coral, house())],
  ['cart-favicon', tile(palette.teal, cart())],
  ['orders-favicon', tile(palette.plum, parcel())],
  ['tracking-favicon', tile(palette.denim, pin())],
];

/** A drawing in white on a tile of 64 units. */
function tile({ shade }: Tone, drawing: Shape): Mark {
  return { size: [64, 64], shape: fill(shade, box([0, 0], [64, 64], 14)) + drawing };
}

function house(): Shape {
  return stroke(white, 6, 'M11 33L32 13L53 33M18 30V51H46V30') + fill(white, box([28, 37], [9, 14]));
}

function cart(): Shape {
  const basket = 'M9 15H16L23 42H48L53 22H20';
  return stroke(white, 6, basket) + fill(white, disc([27, 52], 5), disc([45, 52], 5));
}

function parcel(): Shape {
  return stroke(white, 6, 'M12 23H52V51H12zM12 23L19 12H45L52 23M32 12V34');
}

function pin(): Shape {
  return (
    stroke(white, 6, 'M32 53C23 41 16 34 16 26A16 16 0 0 1 48 26C48 34 41 41 32 53z') + fill(white, disc([32, 26], 6))
  );
}
