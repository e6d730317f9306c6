import type { Point } from '../outline.ts';
import { box, disc, each, oval, polygon, upTo } from '../outline.ts';
import type { Tone } from '../palette.ts';
import { palette, white } from '../palette.ts';
import type { Shape } from '../shape.ts';
import { fill, groundShadow, mirrored, moved, solid, stroke, turned, veil } from '../shape.ts';

const { ink, coral, orange, amber, leaf, teal, sky, wood, steel, cream } = palette;

/** Two towels on a rail and two rolled ones beneath. */
export function bathTowels(): Shape {
  return (
    stroke(steel.shade, 20, 'M72 88H528') +
    fill(steel.shade, disc([72, 88], 22), disc([528, 88], 22)) +
    hangingTowel(112, teal) +
    hangingTowel(312, coral) +
    rolledTowel([196, 470], amber) +
    rolledTowel([404, 470], sky)
  );
}

function hangingTowel(x: number, tone: Tone): Shape {
  const front = `M${x} 90Q${x} 72 ${x + 18} 72H${x + 158}Q${x + 176} 72 ${x + 176} 90V362H${x}z`;
  return (
    fill(tone.shade, box([x + 8, 120], [160, 262])) +
    solid(
      front,
      tone.base,
      fill(tone.shade, box([x + 140, 60], [40, 310])),
      fill(tone.light, box([x, 280], [180, 14]), box([x, 306], [180, 30])),
    ) +
    stroke(tone.light, 9, `M${x + 24} 100V250`) +
    stroke(
      tone.base,
      6,
      each(upTo(11), (index) => `M${x + 8 + index * 16} 364v16`),
    )
  );
}

function rolledTowel([x, y]: Point, tone: Tone): Shape {
  return (
    fill(tone.base, box([x - 96, y - 62], [192, 124], 62)) +
    fill(
      tone.shade,
      `M${x - 40} ${y + 62}H${x + 34}A62 62 0 0 0 ${x + 90} ${y + 20}Q${x} ${y + 36} ${x - 40} ${y + 62}z`,
    ) +
    fill(tone.light, disc([x - 34, y], 62)) +
    stroke(tone.shade, 9, `M${x - 34} ${y}a12 12 0 0 1 24 0a24 24 0 0 1 -48 0a36 36 0 0 1 72 0a48 48 0 0 1 -84 32`)
  );
}

/** A lit bedside lamp with a ceramic foot. */
export function tableLamp(): Shape {
  const shade = 'M206 70H394L470 292Q474 306 458 306H142Q126 306 130 292z';
  const foot = 'M270 336H330Q334 372 366 400Q420 450 384 510H216Q180 450 234 400Q266 372 270 336z';
  return (
    groundShadow([300, 526], 150) +
    fill(wood.base, box([282, 296], [36, 50])) +
    solid(
      foot,
      teal.base,
      fill(teal.shade, 'M330 330Q340 380 380 420T370 520H440V330z'),
      stroke(teal.light, 9, 'M170 424Q300 444 440 424'),
    ) +
    veil(white, 0.4, 'M232 440Q236 420 254 408Q244 450 252 490Q230 480 232 440z') +
    fill(wood.shade, box([206, 504], [188, 24], 10)) +
    solid(
      shade,
      amber.light,
      fill(amber.base, 'M348 60H420L500 320H392z'),
      veil(
        white,
        0.55,
        polygon([
          [236, 60],
          [290, 60],
          [270, 320],
          [180, 320],
        ]),
      ),
    ) +
    fill(amber.shade, box([200, 64], [200, 16], 8), box([126, 292], [348, 18], 9)) +
    stroke(ink.base, 5, 'M404 306V368') +
    fill(ink.base, disc([404, 376], 10))
  );
}

/** A round clock on two feet, with two bells and a hammer. */
export function alarmClock(): Shape {
  const ticks = each(upTo(12), (index) => {
    const [x, y] = [Math.sin((index * Math.PI) / 6), Math.cos((index * Math.PI) / 6)];
    const at = (radius: number) => `${Math.round(300 + radius * x)} ${Math.round(326 - radius * y)}`;
    return `M${at(index % 3 ? 118 : 108)}L${at(128)}`;
  });
  return (
    groundShadow([300, 526], 170) +
    mirrored(stroke(ink.base, 30, 'M190 460L158 512')) +
    mirrored(stroke(ink.base, 16, 'M206 190L180 150')) +
    mirrored(
      turned(
        -38,
        [180, 152],
        fill(amber.base, 'M92 160A88 88 0 0 1 268 160z'),
        fill(amber.shade, box([84, 152], [192, 18], 9)),
        stroke(amber.light, 9, 'M118 136A64 64 0 0 1 160 96'),
      ),
    ) +
    stroke(ink.base, 14, 'M300 180V104') +
    fill(ink.base, box([266, 78], [68, 38], 16)) +
    fill(coral.base, disc([300, 326], 190)) +
    fill(coral.shade, 'M434 192A190 190 0 0 1 166 460A190 190 0 0 0 434 192z') +
    fill(cream.light, disc([300, 326], 150)) +
    stroke(ink.base, 9, ticks) +
    stroke(ink.base, 15, 'M300 326L240 262') +
    stroke(ink.base, 11, 'M300 326L382 274') +
    stroke(coral.base, 6, 'M300 356V226') +
    fill(ink.base, disc([300, 326], 15))
  );
}

/** A burning candle in a glass jar with a paper label. */
export function scentedCandle(): Shape {
  const jar = 'M136 212H464V474Q464 524 414 524H186Q136 524 136 474z';
  return (
    groundShadow([300, 528], 178) +
    solid(
      jar,
      sky.light,
      fill(cream.base, 'M154 268H446V466Q446 506 406 506H194Q154 506 154 466z'),
      fill(cream.shade, 'M386 268H446V506H386z'),
    ) +
    fill(sky.light, oval([300, 212], [164, 34])) +
    fill(sky.base, oval([300, 214], [146, 24])) +
    fill(cream.light, oval([300, 262], [146, 26])) +
    veil(amber.light, 0.7, oval([300, 260], [84, 15])) +
    stroke(ink.base, 9, 'M300 256V204') +
    fill(orange.base, 'M300 62Q366 150 346 184Q330 212 300 212T254 184Q240 140 300 62z') +
    fill(amber.light, 'M300 124Q332 168 322 190Q314 206 300 206T278 190Q270 168 300 124z') +
    fill(white, box([210, 330], [180, 136], 10)) +
    fill(leaf.base, 'M300 434Q246 404 300 350Q354 404 300 434z') +
    stroke(leaf.shade, 6, 'M300 450V384') +
    veil(white, 0.6, box([162, 250], [18, 220], 9))
  );
}

/** A monstera with five cut leaves in a clay pot. */
export function pottedPlant(): Shape {
  const pot = 'M196 410H404L380 508Q376 528 356 528H244Q224 528 220 508z';
  return (
    groundShadow([300, 530], 120) +
    stroke(
      leaf.shade,
      10,
      'M296 400Q290 250 300 190 M290 400Q260 300 190 270 M306 400Q340 300 420 266 M286 400Q240 370 190 372 M312 400Q360 370 420 370',
    ) +
    monsteraLeaf([184, 380], -112, 0.66) +
    monsteraLeaf([416, 376], 108, 0.66) +
    monsteraLeaf([186, 276], -52, 0.92) +
    monsteraLeaf([418, 272], 50, 0.92) +
    monsteraLeaf([300, 240], 0, 1.04) +
    solid(pot, orange.base, fill(orange.shade, 'M346 400H420V540H330z')) +
    fill(orange.base, box([178, 372], [244, 52], 10)) +
    fill(orange.shade, 'M346 372H412Q422 372 422 382V414Q422 424 412 424H346z') +
    veil(white, 0.35, box([200, 384], [70, 10], 5))
  );
}

/** A heart-shaped leaf that points upwards from its stalk at `place` before it is turned. */
function monsteraLeaf(place: readonly [number, number], degrees: number, scale: number): Shape {
  const half = 'M1 14Q-30 44 -66 20Q-92 -4 -88 -40L-36 -34L-84 -58Q-78 -84 -62 -104L-24 -72L-52 -116Q-30 -146 1 -162z';
  const leafShape =
    fill(leaf.base, half) +
    `<g transform="scale(-1 1)">${fill(leaf.shade, half)}</g>` +
    stroke(leaf.light, 5, 'M0 10V-140');
  return moved(place, scale, turned(degrees, [0, 0], leafShape));
}
