import type { HandlerResponse } from '../application.ts';
import { isNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { isServerHeader } from '../util/headers.ts';
import { HttpProblemError } from '../util/problem.ts';

/**
 * Checks the value that a user's handler returned, which can be any value.
 * Throws an `HttpProblemError` with status 500 if it is not a valid response.
 */
export function checkReturned({ operationId }: Route, returned: unknown): void {
  const issue = findReturnedIssue(returned);
  if (issue === undefined) return;
  throw new HttpProblemError({ code: 'internal-error', detail: `the handler of ${operationId} ${issue}` });
}

/** Returns what is wrong with the value that a user's handler returned; undefined if it is a response. */
function findReturnedIssue(returned: unknown): string | undefined {
  const { status = 200, headers = {}, body } = (returned ?? {}) as HandlerResponse;
  const isStatus = Number.isInteger(status) && status >= 200 && status <= 599;
  if (!isNode(returned) || hasNoJson(returned) || !isStatus)
    return 'did not return a response: return an object such as { body } or { status, body } with a status from 200 to 599';
  if (hasNoJson(headers))
    return `returned headers of the type ${getTag(headers)}: return an object such as { "X-Name": "value" }`;
  const serverHeader = Object.keys(headers).find(isServerHeader);
  if (serverHeader !== undefined)
    return `returned the header ${serverHeader}, which only the server can set: remove it`;
  if (getTag(body) === 'Promise') return 'returned a promise as the body: await it';
  return hasNoJson(body)
    ? `returned a body of the type ${getTag(body)}: return an object, an array, a string or a Buffer`
    : undefined;
}

/** Returns the kind of a value, such as `Map` or `Promise`. */
function getTag(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

/**
 * Returns whether JSON loses the content of a value, such as a function, a `Map`, a `Promise` or a fetch `Response`,
 * which has no enumerable properties.
 * `instanceof Response` would load fetch, which takes about 20 ms at the first request.
 */
function hasNoJson(value: unknown): boolean {
  if (typeof value === 'function' || typeof value === 'symbol') return true;
  if (typeof value !== 'object' || value === null) return false;
  const isKnown = ['Object', 'Array', 'Uint8Array'].includes(getTag(value)) || Symbol.asyncIterator in value;
  return !isKnown && !('toJSON' in value) && Object.keys(value).length === 0;
}
