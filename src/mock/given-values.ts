import { isNode } from '../openapi/document.ts';

/**
 * Returns a copy of a value with known values in place of others of the same type. `given`: the known value, or an object with the known values of
 * properties. The known value at `*` applies to all entries of an array.
 */
export function setGiven(value: unknown, given: unknown): unknown {
  if (given === undefined) return value;
  if (!isNode(given)) return typeof value === typeof given ? given : value;
  if (Array.isArray(value)) return value.map((entry) => setGiven(entry, given['*']));
  if (!isNode(value)) return value;
  const known = Object.entries(given).filter(([name]) => Object.hasOwn(value, name));
  return { ...value, ...Object.fromEntries(known.map(([name, inner]) => [name, setGiven(value[name], inner)])) };
}
