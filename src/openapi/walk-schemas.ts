import { formatPointer } from '../util/json-pointer.ts';
import { isNode, type Node } from './document.ts';

/** Keys whose values are plain data, not nodes of the document. The values of extensions (`x-…`) are plain data too. */
const VALUE_KEYS = new Set(['example', 'examples', 'enum', 'default', 'const', 'mapping']);

/** Keys whose value is an object with nodes by name. A name can be equal to a keyword. */
const NAMES_KEYS = new Set([
  'properties',
  'patternProperties',
  'schemas',
  'parameters',
  'headers',
  'responses',
  'requestBodies',
  'callbacks',
  'links',
  'securitySchemes',
  'pathItems',
  'encoding',
  'dependentSchemas',
  'definitions',
  '$defs',
]);

/** Returns the kind of the value at a key: plain data, nodes by name, or a node. `isNames`: whether the key is a name. */
export function getKind(key: string, isNames: boolean): 'value' | 'names' | 'node' {
  if (isNames) return 'node';
  if (VALUE_KEYS.has(key) || key.startsWith('x-')) return 'value';
  return NAMES_KEYS.has(key) ? 'names' : 'node';
}

/** Returns a copy of a document in which each node is replaced by the result of `change`. Children are replaced before their parents. Plain data, such as examples, is copied unchanged. */
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
