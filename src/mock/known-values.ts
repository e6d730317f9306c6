import { isNode } from '../openapi/document.ts';

/**
 * Returns a copy of `value` with known values: `{ id: 7 }` replaces the property `id` of an object, and
 * `{ '*': { id: 7 } }` replaces it in all entries of an array.
 * Replaces only values of the same type.
 */
export function setKnownValues(value: unknown, knownValues: unknown): unknown {
  if (knownValues === undefined) return value;
  if (!isNode(knownValues)) return typeof value === typeof knownValues ? knownValues : value;
  if (Array.isArray(value)) return value.map((entry) => setKnownValues(entry, knownValues['*']));
  if (!isNode(value)) return value;
  const known = Object.entries(knownValues).filter(([name]) => Object.hasOwn(value, name));
  return { ...value, ...Object.fromEntries(known.map(([name, inner]) => [name, setKnownValues(value[name], inner)])) };
}
