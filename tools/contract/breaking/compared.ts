import type { Delta, Direction, Effect } from './change.ts';
import type { Facts } from './schema-facts.ts';
import { getKeywordPointer } from './schema-facts.ts';
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

/** A pair of schemas with the constraints of both. */
export interface Compared extends Pair {
  readonly old: Facts;
  readonly now: Facts;
}

/** Returns the changes between two schemas and their subschemas. Each pair is compared once for each message. */
export type Compare = (pair: Pair) => readonly Delta[];

/** Formats a place: "products[].name of the 200 response". */
export function formatPlace({ steps, root }: Place): string {
  return steps === '' ? root : `${steps} of ${root}`;
}

/** Returns the place of a child. `step`: the name of a property, or `[]` for the entries of an array. */
export function getChildPlace({ steps, root }: Place, step: string): Place {
  return { steps: steps === '' || step.startsWith('[') ? steps + step : `${steps}.${step}`, root };
}

/** Creates the change of a keyword, with the pointer of the keyword in the newer schema, else in the older schema. */
export function createDelta({ before, after, place }: Pair, effect: Effect, key: string, words: string): Delta {
  const schemaWithKey = [after, before].find((schema) => schema.some(({ node }) => node[key] !== undefined));
  return {
    effect,
    pointer: getKeywordPointer(schemaWithKey ?? (after.length > 0 ? after : before), key),
    message: `${formatPlace(place)} ${words}`,
  };
}

/** Formats a value as JSON for a message, with at most 60 characters. */
export function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** Joins words for the end of a sentence: "a, b or c". */
export function joinWithOr(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
