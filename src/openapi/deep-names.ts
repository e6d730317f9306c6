import { MAX_JSON_DEPTH } from '../util/limits.ts';
import { isNode } from './walk-schemas.ts';

/**
 * Splits the name of a query parameter into the parameter name and the keys: `filter[colour][not]` has the name
 * `filter` and the keys `colour` and `not`.
 * Returns undefined for a name without keys.
 */
export function parseDeepName(name: string) {
  const [, parameter, brackets] = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name) ?? [];
  const keys = brackets?.slice(1, -1).split('][') ?? [];
  // More keys would create a value that is nested too deeply.
  if (parameter === undefined || keys.length === 0 || keys.length > MAX_JSON_DEPTH) return undefined;
  return { parameter, keys };
}

/**
 * Adds a nested value: the keys `['a', 'b']` set `target.a.b`.
 * Empty and numeric keys append to an array instead, and so does a second value for the same keys.
 * The numeric keys of nested values stand for the same entry.
 * Returns the result.
 * Changes `target`, which must be undefined or a result of this function: a copy for each field would take quadratic
 * time.
 */
export function addAt(target: unknown, keys: readonly string[], value: unknown, level = 0): unknown {
  const key = keys[level];
  if (key !== undefined && /^\d+$/.test(key) && level < keys.length - 1)
    return addToEntry(
      Array.isArray(target) ? target : [target].flat().filter((one) => one !== undefined),
      keys,
      value,
      level,
    );
  if (key === undefined || /^\d*$/.test(key)) {
    const added = key === undefined ? value : addAt(undefined, keys, value, level + 1);
    if (target === undefined && key === undefined) return Array.isArray(added) ? [...added] : added;
    const entries = Array.isArray(target) ? target : [target].filter((entry) => entry !== undefined);
    for (const entry of [added].flat()) entries.push(entry);
    return entries;
  }
  const own: Record<string, unknown> = isNode(target) ? target : {};
  const inner = addAt(Object.hasOwn(own, key) ? own[key] : undefined, keys, value, level + 1);
  // An assignment to the name `__proto__` would change the prototype.
  return Object.defineProperty(own, key, { value: inner, enumerable: true, configurable: true, writable: true });
}

/** The positions of the entries in the arrays of `addToEntry`, by the number in the name. */
const positions = new WeakMap<object, Map<string, number>>();

/** Adds a nested value to the entry of an array: `items[0][a]` and `items[0][b]` belong to the same entry. */
function addToEntry(list: unknown[], keys: readonly string[], value: unknown, level: number): unknown[] {
  const known = positions.get(list) ?? new Map<string, number>();
  positions.set(list, known);
  const key = String(keys[level]);
  const position = known.get(key) ?? list.length;
  known.set(key, position);
  list[position] = addAt(list[position], keys, value, level + 1);
  return list;
}
