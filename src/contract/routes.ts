import type { OpenAPIRouter, Operation } from 'openapi-backend';
import { isNode, type Node, pointerTo } from './document.ts';
import type { OperationId } from './operation.ts';

/** An operation of the contract, with what is asked of it for every request. */
export interface Route {
  readonly operationId: OperationId;
  /** The operation as openapi-backend has it, dereferenced. */
  readonly operation: Operation;
  /** JSON Pointer of the operation in the document. */
  readonly pointer: string;
  readonly successStatus: number;
  /** The media types of its request body; empty where it has none. */
  readonly bodyTypes: readonly string[];
  /** The names of its query parameters, and of the properties of its body. */
  readonly known: { readonly query: readonly string[]; readonly body: readonly string[] };
  /** The parameters of a path that matches, decoded. */
  pathParameters(path: string): Readonly<Record<string, string>>;
}

/** What a method and a path lead to; `allow`: the methods that the path has. */
export type Routed =
  | { readonly kind: 'operation'; readonly route: Route }
  | { readonly kind: 'unknown-path' }
  | { readonly kind: 'unknown-method'; readonly allow: readonly string[] };

/** Methods that an operation of OpenAPI 3.0 can have. */
const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'];

/**
 * Finds the operation of a request. Remembers the router's list of operations, which openapi-backend would make anew from the whole document
 * for every request, twice; a test guards that it still looks there.
 */
export function createRouting(router: OpenAPIRouter): {
  readonly routes: readonly Route[];
  route: (method: string, path: string) => Routed;
} {
  const operations = router.getOperations();
  router.getOperations = () => operations;
  const routes = new Map(operations.map((operation) => [operation, routeOf(operation)]));
  const routeFor = (method: string, path: string) => {
    const operation = router.matchOperation({ method, path, headers: {} });
    return operation && routes.get(operation);
  };
  return {
    routes: [...routes.values()],
    route(method, path) {
      const route = routeFor(method, path);
      if (route) return { kind: 'operation', route };
      const allow = METHODS.filter((candidate) => routeFor(candidate, path)).map((name) => name.toUpperCase());
      return allow.length > 0 ? { kind: 'unknown-method', allow } : { kind: 'unknown-path' };
    },
  };
}

function routeOf(operation: Operation): Route {
  const { path, method, operationId, parameters = [], responses } = operation;
  const content = contentOf(operation.requestBody);
  return {
    operationId: operationId as OperationId,
    operation,
    pointer: pointerTo('paths', path, method),
    successStatus: Number(Object.keys(responses ?? {}).find((status) => /^2\d\d$/.test(status)) ?? 200),
    bodyTypes: Object.keys(content),
    known: {
      query: (parameters as { in: string; name: string }[]).filter((one) => one.in === 'query').map(({ name }) => name),
      body: propertyNames(content),
    },
    pathParameters: pathReader(path),
  };
}

function contentOf(requestBody: unknown): Node {
  return isNode(requestBody) && isNode(requestBody.content) ? requestBody.content : {};
}

function propertyNames(content: Node): readonly string[] {
  const json = content['application/json'];
  const schema = isNode(json) ? json.schema : undefined;
  return isNode(schema) && isNode(schema.properties) ? Object.keys(schema.properties) : [];
}

/** Reads the parameters of a path by its template. */
function pathReader(template: string): Route['pathParameters'] {
  const names = [...template.matchAll(/\{(.*?)\}/g)].map(([, name = '']) => name);
  const pattern = new RegExp(`^${template.replaceAll(/\{.*?\}/g, '([^/]+)')}/*$`);
  return (path) => {
    const values = pattern.exec(path)?.slice(1) ?? [];
    return Object.fromEntries(names.map((name, place) => [name, decodeURIComponent(values[place] ?? '')]));
  };
}
