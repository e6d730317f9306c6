import type { ServerResponse } from 'node:http';
import { isJsonType } from '../openapi/media-types.ts';
import type { Route } from '../openapi/routes.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { getProblemKind, type HttpProblem, internalError } from '../util/problem.ts';
import { JSON_TYPE, toUriReference } from '../util/request-target.ts';
import { addExposedNames } from './cors.ts';
import type { Exchange, ResponseData, SentResponse, TransportFault } from './exchange.ts';
import { sendPieces } from './long-list.ts';
import {
  DATA_HEADERS,
  type Headers,
  JSON_HEADERS,
  NO_HEADERS,
  PROBLEM_HEADERS,
  setHeaders,
} from './response-headers.ts';

/** Creates a response. The default content type is JSON. A response without a body has no content type. */
export function createResponse(status: number, body: unknown, headers: Headers = NO_HEADERS): ResponseData {
  if (body !== undefined && headers === NO_HEADERS) return { status, headers: JSON_HEADERS, body };
  if (body !== undefined) return { status, headers: { ...JSON_HEADERS, ...headers }, body };
  const { 'Content-Type': _, ...others } = headers;
  return { status, headers: others };
}

/** The maximum length of the path in the property `instance`, in characters. */
const MAX_INSTANCE_LENGTH = 8_000;

/**
 * Creates an error response with a problem document (RFC 9457).
 * `path`: the path of the request, for the property `instance`.
 */
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

/**
 * Writes the response of an exchange.
 * If an injected fault closes the connection or slows the body, applies this fault.
 * Returns the response, or undefined if no response was sent or the response is an event stream.
 */
export function writeResponse(exchange: Exchange): SentResponse | undefined {
  const { app, res, method, path, route, response, transport } = exchange;
  if (transport?.connection) {
    const isReset = transport.connection.kind === 'reset';
    // A response without a body can't be cut off, so the connection is reset instead.
    if (isReset || response?.body === undefined || method === 'HEAD') app.retries.recordReset(exchange);
    if (isReset) {
      resetConnection(res);
      return undefined;
    }
  }
  // The server has already responded if Node's parser refused the rest of the request.
  if (!response || exchange.socket.destroyed || res.headersSent) return undefined;
  setHeaders(res, exchange.sandboxHeaders);
  setHeaders(res, exchange.preferenceHeaders);
  exposeHeaders(res, [...getDocumentedHeaders(route), ...Object.keys(response.headers)]);
  try {
    return send(exchange, response);
  } catch (err) {
    // A user's handler can return a value that has no JSON form, such as a BigInt.
    app.log.error({ err, method, path });
    for (const name of Object.keys(response.headers)) if (!/^vary$/i.test(name)) res.removeHeader(name);
    return send(exchange, createProblemResponse(internalError, path));
  }
}

/** Sends a response. Returns undefined if it is an event stream, or if a fault resets the connection. */
function send({ res, transport, changes }: Exchange, response: ResponseData): SentResponse | undefined {
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
  if (transport) return sendWithTransportFault(res, content, transport) ? { response, text, bytes } : undefined;
  if (pieces) return { response, text: sendPieces(res, pieces), bytes };
  const end = () => {
    // The server has already responded if Node's parser has refused the rest of the request in the meantime.
    if (!res.headersSent) res.end(res.req.method === 'HEAD' ? undefined : content);
  };
  // Each separate write can wake a waiting client, which takes as much CPU time as the rest of the request.
  // So the responses of one turn of the event loop are written together at its end.
  // Those to the changes of a commit follow each other anyway.
  if (changes) end();
  else setImmediate(end);
  return { response, text, bytes };
}

/** Returns whether responses with a status have no body (RFC 9110, sections 15.3.5 and 15.4.5). */
function isBodilessStatus(status: number): boolean {
  return status === 204 || status === 304;
}

/**
 * Removes `Content-Type` and `Content-Length`.
 * A response with status 204 must not have them (RFC 9110, section 8.6).
 */
function removeContentHeaders(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^content-(type|length)$/i.test(name)));
}

/** Returns the text or the bytes of a response body. `type`: the content type. */
export function toContent(body: unknown, type = JSON_TYPE): string | Buffer {
  if (Buffer.isBuffer(body)) return body;
  return typeof body === 'string' && !isJsonType(type) ? body : JSON.stringify(body);
}

const NO_NAMES: readonly string[] = [];

function getDocumentedHeaders(route: Route | undefined): readonly string[] {
  return route ? listHeaders(route) : NO_NAMES;
}

/** Returns the names of the headers that any response of an operation documents. */
const listHeaders = memoizeByObject(({ responses }: Route): readonly string[] =>
  responses.flatMap(({ headers }) => headers.map(({ name }) => name)),
);

const EXPOSE = 'Access-Control-Expose-Headers';

/**
 * Adds header names to `Access-Control-Expose-Headers`.
 * Does nothing if the response does not have this header, because then no page of another origin can read the response.
 */
function exposeHeaders(res: ServerResponse, names: readonly string[]): void {
  const exposed = res.getHeader(EXPOSE);
  if (exposed !== undefined) res.setHeader(EXPOSE, addExposedNames(String(exposed), names));
}

/**
 * Sends the body of a response whose status and headers are already set.
 * Depending on the fault, sends the body slowly, or closes the connection after half of the body.
 * If the fault closes the connection and the body is empty, resets the connection without a response.
 * Returns whether a response is sent.
 */
function sendWithTransportFault(res: ServerResponse, content: string | Buffer, fault: TransportFault): boolean {
  const { connection, bodyDurationMs = 0 } = fault;
  const all = typeof content === 'string' ? Buffer.from(content) : content;
  const bytes = res.req.method === 'HEAD' ? all.subarray(0, 0) : all;
  if (!connection && bytes.length === 0) res.end();
  else if (!connection) sendSlowly(res, bytes, bodyDurationMs);
  else if (bytes.length === 0) resetConnection(res);
  else {
    res.flushHeaders();
    res.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => res.req.socket.destroy());
  }
  return !connection || bytes.length > 0;
}

/**
 * Resets the connection of a response (TCP RST), as if the server crashed.
 * First waits until earlier responses on the connection are sent.
 */
function resetConnection(res: ServerResponse): void {
  if (res.socket) res.socket.resetAndDestroy();
  else res.once('socket', (socket) => socket.resetAndDestroy());
}

/** The number of pieces into which a slow body is split. */
const PIECES = 20;

function sendSlowly(res: ServerResponse, bytes: Buffer, bodyDurationMs: number): void {
  const pieces = Math.min(PIECES, bytes.length);
  let sent = 0;
  res.flushHeaders();
  const timer = setInterval(() => {
    const from = Math.floor((bytes.length * sent) / pieces);
    sent++;
    const piece = bytes.subarray(from, Math.floor((bytes.length * sent) / pieces));
    if (sent < pieces) res.write(piece);
    else {
      clearInterval(timer);
      res.end(piece);
    }
  }, bodyDurationMs / pieces);
  res.once('close', () => clearInterval(timer));
}
