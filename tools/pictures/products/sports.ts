import { box, disc, each, oval, polygon, upTo } from '../outline.ts';
import { palette, white } from '../palette.ts';
import type { Shape } from '../shape.ts';
import { fill, groundShadow, moved, solid, stroke, turned, veil, within } from '../shape.ts';

const { ink, coral, orange, amber, leaf, plum, walnut, steel } = palette;

/** A basketball with its seams. */
export function basketball(): Shape {
  const ball = disc([300, 296], 228);
  return (
    groundShadow([300, 530], 150) +
    solid(
      ball,
      orange.shade,
      fill(orange.base, disc([272, 268], 228)),
      turned(-38, [196, 172], veil(orange.light, 0.8, oval([196, 172], [74, 40]))),
      turned(
        -18,
        [300, 296],
        stroke(ink.shade, 13, 'M300 60V540 M60 296H540 M136 120Q260 296 136 472 M464 120Q340 296 464 472'),
      ),
    )
  );
}

/** A rolled yoga mat whose end lies flat, held by a strap. */
export function yogaMat(): Shape {
  const spiral = 'M190 392a18 18 0 0 1 36 0a36 36 0 0 1 -72 0a54 54 0 0 1 108 0a72 72 0 0 1 -144 0';
  return (
    groundShadow([310, 482], 240) +
    fill(
      plum.light,
      polygon([
        [196, 480],
        [480, 312],
        [584, 330],
        [310, 492],
      ]),
    ) +
    fill(
      plum.shade,
      polygon([
        [310, 492],
        [584, 330],
        [584, 344],
        [310, 506],
        [180, 488],
        [180, 476],
      ]),
    ) +
    fill(plum.base, 'M154 310L420 152A92 92 0 0 1 520 306L236 470z') +
    fill(plum.shade, 'M250 462L524 304A92 92 0 0 0 528 214Q520 260 470 290L262 410z') +
    stroke(plum.light, 14, 'M216 312L398 204') +
    stroke(amber.base, 22, 'M262 246Q330 270 336 400 M372 180Q440 204 446 338') +
    stroke(amber.shade, 16, 'M266 244Q270 120 320 110T380 178') +
    fill(plum.light, disc([190, 392], 92)) +
    stroke(plum.shade, 11, spiral)
  );
}

/** Two dumbbells with six-sided heads, one behind the other. */
export function dumbbells(): Shape {
  const head = (x: number) =>
    fill(
      ink.base,
      polygon([
        [x, 250],
        [x + 24, 222],
        [x + 88, 222],
        [x + 112, 250],
        [x + 112, 350],
        [x + 88, 378],
        [x + 24, 378],
        [x, 350],
      ]),
    ) +
    fill(
      ink.light,
      polygon([
        [x, 250],
        [x + 24, 222],
        [x + 88, 222],
        [x + 112, 250],
      ]),
    ) +
    fill(
      ink.shade,
      polygon([
        [x, 350],
        [x + 112, 350],
        [x + 88, 378],
        [x + 24, 378],
      ]),
    ) +
    fill(coral.base, box([x + 50, 250], [12, 100]));
  const one =
    fill(steel.base, 'M190 276Q300 256 410 276V324Q300 344 190 324z') +
    fill(steel.shade, 'M190 306Q300 322 410 306V324Q300 344 190 324z') +
    stroke(
      steel.shade,
      5,
      each(upTo(9), (index) => `M${236 + index * 16} 280l-8 38`),
    ) +
    fill(steel.shade, box([184, 262], [22, 76], 5), box([394, 262], [22, 76], 5)) +
    head(76) +
    head(412);
  return groundShadow([300, 494], 236) + moved([0, -46], 1, one) + moved([0, 110], 1, one);
}

/** A tennis racket lying across the picture, with two balls. */
export function tennisRacket(): Shape {
  const head = oval([300, 150], [138, 176]);
  const strings =
    each(upTo(9), (index) => `M${180 + index * 30} -30V330`) + each(upTo(11), (index) => `M150 ${0 + index * 30}H450`);
  return (
    turned(
      42,
      [300, 300],
      within(head, stroke(steel.shade, 4, strings)),
      stroke(ink.base, 26, `${head}M205 280Q272 370 288 440M395 280Q328 370 312 440`),
      stroke(coral.base, 26, 'M164 190A138 176 0 0 1 300 -26'),
      fill(ink.base, box([278, 418], [44, 40], 6)),
      fill(walnut.base, box([274, 446], [52, 168], 14)),
      stroke(
        walnut.shade,
        7,
        each(upTo(5), (index) => `M278 ${482 + index * 28}l44 -16`),
      ),
      fill(ink.shade, box([268, 600], [64, 24], 10)),
    ) +
    tennisBall([448, 480]) +
    tennisBall([520, 384])
  );
}

function tennisBall([x, y]: readonly [number, number]): Shape {
  const ball = disc([x, y], 52);
  return (
    fill('#d3e04a', ball) +
    within(
      ball,
      fill(
        '#b1bf2f',
        `M${x + 30} ${y - 50}Q${x + 40} ${y + 30} ${x - 40} ${y + 40}L${x} ${y + 70}L${x + 70} ${y + 30}z`,
      ),
      stroke(
        white,
        8,
        `M${x - 58} ${y - 6}Q${x} ${y - 10} ${x + 6} ${y - 60}M${x - 6} ${y + 60}Q${x} ${y + 10} ${x + 58} ${y + 6}`,
      ),
    )
  );
}

/** A steel drinking bottle with a carrying loop on its cap. */
export function waterBottle(): Shape {
  const body = 'M236 186Q196 210 196 262V496Q196 528 228 528H372Q404 528 404 496V262Q404 210 364 186z';
  return (
    groundShadow([300, 530], 124) +
    stroke(ink.base, 22, 'M252 108Q252 60 300 60T348 108') +
    fill(ink.base, box([232, 100], [136, 62], 14)) +
    fill(ink.shade, box([322, 100], [46, 62], 14)) +
    fill(steel.base, box([242, 160], [116, 32])) +
    fill(steel.shade, box([322, 160], [36, 32])) +
    solid(
      body,
      leaf.base,
      fill(leaf.shade, box([340, 180], [70, 360])),
      fill(steel.base, box([190, 486], [220, 60])),
      fill(steel.shade, box([340, 486], [70, 60])),
    ) +
    veil(white, 0.45, box([222, 252], [24, 190], 12)) +
    fill(white, 'M300 300Q346 358 346 388A46 46 0 0 1 254 388Q254 358 300 300z')
  );
}
