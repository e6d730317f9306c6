import { pointerTo } from '../util/json-pointer.ts';
import { isNode, type Node } from './document.ts';

/** Keys below which stand values, not schemas. */
const VERBATIM: ReadonlySet<string> = new Set([
  'example',
  'examples',
  'enum',
  'default',
  'const',
  'x-refused-examples',
]);

/** Keys below which stand names, which may be those of keywords. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'schemas',
  'parameters',
  'headers',
  'responses',
  '$defs',
]);

/** What stands below a key of a node: a value that is none of the document's own, names with a node each, or a node. */
export type Below = 'value' | 'names' | 'node';

/** What stands below a key; `isNames` says that the key itself is a name. */
export function below(key: string, isNames: boolean): Below {
  if (isNames) return 'node';
  if (VERBATIM.has(key)) return 'value';
  return NAMED.has(key) ? 'names' : 'node';
}

/**
 * A document anew, from its leaves up: `change` makes of each node, with its JSON Pointer, the one that takes its place. Values such as examples stay
 * as they are, and objects of names are no nodes.
 */
export function mapNodes<Whole>(document: Whole, change: (node: Node, pointer: string) => Node): Whole {
  const visit = (node: unknown, pointer: string, isNames: boolean): unknown => {
    if (Array.isArray(node)) return node.map((entry, place) => visit(entry, `${pointer}/${place}`, false));
    if (!isNode(node)) return node;
    const entries = Object.entries(node).map(([key, value]) => {
      const what = below(key, isNames);
      return [key, what === 'value' ? value : visit(value, pointer + pointerTo(key), what === 'names')];
    });
    const visited: Node = Object.fromEntries(entries);
    return isNames ? visited : change(visited, pointer);
  };
  return visit(document, '', false) as Whole;
}
