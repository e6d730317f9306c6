import { disc, each } from '../outline.ts';
import { palette, white } from '../palette.ts';
import type { Shape } from '../shape.ts';
import { fill, mirrored, solid, stroke, veil, within } from '../shape.ts';

const { ink, coral, denim, wood, walnut, cream } = palette;

/** Sunglasses seen from the front. */
export function sunglasses(): Shape {
  const rim = 'M66 214Q70 190 96 186Q180 174 250 196Q272 204 270 232Q264 386 164 390Q70 386 64 250z';
  const lens = 'M92 224Q94 212 108 210Q180 202 232 216Q246 220 244 236Q236 360 164 364Q96 360 90 250z';
  const half =
    fill(walnut.base, rim) +
    fill(walnut.shade, 'M62 212L48 204Q36 200 40 214L66 260z') +
    within(
      rim,
      fill(
        wood.base,
        disc([92, 204], 16),
        disc([236, 206], 14),
        disc([80, 306], 14),
        disc([250, 300], 16),
        disc([150, 384], 18),
        disc([164, 188], 14),
      ),
    ) +
    fill(ink.base, lens);
  return (
    stroke(walnut.base, 26, 'M258 232Q300 196 342 232') +
    mirrored(half) +
    each([0, 272], (x) =>
      veil(white, 0.25, `M${118 + x} 218L${180 + x} 212L${112 + x} 316Q${100 + x} 290 ${102 + x} 250z`),
    ) +
    each([0, 272], (x) => veil(white, 0.18, `M${198 + x} 213L${220 + x} 216L${134 + x} 348L${122 + x} 336z`))
  );
}

/** An open umbrella with a curved wooden handle. */
export function umbrella(): Shape {
  const canopy =
    'M52 316Q60 96 300 96T548 316Q506 268 466 316Q424 268 383 316Q342 268 300 316Q258 268 217 316Q176 268 134 316Q94 268 52 316z';
  return (
    stroke(ink.base, 14, 'M300 60V440') +
    stroke(wood.base, 24, 'M300 420V482Q300 528 256 528T212 486') +
    stroke(wood.light, 7, 'M294 424V482') +
    solid(
      canopy,
      coral.base,
      fill(cream.base, 'M300 90Q150 150 134 330H217Q230 160 300 90z', 'M300 90Q450 150 466 330H383Q370 160 300 90z'),
      fill(coral.shade, 'M300 90Q520 130 560 330H466Q440 160 300 90z'),
      veil(ink.base, 0.08, 'M300 90Q372 160 383 330H560V90z'),
    ) +
    veil(white, 0.35, 'M94 250Q118 158 206 124Q140 176 118 256z')
  );
}

/** A baseball cap seen from its side, the brim to the right. */
export function baseballCap(): Shape {
  const dome = 'M70 404Q58 168 260 160Q420 162 440 368L430 396Q250 452 70 404z';
  return (
    fill(denim.shade, disc([260, 156], 20)) +
    solid(
      dome,
      denim.base,
      veil(denim.light, 0.55, 'M260 150Q140 190 126 440H50V150z'),
      veil(denim.shade, 0.6, 'M260 150Q360 220 372 440H460V150z'),
      stroke(denim.shade, 5, 'M260 158Q140 190 126 420 M260 158Q360 220 372 420'),
      stroke(denim.shade, 30, 'M60 412Q250 458 440 392'),
    ) +
    fill(cream.base, disc([248, 292], 52)) +
    fill(coral.base, 'M216 314L248 252L280 314z') +
    fill(denim.shade, disc([150, 238], 8), disc([352, 246], 8)) +
    fill(coral.base, 'M280 404Q390 392 440 352Q540 372 570 424Q578 440 558 440Q430 416 330 434Q284 440 280 404z') +
    fill(coral.shade, 'M280 404Q284 424 330 418Q440 396 570 424Q578 440 558 440Q430 416 330 434Q284 440 280 404z')
  );
}
