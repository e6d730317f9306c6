import { box, disc, each, oval, upTo } from '../outline.ts';
import { palette, white } from '../palette.ts';
import type { Shape } from '../shape.ts';
import { fill, groundShadow, solid, stroke, turned, veil, within } from '../shape.ts';

const { ink, coral, amber, plum, rose, wood, walnut, steel } = palette;

/** An open lipstick with its cap beside it. */
export function lipstick(): Shape {
  const bullet = 'M186 268V146Q188 96 262 74Q282 70 282 92V268z';
  return (
    groundShadow([300, 528], 190) +
    solid(
      bullet,
      coral.base,
      fill(coral.shade, 'M246 60H290V280H246z'),
      fill(coral.light, 'M186 150Q190 100 268 72Q266 130 186 170z'),
    ) +
    fill(amber.base, box([172, 258], [124, 92], 6)) +
    fill(amber.light, box([186, 258], [22, 92])) +
    fill(amber.shade, box([258, 258], [38, 92], 6)) +
    fill(ink.base, box([150, 342], [168, 186], 14)) +
    fill(ink.shade, box([262, 342], [56, 186], 14)) +
    fill(ink.light, box([170, 366], [18, 136], 9)) +
    fill(ink.base, box([352, 268], [116, 260], 14)) +
    fill(ink.shade, box([428, 268], [40, 260], 14)) +
    fill(ink.light, box([370, 292], [16, 180], 8)) +
    fill(amber.base, box([352, 490], [116, 22])) +
    fill(amber.shade, box([428, 490], [40, 22]))
  );
}

/** A wooden paddle hairbrush lying across the picture. */
export function hairbrush(): Shape {
  const bristles = each(upTo(7), (row) =>
    each(upTo(row % 2 ? 4 : 5), (column) => disc([220 + column * 40 + (row % 2) * 20, 20 + row * 38], 8)),
  );
  return turned(
    42,
    [300, 300],
    fill(
      wood.base,
      'M300 -60Q444 -58 440 130Q434 270 340 330L334 600Q332 636 300 636T266 600L260 330Q166 270 160 130Q156 -58 300 -60z',
    ),
    fill(wood.shade, 'M346 330L334 600Q332 636 300 636Q318 620 318 590L320 330z'),
    fill(rose.base, 'M300 -30Q414 -28 410 130Q404 280 300 300Q196 280 190 130Q186 -28 300 -30z'),
    fill(rose.light, 'M300 -30Q186 -28 190 130Q192 160 200 190Q204 10 300 -30z'),
    within(oval([300, 134], [96, 150]), fill(walnut.shade, bristles)),
    fill(white, oval([300, 596], [10, 16])),
    stroke(wood.light, 8, 'M276 372L280 540'),
  );
}

/** A hair dryer blowing to the left. */
export function hairDryer(): Shape {
  const body = 'M150 128H352Q490 128 490 240T352 352H150z';
  return (
    stroke(ink.base, 14, 'M372 500Q380 560 450 540T530 500') +
    fill(plum.shade, 'M306 330H404L396 490Q394 510 374 510H340Q322 510 320 492z') +
    solid(body, plum.base, fill(plum.shade, 'M140 290H510V360H140z')) +
    veil(white, 0.3, box([178, 156], [190, 22], 11)) +
    fill(ink.base, 'M62 152H150V328H62Q50 328 50 316V164Q50 152 62 152z') +
    fill(ink.light, box([134, 120], [34, 240], 10)) +
    fill(ink.shade, disc([392, 240], 66)) +
    stroke(steel.base, 9, 'M392 192V288 M362 206V274 M422 206V274') +
    fill(coral.base, box([330, 388], [30, 54], 12))
  );
}
