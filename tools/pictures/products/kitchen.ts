import { box, disc, each, oval, polygon } from '../outline.ts';
import { palette, white } from '../palette.ts';
import type { Shape } from '../shape.ts';
import { fill, groundShadow, solid, stroke, turned, veil, within } from '../shape.ts';

const { ink, coral, amber, teal, sky, rose, wood, walnut, steel, cream } = palette;

/** A slice of toast coming out of a steel toaster with a lever at its side. */
export function toaster(): Shape {
  const body = 'M92 500V306Q92 222 176 222H424Q508 222 508 306V500Q508 512 496 512H104Q92 512 92 500z';
  return (
    groundShadow([300, 526], 220) +
    fill(ink.shade, box([118, 500], [70, 28], 10), box([412, 500], [70, 28], 10)) +
    fill(wood.shade, 'M172 250V158C136 140 140 76 204 76H396C460 76 464 140 428 158V250z') +
    fill(amber.light, 'M192 250V148C160 136 164 96 210 96H390C436 96 440 136 408 148V250z') +
    fill(
      wood.light,
      disc([240, 136], 7),
      disc([346, 126], 8),
      disc([300, 168], 7),
      disc([372, 178], 6),
      disc([228, 190], 7),
    ) +
    solid(body, steel.base, fill(steel.shade, box([430, 200], [90, 320])), fill(ink.base, box([80, 466], [440, 60]))) +
    veil(white, 0.65, box([122, 262], [34, 172], 17)) +
    fill(ink.base, 'M158 222H442Q434 246 410 246H190Q166 246 158 222z') +
    fill(ink.base, box([456, 282], [18, 150], 9)) +
    fill(coral.base, box([438, 300], [78, 34], 12)) +
    fill(coral.shade, box([438, 320], [78, 14], 7)) +
    fill(ink.base, disc([300, 386], 34)) +
    fill(steel.light, disc([300, 386], 24)) +
    stroke(coral.base, 7, 'M300 386V368')
  );
}

/** An electric kettle with its spout to the left and its handle to the right, on a base plate. */
export function kettle(): Shape {
  const body = 'M192 168H368L412 474Q414 490 398 490H150Q134 490 136 474z';
  return (
    groundShadow([284, 526], 190) +
    stroke(ink.base, 40, 'M352 190H410Q500 190 496 284L484 390Q480 424 446 424H404') +
    stroke(ink.light, 9, 'M372 178H410Q486 178 490 230') +
    fill(teal.shade, 'M230 176L100 168Q86 168 94 180L180 262z') +
    solid(
      body,
      teal.base,
      fill(
        teal.shade,
        polygon([
          [330, 160],
          [430, 160],
          [430, 500],
          [366, 500],
        ]),
      ),
      fill(steel.base, box([120, 452], [320, 60])),
    ) +
    veil(white, 0.45, 'M206 200H232L206 420H176z') +
    fill(ink.base, 'M184 176Q190 128 280 128Q370 128 376 176z') +
    fill(ink.light, box([256, 96], [48, 36], 14)) +
    fill(ink.shade, box([124, 488], [308, 36], 14)) +
    fill(sky.light, box([266, 250], [34, 160], 17)) +
    within(box([266, 250], [34, 160], 17), fill(sky.base, box([266, 320], [34, 100])))
  );
}

/** A cast iron pan seen from above, its handle to the upper right. */
export function fryingPan(): Shape {
  return turned(
    45,
    [300, 300],
    fill(ink.base, 'M262 176L276 -66Q278 -94 300 -94T324 -66L338 176z'),
    stroke(ink.light, 8, 'M280 140L290 -50'),
    fill(white, oval([300, -56], [10, 17])),
    fill(ink.shade, 'M240 160L262 132H338L360 160z'),
    fill(ink.light, disc([300, 360], 206)),
    fill(ink.base, disc([303, 364], 202)),
    fill(ink.shade, disc([300, 360], 176)),
    fill(ink.base, disc([300, 368], 164)),
    stroke(ink.light, 14, 'M176 380A126 126 0 0 1 264 248'),
    stroke(ink.light, 14, 'M300 242h2'),
  );
}

/** A chef's knife lying across the picture, its tip to the upper right. */
export function chefsKnife(): Shape {
  const blade = 'M206 248H470Q556 250 622 282Q520 366 330 366H222Q206 366 206 350z';
  const handle = 'M206 250V308Q150 300 96 318Q50 332 2 322Q-22 316 -20 288Q-18 258 10 252Q60 244 110 250z';
  return turned(
    -45,
    [300, 300],
    solid(
      blade,
      steel.shade,
      fill(steel.base, 'M200 312Q440 324 622 282V400H200z'),
      fill(steel.light, 'M200 344Q470 352 622 282V400H200z'),
    ),
    fill(walnut.base, handle),
    within(handle, fill(walnut.shade, 'M-30 300Q60 316 110 294T210 290V350H-30z')),
    stroke(walnut.light, 6, 'M14 266Q60 258 108 264H176'),
    fill(
      amber.light,
      each([30, 88, 146], (x) => disc([x, 284], 9)),
    ),
    fill(ink.light, box([190, 244], [24, 68], 6)),
  );
}

/** A steaming mug, dipped in teal glaze, its handle to the right. */
export function coffeeMug(): Shape {
  const body = 'M112 206H416V410Q416 508 320 508H208Q112 508 112 410z';
  const glaze = 'M100 190H430V396Q390 440 350 404T270 410T190 404T100 400z';
  return (
    groundShadow([268, 516], 170) +
    stroke(
      steel.base,
      14,
      'M204 140Q178 112 204 84T204 36 M264 140Q238 112 264 84T264 36 M324 140Q298 112 324 84T324 36',
    ) +
    stroke(teal.shade, 42, 'M400 262H440Q506 262 506 334T440 414H398') +
    solid(
      body,
      cream.base,
      fill(cream.shade, box([340, 200], [80, 320])),
      solid(glaze, teal.base, fill(teal.shade, box([340, 180], [90, 300]))),
    ) +
    veil(white, 0.4, box([140, 256], [26, 120], 13)) +
    fill(teal.light, oval([264, 206], [152, 44])) +
    fill(walnut.shade, oval([264, 210], [130, 32])) +
    fill(walnut.base, 'M140 218Q264 178 388 218Q360 242 264 242T140 218z')
  );
}

/** A blender with a pink smoothie in its glass pitcher. */
export function blender(): Shape {
  const pitcher = 'M166 126H424L388 366H202z';
  const wave = 'M150 214Q210 190 270 214T390 214T450 200V380H150z';
  const base = 'M196 372H394L438 508Q442 526 424 526H166Q148 526 152 508z';
  return (
    groundShadow([295, 532], 180) +
    stroke(steel.shade, 26, 'M424 166H452Q482 166 478 196L466 284Q462 314 432 314H406') +
    veil(sky.light, 0.75, pitcher) +
    within(pitcher, fill(rose.base, wave), within(wave, fill(rose.shade, 'M350 190H440V380H326z'))) +
    fill(rose.light, disc([238, 262], 12), disc([276, 302], 9), disc([232, 326], 8)) +
    veil(white, 0.6, 'M190 146H214L232 340H216z') +
    fill(ink.base, box([152, 94], [286, 36], 12), box([248, 60], [94, 40], 12)) +
    fill(ink.shade, box([192, 358], [206, 26], 8)) +
    solid(base, ink.base, fill(ink.shade, 'M350 360H450V540H372z')) +
    fill(coral.base, disc([295, 448], 34)) +
    fill(coral.light, disc([295, 448], 20)) +
    stroke(white, 8, 'M295 448L308 432')
  );
}
