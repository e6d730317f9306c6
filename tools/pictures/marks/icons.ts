import { box, disc } from '../outline.ts';
import { palette, white } from '../palette.ts';
import type { Mark } from '../picture.ts';
import { fill, stroke } from '../shape.ts';

/** The icons of shop pages: file name, and width in pixels. Pages show them with a third to a half of this width. */
export const icons: readonly (readonly [name: string, widthPx: number, mark: Mark])[] = [
  ['buy-again', 75, buyAgain()],
  ['cart-icon', 150, cart()],
  ['checkmark', 60, checkmark('#1f8a4c')],
  ['checkmark-white', 60, checkmark(white)],
  ['checkout-lock-icon', 96, lock()],
  ['search-icon', 60, magnifier()],
];

/**
 * Two white arrows in a circle on a dark disc. Pages show the icon on yellow buttons, and on green buttons beside white text. The disc has enough
 * contrast to both buttons and to the arrows. White arrows alone would have a contrast of 1.3 : 1 on yellow.
 */
function buyAgain(): Mark {
  const arrows = 'M29 44A22 22 0 0 1 69 38M71 56A22 22 0 0 1 31 62';
  const heads = 'M73 24V42H55zM27 76V58H45z';
  return {
    size: [100, 100],
    shape: fill('#1b2233', disc([50, 50], 49)) + stroke(white, 9, arrows) + fill(white, heads),
  };
}

/** A cart in white lines for dark headers. It is open at the top, since pages write the number of items into it. */
function cart(): Mark {
  const basket = 'M6 10H24Q29 10 30 15L42 68Q43 73 48 73H122Q127 73 128 68L142 20';
  return { size: [150, 104], shape: stroke(white, 8, basket) + fill(white, disc([58, 92], 10), disc([112, 92], 10)) };
}

function checkmark(color: string): Mark {
  return { size: [60, 60], shape: stroke(color, 9, 'M8 32L23 47L52 14') };
}

/** A closed padlock in a grey that stands out from white. */
function lock(): Mark {
  const color = palette.ink.light;
  return {
    size: [96, 96],
    shape:
      stroke(color, 10, 'M28 44V32A20 20 0 0 1 68 32V44') +
      fill(color, box([14, 42], [68, 50], 8)) +
      fill(white, disc([48, 62], 7), box([45, 64], [6, 16], 3)),
  };
}

function magnifier(): Mark {
  return { size: [60, 60], shape: stroke(palette.ink.shade, 7, `${disc([25, 25], 18)}M39 39L54 54`) };
}
