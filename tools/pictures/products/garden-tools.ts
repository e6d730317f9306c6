import { box, disc, each, oval, polygon, upTo } from '../outline.ts';
import { palette, white } from '../palette.ts';
import type { Shape } from '../shape.ts';
import { fill, groundShadow, solid, stroke, turned, veil } from '../shape.ts';

const { ink, coral, amber, leaf, sky, wood, steel } = palette;

/** A claw hammer lying across the picture, its head to the upper left. */
export function hammer(): Shape {
  const handle = 'M272 100H328L334 440Q346 520 342 600Q340 624 300 624T258 600Q254 520 266 440z';
  const head =
    'M250 22H362L382 36H404V30Q404 14 420 14H436Q452 14 452 30V128Q452 144 436 144H420Q404 144 404 128V122H382L346 140H254Q234 108 190 104Q140 104 104 158Q92 160 92 146Q112 40 196 30Q228 28 250 22z';
  return turned(
    45,
    [300, 300],
    solid(
      handle,
      wood.base,
      fill(wood.shade, 'M314 100H350V640H322z'),
      fill(coral.base, box([240, 440], [120, 190])),
      fill(coral.shade, 'M318 440H360V640H322z'),
    ),
    solid(
      head,
      steel.shade,
      fill(ink.light, 'M90 170Q120 92 200 86Q236 90 250 98H460V160H90z'),
      stroke(steel.light, 10, 'M130 96Q160 56 230 48H360'),
    ),
    fill(steel.base, 'M404 30Q404 14 420 14H436Q452 14 452 30V76H404z'),
  );
}

/** A cordless drill with its bit to the right and the battery in its foot. */
export function cordlessDrill(): Shape {
  const body = 'M92 132Q92 96 128 96H360Q384 96 384 120V218Q384 242 360 242H262L238 430H124L156 250Q92 240 92 190z';
  return (
    groundShadow([190, 530], 150) +
    fill(
      steel.shade,
      polygon([
        [462, 160],
        [556, 162],
        [572, 170],
        [556, 178],
        [462, 180],
      ]),
    ) +
    fill(ink.base, 'M382 108H424L474 138V202L424 232H382z') +
    fill(ink.light, 'M382 108H424L474 138V156H382z') +
    stroke(ink.shade, 6, 'M424 120V222') +
    solid(
      body,
      amber.base,
      fill(amber.shade, 'M80 206H400V260H280L256 440H204L226 250H80z'),
      fill(ink.base, 'M150 264H190L168 440H110z'),
    ) +
    fill(ink.base, box([118, 128], [20, 84], 10), box([154, 128], [20, 84], 10)) +
    fill(amber.light, box([200, 116], [160, 16], 8)) +
    fill(coral.base, 'M262 250H290Q304 280 280 312L250 308z') +
    fill(ink.base, 'M92 424H282Q306 424 306 448V504Q306 526 284 526H96Q74 526 74 504V444Q74 424 92 424z') +
    fill(ink.shade, 'M74 480H306V504Q306 526 284 526H96Q74 526 74 504z') +
    fill(
      leaf.light,
      each(upTo(3), (index) => disc([226 + index * 26, 454], 8)),
    )
  );
}

/** A watering can with its spout to the left and a few drops. */
export function wateringCan(): Shape {
  const body = 'M268 240H484L500 488Q502 510 480 510H272Q250 510 252 488z';
  return (
    groundShadow([370, 516], 150) +
    stroke(leaf.shade, 26, 'M470 290Q566 270 556 360T492 450') +
    stroke(leaf.base, 24, 'M290 240Q300 120 386 120T466 240') +
    fill(leaf.shade, 'M276 470L136 216L168 186L290 372z') +
    fill(leaf.base, 'M200 170L112 244Q92 256 88 232Q92 170 150 150Q190 146 200 170z') +
    fill(leaf.light, 'M112 244Q92 256 88 232Q92 170 150 150Q190 146 178 164Q100 190 112 244z') +
    solid(
      body,
      leaf.base,
      fill(leaf.shade, 'M420 230H510V520H436z'),
      fill(leaf.light, box([240, 300], [270, 14]), box([240, 430], [270, 14])),
    ) +
    fill(leaf.shade, oval([376, 240], [108, 22])) +
    veil(
      white,
      0.35,
      polygon([
        [290, 330],
        [312, 330],
        [310, 416],
        [288, 416],
      ]),
    ) +
    fill(
      sky.base,
      each(
        [
          [70, 300],
          [110, 330],
          [64, 376],
          [124, 410],
          [84, 446],
        ] as const,
        ([x, y]) =>
          `M${x} ${y - 22}Q${x + 16} ${y} ${x + 12} ${y + 8}A13 13 0 0 1 ${x - 12} ${y + 8}Q${x - 16} ${y} ${x} ${y - 22}z`,
      ),
    )
  );
}
