import type { Node } from '../openapi/document.ts';
import type { Random } from '../util/random.ts';
import { getRealisticRange } from './realistic-values.ts';

/** The size of the range if a schema has only one limit. */
const SPAN = 1_000;

/** The size of the range if the smaller one has no multiple of `multipleOf`. */
const WIDE_SPAN = 1e12;

/** The maximum number of attempts to generate a number that is not an exclusive limit. */
const MAX_ATTEMPTS = 20;

/** Generates a number for a schema, preferably in a realistic range for the property name. For integers, `multipleOf` must be set. */
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
  return [least, most].find(Number.isFinite) ?? 0;
}

/** Multiplies and rounds to 15 digits, so that 3 × 0.1 is 0.3. */
function multiply(count: number, step: number): number {
  return Number((count * step).toPrecision(15));
}
