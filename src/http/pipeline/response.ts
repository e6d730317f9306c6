import type { ServerResponse } from 'node:http';
import { isJsonType } from '../../openapi/media-types.ts';
import { JSON_TYPE } from '../../util/request-target.ts';
import { addExposedNames } from '../cors.ts';
import type { AppParts } from '../parts.ts';
import { getProblemKind, type HttpProblem, internalError, toUriReference } from '../problem.ts';
import type { SentResponse } from '../record.ts';
import { DATA_HEADERS, type Headers, JSON_HEADERS, NO_HEADERS, PROBLEM_HEADERS } from '../response-headers.ts';
import { sendPieces } from './long-list.ts';
import type { ResponseData } from './outcome.ts';
import { resetConnection, sendWithTransportFault, type TransportFault } from './transport-faults.ts';
import { type Exchange, getPath } from './values.ts';

/** Creates a response. The default content type is JSON. A response without a body has no content type. */
export function createResponse(status: number, body: unknown, headers: Headers = NO_HEADERS): ResponseData {
  if (body !== undefined && headers === NO_HEADERS) return { status, headers: JSON_HEADERS, body };
  if (body !== undefined) return { status, headers: { ...JSON_HEADERS, ...headers }, body };
  const { 'Content-Type': _, ...others } = headers;
  return { status, headers: others };
}

/** The maximum length of the path in the property `instance`, in characters. */
const MAX_INSTANCE_LENGTH = 8_000;

/** Creates an error response with a problem document (RFC 9457). `path`: the path of the request, for the property `instance`. */
export function createProblemResponse(problem: HttpProblem, path: string): ResponseData {
  const { code, detail, violations } = problem;
  const { status, title } = getProblemKind(problem);
  return {
    status,
    headers: problem.headers ? { ...problem.headers, ...PROBLEM_HEADERS } : PROBLEM_HEADERS,
    body: {
      type: `/problems/${code}`,
      title,
      status,
      detail,
      // Clients show the property `message` or `error` of an error response to the user.
      message: detail,
      error: detail,
      instance: toUriReference(path.slice(0, MAX_INSTANCE_LENGTH)),
      ...(violations ? { violations } : {}),
    },
  };
}

/** Sets headers of a response. Replaces existing headers with the same names. `Vary` is extended, because the server itself needs the value `Origin`. */
export function setHeaders(res: ServerResponse, headers: Headers): void {
  for (const name in headers) {
    const value = headers[name] as string;
    const known = /^vary$/i.test(name) ? res.getHeader(name) : undefined;
    res.setHeader(name, known === undefined ? value : mergeNames(String(known), value.split(',')));
  }
}

/** Adds names to a comma-separated list of header names. Names are case-insensitive. */
function mergeNames(list: string, names: readonly string[]): string {
  const merged = list.split(',').map((name) => name.trim());
  for (const name of names.map((each) => each.trim())) {
    if (name !== '' && !merged.some((other) => other.toLowerCase() === name.toLowerCase())) merged.push(name);
  }
  return merged.join(', ');
}

/**
 * Writes the response of an exchange. If an injected fault closes the connection or slows the body, applies this fault. Returns the response, or undefined if
 * no response was sent or the response is an event stream.
 */
export function writeResponse(parts: AppParts, res: ServerResponse, exchange: Exchange): SentResponse | undefined {
  const { request, selection, outcome } = exchange;
  const { response, transport, headers } = outcome;
  if (transport?.connection) {
    const isReset = transport.connection.kind === 'reset';
    const isEmpty = response?.body === undefined || request.method === 'HEAD';
    // A response without a body can't be cut off, so the connection is reset instead.
    if (isReset || isEmpty) parts.retries.recordReset(request);
    if (isReset) {
      resetConnection(res);
      return undefined;
    }
  }
  if (!response || request.socket.destroyed) return undefined;
  if (selection) setHeaders(res, selection.headers);
  setHeaders(res, headers);
  try {
    return send(res, response, transport);
  } catch (err) {
    // A user's handler can return a value that has no JSON form, such as a BigInt.
    const path = getPath(exchange);
    parts.log.error({ err, method: request.method, path });
    for (const name of Object.keys(response.headers)) if (!/^vary$/i.test(name)) res.removeHeader(name);
    return send(res, createProblemResponse(internalError, path), transport);
  }
}

/**
 * Sends a response with Node's response object, because Koa's response object would take longer than the whole pipeline. Returns undefined if the response is
 * an event stream or was not sent.
 */
function send(res: ServerResponse, response: ResponseData, transport?: TransportFault): SentResponse | undefined {
  // The server has already responded if Node's parser refused the rest of the request.
  if (res.headersSent) return undefined;
  const { status, headers, body, pieces, stream } = response;
  if (stream) {
    stream(res);
    return undefined;
  }
  const isBodiless = body === undefined || isBodilessStatus(status);
  const content = isBodiless || pieces ? '' : toContent(body, headers['Content-Type']);
  const text = typeof content === 'string' ? content : content.toString('latin1');
  const bytes = pieces ? pieces.length : Buffer.byteLength(content);
  res.statusCode = status;
  setHeaders(res, DATA_HEADERS);
  setHeaders(res, isBodilessStatus(status) ? removeContentHeaders(headers) : headers);
  if (!isBodiless) res.setHeader('Content-Length', bytes);
  if (headers !== JSON_HEADERS) exposeHeaders(res, Object.keys(headers));
  if (transport) return sendWithTransportFault(res, content, transport) ? { response, text, bytes } : undefined;
  if (pieces) return { response, text: sendPieces(res, pieces), bytes };
  res.end(res.req.method === 'HEAD' ? undefined : content);
  return { response, text, bytes };
}

/** Returns whether responses with a status have no body (RFC 9110, sections 15.3.5 and 15.4.5). */
export function isBodilessStatus(status: number): boolean {
  return status === 204 || status === 304;
}

/** Removes `Content-Type` and `Content-Length`. A response with status 204 must not have them (RFC 9110, section 8.6). */
function removeContentHeaders(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^content-(type|length)$/i.test(name)));
}

/** Returns the text or the bytes of a response body. `type`: the content type. */
export function toContent(body: unknown, type = JSON_TYPE): string | Buffer {
  if (Buffer.isBuffer(body)) return body;
  return typeof body === 'string' && !isJsonType(type) ? body : JSON.stringify(body);
}

const EXPOSE = 'Access-Control-Expose-Headers';

/**
 * Adds header names to `Access-Control-Expose-Headers`. Does nothing if the response does not have this header, because then no page of another origin can read
 * the response.
 */
function exposeHeaders(res: ServerResponse, names: readonly string[]): void {
  const exposed = res.getHeader(EXPOSE);
  if (exposed !== undefined) res.setHeader(EXPOSE, addExposedNames(String(exposed), names));
}
