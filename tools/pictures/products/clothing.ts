import { box, disc, each, upTo } from '../outline.ts';
import { palette, white } from '../palette.ts';
import type { Shape } from '../shape.ts';
import { fill, mirrored, moved, solid, stroke, veil } from '../shape.ts';

const { coral, amber, teal, sky, denim, plum, walnut, cream } = palette;

/** A short-sleeved shirt laid flat. */
export function tShirt(): Shape {
  const shirt =
    'M214 84Q300 150 386 84L456 112Q476 120 486 138L552 252Q558 264 546 272L474 316L436 262V498Q436 516 418 516H182Q164 516 164 498V262L126 316L54 272Q42 264 48 252L114 138Q124 120 144 112z';
  return (
    fill(sky.shade, 'M206 88Q300 40 394 88Q300 190 206 88z') +
    solid(
      shirt,
      sky.base,
      veil(sky.shade, 0.55, 'M436 200V540H384Q420 380 408 236z'),
      mirrored(stroke(sky.shade, 7, 'M164 270Q164 214 178 184')),
    ) +
    stroke(sky.light, 8, 'M200 470Q190 390 196 310') +
    mirrored(stroke(sky.shade, 6, 'M64 246L140 292')) +
    stroke(sky.shade, 6, 'M170 488H430') +
    stroke(sky.light, 20, 'M214 90Q300 160 386 90')
  );
}

/** A hooded sweatshirt laid flat, with a pouch pocket and drawstrings. */
export function hoodie(): Shape {
  const torso = 'M196 152L404 152Q446 166 446 212V470H154V212Q154 166 196 152z';
  const sleeve = 'M206 150Q142 160 122 226L64 440Q60 458 76 464L122 478Q138 480 144 464L176 350z';
  return (
    mirrored(fill(plum.shade, 'M64 440L60 462Q58 478 74 484L118 496Q134 500 138 484L146 462z')) +
    mirrored(fill(plum.base, sleeve)) +
    solid(torso, plum.base, veil(plum.shade, 0.5, 'M446 190V480H400Q426 340 404 220z')) +
    fill(plum.shade, box([158, 464], [284, 52], 14)) +
    stroke(
      plum.base,
      4,
      each(upTo(11), (index) => `M${180 + index * 24} 472v36`),
    ) +
    mirrored(stroke(plum.shade, 7, 'M158 440V250')) +
    fill(plum.shade, 'M222 350H378L420 440V464H180V440z') +
    fill(plum.base, 'M226 344H374L412 432V458H188V432z') +
    mirrored(stroke(plum.light, 5, 'M226 352L196 426')) +
    fill(plum.light, 'M180 190Q166 66 300 64Q434 66 420 190Q384 236 300 262Q216 236 180 190z') +
    fill(plum.shade, 'M214 180Q210 104 300 104Q390 104 386 180Q360 216 300 238Q240 216 214 180z') +
    fill('#513871', 'M236 172Q236 126 300 126Q364 126 364 172Q340 196 300 206Q260 196 236 172z') +
    mirrored(stroke(cream.base, 9, 'M266 234Q256 280 262 312')) +
    mirrored(fill(cream.shade, box([255, 306], [14, 30], 6)))
  );
}

/** Straight-leg jeans laid flat. */
export function jeans(): Shape {
  const legs =
    'M176 66H424L468 520Q469 534 455 534H356Q343 534 341 520L308 236Q300 226 292 236L259 520Q257 534 244 534H145Q131 534 132 520z';
  return (
    solid(
      legs,
      denim.base,
      veil(denim.light, 0.6, 'M190 250Q230 250 236 330L216 520H176z M366 250Q400 260 396 330L420 520H380z'),
      fill(denim.shade, 'M424 66L480 540H440L398 130z', 'M300 220L330 440L308 236z'),
      fill(denim.light, box([120, 506], [360, 40])),
      fill(denim.shade, box([160, 60], [280, 50])),
    ) +
    stroke(amber.base, 5, 'M140 498H256 M344 498H460') +
    mirrored(stroke(amber.base, 5, 'M172 184Q238 184 244 116')) +
    stroke(amber.base, 5, 'M300 112V232 M300 204Q334 200 334 116') +
    fill(
      denim.base,
      each([196, 262, 324, 390], (x) => box([x, 60], [16, 56], 5)),
    ) +
    fill(amber.light, disc([300, 88], 12)) +
    fill(walnut.base, box([348, 74], [36, 28], 4))
  );
}

/** Two striped socks side by side, toes to the right. */
export function socks(): Shape {
  const sock = 'M150 70H282V300Q282 330 306 350L372 404Q412 440 384 482Q352 524 300 500L186 434Q150 412 150 370z';
  const redWool =
    'M140 118h160v28h-160zM140 168h160v22h-160zM140 212H420V330L399 357L288 499L280 560H220V470Q230 340 140 330z';
  const one =
    solid(
      sock,
      cream.base,
      solid(
        redWool,
        coral.base,
        fill(coral.shade, 'M250 60H300V300Q300 330 330 350L440 440V540H330Q420 470 330 400Q250 350 250 300z'),
      ),
    ) +
    stroke(
      cream.shade,
      5,
      each(upTo(6), (index) => `M${168 + index * 20} 78v32`),
    );
  return moved([108, 10], 1, one) + moved([-72, 24], 1, one);
}

/** A knitted hat with a zigzag band, a ribbed cuff and a pom-pom. */
export function knitBeanie(): Shape {
  const dome = 'M112 420Q96 150 300 150Q504 150 488 420z';
  return (
    fill(cream.shade, disc([300, 126], 66)) +
    fill(cream.base, disc([292, 118], 60)) +
    stroke(cream.shade, 6, 'M262 100l14 12 M296 84l4 18 M330 108l-14 10 M272 144l14 -8 M312 146l6 -12') +
    solid(
      dome,
      teal.base,
      fill(teal.shade, 'M300 150Q520 150 500 430H424Q440 220 300 150z'),
      stroke(cream.base, 20, `M76 330${each(upTo(8), () => 'l29 -46l29 46')}`),
      stroke(amber.base, 12, `M76 376${each(upTo(8), () => 'l29 -46l29 46')}`),
    ) +
    veil(white, 0.3, 'M164 260Q186 196 236 184Q196 220 188 268z') +
    fill(teal.shade, box([88, 396], [424, 122], 34)) +
    stroke(
      teal.base,
      17,
      each(upTo(13), (index) => `M${114 + index * 31} 420v74`),
    )
  );
}
