import type { Delta, Direction, Effect } from './change.ts';
import { type Constraints, getKeywordPointer } from './schema-constraints.ts';
import type { Schema } from './schema-parts.ts';

/**
 * A place in a request or a response: `steps` such as `pets[].name`, within a `root` such as "the 200 response".
 */
export interface Place {
  readonly steps: string;
  readonly root: string;
}

/** A schema of the older document and the corresponding schema of the newer document. */
export interface SchemaPair {
  readonly before: Schema;
  readonly after: Schema;
  readonly place: Place;
  readonly direction: Direction;
}

/** A pair of schemas with the constraints of the older schema (`old`) and of the newer schema (`now`). */
export interface ComparedSchemas extends SchemaPair {
  readonly old: Constraints;
  readonly now: Constraints;
}

/**
 * Returns the changes between two schemas and their subschemas.
 * Compares each pair of subschemas once for each call.
 */
export type Compare = (pair: SchemaPair) => readonly Delta[];

/** Formats a place: "pets[].name of the 200 response". */
export function formatPlace({ steps, root }: Place): string {
  return steps === '' ? root : `${steps} of ${root}`;
}

/**
 * Returns the place of a child.
 * `step`: the name of a property, or `[]` for the entries of an array.
 */
export function getChildPlace({ steps, root }: Place, step: string): Place {
  return { steps: steps === '' || step.startsWith('[') ? steps + step : `${steps}.${step}`, root };
}

/**
 * Creates a change of the keyword `key`.
 * In a schema without the keyword, the change refers to the schema.
 * `words`: the message after the place.
 */
export function createDelta({ before, after, place }: SchemaPair, effect: Effect, key: string, words: string): Delta {
  const [old, now] = [getKeywordPointer(before, key), getKeywordPointer(after, key)];
  return { effect, before: old || now, after: now || old, message: `${formatPlace(place)} ${words}` };
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
