import { isNode, type Node, toNode } from '../openapi/document.ts';
import { isPlausible } from './fit-schema.ts';

/**
 * Patterns of properties that describe a list, such as `total` and `page`, and functions that return their values for a list with only one page. The patterns
 * match property names in lower case, without `_` and `-`.
 */
const DESCRIPTIONS: readonly (readonly [name: RegExp, getValue: (length: number) => unknown])[] = [
  [
    /^(count|size|length|total|(total|item|result|record|element|entry)s?(count|items|results|records|elements|entries|size)|total)$/,
    (length) => length,
  ],
  [/^(page|current_?page|pages|page_?count|total_?pages|last_?page)$/, () => 1],
  [/^(offset|skip|start)$/, () => 0],
  [/^has_?(more|next|next_?page|prev|previous|prev_?page|previous_?page)$/, () => false],
];

/**
 * Makes properties such as `total` match the list in the same object: for a list of two entries, `total` becomes 2. Returns the object unchanged if it has an
 * `id`, no list or several lists.
 */
export function describeList(schema: Node, value: Node): Node {
  if (Object.hasOwn(value, 'id')) return value;
  const lists = Object.values(value).filter(Array.isArray);
  const [list] = lists;
  if (!list || lists.length > 1) return value;
  const properties = toNode(schema.properties);
  const entries = Object.entries(value).map(([name, own]) => {
    const key = name.replaceAll(/[_-]/g, '').toLowerCase();
    const getValue = DESCRIPTIONS.find(([pattern]) => pattern.test(key))?.[1];
    const described = getValue?.(list.length);
    return [name, typeof described === typeof own && isAllowed(properties[name], described) ? described : own];
  });
  return Object.fromEntries(entries);
}

/** Returns whether a value satisfies the keywords `type`, `const`, `enum`, `minimum` and `maximum` of a schema. */
function isAllowed(node: unknown, value: unknown): boolean {
  if (!isNode(node) || !isPlausible(node, value)) return false;
  const { minimum, maximum } = node as { minimum?: number; maximum?: number };
  return typeof value !== 'number' || (value >= (minimum ?? value) && value <= (maximum ?? value));
}
