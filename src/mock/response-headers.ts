import type { Contract } from '../openapi/contract.ts';
import { type Document, getNode, getTarget, isNode, toNode } from '../openapi/document.ts';
import type { DocumentedHeader, DocumentedResponse, Example } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { OperationInput } from '../openapi/validate-request.ts';
import { formatHeader, HEADER_NAME, isServerHeader, normalizeHeaderNames } from '../util/headers.ts';
import { toSeed } from '../util/random.ts';
import { fillPath } from '../util/request-target.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { ResponsePreferences } from './choose-response.ts';
import type { GeneratorOptions } from './place.ts';
import { getMethodsAtPath, setStatusHeaders } from './status-problem.ts';

/** The parts of a response on which the values of its headers depend. */
interface ResponseParts {
  readonly route: Route;
  readonly status: number;
  readonly input: Pick<OperationInput, 'path'>;
  readonly body: unknown;
}

type ListValues = (
  parts: ResponseParts,
  contract: Pick<Contract, 'normalized' | 'routes'>,
) => readonly (string | number)[];

/** A time in the past, in the format of HTTP (RFC 9110, section 5.6.7). */
const PAST = 'Wed, 01 Jan 2025 00:00:00 GMT';

/** The delays of `Retry-After`, in s: the first that the schema allows is used. */
const DELAYS = [1, 5, 10, 30, 60, 120, 300, 600, 3_600];

/**
 * The values of headers that browsers and HTTP clients interpret, by the lower-case name of the header.
 * A generated text could have any effect there.
 */
const USUAL_VALUES: Readonly<Record<string, ListValues>> = {
  'accept-ranges': () => ['none'],
  age: () => [0, '0'],
  allow: ({ route }, contract) => [getMethodsAtPath(contract, route).join(', ')],
  'cache-control': () => ['no-store'],
  'content-disposition': () => ['attachment'],
  'content-language': () => ['en'],
  'content-location': ({ route, input }) => [fillPath(route, input.path)],
  etag: ({ route, body }) => [`"${toSeed(route.operationId + JSON.stringify(body)).toString(16)}"`],
  expires: () => [PAST],
  'last-modified': () => [PAST],
  link: ({ route, input }) => [`<${fillPath(route, input.path)}>; rel="self"`],
  location: listLocations,
  pragma: () => ['no-cache'],
  'retry-after': () => DELAYS.flatMap((seconds) => [seconds, String(seconds)]),
  'set-cookie': (_parts, { normalized }) => [`${findCookieName(normalized)}=mock; Path=/`],
  vary: () => ['Origin'],
  'www-authenticate': () => ['Bearer'],
  'x-total': listCounts,
  'x-total-count': listCounts,
};

/** Returns the values that a header usually has, best first. The list is empty if the header has no usual value. */
function listUsualValues(
  contract: Pick<Contract, 'normalized' | 'routes'>,
  name: string,
  parts: ResponseParts,
): readonly (string | number)[] {
  const key = name.toLowerCase();
  return Object.hasOwn(USUAL_VALUES, key) ? (USUAL_VALUES[key]?.(parts, contract) ?? []) : [];
}

/**
 * Returns the path of the created entry.
 * A redirect must not lead to the same path again, so it leads to another host.
 */
function listLocations({ route, input, status, body }: ResponseParts): readonly string[] {
  if (status >= 300 && status < 400) return ['https://example.com/'];
  const own = fillPath(route, input.path);
  const { id } = toNode(body);
  const isCreated = status === 201 && route.method === 'POST' && (typeof id === 'string' || typeof id === 'number');
  return [isCreated ? `${own}/${encodeURIComponent(id)}` : own];
}

function listCounts({ body }: ResponseParts): readonly number[] {
  return Array.isArray(body) ? [body.length] : [];
}

/** Returns the name of the cookie that the document uses for credentials; `session` if there is none. */
function findCookieName(document: Document): string {
  const schemes = Object.values(toNode(getNode(document, '/components/securitySchemes')));
  const scheme = schemes.find((candidate) => isNode(candidate) && candidate.in === 'cookie');
  return String(toNode(scheme).name ?? 'session').replaceAll(/[^\w.-]/g, '') || 'session';
}

/** The parts of a response on which its headers depend. */
interface HeaderInput {
  readonly route: Route;
  readonly status: number;
  readonly input: Pick<OperationInput, 'path'>;
  /** The body of the response; undefined if it has none. */
  readonly body: unknown;
  /** The contract's example that is the body; undefined if the body is not an example. */
  readonly example: Example | undefined;
  readonly preferences: Pick<ResponsePreferences, 'seed'>;
}

/** The contract, and a function that returns a valid value for the schema at a JSON Pointer. */
export interface HeaderSource {
  readonly contract: Pick<Contract, 'isValid' | 'normalized' | 'routes'>;
  readonly generate: (schema: string, options: Omit<GeneratorOptions, 'omitsOptional'>) => unknown;
}

/**
 * Returns the headers of a response: the documented headers, `Allow` for a 405, and `Retry-After` for a 429 or 503.
 * Leaves out the headers that only the server sets.
 * Throws an error if no valid value is found for a required header.
 */
export function createHeaders(
  source: HeaderSource,
  response: DocumentedResponse,
  input: HeaderInput,
): Readonly<Record<string, string>> {
  const { status, route } = input;
  const names = Object.values(response.media).flatMap(({ examples }) => examples.flatMap(({ name }) => name ?? []));
  const entries = response.headers.flatMap((header) => {
    if (isServerHeader(header.name) || !HEADER_NAME.test(header.name)) return [];
    const value = createValue(source, header, { ...input, bodyExamples: new Set(names) });
    return value === undefined ? [] : [[header.name, formatHeader(value, header.objectStyle)]];
  });
  const headers = normalizeHeaderNames(Object.fromEntries(entries));
  if (status < 400) return headers;
  const documented = { headers: response.headers, methods: getMethodsAtPath(source.contract, route) };
  return setStatusHeaders(source.contract, { status, headers }, documented);
}

/**
 * Returns the value of a documented header: its example, else the usual value of this header, else a generated value.
 * Returns undefined if the header does not belong to the response.
 * `bodyExamples`: the names of the examples of the body.
 */
function createValue(
  { contract, generate }: HeaderSource,
  { name, isRequired: isAlwaysRequired, schema, examples }: DocumentedHeader,
  input: HeaderInput & { readonly bodyExamples: ReadonlySet<string> },
): unknown {
  const { status, example, preferences, bodyExamples } = input;
  // A client can't follow a redirect without `Location`.
  const isRequired = isAlwaysRequired || (name.toLowerCase() === 'location' && status >= 300 && status < 400);
  const own = examples.find((candidate) => candidate.name === undefined || candidate.name === example?.name);
  if (own) return own.value;
  // Examples of a header and of the body with the same name belong together, so the header is absent beside the other
  // examples of the body.
  const isPaired = examples.some((candidate) => bodyExamples.has(candidate.name ?? ''));
  if (examples.length > 0) return isPaired && !isRequired ? undefined : examples[0]?.value;
  const isUsable = (value: unknown) => schema === undefined || contract.isValid(schema, value);
  const hasOwnValue = schema !== undefined && definesValue(getTarget(contract.normalized, schema));
  const usual = hasOwnValue ? undefined : listUsualValues(contract, name, input).find(isUsable);
  if (usual !== undefined || schema === undefined) return usual;
  const options = { seed: preferences.seed ?? toSeed(name), query: {}, usesExamples: true, name };
  return isRequired ? generate(schema, options) : tryOrUndefined(() => generate(schema, options));
}

/** Returns whether the author of a schema chose its value. */
function definesValue(schema: unknown): boolean {
  return ['example', 'examples', 'default', 'enum', 'const'].some((keyword) => keyword in toNode(schema));
}
