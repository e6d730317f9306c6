import { isNode } from '../openapi/document.ts';

/**
 * Returns a copy of a value in which known values replace values of the same type. `knownValues`: the known value, or an object with the known values of
 * properties. Its key `*` has the known values of all entries of an array.
 */
export function setKnownValues(value: unknown, knownValues: unknown): unknown {
  if (knownValues === undefined) return value;
  if (!isNode(knownValues)) return typeof value === typeof knownValues ? knownValues : value;
  if (Array.isArray(value)) return value.map((entry) => setKnownValues(entry, knownValues['*']));
  if (!isNode(value)) return value;
  const known = Object.entries(knownValues).filter(([name]) => Object.hasOwn(value, name));
  return { ...value, ...Object.fromEntries(known.map(([name, inner]) => [name, setKnownValues(value[name], inner)])) };
}
