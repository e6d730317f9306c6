import { formatPointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { type Document, getNode, isNode, type Node, resolvePointer, toNode } from './document.ts';
import { listOperations } from './path-items.ts';
import { createRoute, getRoutes, type Route } from './routes.ts';

/** A request that the API sends: a webhook of the document, or a callback of an operation. */
export interface OutgoingRequest {
  readonly kind: 'webhook' | 'callback';
  /**
   * The name of the webhook or of the callback.
   * If several callbacks have the same name, `operationId.name`.
   */
  readonly name: string;
  /** The operation that the callback belongs to. Undefined for a webhook. */
  readonly operation: Route | undefined;
  /** The URL of a callback, with runtime expressions. Undefined for a webhook. */
  readonly expression: string | undefined;
  /** The method, the body and the responses of the receiver. */
  readonly route: Route;
  /** The values of `x-storefront`, of which those of the operation take precedence. */
  readonly extension: Node;
  /** The JSON Pointer of the path item. */
  readonly pointer: string;
}

/**
 * Returns the webhooks of a document (OpenAPI 3.1), and the callbacks of its operations (OpenAPI 3.0).
 * Leaves out what is not an object.
 */
export const getOutgoingRequests = memoizeByObject((document: Document): readonly OutgoingRequest[] => {
  const webhooks = Object.keys(toNode(getNode(document, '/webhooks'))).flatMap((name) =>
    createRequests(document, formatPointer('webhooks', name), { kind: 'webhook', name }),
  );
  const callbacks = getRoutes(document).flatMap((operation) => listCallbacks(document, operation));
  return nameRequests([...webhooks, ...callbacks]);
});

function listCallbacks(document: Document, operation: Route): readonly OutgoingRequest[] {
  const list = `${operation.pointer}/callbacks`;
  return Object.keys(toNode(getNode(document, list))).flatMap((name) => {
    const pointer = resolvePointer(document, list + formatPointer(name));
    const expressions = Object.keys(toNode(getNode(document, pointer))).filter((key) => !key.startsWith('x-'));
    return expressions.flatMap((expression) =>
      createRequests(document, pointer + formatPointer(expression), { kind: 'callback', name, operation, expression }),
    );
  });
}

type Origin = Pick<OutgoingRequest, 'kind' | 'name'> & Partial<Pick<OutgoingRequest, 'operation' | 'expression'>>;

/** Returns a request for each method of a path item. */
function createRequests(document: Document, place: string, origin: Origin): readonly OutgoingRequest[] {
  const pointer = resolvePointer(document, place);
  const item = toNode(getNode(document, pointer));
  const operations = listOperations(document, item).filter(({ node }) => isNode(node));
  return operations.map(({ method, pointer: own, node }) => {
    const { operation, expression } = origin;
    return {
      ...origin,
      operation,
      expression,
      route: createRoute(document, origin.name, method, pointer + own),
      extension: { ...toNode(item['x-storefront']), ...toNode(toNode(node)['x-storefront']) },
      pointer,
    };
  });
}

/** Gives requests that have the same name different names. A webhook keeps its name. */
function nameRequests(requests: readonly OutgoingRequest[]): readonly OutgoingRequest[] {
  const names = requests.map(({ name }) => name);
  const isRepeated = (name: string) => names.indexOf(name) !== names.lastIndexOf(name);
  const taken = new Set<string>();
  return requests.map((request) => {
    const { name, operation } = request;
    const base = operation && isRepeated(name) ? `${operation.operationId}.${name}` : name;
    let unique = base;
    for (let number = 2; taken.has(unique); number++) unique = `${base}${number}`;
    taken.add(unique);
    return { ...request, name: unique };
  });
}
