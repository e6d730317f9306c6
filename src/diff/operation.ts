import { type Document, getNode, isNode, type Node, parseReference } from '../openapi/document.ts';
import { listOperations } from '../openapi/path-items.ts';
import { formatPointer } from '../util/json-pointer.ts';

/** An operation, webhook or callback of a document, and its pointers. */
export interface Operation {
  readonly document: Document;
  /** Method and path, such as "POST /pets", or a name such as "webhook newPet (POST)". */
  readonly name: string;
  /**
   * Identifies the operation.
   * Operations that differ only in the names of path parameters have the same key.
   */
  readonly key: string;
  readonly path: string;
  readonly node: Node;
  readonly pointer: string;
  /** The JSON Pointer of the path item. */
  readonly item: string;
  /** Whether the server sends the request, as in a webhook or a callback. */
  readonly isOutgoing: boolean;
}

/** Returns the operations below `paths`, in the order of the document. */
export function getOperations(document: Document): readonly Operation[] {
  const paths = Object.keys(document.paths ?? {}).filter((path) => path.startsWith('/'));
  return paths.flatMap((path) =>
    readPathItem(document, formatPointer('paths', path), path, (method) => {
      const name = `${method} ${path}`;
      return { name, key: name.replaceAll(/\{.*?\}/g, '{}'), isOutgoing: false };
    }),
  );
}

/** Returns the webhooks of a document, in the order of the document. */
export function getWebhooks(document: Document): readonly Operation[] {
  return getKeys(document, '/webhooks').flatMap((webhook) =>
    readPathItem(document, formatPointer('webhooks', webhook), webhook, (method) => {
      const name = `webhook ${webhook} (${method})`;
      return { name, key: name, isOutgoing: true };
    }),
  );
}

/** Returns the callbacks of an operation, in the order of the document. */
export function getCallbacks({ document, name: operation, pointer }: Operation): readonly Operation[] {
  return getKeys(document, `${pointer}/callbacks`).flatMap((callback) => {
    const { node, pointer: own } = resolveNode(document, `${pointer}/callbacks${formatPointer(callback)}`);
    const expressions = Object.keys(node).filter((key) => !key.startsWith('x-'));
    return expressions.flatMap((expression) =>
      readPathItem(document, own + formatPointer(expression), expression, (method) => {
        const key = `callback ${callback} (${method} ${expression})`;
        return { name: `${operation}, ${key}`, key, isOutgoing: true };
      }),
    );
  });
}

type Naming = (method: string) => Pick<Operation, 'name' | 'key' | 'isOutgoing'>;

/** Returns the operations of a path item. `toNames`: returns the names for a method such as `POST`. */
function readPathItem(document: Document, itemPointer: string, path: string, toNames: Naming): readonly Operation[] {
  const { node: item, pointer } = resolveNode(document, itemPointer);
  return listOperations(document, item).flatMap(({ method, pointer: own, node }) =>
    isNode(node) ? [{ document, ...toNames(method), path, node, pointer: pointer + own, item: pointer }] : [],
  );
}

/**
 * Follows references from a JSON Pointer.
 * Returns the node without a reference, and its JSON Pointer.
 * Returns an empty node if there is no node.
 */
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
