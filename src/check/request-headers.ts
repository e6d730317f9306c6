import { randomUUID } from 'node:crypto';
import type { Contract } from '../openapi/contract.ts';
import { isJsonType } from '../openapi/media-types.ts';
import type { Route } from '../openapi/routes.ts';
import type { ReceivedResponse, RequestToSend } from './exchange.ts';

/**
 * Headers that make a request depend on the current version of a resource (RFC 9110, section 13.1).
 * For each: the response header that has the version, and a placeholder, which the check replaces with the current
 * version before it sends the request.
 */
const PRECONDITIONS = [
  { header: 'if-match', version: 'etag', placeholder: '"storefront-check"' },
  { header: 'if-unmodified-since', version: 'last-modified', placeholder: 'Thu, 01 Jan 1970 00:00:00 GMT' },
] as const;

/** Other headers that can change the status of a valid request (RFC 9110, sections 13 and 14). */
const OTHER_CONDITIONS = ['if-none-match', 'if-modified-since', 'if-range', 'range'];

type Headers = Readonly<Record<string, string>>;

/** Replaces the versions in headers such as `If-Match` with placeholders. Returns other headers unchanged. */
export function withVersionPlaceholders(headers: Headers): Headers {
  const found = PRECONDITIONS.filter(({ header }) => headers[header] !== undefined);
  if (found.length === 0) return headers;
  return { ...headers, ...Object.fromEntries(found.map(({ header, placeholder }) => [header, placeholder])) };
}

/**
 * Replaces placeholders in headers such as `If-Match` with the current version of the resource.
 * `read`: reads the resource, with a GET request to the same target.
 * Returns the request unchanged if it has no placeholder, if the contract has no GET for its path, or if the response
 * has no version.
 */
export async function withCurrentVersion(
  { routes }: Contract,
  { path }: Route,
  request: RequestToSend,
  read: (route: Route, request: RequestToSend) => Promise<ReceivedResponse>,
): Promise<RequestToSend> {
  const { headers = {}, target } = request;
  const found = PRECONDITIONS.filter(({ header, placeholder }) => headers[header] === placeholder);
  const reader = routes.find((route) => route.method === 'GET' && route.path === path);
  if (found.length === 0 || !reader || request.method === 'GET') return request;
  const response = await read(reader, { method: 'GET', target: target.split('?')[0] ?? target });
  const current = found.flatMap(({ header, version }) => {
    const value = response.headers[version];
    return value === undefined ? [] : [[header, value] as const];
  });
  return { ...request, headers: { ...headers, ...Object.fromEntries(current) } };
}

/**
 * Returns whether a request depends on a version of a resource that the check has invented, so that a correct server
 * can refuse it.
 */
export function hasUnknownVersion({ headers }: { readonly headers: Headers }): boolean {
  const isUnknown = PRECONDITIONS.some(
    ({ header, placeholder }) => headers[header] !== undefined && headers[header] !== placeholder,
  );
  return isUnknown || OTHER_CONDITIONS.some((header) => headers[header] !== undefined);
}

/**
 * Returns whether `status` can mean that a precondition failed or is missing (412, 428), or that a condition was met
 * (304, 416).
 */
export function isConditionStatus({ parameters }: Route, { headers = {} }: RequestToSend, status: number): boolean {
  if (![304, 412, 416, 428].includes(status)) return false;
  const names = [...PRECONDITIONS.map(({ header }) => header), ...OTHER_CONDITIONS];
  return names.some(
    (name) =>
      headers[name] !== undefined || parameters.some((one) => one.in === 'header' && one.name.toLowerCase() === name),
  );
}

/**
 * The header that identifies repetitions of the same request.
 * A server refuses a key that was sent with a different request.
 */
const HEADER = 'idempotency-key';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The statuses of responses that refuse an idempotency key (draft-ietf-httpapi-idempotency-key-header; Stripe uses
 * 400).
 */
const KEY_STATUSES: readonly number[] = [400, 409, 422];

/** Replaces the idempotency key in headers with a fixed UUID. Returns headers without a key unchanged. */
export function withUuidKey(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return headers[HEADER] === undefined ? headers : { ...headers, [HEADER]: '00000000-0000-4000-8000-000000000000' };
}

/**
 * Replaces an idempotency key that is a UUID with a new random UUID.
 * The new key does not depend on the seed, because the server may still know the keys of an earlier check with the same
 * seed.
 */
export function withNewKey(request: RequestToSend): RequestToSend {
  const { headers = {} } = request;
  return UUID.test(headers[HEADER] ?? '') ? { ...request, headers: { ...headers, [HEADER]: randomUUID() } } : request;
}

/**
 * Returns whether a request has an idempotency key that is not a UUID.
 * Servers may refuse the request, because another request may have the same key.
 */
export function hasSharedKey({ headers = {} }: Pick<RequestToSend, 'headers'>): boolean {
  const key = headers[HEADER];
  return key !== undefined && !UUID.test(key);
}

/** Returns whether `status` may mean that a server refuses the idempotency key of a request. */
export function isKeyRejection(request: RequestToSend, status: number): boolean {
  return KEY_STATUSES.includes(status) && hasSharedKey(request);
}

/** The maximum number of media types that the check names in the header `Accept`. */
const MAX_TYPES = 8;

/** Returns the media types of the success responses of an operation, JSON first. */
export function getAcceptedTypes({ responses }: Route): readonly string[] {
  const successes = responses.filter(({ name }) => /^2|^default$/.test(name));
  const types = [...new Set(successes.flatMap(({ media }) => Object.keys(media)))];
  return [...types.filter(isJsonType), ...types.filter((type) => !isJsonType(type))].slice(0, MAX_TYPES);
}

/**
 * Adds the header `Accept` to a request: the documented media types of the success responses, and any other type with a
 * low preference.
 * Without this header, many frameworks respond with HTML.
 * Returns the request unchanged if it or the `headers` of the user already have one, or if no type is documented.
 */
export function withAccept(
  route: Route,
  headers: Readonly<Record<string, string>>,
  request: RequestToSend,
): RequestToSend {
  const types = getAcceptedTypes(route);
  const { accept } = { ...headers, ...request.headers };
  if (accept !== undefined || types.length === 0) return request;
  return { ...request, headers: { accept: `${types.join(', ')}, */*;q=0.1`, ...request.headers } };
}
