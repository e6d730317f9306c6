import type { Outline } from '../outline.ts';
import { box, each, upTo } from '../outline.ts';
import { palette, white } from '../palette.ts';
import type { Mark } from '../picture.ts';
import type { Shape } from '../shape.ts';
import { fill, moved, stroke, veil } from '../shape.ts';

/** The colours of a logo: the alternating colours of the awning's stripes, and the colour of the shop and the word. */
interface Livery {
  readonly stripes: readonly [(outline: Outline) => Shape, (outline: Outline) => Shape];
  readonly line: string;
}

const colored: Livery = {
  stripes: [(outline) => fill(palette.coral.base, outline), (outline) => fill(palette.coral.light, outline)],
  line: palette.ink.base,
};

/** For dark backgrounds. */
const allWhite: Livery = {
  stripes: [(outline) => fill(white, outline), (outline) => veil(white, 0.62, outline)],
  line: white,
};

/** A shop with a striped awning, a window and a door, in a square of 120. */
function shop({ stripes: [first, second], line }: Livery): Shape {
  const stripe = (index: number) => `M${5 + index * 22} 12h22v36a11 11 0 0 1 -22 0z`;
  return (
    stroke(line, 10, 'M17 68V111H103V68') +
    fill(line, box([66, 74], [24, 38], 3), box([31, 74], [24, 20], 3)) +
    each(upTo(5), (index) => (index % 2 === 0 ? first : second)(stripe(index)))
  );
}

/** The shop and the word "storefront", whose letters are lines with an x-height of 64. */
function logo(livery: Livery): Mark {
  let x = 156;
  const word = [...'storefront'].map((letter) => {
    const { outline, width } = letters[letter as keyof typeof letters];
    const placed = moved([x, 46], 1, stroke(livery.line, lineWidth, outline));
    x += width + gap;
    return placed;
  });
  return { size: [x - gap + 12, 120], shape: shop(livery) + word.join('') };
}

/** The line width of the letters, and the distance between the middle lines of adjacent letters. */
const [lineWidth, gap] = [17, 29];

/** The middle lines of the letters; y is 0 at the top of an x and 64 on the base line. */
const letters: Readonly<
  Record<'s' | 't' | 'o' | 'r' | 'e' | 'f' | 'n', { readonly outline: Outline; readonly width: number }>
> = {
  s: { outline: 'M42 10Q36 0 22 0Q3 0 3 16T22 32Q43 34 43 48T22 64Q6 64 0 53', width: 43 },
  t: { outline: 'M10 -24V46Q10 64 30 64M-4 0H28', width: 28 },
  o: { outline: 'M0 32a26 32 0 0 1 52 0a26 32 0 0 1 -52 0z', width: 52 },
  r: { outline: 'M0 64V0M0 28Q4 0 28 1', width: 26 },
  e: { outline: 'M0 33H52A26 32 0 1 0 44 55', width: 52 },
  f: { outline: 'M10 64V-8Q10 -28 30 -26M-4 0H27', width: 26 },
  n: { outline: 'M0 64V0M0 28A24 28 0 0 1 48 28V64', width: 48 },
};

/** The logos by file name, with their width in pixels. Pages show them with about a third of this width. */
export const logos: readonly (readonly [name: string, widthPx: number, mark: Mark])[] = [
  ['logo', 480, logo(colored)],
  ['logo-white', 480, logo(allWhite)],
  ['mobile-logo', 120, { size: [120, 120], shape: shop(colored) }],
  ['mobile-logo-white', 120, { size: [120, 120], shape: shop(allWhite) }],
];
