import { formatPointer } from '../util/json-pointer.ts';

/** Keys whose values are plain data, not nodes of the document. The values of extensions (`x-…`) are plain data too. */
const VALUE_KEYS = new Set(['example', 'examples', 'enum', 'default', 'const', 'mapping']);

/**
 * Keys whose value is an object that has a node for each name, such as `properties`.
 * A name in this object can be equal to a keyword.
 */
const NAMES_KEYS = new Set([
  'properties',
  'patternProperties',
  'schemas',
  'parameters',
  'headers',
  'responses',
  'requestBodies',
  'callbacks',
  'webhooks',
  'links',
  'securitySchemes',
  'pathItems',
  'mediaTypes',
  'additionalOperations',
  'encoding',
  'dependentSchemas',
  'definitions',
  '$defs',
]);

/**
 * Returns what the value at a key of a document is.
 * `value`: plain data.
 * `names`: an object that has a node for each name.
 * `node`: a node such as a schema.
 * `isNames`: whether the key is a name that the author has chosen, and not a keyword.
 */
export function getKind(key: string, isNames: boolean): 'value' | 'names' | 'node' {
  if (isNames) return 'node';
  if (VALUE_KEYS.has(key) || key.startsWith('x-')) return 'value';
  return NAMES_KEYS.has(key) ? 'names' : 'node';
}

/**
 * Returns a document in which each node (each object of the OpenAPI document, such as a schema) is replaced by the
 * result of `change`.
 * Children are replaced before their parents.
 * Parts that do not change, and plain data such as examples, are not copied: the result shares them with the document.
 */
export function mapNodes<Whole>(document: Whole, change: (node: Node, pointer: string) => Node): Whole {
  // Creates no array of entries for each node, because a large document has a million nodes.
  const visit = (node: unknown, pointer: string, isNames: boolean): unknown => {
    if (Array.isArray(node)) return visitEntries(node, pointer);
    if (!isNode(node)) return node;
    let copy: Record<string, unknown> | undefined;
    for (const key in node) {
      const value = node[key];
      if (typeof value !== 'object' || value === null) continue;
      const kind = getKind(key, isNames);
      const next = kind === 'value' ? value : visit(value, pointer + formatPointer(key), kind === 'names');
      if (next === value) continue;
      copy ??= { ...node };
      copy[key] = next;
    }
    return isNames ? (copy ?? node) : change(copy ?? node, pointer);
  };
  const visitEntries = (entries: readonly unknown[], pointer: string): readonly unknown[] => {
    let copy: unknown[] | undefined;
    for (let index = 0; index < entries.length; index++) {
      const next = visit(entries[index], `${pointer}/${index}`, false);
      if (next === entries[index]) continue;
      copy ??= [...entries];
      copy[index] = next;
    }
    return copy ?? entries;
  };
  return visit(document, '', false) as Whole;
}

/** Returns whether a node of a document passes a test. Creates no pointers, and so is faster than `mapNodes`. */
export function hasNode(document: unknown, test: (node: Node) => boolean): boolean {
  const visit = (node: unknown, isNames: boolean): boolean => {
    if (Array.isArray(node)) return node.some((entry) => visit(entry, false));
    if (!isNode(node)) return false;
    for (const key in node) {
      const kind = getKind(key, isNames);
      if (kind !== 'value' && visit(node[key], kind === 'names')) return true;
    }
    return !isNames && test(node);
  };
  return visit(document, false);
}

/** An object in a document or a schema. */
export type Node = { readonly [key: string]: unknown };

/** Returns whether a value is an object. Returns false for an array and for null. */
export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
