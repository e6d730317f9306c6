import type { Outline, Point } from '../outline.ts';
import { box, disc, each, upTo } from '../outline.ts';
import { palette, white } from '../palette.ts';
import type { Shape } from '../shape.ts';
import { fill, groundShadow, mirrored, solid, stroke, turned, veil } from '../shape.ts';

const { ink, coral, amber, denim, steel } = palette;

/** Over-ear headphones seen from the front. */
export function headphones(): Shape {
  const cup =
    fill(ink.shade, box([118, 300], [64, 190], 32)) +
    fill(ink.base, 'M136 298Q160 292 160 316V474Q160 498 136 492Q76 470 76 395T136 298z') +
    fill(ink.light, 'M126 322Q98 346 98 395T126 468z');
  return (
    stroke(ink.base, 44, 'M116 330V292Q116 94 300 94T484 292V330') +
    stroke(coral.base, 20, 'M152 190Q198 106 300 106T448 190') +
    stroke(ink.light, 8, 'M104 286Q110 150 206 100') +
    mirrored(stroke(steel.base, 16, 'M116 262V318')) +
    mirrored(cup) +
    mirrored(fill(coral.base, box([170, 316], [36, 158], 18)))
  );
}

/** A camera with a large lens, seen from the front. */
export function camera(): Shape {
  const body = box([64, 186], [472, 290], 36);
  return (
    groundShadow([300, 488], 220) +
    fill(ink.shade, box([112, 158], [84, 44], 12)) +
    fill(coral.base, box([128, 146], [52, 22], 8)) +
    fill(ink.shade, box([430, 166], [56, 30], 8)) +
    fill(steel.base, 'M222 200L244 136Q248 124 262 124H338Q352 124 356 136L378 200z') +
    solid(
      body,
      ink.base,
      fill(steel.base, box([60, 180], [480, 84])),
      fill(ink.shade, box([60, 434], [480, 50])),
      veil(ink.light, 0.35, box([60, 264], [84, 170])),
    ) +
    fill(ink.shade, box([268, 146], [64, 34], 8)) +
    fill(amber.base, disc([484, 226], 15)) +
    fill(ink.shade, box([96, 208], [62, 34], 8)) +
    fill(steel.shade, disc([300, 330], 136)) +
    fill(ink.shade, disc([300, 330], 122)) +
    fill(ink.light, disc([300, 330], 96)) +
    fill(ink.shade, disc([300, 330], 82)) +
    fill(denim.base, disc([300, 330], 58)) +
    fill(denim.shade, 'M341 289A58 58 0 0 1 259 371A70 70 0 0 0 341 289z') +
    veil(white, 0.8, disc([276, 304], 18)) +
    veil(white, 0.5, disc([322, 354], 9))
  );
}

/** A compact computer keyboard seen from above, turned a little. */
export function keyboard(): Shape {
  const letters = keyRow([100, 198], 8) + keyRow([124, 244], 8) + keyRow([136, 290], 8) + keyRow([158, 336], 7);
  const wide: readonly (readonly [number, number, number])[] = [
    [468, 198, 78],
    [54, 244, 64],
    [492, 244, 54],
    [54, 290, 76],
    [54, 336, 98],
    [480, 336, 66],
    [54, 382, 56],
    [116, 382, 56],
    [428, 382, 56],
    [490, 382, 56],
  ];
  return turned(
    -18,
    [300, 300],
    fill(ink.shade, box([34, 190], [532, 250], 24)),
    fill(ink.base, box([34, 178], [532, 250], 24)),
    keys(steel.light, letters + key([178, 382, 244])),
    keys(steel.shade, each(wide, key)),
    keys(coral.base, key([54, 198, 40]) + key([504, 290, 42])),
  );
}

/** A key's outline without the rounding of its corners, which `keys` adds. */
const key = ([x, y, width]: readonly [number, number, number]): Outline =>
  `M${x + 6} ${y + 6}h${width - 12}v28h${12 - width}z`;

const keyRow = ([x, y]: Point, count: number): Outline => each(upTo(count), (index) => key([x + index * 46, y, 40]));

const keys = (color: string, outline: Outline): Shape =>
  `<path fill="${color}" stroke="${color}" stroke-width="12" stroke-linejoin="round" d="${outline}"/>`;
