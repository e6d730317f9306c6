import { isNode, type Node } from '../openapi/document.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { toSingular } from '../util/singular.ts';

/** A part of a value, such as a property, and the schema of this part. */
export interface Part<Value = unknown> {
  readonly node: unknown;
  /** Undefined if the value is missing. */
  readonly value: Value;
  /** The object or array that has the part; undefined for the whole value. */
  readonly parent: Part | undefined;
  /** The name of the property, or the index of the array entry. */
  readonly step: string | number;
  readonly isRequired: boolean;
}

/** Returns the JSON Pointer of a part. */
export function getPartPointer({ parent, step }: Part): string {
  return parent ? getPartPointer(parent) + formatPointer(step) : '';
}

/** Returns the JSON Pointer of a part with `*` for the entries of arrays. */
export function getEntriesPointer({ parent, step }: Part): string {
  return parent ? getEntriesPointer(parent) + formatPointer(typeof step === 'number' ? '*' : step) : '';
}

/**
 * Returns the path to a part from the closest object with an `id`: `#7/address/city` in the object with the `id` 7. So the path does not depend on the position
 * of the object in a list.
 */
export function getPlace({ parent, step }: Part): string {
  if (!parent) return '';
  const id = isNode(parent.value) ? getOwn(parent.value, 'id') : undefined;
  const isId = typeof id === 'string' || typeof id === 'number';
  return (isId ? `#${id}` : getPlace(parent)) + formatPointer(step);
}

/** Returns the property name of a part. For an array entry, returns the singular of the array's name: `pet` for an entry of `pets`. */
export function getPartName({ parent, step }: Part): string {
  if (typeof step === 'string') return step;
  return parent ? toSingular(getPartName(parent)) : '';
}

/** Returns the value of an own property; undefined if the object does not have it. */
export function getOwn(node: Node, name: string): unknown {
  return Object.hasOwn(node, name) ? node[name] : undefined;
}
