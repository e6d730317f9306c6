import type { Contract } from '../openapi/contract.ts';
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
 * can reject it.
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
