import type { Node } from '../openapi/document.ts';
import type { Random } from '../util/random.ts';
import { getRealisticRange } from './realistic-values.ts';

/** How far numbers reach beyond the only bound: at first, and if no multiple is in that range. */
const SPAN = 1_000;
const WIDE_SPAN = 1e12;

/** The number of attempts to draw a number that is not an exclusive bound. */
const MAX_ATTEMPTS = 20;

/** Generates a number for a schema, preferably in the realistic range for its name. An integer is a multiple of 1. */
export function generateNumber(schema: Node, name: string, random: Random): number {
  const bounds = schema as Readonly<Record<string, number | undefined>>;
  const { multipleOf } = bounds;
  const least = Math.max(bounds.minimum ?? -Infinity, bounds.exclusiveMinimum ?? -Infinity);
  const most = Math.min(bounds.maximum ?? Infinity, bounds.exclusiveMaximum ?? Infinity);
  const isAllowed = (value: number) =>
    value >= least && value <= most && value !== bounds.exclusiveMinimum && value !== bounds.exclusiveMaximum;
  const [realisticLeast, realisticMost] = getRealisticRange(name);
  const ranges = [
    [Math.max(least, realisticLeast), Math.min(most, realisticMost)],
    [Number.isFinite(least) ? least : most - SPAN, Number.isFinite(most) ? most : least + SPAN],
    [Number.isFinite(least) ? least : -WIDE_SPAN, Number.isFinite(most) ? most : WIDE_SPAN],
  ] as const;
  for (const [from, to] of ranges) {
    for (const step of multipleOf === undefined ? [0.01, (to - from) / 1_000] : [multipleOf]) {
      const [first, last] = [Math.ceil(from / step - 1e-9), Math.floor(to / step + 1e-9)];
      if (last - first < (multipleOf === undefined ? 100 : 0)) continue;
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const value = multiply(random.integer(first, last), step);
        if (isAllowed(value)) return value;
      }
    }
  }
  return Number.isFinite(least) ? least : Number.isFinite(most) ? most : 0;
}

/** Rounds to the precision of a double, so that 3 × 0.1 is 0.3. */
function multiply(count: number, step: number): number {
  return Number((count * step).toPrecision(15));
}
