import { box, disc, each, upTo } from '../outline.ts';
import { palette, white } from '../palette.ts';
import type { Shape } from '../shape.ts';
import { fill, groundShadow, mirrored, moved, solid, stroke, turned, veil } from '../shape.ts';

const { ink, coral, amber, teal, sky, denim, steel, cream } = palette;

/** A running shoe seen from its side, the toe to the right. */
export function runningShoes(): Shape {
  const upper =
    'M74 412Q52 330 68 252Q74 226 98 240Q160 282 220 254L252 216Q264 204 278 216Q350 280 424 312L508 342Q556 362 552 412z';
  return (
    groundShadow([306, 466], 240) +
    solid(
      upper,
      teal.base,
      fill(teal.shade, 'M50 372Q160 420 300 384T570 392V420H50z'),
      fill(ink.base, 'M450 420Q450 356 512 336L570 350V420z', 'M50 220H150Q104 300 146 420H50z'),
      fill(amber.base, 'M206 412L296 320L338 338L262 412z', 'M296 412L366 350L400 362L346 412z'),
      fill(ink.shade, 'M60 226H290L246 266Q170 312 84 272z'),
    ) +
    stroke(cream.base, 14, 'M258 270L302 238 M292 302L340 268 M330 330L382 298') +
    stroke(coral.base, 13, 'M76 256L58 226') +
    fill(cream.base, 'M64 398Q180 424 300 404T554 396Q572 396 568 424Q564 450 536 450H94Q60 450 62 414z') +
    fill(cream.shade, 'M62 432Q300 448 566 428Q560 450 536 450H94Q68 450 62 432z') +
    fill(coral.base, 'M84 446H552Q538 470 514 470H116Q94 470 84 446z') +
    stroke(
      cream.light,
      7,
      each(upTo(8), (index) => `M${146 + index * 52} 462v10`),
    )
  );
}

/** A pair of yellow rubber boots, toes to the right. */
export function rainBoots(): Shape {
  const boot = 'M130 92H270V330Q270 378 330 400Q398 420 398 476V492H130z';
  const one =
    solid(
      boot,
      amber.base,
      fill(amber.shade, 'M228 80H280V340Q280 380 340 396L420 440V500H330Q320 430 268 410Q228 390 228 340z'),
      fill(amber.light, box([120, 84], [160, 36])),
    ) +
    veil(white, 0.55, box([152, 146], [20, 170], 10)) +
    stroke(amber.shade, 8, 'M130 392Q180 378 222 402') +
    fill(ink.base, 'M122 480H404Q410 480 408 492L404 510Q402 520 390 520H246L236 506H206V520H138Q122 520 122 506z');
  return groundShadow([310, 524], 230) + moved([126, -22], 1, one) + moved([-40, 4], 1, one);
}

/** A pair of flip-flops seen from above. */
export function flipFlops(): Shape {
  const sole =
    'M180 66Q272 70 268 190Q266 250 250 320Q240 380 248 430Q252 534 180 536Q106 534 110 430Q116 380 106 310Q86 240 90 176Q96 66 180 66z';
  const one =
    fill(denim.shade, sole) +
    moved([0, -10], 1, fill(sky.base, sole)) +
    stroke(sky.light, 9, 'M112 190Q114 92 178 86') +
    stroke(
      sky.shade,
      5,
      each(upTo(4), (index) => `M${138 + index * 2} ${400 + index * 28}h${84 - index * 4}`),
    ) +
    stroke(coral.shade, 30, 'M96 322Q112 220 180 158Q246 220 256 322') +
    stroke(coral.base, 26, 'M96 314Q112 212 180 150Q246 212 256 314') +
    stroke(coral.light, 7, 'M106 280Q122 216 176 162') +
    fill(coral.shade, disc([180, 146], 18)) +
    fill(coral.light, disc([180, 142], 11));
  return mirrored(turned(-6, [180, 300], moved([-14, 0], 1, one)));
}

/** A canvas shoe that covers the ankle, with white toe cap and laces, the toe to the right. */
export function highTopSneakers(): Shape {
  const upper = 'M122 470Q104 320 128 132Q130 110 152 110H282Q302 110 304 132Q310 250 350 306L430 352Q470 376 470 470z';
  return (
    groundShadow([312, 520], 228) +
    solid(
      upper,
      coral.base,
      fill(coral.shade, 'M232 100H320V260L380 330L350 360Q264 300 250 210z', 'M100 430Q280 470 480 420V480H100z'),
      fill(coral.shade, 'M112 110H160Q146 280 166 480H100z'),
    ) +
    fill(cream.base, 'M396 470Q392 366 462 366Q536 378 542 470z') +
    fill(cream.shade, 'M470 470Q520 450 530 420Q540 440 542 470z') +
    fill(coral.shade, disc([232, 420], 11), disc([272, 420], 11)) +
    fill(steel.light, disc([232, 420], 5), disc([272, 420], 5)) +
    stroke(
      cream.base,
      14,
      each(
        [
          [274, 150],
          [278, 194],
          [288, 238],
          [306, 280],
          [336, 316],
          [374, 340],
        ] as const,
        ([x, y]) => `M${x - 32} ${y + 14}L${x + 12} ${y - 6}`,
      ),
    ) +
    fill(cream.base, 'M104 454H540Q556 454 556 470V496Q556 514 538 514H122Q104 514 104 496z') +
    fill(denim.base, box([104, 474], [452, 10])) +
    fill(cream.shade, 'M104 494H556V496Q556 514 538 514H122Q104 514 104 496z') +
    stroke(cream.base, 9, 'M136 122H294')
  );
}
