import { type Document, isNode, type Node, parseReference } from '../openapi/document.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';

/**
 * Returns the JSON Pointer of a schema that has a `oneOf` or `anyOf`. For a reference, returns the JSON Pointer of its target. Returns undefined for other
 * schemas.
 */
export function findAlternatives(document: Document, node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  return typeof node.$ref === 'string' ? parseReference(node.$ref) : findPointers(document).get(node);
}

/** Returns the JSON Pointers of the objects in a document that have a `oneOf` or `anyOf`. */
const findPointers = memoizeByObject((document: Document): ReadonlyMap<unknown, string> => {
  const pointers = new Map<unknown, string>();
  const collect = (node: unknown, pointer: string): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray((node as Node).oneOf) || Array.isArray((node as Node).anyOf)) pointers.set(node, pointer);
    for (const [key, value] of Object.entries(node)) collect(value, pointer + formatPointer(key));
  };
  collect(document, '');
  return pointers;
});
