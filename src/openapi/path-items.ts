import { METHODS as NODE_METHODS } from 'node:http';
import type { Issue } from '../util/issue.ts';
import { formatPointer, parsePointer } from '../util/json-pointer.ts';
import { isNode, type Node, toNode } from './document.ts';

/** The keys of a path item that are operations in each version of OpenAPI. */
const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'] as const;

/** The keys of a path item that are operations in OpenAPI 3.2. The order is that of the header `Allow`. */
export const METHODS_32: readonly string[] = [...METHODS, 'query'];

/** The key of a path item with the operations of other methods, such as `LINK` (OpenAPI 3.2). */
export const OTHER_OPERATIONS = 'additionalOperations';

/** An operation in a path item. */
interface ItemOperation {
  /** In upper case. */
  readonly method: string;
  /** The JSON Pointer of the operation in its path item, such as `/get` or `/additionalOperations/LINK`. */
  readonly pointer: string;
  readonly node: unknown;
}

/** Returns whether a document has the version 3.2 of OpenAPI. */
export function isVersion32({ openapi }: { readonly openapi?: unknown }): boolean {
  return String(openapi).startsWith('3.2');
}

/** Returns the operations of a path item, without those that no request can reach. `document`: has the version. */
export function listOperations(
  document: { readonly openapi?: unknown },
  item: { readonly [key: string]: unknown },
): readonly ItemOperation[] {
  const is32 = isVersion32(document);
  const keys = (is32 ? METHODS_32 : METHODS).filter((key) => item[key] !== undefined);
  const operations = keys.map((key) => ({ method: key.toUpperCase(), pointer: `/${key}`, node: item[key] }));
  if (!is32 || item[OTHER_OPERATIONS] === undefined) return operations;
  const others = Object.entries(toNode(item[OTHER_OPERATIONS])).filter(
    ([method]) => describeUnreachable(method) === undefined,
  );
  return [
    ...operations,
    ...others.map(([method, node]) => ({ method, pointer: formatPointer(OTHER_OPERATIONS, method), node })),
  ];
}

/** Returns a path item in which each operation is replaced by the result of `change`. */
export function mapOperations(
  document: { readonly openapi?: unknown },
  item: Node,
  change: (operation: Node, method: string) => Node,
): Node {
  const changed: Record<string, unknown> = { ...item };
  for (const { method, pointer, node } of listOperations(document, item)) {
    const [key = '', other] = parsePointer(pointer);
    if (!isNode(node)) continue;
    changed[key] =
      other === undefined ? change(node, method) : { ...toNode(changed[key]), [other]: change(node, method) };
  }
  return changed;
}

/** Returns the JSON Pointer of the path item that contains the operation at a JSON Pointer. */
export function getItemPointer(operation: string): string {
  const end = operation.lastIndexOf('/');
  const parent = operation.slice(0, end);
  // A path template has escaped slashes, so a path item never has the key at the end of its own pointer.
  return parent.endsWith(`/${OTHER_OPERATIONS}`) ? parent.slice(0, -OTHER_OPERATIONS.length - 1) : parent;
}

/** Returns a warning for each operation below `additionalOperations` that no request can reach. */
export function findUnsupportedMethods(document: {
  readonly openapi?: unknown;
  readonly paths?: unknown;
}): readonly Issue[] {
  if (!isVersion32(document)) return [];
  return Object.entries(toNode(document.paths)).flatMap(([path, item]) => {
    const { [OTHER_OPERATIONS]: others = {} } = toNode(item);
    const pointer = formatPointer('paths', path, OTHER_OPERATIONS);
    if (!isNode(others))
      return [{ pointer, message: 'is ignored, because it is not an object: use methods such as LINK as its keys' }];
    return Object.keys(others).flatMap((method) => {
      const message = describeUnreachable(method);
      return message === undefined ? [] : [{ pointer: pointer + formatPointer(method), message }];
    });
  });
}

/** Returns why no request can have a method below `additionalOperations`; undefined if requests can have it. */
function describeUnreachable(method: string): string | undefined {
  if (method.startsWith('x-')) return undefined;
  const key = method.toLowerCase();
  if (METHODS_32.includes(key))
    return `is ignored, because ${method} has a key of its own: move the operation to ${key}`;
  // Node.js hands CONNECT to proxies, and not to request handlers.
  if (NODE_METHODS.includes(method) && method !== 'CONNECT') return undefined;
  const upper = method.toUpperCase();
  return upper !== method && NODE_METHODS.includes(upper)
    ? `is never reached, because methods are case-sensitive: write ${upper}`
    : `is never reached, because Node.js refuses requests with the method ${method}: use a method such as LINK or REPORT`;
}
