import type { Delta, Direction, Effect } from './change.ts';
import type { Facts } from './schema-facts.ts';
import { placeOf } from './schema-facts.ts';
import type { Schema } from './schema-parts.ts';

/** Where in a message a schema holds: steps such as `products[].name`, in a root such as "the 200 response". */
export interface Place {
  readonly steps: string;
  readonly root: string;
}

/** A schema of the older document and the one that took its place. */
export interface Pair {
  readonly before: Schema;
  readonly after: Schema;
  readonly place: Place;
  readonly direction: Direction;
}

/** A pair with what both say. */
export interface Compared extends Pair {
  readonly old: Facts;
  readonly now: Facts;
}

/** The changes from one schema to another, those of what is in it included; each pair of a root once. */
export type Compare = (pair: Pair) => readonly Delta[];

/** A place in words: "products[].name of the 200 response". */
export function named({ steps, root }: Place): string {
  return steps === '' ? root : `${steps} of ${root}`;
}

/** The place of a property. */
export function below({ steps, root }: Place, step: string): Place {
  return { steps: steps === '' || step.startsWith('[') ? steps + step : `${steps}.${step}`, root };
}

/** A change of a keyword; its place is where the newer schema says it, else where the older one did. */
export function delta({ before, after, place }: Pair, effect: Effect, key: string, words: string): Delta {
  const isSaid = [after, before].find((schema) => schema.some(({ node }) => node[key] !== undefined));
  return {
    effect,
    pointer: placeOf(isSaid ?? (after.length > 0 ? after : before), key),
    message: `${named(place)} ${words}`,
  };
}

/** A value as it stands in a sentence, long ones shortened. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** Some things as the end of a sentence: "a, b or c". */
export function either(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
