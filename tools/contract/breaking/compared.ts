import type { Delta, Direction, Effect } from './change.ts';
import type { Facts } from './schema-facts.ts';
import { placeOf } from './schema-facts.ts';
import type { Schema } from './schema-parts.ts';

/** A place in a message: steps such as `products[].name`, below a root such as "the 200 response". */
export interface Place {
  readonly steps: string;
  readonly root: string;
}

/** A schema of the older document and its counterpart in the newer one. */
export interface Pair {
  readonly before: Schema;
  readonly after: Schema;
  readonly place: Place;
  readonly direction: Direction;
}

/** A pair with the facts of both schemas. */
export interface Compared extends Pair {
  readonly old: Facts;
  readonly now: Facts;
}

/** Returns the changes between two schemas and their subschemas; each pair of a root once. */
export type Compare = (pair: Pair) => readonly Delta[];

/** Returns a place in words: "products[].name of the 200 response". */
export function named({ steps, root }: Place): string {
  return steps === '' ? root : `${steps} of ${root}`;
}

/** Returns the place of a property. */
export function below({ steps, root }: Place, step: string): Place {
  return { steps: steps === '' || step.startsWith('[') ? steps + step : `${steps}.${step}`, root };
}

/** Creates the change of a keyword; its pointer is that of the keyword in the newer schema, else in the older one. */
export function delta({ before, after, place }: Pair, effect: Effect, key: string, words: string): Delta {
  const isSaid = [after, before].find((schema) => schema.some(({ node }) => node[key] !== undefined));
  return {
    effect,
    pointer: placeOf(isSaid ?? (after.length > 0 ? after : before), key),
    message: `${named(place)} ${words}`,
  };
}

/** Formats a value for a sentence; long ones are shortened. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** Joins words for the end of a sentence: "a, b or c". */
export function either(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
