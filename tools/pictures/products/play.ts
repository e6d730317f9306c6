import type { Point } from '../outline.ts';
import { box, disc, each, oval, polygon } from '../outline.ts';
import type { Tone } from '../palette.ts';
import { palette, white } from '../palette.ts';
import type { Shape } from '../shape.ts';
import { fill, groundShadow, mirrored, stroke, turned, veil } from '../shape.ts';

const { coral, orange, amber, leaf, sky, denim, plum, wood, walnut } = palette;

/** A sitting teddy bear with a red bow. */
export function teddyBear(): Shape {
  return (
    groundShadow([300, 528], 200) +
    mirrored(fill(wood.base, disc([186, 108], 52)), fill(wood.light, disc([186, 108], 28))) +
    mirrored(turned(32, [170, 350], fill(wood.shade, oval([166, 360], [48, 96])))) +
    fill(wood.base, oval([300, 400], [136, 128])) +
    fill(wood.light, oval([300, 414], [86, 88])) +
    mirrored(fill(wood.base, disc([168, 468], 64)), fill(wood.light, oval([168, 470], [38, 42]))) +
    fill(wood.base, oval([300, 196], [150, 132])) +
    fill(wood.light, oval([300, 240], [70, 56])) +
    fill(walnut.shade, oval([300, 216], [26, 18])) +
    stroke(walnut.shade, 8, 'M300 230V250 M274 256Q288 270 300 252Q312 270 326 256') +
    mirrored(fill(walnut.shade, disc([238, 182], 16)), fill(white, disc([233, 176], 5))) +
    mirrored(
      fill(coral.base, 'M300 328L226 292Q212 288 212 304V352Q212 368 226 364z'),
      fill(coral.shade, 'M300 328L226 350L212 352Q212 368 226 364z'),
    ) +
    fill(coral.shade, box([278, 306], [44, 44], 14))
  );
}

/** Five coloured wooden rings on a peg, the widest at the bottom. */
export function stackingRings(): Shape {
  const tones = [sky, leaf, amber, orange, coral] as const;
  const ring = (tone: Tone, index: number) => {
    const [halfWidth, y] = [104 + index * 30, 158 + index * 66];
    return (
      fill(tone.base, box([300 - halfWidth, y], [2 * halfWidth, 68], 34)) +
      fill(
        tone.shade,
        `M${300 - halfWidth + 4} ${y + 46}H${300 + halfWidth - 4}Q${300 + halfWidth - 14} ${y + 68} ${300 + halfWidth - 34} ${y + 68}H${300 - halfWidth + 34}Q${300 - halfWidth + 14} ${y + 68} ${300 - halfWidth + 4} ${y + 46}z`,
      ) +
      fill(tone.light, box([300 - halfWidth + 34, y + 12], [halfWidth * 0.7, 12], 6))
    );
  };
  return (
    groundShadow([300, 522], 224) +
    fill(wood.shade, box([282, 100], [36, 90])) +
    fill(plum.base, disc([300, 112], 58)) +
    veil(plum.light, 0.9, oval([280, 90], [20, 15])) +
    each(tones, ring) +
    fill(wood.base, box([68, 486], [464, 40], 16)) +
    fill(wood.shade, box([68, 508], [464, 18], 9))
  );
}

/** Six sharpened pencils side by side, their points upwards. */
export function coloredPencils(): Shape {
  const pencil = ([tone, top]: readonly [Tone, number], index: number) => {
    const x = 72 + index * 77;
    return (
      fill(
        wood.light,
        polygon([
          [x, top + 116],
          [x + 35, top],
          [x + 70, top + 116],
        ]),
      ) +
      facet(tone.light, [x, top + 112], 22) +
      facet(tone.base, [x + 22, top + 112], 28) +
      facet(tone.shade, [x + 50, top + 112], 20) +
      fill(
        tone.base,
        polygon([
          [x + 35, top],
          [x + 24, top + 35],
          [x + 46, top + 35],
        ]),
      ) +
      fill(tone.shade, box([x, 512], [70, 22]))
    );
  };
  return each(
    [
      [coral, 104],
      [orange, 66],
      [amber, 116],
      [leaf, 80],
      [denim, 124],
      [plum, 70],
    ] as const,
    pencil,
  );
}

/** One side of a pencil down to its end; the paint stops in a bow where the pencil is sharpened. */
const facet = (color: string, [x, y]: Point, width: number): Shape =>
  fill(color, `M${x} 534V${y}q${width / 2} -20 ${width} 0V534z`);
