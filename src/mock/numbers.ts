import type { Node } from '../openapi/document.ts';
import type { Random } from '../util/random.ts';
import { boundsFor } from './realistic-values.ts';

/** How far numbers reach beyond the only bound that they have, at first and where no multiple is near. */
const SPAN = 1_000;
const FAR = 1e12;

/** How often a number is drawn until one is no bound that is excluded. */
const TRIES = 20;

/** A number within the bounds of its schema, where these leave the choice within those of its name. */
export function numberOf(schema: Node, name: string, random: Random, isWhole: boolean): number {
  const bounds = schema as Readonly<Record<string, number | undefined>>;
  const given = bounds.multipleOf ?? (isWhole ? 1 : undefined);
  const least = Math.max(bounds.minimum ?? -Infinity, bounds.exclusiveMinimum ?? -Infinity);
  const most = Math.min(bounds.maximum ?? Infinity, bounds.exclusiveMaximum ?? Infinity);
  const isTaken = (value: number) =>
    value >= least && value <= most && value !== bounds.exclusiveMinimum && value !== bounds.exclusiveMaximum;
  const [usualLeast, usualMost] = boundsFor(name);
  const ranges = [
    [Math.max(least, usualLeast), Math.min(most, usualMost)],
    [Number.isFinite(least) ? least : most - SPAN, Number.isFinite(most) ? most : least + SPAN],
    [Number.isFinite(least) ? least : -FAR, Number.isFinite(most) ? most : FAR],
  ] as const;
  for (const [from, to] of ranges) {
    for (const step of given === undefined ? [0.01, (to - from) / 1_000] : [given]) {
      const [first, last] = [Math.ceil(from / step - 1e-9), Math.floor(to / step + 1e-9)];
      if (last - first < (given === undefined ? 100 : 0)) continue;
      for (let tries = 0; tries < TRIES; tries++) {
        const value = exact(random.whole(first, last), step);
        if (isTaken(value)) return value;
      }
    }
  }
  return Number.isFinite(least) ? least : Number.isFinite(most) ? most : 0;
}

/** A multiple of a step, without the error of adding up binary fractions. */
function exact(count: number, step: number): number {
  return Number((count * step).toPrecision(15));
}
