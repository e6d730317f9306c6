import type { ServerResponse } from 'node:http';
import type { HandlerResponse } from '../application.ts';
import type { TransportFault } from '../faults/fault.ts';
import { chooseMediaType, createVary, formatBody, isAcceptable, toContentType } from '../mock/media-types.ts';
import { shorten } from '../openapi/describe-error.ts';
import { allowsJson, findMediaType, isJsonType } from '../openapi/media-types.ts';
import { findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { normalizeHeaderNames } from '../util/headers.ts';
import { isLongList } from '../util/limits.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { getProblemKind, type HttpProblem, internalError, unavailable } from '../util/problem.ts';
import { isBelow, JSON_TYPE, toUriReference } from '../util/request-target.ts';
import { getStreamKind } from '../util/streams.ts';
import {
  addExposedNames,
  DATA_HEADERS,
  type Headers,
  JSON_HEADERS,
  NO_HEADERS,
  PROBLEM_HEADERS,
  setHeaders,
} from './access-policy.ts';
import {
  type Exchange,
  hasRoute,
  type OperationExchange,
  type ResponseData,
  type Returned,
  type SentResponse,
} from './exchange.ts';
import { createItemResponse, isItemStream, MAX_STREAMS, startItemStream } from './item-stream.ts';
import { completeList, sendPieces } from './long-list.ts';
import { addErrorBody, canSendValue, createOtherType, listSendableTypes } from './mock-response.ts';
import { acceptPendingConnections } from './retries.ts';

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
 * Sends the response, unless Koa sends it.
 * If an injected fault closes the connection or slows the body, applies this fault.
 * Sets `sent`, unless no response was sent or the response is an event stream.
 */
export async function write(exchange: Exchange): Promise<void> {
  if (exchange.response?.items) limitStreams(exchange);
  const { app, ctx, res, method, route, response, transport } = exchange;
  if (!response && !exchange.isDone && !transport?.connection) return;
  ctx.respond = false;
  if (transport?.connection) {
    await acceptPendingConnections();
    const isReset = transport.connection === 'reset';
    // A response without a body can't be cut off, so the connection is reset instead.
    if (isReset || (response?.body ?? response?.items) === undefined || method === 'HEAD')
      app.retries.recordReset(exchange);
    if (isReset) return resetConnection(res);
  }
  // The server has already responded if Node's parser refused the rest of the request.
  if (!response || exchange.socket.destroyed || res.headersSent) return;
  setHeaders(res, exchange.sandboxHeaders);
  setHeaders(res, exchange.preferenceHeaders);
  // Without this header, no page of another origin can read the response.
  if (res.hasHeader(EXPOSE))
    exposeHeaders(res, [...(route ? listHeaders(route) : []), ...Object.keys(response.headers)]);
  try {
    exchange.sent = send(exchange, response);
  } catch (err) {
    // A user's handler can return a value that has no JSON form, such as a BigInt.
    const { path } = exchange;
    app.log.error({ err, method, path });
    for (const name of Object.keys(response.headers)) if (!/^vary$/i.test(name)) res.removeHeader(name);
    exchange.sent = send(exchange, createProblemResponse(internalError, path));
  }
}

/** Replaces a stream with an error response if the server already sends too many streams. */
function limitStreams(exchange: Exchange): void {
  const { app, response } = exchange;
  const { maxStreams = MAX_STREAMS } = app.options;
  if (!response || app.streams.size < maxStreams || !isItemStream(exchange, response)) return;
  const problem = unavailable(
    `the server already sends ${maxStreams} streams, its maximum: close some of them, or start it with --max-streams ${2 * maxStreams}`,
  );
  exchange.response = createProblemResponse(problem, exchange.path);
}

/** Sends a response. Returns undefined if it is an event stream, or if a fault resets the connection. */
function send(exchange: Exchange, response: ResponseData): SentResponse | undefined {
  const { res, transport, changes } = exchange;
  const { status, headers, body, pieces, stream } = response;
  if (stream) {
    stream(res);
    return undefined;
  }
  // Responses with these statuses have no body (RFC 9110, sections 15.3.5 and 15.4.5).
  const isBodilessStatus = status === 204 || status === 304;
  const isBodiless = body === undefined || isBodilessStatus;
  const content = isBodiless || pieces ? '' : toContent(body, headers['Content-Type']);
  const text = typeof content === 'string' ? content : content.toString('latin1');
  const bytes = pieces ? pieces.length : Buffer.byteLength(content);
  res.statusCode = status;
  setHeaders(res, DATA_HEADERS);
  if (response.items && isItemStream(exchange, response)) return startItemStream(exchange, response);
  setHeaders(res, isBodilessStatus ? removeContentHeaders(headers) : headers);
  // The page of a front end on another port can show the picture of a user.
  if (!isBodiless && MEDIA.test(headers['Content-Type'] ?? '')) res.setHeader(RESOURCE_POLICY, 'cross-origin');
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

/** Returns the names of the headers that any response of an operation documents. */
const listHeaders = memoizeByObject(({ responses }: Route): readonly string[] =>
  responses.flatMap(({ headers }) => headers.map(({ name }) => name)),
);

/** Matches the media types of files that pages embed. */
const MEDIA = /^(?:image|audio|video)\//i;

const RESOURCE_POLICY = 'Cross-Origin-Resource-Policy';

const EXPOSE = 'Access-Control-Expose-Headers';

/** Adds header names to the header `Access-Control-Expose-Headers` of a response. */
function exposeHeaders(res: ServerResponse, names: readonly string[]): void {
  res.setHeader(EXPOSE, addExposedNames(String(res.getHeader(EXPOSE)), names));
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

/**
 * Returns a problem (406) if a request accepts none of the media types that the contract documents for the response.
 * Returns undefined if the contract documents only one type: RFC 9110, section 12.5.1 allows to send it.
 * Types of errors also count, because some clients accept only these.
 */
export function findUnacceptable(exchange: OperationExchange): HttpProblem | undefined {
  const { app, route, headers, preferences, effect } = exchange;
  const { accept } = headers;
  if (accept === undefined || effect?.response) return undefined;
  const { code } = preferences.choice;
  const chosen = code === undefined ? undefined : findResponse(route.responses, code);
  const named = route.responses.filter(({ name }) => name.startsWith('2'));
  const successes = named.length > 0 ? named : route.responses.filter(({ name }) => name === 'default');
  const errors = route.responses.filter((response) => !successes.includes(response));
  const expected = chosen ? [chosen] : successes;
  const isValue = !exchange.isMocked && app.implementations.get(route)?.source === 'application';
  const sent = isValue ? listSendableTypes(exchange, expected) : listTypes(expected);
  if (listTypes(expected).length < 2 || sent.length === 0) return undefined;
  if (isAcceptable([...sent, ...(chosen ? [] : listTypes(errors))], accept)) return undefined;
  const detail = `the header Accept is ${JSON.stringify(shorten(accept))}, which includes no media type of the response: use ${sent.join(' or ')}`;
  return { code: 'not-acceptable', detail, headers: createVary(NO_HEADERS) };
}

function listTypes(responses: Route['responses']): readonly string[] {
  return [...new Set(responses.flatMap(({ media }) => Object.keys(media)))];
}

/**
 * Formats the body of a handler's response for a media type that the contract documents for its status.
 * If several are documented, chooses one by the header `Accept`.
 * `own`: the headers that the handler returned; a `Content-Type` among them is not changed.
 */
function toDocumentedType(
  { contract, route, headers: sent }: OperationExchange,
  response: ResponseData,
  own: Headers,
): ResponseData {
  const { status, headers, body } = response;
  const ownType = own['Content-Type'];
  if (body === undefined || (ownType === undefined && !route.hasOtherTypes)) return response;
  const media = findResponse(route.responses, status)?.media ?? {};
  const documented = Object.keys(media);
  const isText = typeof body === 'string' || Buffer.isBuffer(body);
  // Only text and binary data can have a type such as text/csv.
  const possible = documented.filter((type) => isText || canSendValue(type));
  const jsonFirst = possible.toSorted((a, b) => Number(allowsJson(b)) - Number(allowsJson(a)));
  const chosen = ownType ?? chooseMediaType(jsonFirst, sent.accept ?? '');
  if (chosen === undefined) return response;
  const contentType = toContentType(chosen);
  const { schema, items: documentedItems } = media[findMediaType(documented, chosen) ?? ''] ?? {};
  const vary = ownType === undefined && possible.length > 1 ? createVary(headers) : {};
  const items =
    isText || getStreamKind(contentType) === undefined ? {} : { items: Array.isArray(body) ? body : [body] };
  return {
    ...response,
    headers: { ...headers, 'Content-Type': contentType, ...vary },
    body: formatBody(contentType, body, { contract, schema, items: documentedItems }),
    ...items,
  };
}

/**
 * Makes a response of what a handler or the mock has returned: adds generated fields, the content type, the prefix of
 * the sandbox in `Location`, and the header `X-Mocked`.
 * Does nothing if there is already a response.
 */
export async function complete(exchange: Exchange): Promise<void> {
  const { returned, response, app } = exchange;
  if (!returned || response || !hasRoute(exchange)) return;
  const { notes = [] } = returned;
  if (notes.length > 0) exchange.notes = [...exchange.notes, ...notes];
  const { route } = exchange;
  if (returned.by === 'mock') exchange.response = completeMock(exchange, returned);
  else if (isAsyncIterable(returned.body)) exchange.response = createItemResponse(exchange, returned, returned.body);
  else if (returned.by === 'user') exchange.response = completeUser(exchange, returned);
  else if (isLongList(returned.body) && !route.hasOtherTypes)
    exchange.response = await completeLongList(exchange, returned, returned.body);
  else {
    const other = createOtherType(exchange, returned);
    if (other) {
      exchange.response = addMocked(exchange, other);
      return;
    }
    const { body, generated } = app.differences.has(route)
      ? app.complete(route, returned.body)
      : { body: returned.body, generated: [] };
    const completed = completeBuiltIn(exchange, returned, body, generated);
    // A file keeps its media type.
    const own = Buffer.isBuffer(body) ? completed.headers : NO_HEADERS;
    exchange.response = route.hasOtherTypes ? toDocumentedType(exchange, completed, own) : completed;
  }
}

/** Returns whether the body that a handler returned is a stream of items. */
function isAsyncIterable(body: unknown): body is AsyncIterable<unknown> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

async function completeLongList(
  exchange: OperationExchange,
  returned: Returned,
  list: readonly unknown[],
): Promise<ResponseData> {
  const { app, route } = exchange;
  const { body, generated } = await completeList(list, (part) => app.complete(route, part));
  return { ...completeBuiltIn(exchange, returned, body, generated), list: body };
}

/**
 * Creates the response of an application's handler.
 * `generated`: the JSON Pointers of the values in the completed body that the contract requires.
 */
function completeBuiltIn(
  exchange: OperationExchange,
  { status = exchange.route.successStatus, headers = NO_HEADERS, generated: own = [] }: Returned,
  body: unknown,
  generated: readonly string[],
): ResponseData {
  const all = [...own, ...generated];
  const { prefix, basePath } = exchange.location;
  const prefixed = prefix + basePath === '' ? headers : addPrefix(exchange, headers);
  return createResponse(status, body, all.length > 0 ? addGenerated(prefixed, all) : prefixed);
}

/**
 * Creates the response of a user's handler: also adds the properties that the contract requires, and the body of an
 * error.
 */
function completeUser(exchange: OperationExchange, returned: Returned): ResponseData {
  const { app, route } = exchange;
  const described: HandlerResponse = addErrorBody(exchange, returned);
  const { request } = returned;
  const completed = (request && app.implementation.completeResponse?.(route, described, request)) ?? described;
  const { status = route.successStatus, body, generated = [] } = completed;
  const own = normalizeHeaderNames(completed.headers ?? NO_HEADERS);
  const typed = { 'Content-Type': getDocumentedType(route, status), ...own };
  const response = createResponse(status, body, addGenerated(addPrefix(exchange, typed), generated));
  return toDocumentedType(exchange, response, own);
}

/** Creates the response of the mock or of a fault, with the header `X-Mocked: operation`. */
function completeMock(exchange: OperationExchange, returned: Returned): ResponseData {
  const { status = exchange.route.successStatus, headers = NO_HEADERS, body, example, items } = returned;
  const isStored = exchange.decision?.source === 'stored';
  const response = { status, headers, body, example, items };
  return addMocked(exchange, isStored ? toDocumentedType(exchange, response, NO_HEADERS) : response);
}

/** Adds the header `X-Mocked: operation` to a response, and the prefix of the sandbox to its paths. */
export function addMocked(exchange: Exchange, response: ResponseData): ResponseData {
  return { ...response, headers: { ...addPrefix(exchange, response.headers), 'X-Mocked': 'operation' } };
}

/**
 * Adds the header `X-Mocked`, which lists the JSON Pointers of the generated values in the body.
 * Returns `headers` unchanged if no value is generated.
 */
function addGenerated(headers: Headers, generated: readonly string[]): Headers {
  return generated.length === 0 ? headers : { ...headers, 'X-Mocked': generated.map(encodeURI).join(', ') };
}

/**
 * Completes the paths in the headers `Location` and `Link`: `/pets/1` becomes `/_sandbox/w3/v1/pets/1`.
 * Adds the prefix of the sandbox (`/_sandbox/w3`).
 * Adds the base path (`/v1`) unless the path already starts with it.
 * Also changes a `Location` that is a URL of this server.
 */
function addPrefix({ location, headers: sent }: Exchange, headers: Headers): Headers {
  const { prefix, basePath } = location;
  const { Location: path, Link: links } = headers;
  if (prefix + basePath === '' || (path ?? links) === undefined) return headers;
  const add = (target: string) => prefix + (isBelow(target, basePath) ? '' : basePath) + target;
  const host = `http://${sent.host}`;
  const origin = path?.startsWith(`${host}/`) ? host : '';
  const own = path?.slice(origin.length) ?? '';
  return {
    ...headers,
    ...(path !== undefined && { Location: origin + (own.startsWith('/') ? add(own) : own) }),
    ...(links !== undefined && { Link: links.replaceAll(/(?<=<)\/[^>]*/g, add) }),
  };
}

/**
 * Returns the media type that the contract documents for a status.
 * Prefers JSON.
 * Returns JSON if the contract documents none.
 */
function getDocumentedType({ responses }: Route, status: number): string {
  const types = Object.keys(findResponse(responses, status)?.media ?? {});
  return toContentType(types.find(isJsonType) ?? types.find(allowsJson) ?? types[0] ?? JSON_TYPE);
}
