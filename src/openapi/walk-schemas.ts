import { formatPointer } from '../util/json-pointer.ts';
import { isNode, type Node } from './document.ts';

/** Keys with values that are not part of the document's structure. */
const VALUE_KEYS = new Set(['example', 'examples', 'enum', 'default', 'const', 'x-refused-examples']);

/** Keys with an object whose keys are names, which may be equal to keywords. */
const NAMES_KEYS = new Set([
  'properties',
  'patternProperties',
  'schemas',
  'parameters',
  'headers',
  'responses',
  '$defs',
]);

/** Returns what a key of an object has: a plain value, an object of nodes by name, or a node. `isNames`: the key is itself a name. */
export function getKind(key: string, isNames: boolean): 'value' | 'names' | 'node' {
  if (isNames) return 'node';
  if (VALUE_KEYS.has(key)) return 'value';
  return NAMES_KEYS.has(key) ? 'names' : 'node';
}

/** Returns a copy of a document with each node replaced by what `change` returns for it, children first. Plain values, such as examples, are not visited. */
export function mapNodes<Whole>(document: Whole, change: (node: Node, pointer: string) => Node): Whole {
  const visit = (node: unknown, pointer: string, isNames: boolean): unknown => {
    if (Array.isArray(node)) return node.map((entry, index) => visit(entry, `${pointer}/${index}`, false));
    if (!isNode(node)) return node;
    const entries = Object.entries(node).map(([key, value]) => {
      const kind = getKind(key, isNames);
      return [key, kind === 'value' ? value : visit(value, pointer + formatPointer(key), kind === 'names')];
    });
    const copy: Node = Object.fromEntries(entries);
    return isNames ? copy : change(copy, pointer);
  };
  return visit(document, '', false) as Whole;
}
