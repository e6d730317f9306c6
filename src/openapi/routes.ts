import type { Operation, Request } from 'openapi-backend';
import { formatPointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import type { CredentialNames } from '../util/redact-secrets.ts';
import { isBelow } from '../util/request-target.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { type Document, getNode, getPropertyNames, isNode, type Node, resolvePointer, toNode } from './document.ts';
import { getKnownValues, type KnownValues } from './known-values.ts';
import { allowsJson, isJsonType, isParsedType } from './media-types.ts';
import { getParameters, listQueryNames, type Parameter, removePrefix } from './parameters.ts';
import { getItemPointer, listOperations, METHODS_32 } from './path-items.ts';
import { type DocumentedResponse, findResponse, getMedia, getResponses, hasOpenContent } from './responses.ts';
import { type Credential, getCredentialNames, getPasswordNames, getSecurity } from './security.ts';

/** The maximum number of paths of one server whose URL has variables. */
const MAX_PATHS = 20;

/**
 * Returns the paths of servers (Server Object, `url`), such as `/v1` for `https://api.example.com/v1`, without
 * duplicates and without a slash at the end.
 * A server without a path is left out.
 * A URL with a variable has a path for the default value, and one for each value in the `enum`.
 */
const getServerPaths = memoizeByObject((servers: readonly unknown[]): readonly string[] => {
  const paths = servers.flatMap((server) => getPaths(toNode(server)));
  return [...new Set(paths.filter((path) => path !== ''))];
});

function getPaths({ url, variables }: Node): readonly string[] {
  if (typeof url !== 'string') return [];
  const template = url.replace(/^([a-z][\w+.-]*:)?\/\/[^/?#]*/i, '').replace(/[?#].*/, '');
  return expandVariables(template, toNode(variables)).flatMap((path) => {
    const pathname = tryOrUndefined(() => new URL(path, 'http://localhost/').pathname);
    return pathname === undefined ? [] : [pathname.replace(/\/+$/, '')];
  });
}

/**
 * Returns a path for each combination of values of the variables in a path template.
 * Returns an empty array if a variable is not defined, or has only placeholders such as `{id}` as its values.
 */
function expandVariables(template: string, variables: Node): readonly string[] {
  const [text, name = ''] = /\{([^{}]*)\}/.exec(template) ?? [];
  if (text === undefined) return [template];
  const variable = variables[name];
  if (!isNode(variable)) return [];
  const [before = '', ...rest] = template.split(text);
  const ends = expandVariables(rest.join(text), variables);
  const values = new Set([variable.default, ...(Array.isArray(variable.enum) ? variable.enum : [])].map(String));
  const paths = [...values]
    .filter((value) => !value.includes('{'))
    .flatMap((value) => ends.map((end) => before + value + end));
  return paths.slice(0, MAX_PATHS);
}

/** An operation of the contract, with the data for routing and validating its requests. */
export interface Route {
  readonly operationId: string;
  /** In upper case. */
  readonly method: string;
  /** The path template. */
  readonly path: string;
  /**
   * The paths in the server URLs of the operation, such as `/v1`.
   * Requests for the operation can have such a prefix, but do not need it.
   */
  readonly basePaths: readonly string[];
  /** The JSON Pointer of the operation in the document. */
  readonly pointer: string;
  readonly successStatus: number;
  readonly responses: readonly DocumentedResponse[];
  /** Whether a response is documented with other media types than JSON, or with several types. */
  readonly hasOtherTypes: boolean;
  readonly parameters: readonly Parameter[];
  /** The request bodies by media type; empty if the operation has no request body. */
  readonly bodyMedia: DocumentedResponse['media'];
  /**
   * The security requirements: a request must have all credentials of one requirement.
   * Empty if the operation requires no credentials.
   */
  readonly security: readonly (readonly Credential[])[];
  /**
   * The names of the parameters in the path template, in their order.
   * A name can be missing in `parameters`, if the document does not describe the parameter.
   */
  readonly pathNames: readonly string[];
  /** The names of the query parameters, and the names of the properties of the body. */
  readonly knownNames: { readonly query: readonly string[]; readonly body: readonly string[] };
  /** The values of query parameters that have an effect, from the extension `x-known-values`. */
  readonly knownValues: KnownValues;
  /**
   * Returns the decoded parameters in a path that matches the template, without the prefixes of the styles `label` and
   * `matrix`.
   */
  pathParameters(path: string): Readonly<Record<string, string>>;
  /** Returns the decoded texts in the places of the parameters, in a path that matches the template. */
  pathTexts(path: string): Readonly<Record<string, string>>;
}

/**
 * The result of routing.
 * `allow`: the methods that the path supports.
 * `basePath`: the path of a server URL, such as `/v1`, with which the request path begins; absent if the request path
 * begins with none.
 */
type RouteResult = { readonly basePath?: string } & (
  | { readonly kind: 'operation'; readonly route: Route }
  | { readonly kind: 'unknown-path' }
  | { readonly kind: 'unknown-method'; readonly allow: readonly string[] }
);

/** The operations of a contract. */
export interface Routing {
  readonly routes: readonly Route[];
  /** The names of the headers, query parameters and properties with credentials or passwords. */
  readonly credentialNames: CredentialNames;
  /** The paths in the server URLs of all operations, such as `/v1`. The longest is first. */
  readonly basePaths: readonly string[];
  /**
   * Finds the operation for a method and a path.
   * The path can begin with the path of a server URL, such as `/v1`.
   * `path`: percent-encoded, without a query.
   */
  route(method: string, path: string): RouteResult;
}

/** Returns the operation that matches the method and the path of a request, as the router of openapi-backend does. */
interface OperationMatcher {
  matchOperation(request: Request): Operation | undefined;
}

/** The maximum number of entries in the routing cache. A cached route is found ten times faster. */
const MAX_CACHED_ROUTES = 1_000;

/** The maximum length of a key in the routing cache, in characters. */
const MAX_CACHED_LENGTH = 200;

/**
 * Creates the routing of a document.
 * Paths without parameters and escapes are found in a map.
 * The router of openapi-backend is loaded at the first request for another path.
 */
export function createRouting(router: OperationMatcher, document: Document): Routing {
  const routes = getRoutes(document);
  const byPattern = new Map(routes.map((route) => [`${route.method} ${toRouterPath(route.path)}`, route]));
  const findRoute = (method: string, path: string) => {
    const operation = router.matchOperation({ method, path: normalizeEscapes(path), headers: {} });
    return operation && byPattern.get(`${operation.method.toUpperCase()} ${operation.path}`);
  };
  const methods = [
    ...new Set([...METHODS_32.map((name) => name.toUpperCase()), ...routes.map(({ method }) => method)]),
  ];
  const basePaths = [...new Set(routes.flatMap((route) => route.basePaths))].sort((a, b) => b.length - a.length);
  const exactRoutes = [...byPattern].filter(([key]) => EXACT_KEY.test(key));
  const cache = new Map(exactRoutes.map(([key, route]): [string, RouteResult] => [key, { kind: 'operation', route }]));
  const routeExactly: Routing['route'] = (method, path) => {
    // Decision: HEAD is GET without the body, unless the contract has a HEAD operation.
    const route = findRoute(method, path) ?? (method === 'HEAD' ? findRoute('GET', path) : undefined);
    if (route) return { kind: 'operation', route };
    const allow = methods.filter((candidate) => findRoute(candidate, path));
    return allow.length > 0 ? { kind: 'unknown-method', allow } : { kind: 'unknown-path' };
  };
  return {
    routes,
    credentialNames: getCredentialNames(routes, getPasswordNames(document)),
    basePaths,
    route(method, path) {
      const key = `${method} ${path}`;
      const cached = cache.get(key);
      if (cached) return cached;
      const routed = routeWithBasePaths(basePaths, path, (candidate) => routeExactly(method, candidate));
      if (routed.kind === 'operation' && key.length <= MAX_CACHED_LENGTH) {
        if (cache.size >= MAX_CACHED_ROUTES) cache.clear();
        // The key is copied, because a slice would keep the whole request target of up to 60 kB in memory.
        cache.set(Buffer.from(key).toString(), routed);
      }
      return routed;
    },
  };
}

/**
 * Routes a path that can begin with the path of a server URL, such as `/v1`.
 * A request for `/v1/pets` is routed as `/v1/pets` if this matches a path template below `/v1`, else as `/pets`.
 * A template such as `/{owner}/{project}` also matches `/v1/pets`, but is used only if `/pets` is unknown.
 */
function routeWithBasePaths(
  basePaths: readonly string[],
  path: string,
  find: (path: string) => RouteResult,
): RouteResult {
  const direct = find(path);
  const bases = basePaths.filter((basePath) => isBelow(path, basePath));
  if (direct.kind === 'operation' && !bases.some((basePath) => !isBelow(direct.route.path, basePath))) return direct;
  const others = bases.flatMap((basePath): readonly RouteResult[] => {
    const found = find(path.slice(basePath.length) || '/');
    const isElsewhere = found.kind === 'operation' && !found.route.basePaths.includes(basePath);
    return isElsewhere ? [] : [{ ...found, basePath }];
  });
  const found = [...others, direct];
  return found.find(({ kind }) => kind === 'operation') ?? found.find(({ kind }) => kind !== 'unknown-path') ?? direct;
}

/** Matches a method and a path without parameters and escapes, such as `GET /api/pets`. */
const EXACT_KEY = /^[A-Z]+ (?:\/[\w-]+)+$/;

/** Returns the operations of a document. */
export const getRoutes = memoizeByObject((document: Document): readonly Route[] =>
  Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    openChanges(
      listOperations(document, toNode(item)).flatMap(({ method, pointer, node }) =>
        isNode(node) ? [createRoute(document, path, method, formatPointer('paths', path) + pointer)] : [],
      ),
    ),
  ),
);

/** Allows any body in the success responses of changes if the document describes neither theirs nor that of the GET. */
function openChanges(routes: readonly Route[]): readonly Route[] {
  const read = routes.find(({ method }) => method === 'GET');
  const shown = read && findResponse(read.responses, read.successStatus);
  if (!shown || !hasOpenContent('GET', shown)) return routes;
  return routes.map((route) =>
    ['POST', 'PUT', 'PATCH'].includes(route.method)
      ? { ...route, responses: route.responses.map((response) => ({ ...response, isOpen: true })) }
      : route,
  );
}

/**
 * Creates the description of an operation.
 * `pointer`: the JSON Pointer of the operation.
 */
export function createRoute(document: Document, path: string, method: string, pointer: string): Route {
  const responses = getResponses(document, pointer);
  const pathNames = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
  // No request can have a path parameter that the path lacks.
  const parameters = getParameters(document, pointer).filter(
    (parameter) => parameter.in !== 'path' || pathNames.includes(parameter.name),
  );
  const bodyMedia = getMedia(document, `${resolvePointer(document, `${pointer}/requestBody`)}/content`);
  const queryParameters = parameters.filter((parameter) => parameter.in === 'query');
  const pathTexts = createPathParser(path);
  const media = Object.entries(bodyMedia);
  const [, body] = media.find(([type]) => isParsedType(type)) ?? media.find(([type]) => allowsJson(type)) ?? [];
  return {
    operationId: String(getNode(document, `${pointer}/operationId`) ?? ''),
    method,
    path,
    basePaths: getServerPaths(findServers(document, pointer)),
    pointer,
    successStatus: getSuccessStatus(responses),
    responses,
    hasOtherTypes: responses.some(({ media: types }) => hasOtherTypes(Object.keys(types))),
    parameters,
    bodyMedia,
    security: getSecurity(document, pointer),
    pathNames,
    knownNames: {
      query: queryParameters.flatMap(listQueryNames),
      body: body?.schema === undefined ? [] : getPropertyNames(document, body.schema),
    },
    knownValues: getKnownValues(document, parameters),
    pathParameters: createPathReader(parameters, pathTexts),
    pathTexts,
  };
}

function hasOtherTypes(types: readonly string[]): boolean {
  return types.length > 1 || types.some((type) => !isJsonType(type));
}

/** Returns the servers of an operation: its own, else those of its path item, else those of the document. */
function findServers(document: Document, operation: string): readonly unknown[] {
  const item = toNode(getNode(document, getItemPointer(operation)));
  const servers = toNode(getNode(document, operation)).servers ?? item.servers ?? document.servers;
  return Array.isArray(servers) ? servers : NO_SERVERS;
}

const NO_SERVERS: readonly unknown[] = [];

/** Returns the first 2xx status; else 200 for `2XX` or `default`; else the first documented status that is not 1xx. */
function getSuccessStatus(responses: readonly DocumentedResponse[]): number {
  const names = responses.map(({ name }) => name);
  const [first = 'default'] = PREFERRED_NAMES.flatMap((pattern) => names.filter((name) => pattern.test(name)));
  return first === 'default' ? 200 : Number(first.replace('XX', '00'));
}

const PREFERRED_NAMES = [/^2\d\d$/, /^(2XX|default)$/, /^[3-5]\d\d$/, /^[3-5]/];

const REGEXP_CHARACTERS = /[\\^$.*+?()[\]|]/g;

/**
 * Converts a path template for openapi-backend: escapes the text outside braces, because openapi-backend uses the
 * template as a regular expression.
 * Removes trailing slashes, because openapi-backend removes them from request paths, but not from templates.
 */
export function toRouterPath(template: string): string {
  const bare = template.length > 1 ? template.replace(/\/+$/, '') : template;
  return bare.replaceAll(/\{.*?\}|[^{]+/g, (part) => (part.startsWith('{') ? part : escapePart(part)));
}

/**
 * Converts a part of a path template to a regular expression that matches the same text.
 * The request path must have been normalized by `normalizeEscapes`.
 */
function escapePart(part: string): string {
  return normalizeText(part).replaceAll(REGEXP_CHARACTERS, '\\$&');
}

/**
 * Converts the text between the parameters of a path template to the form that `normalizeEscapes` gives request paths.
 */
function normalizeText(text: string): string {
  return normalizeEscapes(encodePath(text));
}

/** Percent-encodes spaces and non-ASCII characters in a path, as clients do. Existing escapes stay unchanged. */
export function encodePath(part: string): string {
  return part.replaceAll(/[^!-~]+/gu, encodeURIComponent);
}

/**
 * Normalizes the percent-encoding of a path.
 * Converts escapes to upper case, such as `%c3` to `%C3`.
 * Decodes the characters that a path can have without an escape (RFC 3986, sections 2.1 to 2.3 and 3.3), also `:` in
 * `/items%3AbatchGet`, because many clients escape it.
 * Also decodes `"<>^|` and the backtick, which clients escape in a path such as `/<upload_url>`.
 */
export function normalizeEscapes(path: string): string {
  if (!path.includes('%')) return path;
  const upperCase = path.replaceAll(/%[0-9a-f]{2}/gi, (sequence) => sequence.toUpperCase());
  return upperCase.replaceAll(UNNECESSARY_ESCAPES, decodeURIComponent);
}

/** Matches the escapes of letters and digits, of `-._~`, `!$&'()*+,;=`, `:@`, and of `"<>^|` and the backtick. */
const UNNECESSARY_ESCAPES = /%(?:2[1246-9A-E]|3[0-9A-E]|[46][0-9A-F]|[57][0-9A]|5[EF]|7[CE])/g;

function createPathReader(parameters: readonly Parameter[], pathTexts: Route['pathTexts']): Route['pathParameters'] {
  const inPath = new Map(parameters.flatMap((one) => (one.in === 'path' ? [[one.name, one] as const] : [])));
  if ([...inPath.values()].every(({ prefix }) => prefix === '')) return pathTexts;
  return (path) => {
    const texts = Object.entries(pathTexts(path));
    return Object.fromEntries(texts.map(([name, text]) => [name, removePrefix(inPath.get(name) ?? NO_STYLE, text)]));
  };
}

/** The style of a path parameter that the document does not describe. */
const NO_STYLE = { prefix: '' };

function createPathParser(template: string): Route['pathTexts'] {
  const names = [...template.matchAll(/\{(.*?)\}/g)].map(([, name = '']) => name);
  if (names.length === 0) return () => ({});
  const match = createPathMatcher(template.replace(/\/+$/, ''), normalizeText);
  return (path) => {
    const bare = removeTrailingSlashes(path);
    const values = match(bare) ?? match(normalizeEscapes(bare)) ?? [];
    return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')]));
  };
}

/**
 * Removes the slashes at the end of a path.
 * A regular expression would take quadratic time for a path with many slashes before its end.
 */
function removeTrailingSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/**
 * Returns the values of the parameters in a path, in the order of the template.
 * Returns undefined if the path does not match.
 */
export type PathMatcher = (path: string) => readonly string[] | undefined;

/**
 * Creates a function that matches paths with a path template such as `/pets/{petId}` or `/reports/{year}-{month}.json`.
 * A value has at least one character and no slash.
 * If a path matches in several ways, the first values are as long as possible, as with the regular expression `[^/]+`
 * for each parameter.
 * Such an expression can take quadratic time for a segment with several parameters.
 * This function takes linear time.
 * `normalize`: converts the texts between the parameters to the form that the paths have.
 */
export function createPathMatcher(template: string, normalize: (text: string) => string): PathMatcher {
  const segments = splitTemplate(template).map((segment) => createSegmentMatcher(segment, normalize));
  return (path) => {
    const sent = path.split('/');
    if (sent.length !== segments.length) return undefined;
    const values: string[] = [];
    for (let index = 0; index < segments.length; index++) {
      const found = segments[index]?.(sent[index] ?? '');
      if (!found) return undefined;
      if (found.length > 0) values.push(...found);
    }
    return values;
  };
}

/** Returns whether a segment of a path template has several parameters, such as `{year}-{month}`. */
export function hasCombinedParameters(template: string): boolean {
  return splitTemplate(template).some((segment) => segment.split(PARAMETER).length > 2);
}

/** A parameter in a segment, without its name. */
const PARAMETER = '{}';

/** Splits a path template into its segments, and removes the names of the parameters. */
export function splitTemplate(template: string): readonly string[] {
  return template.replaceAll(/\{.*?\}/g, PARAMETER).split('/');
}

const NO_VALUES: readonly string[] = [];

function createSegmentMatcher(segment: string, normalize: (text: string) => string): PathMatcher {
  const [first = '', ...texts] = segment.split(PARAMETER).map(normalize);
  const last = texts.pop();
  if (last === undefined) return (text) => (text === first ? NO_VALUES : undefined);
  if (segment === PARAMETER) return (text) => (text === '' ? undefined : [text]);
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return undefined;
    const values: string[] = [];
    let end = text.length - last.length;
    // Searches from the end: the last possible place of each text makes all values before it as long as possible.
    for (const literal of texts.toReversed()) {
      const lastStart = end - 1 - literal.length;
      const start = lastStart < 0 ? -1 : text.lastIndexOf(literal, lastStart);
      if (start <= first.length) return undefined;
      values.unshift(text.slice(start + literal.length, end));
      end = start;
    }
    return end > first.length ? [text.slice(first.length, end), ...values] : undefined;
  };
}

/**
 * Returns whether a client can request the path of an operation.
 * Some documents describe an operation several times, with fragments such as `/things#v2`.
 * HTTP can't request a fragment.
 */
export function canBeRequested({ path }: Route): boolean {
  return !path.includes('#');
}

/** Returns the first text in a path that is a parameter in Express, and none in OpenAPI: `:id` in `/notes/:id`. */
export function findColonParameter(path: string): string | undefined {
  return /(?<=\/):\w+/.exec(path)?.[0];
}
