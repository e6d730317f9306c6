import type { Outline } from '../outline.ts';
import { box, each, polygon, upTo } from '../outline.ts';
import type { Mark } from '../picture.ts';
import { fill, within } from '../shape.ts';

/** Distance from one star's middle to the next. */
const pitch = 60;

/** Outer and inner radius of a star. */
const [outerRadius, innerRadius] = [29, 13.5];

/** The colours of full and empty stars. The amber has enough contrast to white. The grey is light, so that a star looks empty. */
const [givenColor, missingColor] = ['#f0a01e', '#d5dae1'];

/** Ten times the number of full stars, which is the number in the file name: 0, 5, … 50. */
export const tenfoldRatings: readonly number[] = upTo(11).map((halves) => halves * 5);

/** Five stars in a row. The first `tenfold` / 10 stars are full. A half star is full up to its middle. */
export function ratingStrip(tenfold: number): Mark {
  const stars = each(upTo(5), star);
  const given = box([0, 0], [(tenfold / 10) * pitch, pitch]);
  return {
    size: [5 * pitch, 56],
    shape: fill(missingColor, stars) + (tenfold === 0 ? '' : within(given, fill(givenColor, stars))),
  };
}

function star(index: number): Outline {
  const corners = upTo(10).map((corner) => {
    const [angle, radius] = [(corner * Math.PI) / 5, corner % 2 === 0 ? outerRadius : innerRadius];
    const [x, y] = [(index + 0.5) * pitch + radius * Math.sin(angle), 30.5 - radius * Math.cos(angle)];
    return [Number(x.toFixed(1)), Number(y.toFixed(1))] as const;
  });
  return polygon(corners);
}
