import { METHODS } from '../../../src/openapi/check-structure.ts';
import { type Document, getNode, isNode, type Node, parseReference } from '../../../src/openapi/document.ts';
import { formatPointer } from '../../../src/util/json-pointer.ts';

/** An operation of a document and its pointers. */
export interface Operation {
  readonly document: Document;
  /** Method and path: "POST /api/orders". */
  readonly name: string;
  /** Identifies the operation. Operations that differ only in the names of path parameters have the same key. */
  readonly key: string;
  readonly path: string;
  readonly node: Node;
  readonly pointer: string;
  /** The JSON Pointer of the path item. */
  readonly item: string;
}

/** Returns the operations of a document, in the order of the document. */
export function getOperations(document: Document): readonly Operation[] {
  return Object.keys(document.paths ?? {}).flatMap((path) => {
    const { node: item, pointer } = resolveNode(document, formatPointer('paths', path));
    if (!path.startsWith('/')) return [];
    return METHODS.flatMap((method) => {
      const node = item[method];
      if (!isNode(node)) return [];
      const name = `${method.toUpperCase()} ${path}`;
      const key = name.replaceAll(/\{.*?\}/g, '{}');
      return [{ document, name, key, path, node, pointer: `${pointer}/${method}`, item: pointer }];
    });
  });
}

/** Follows references from a JSON Pointer. Returns the node without a reference, and its JSON Pointer. Returns an empty node if there is no node. */
export function resolveNode(document: Document, pointer: string): { readonly node: Node; readonly pointer: string } {
  const seen = new Set<string>();
  let place = pointer;
  for (;;) {
    const node = getNode(document, place);
    if (!isNode(node)) return { node: {}, pointer: place };
    if (typeof node.$ref !== 'string' || !node.$ref.startsWith('#') || seen.has(place)) return { node, pointer: place };
    seen.add(place);
    place = parseReference(node.$ref);
  }
}

/** Returns the keys of the node at a pointer; none if there is no node. */
export function getKeys(document: Document, pointer: string): readonly string[] {
  const node = getNode(document, pointer);
  return isNode(node) ? Object.keys(node) : [];
}
