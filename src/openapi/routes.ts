import type { Document, OpenAPIRouter } from 'openapi-backend';
import { pointerTo } from '../util/json-pointer.ts';
import { METHODS } from './check-structure.ts';
import { getNode, isNode, resolvePointer } from './document.ts';
import { type Parameter, parametersAt } from './parameters.ts';
import { type DocumentedResponse, isRead, mediaAt, responsesAt } from './responses.ts';

/** An operation of the contract, with what is asked of it for every request. */
export interface Route {
  readonly operationId: string;
  /** In capitals. */
  readonly method: string;
  /** The template of its path. */
  readonly path: string;
  /** JSON Pointer of the operation in the document. */
  readonly pointer: string;
  readonly successStatus: number;
  readonly responses: readonly DocumentedResponse[];
  readonly parameters: readonly Parameter[];
  /** What its request body may be, by media type; empty where it has none. */
  readonly bodyMedia: DocumentedResponse['media'];
  /** The names of its path parameters, as far as they are described. */
  readonly pathNames: readonly string[];
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

/**
 * How many methods and paths are remembered with the operation that they lead to, and the longest, in characters: most are asked for again, and
 * looking takes ten times as long as remembering.
 */
const PATHS_REMEMBERED = 1_000;
const LONGEST_REMEMBERED = 200;

/**
 * Finds the operation of a request. Remembers the router's list of operations, which openapi-backend would make anew from the whole document
 * for every request, twice; a test guards that it still looks there.
 */
export function createRouting(
  router: OpenAPIRouter,
  document: Document,
): {
  readonly routes: readonly Route[];
  route: (method: string, path: string) => Routed;
} {
  const operations = router.getOperations();
  router.getOperations = () => operations;
  const routes = getRoutes(document);
  const byPattern = new Map(routes.map((route) => [`${route.method} ${toRouterPath(route.path)}`, route]));
  const routeFor = (method: string, path: string) => {
    const found = router.matchOperation({ method, path: matched(path), headers: {} });
    return found && byPattern.get(`${found.method.toUpperCase()} ${found.path}`);
  };
  const remembered = new Map<string, Routed>();
  return {
    routes,
    route(method, path) {
      const key = `${method} ${path}`;
      const before = remembered.get(key);
      if (before) return before;
      // Ours: HEAD is GET without the body, unless the contract has a HEAD of its own.
      const route = routeFor(method, path) ?? (method === 'HEAD' ? routeFor('GET', path) : undefined);
      if (route) {
        const routed: Routed = { kind: 'operation', route };
        if (key.length <= LONGEST_REMEMBERED) {
          if (remembered.size === PATHS_REMEMBERED) remembered.clear();
          // A copy: the text itself is a part of the whole target, which would be kept with it, 60 kB of it.
          remembered.set(Buffer.from(key).toString(), routed);
        }
        return routed;
      }
      const allow = METHODS.filter((candidate) => routeFor(candidate, path)).map((name) => name.toUpperCase());
      return allow.length > 0 ? { kind: 'unknown-method', allow } : { kind: 'unknown-path' };
    },
  };
}

/** The operations of a document. */
export function getRoutes(document: Document): readonly Route[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = isNode(item) ? item[method] : undefined;
      return isNode(operation) ? [routeOf(document, path, method, String(operation.operationId ?? ''))] : [];
    }),
  );
}

function routeOf(document: Document, path: string, method: string, operationId: string): Route {
  const pointer = pointerTo('paths', path, method);
  const responses = responsesAt(document, pointer);
  const parameters = parametersAt(document, pointer);
  const bodyMedia = mediaAt(document, `${resolvePointer(document, `${pointer}/requestBody`)}/content`);
  return {
    operationId,
    method: method.toUpperCase(),
    path,
    pointer,
    successStatus: successStatusOf(responses),
    responses,
    parameters,
    bodyMedia,
    pathNames: parameters.filter((one) => one.in === 'path').map(({ name }) => name),
    known: {
      query: parameters.filter((one) => one.in === 'query').flatMap(({ name, fields }) => [name, ...fields]),
      body: propertyNames(document, bodyMedia),
    },
    pathParameters: pathReader(path),
  };
}

/** The first success, a range or `default` for its usual status; where none is documented, the first status of all. */
function successStatusOf(responses: readonly DocumentedResponse[]): number {
  const names = responses.map(({ name }) => name);
  const documented =
    names.find((name) => /^2\d\d$/.test(name)) ??
    names.find((name) => /^(2XX|default)$/.test(name)) ??
    names.find((name) => /^\d+$/.test(name)) ??
    names[0] ??
    'default';
  return documented === 'default' ? 200 : Number(documented.replace('XX', '00'));
}

function propertyNames(document: Document, media: Route['bodyMedia']): readonly string[] {
  const type = Object.keys(media).find(isRead);
  const schema = type === undefined ? undefined : media[type]?.schema;
  const properties =
    schema === undefined ? undefined : getNode(document, `${resolvePointer(document, schema)}/properties`);
  return isNode(properties) ? Object.keys(properties) : [];
}

const SPECIAL = /[\\^$.*+?()[\]|]/g;

/**
 * A path as openapi-backend is to have it: it makes a regular expression of all that stands outside of braces, and takes slashes off the end of what is
 * asked for, but not of the path.
 */
export function toRouterPath(template: string): string {
  const bare = template.length > 1 ? template.replace(/\/+$/, '') : template;
  return bare.replaceAll(/\{.*?\}|[^{]+/g, (part) =>
    part.startsWith('{') ? part : encodePath(part).replaceAll(SPECIAL, '\\$&'),
  );
}

/** A part of a path as clients send it: what isn't ASCII is escaped, and a blank; what is escaped already stays. */
export function encodePath(part: string): string {
  return part.replaceAll(/[^!-~]+/gu, encodeURIComponent);
}

/** A path as it is looked for: escapes in capitals, and none for characters that need none (RFC 3986, sections 2.1 to 2.3 and 3.3). */
function matched(path: string): string {
  if (!path.includes('%')) return path;
  const capital = path.replaceAll(/%[0-9a-f]{2}/gi, (sequence) => sequence.toUpperCase());
  return capital.replaceAll(/%(27|28|29|21|2A|24|2C|3B|7E)/g, decodeURIComponent);
}

/** Reads the parameters of a path by its template. */
function pathReader(template: string): Route['pathParameters'] {
  const names = [...template.matchAll(/\{(.*?)\}/g)].map(([, name = '']) => name);
  const parts = template.split(/\{.*?\}/).map((part) => part.replaceAll(SPECIAL, '\\$&'));
  const pattern = new RegExp(`^${parts.join('([^/]+)').replace(/\/+$/, '')}/*$`);
  return (path) => {
    const values = (pattern.exec(path) ?? pattern.exec(matched(path)))?.slice(1) ?? [];
    return Object.fromEntries(names.map((name, place) => [name, decodeURIComponent(values[place] ?? '')]));
  };
}
