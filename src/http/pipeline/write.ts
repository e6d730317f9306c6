import type { ServerResponse } from 'node:http';
import { isJsonType } from '../../openapi/responses.ts';
import type { PipelineParts } from '../parts.ts';
import { internalError } from '../problem.ts';
import {
  createProblemResponse,
  DATA_HEADERS,
  type Headers,
  JSON_TYPE,
  type ResponseData,
  setHeaders,
} from './response.ts';
import { type Exchange, getPath, type TransportFault } from './values.ts';

/** A response that was sent. */
export interface SentResponse {
  readonly response: ResponseData;
  /** The text of its body, also after a request with HEAD. */
  readonly text: string;
}

/** Writes the response of an exchange, as its transport fault damages it. Returns what was sent; undefined if nothing was, or a stream. */
export function writeResponse(
  { log, resends }: PipelineParts,
  res: ServerResponse,
  exchange: Exchange,
): SentResponse | undefined {
  const { request, scope, draft } = exchange;
  const { response, transport, headers } = draft;
  if (transport?.connection) {
    const isReset = transport.connection.kind === 'reset';
    const isEmpty = response?.body === undefined || request.method === 'HEAD';
    // A response without a body can't be cut: the connection is reset.
    if (isReset || isEmpty) resends.remember(request);
    if (isReset) {
      resetConnection(res);
      return undefined;
    }
  }
  if (!response || request.client.isGone) return undefined;
  if (scope) setHeaders(res, scope.headers);
  setHeaders(res, headers);
  try {
    return send(res, response, transport);
  } catch (err) {
    // A response that can't be written, as a user's own handler may return, is an error of the server.
    const path = getPath(exchange);
    log.error({ err, method: request.method, path });
    for (const name of Object.keys(response.headers)) res.removeHeader(name);
    return send(res, createProblemResponse(internalError, path), transport);
  }
}

/** To Node's response rather than Koa's: this is done for every request, and Koa's way costs more than all else here. */
function send(
  res: ServerResponse,
  response: ResponseData,
  transport: TransportFault | undefined,
): SentResponse | undefined {
  // Node's parser may have refused the rest of the request meanwhile.
  if (res.headersSent) return undefined;
  const { status, headers, body, exposedHeaders = [], stream } = response;
  if (stream) {
    stream(res);
    return undefined;
  }
  const isBodiless = body === undefined || isBodilessStatus(status);
  const text = isBodiless ? '' : toText(body, headers['Content-Type']);
  res.statusCode = status;
  setHeaders(res, DATA_HEADERS);
  setHeaders(res, isBodilessStatus(status) ? withoutContent(headers) : headers);
  if (!isBodiless) res.setHeader('Content-Length', Buffer.byteLength(text));
  if (exposedHeaders.length > 0) exposeHeaders(res, exposedHeaders);
  if (transport) return sendWithTransportFault(res, text, transport) ? { response, text } : undefined;
  res.end(res.req.method === 'HEAD' ? undefined : text);
  return { response, text };
}

/** Whether responses with a status have no body (RFC 9110, sections 15.3.5 and 15.4.5). */
function isBodilessStatus(status: number): boolean {
  return status === 204 || status === 304;
}

/** Headers without those that describe a body: they may not be sent with 204 (RFC 9110, section 8.6). */
function withoutContent(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^content-(type|length)$/i.test(name)));
}

function toText(body: unknown, type = JSON_TYPE): string {
  return typeof body === 'string' && !isJsonType(type) ? body : JSON.stringify(body);
}

const EXPOSE = 'Access-Control-Expose-Headers';

/** Lets pages of other origins read headers of a response, if they may read the response. */
function exposeHeaders(res: ServerResponse, names: readonly string[]): void {
  const exposed = res.getHeader(EXPOSE);
  if (exposed === undefined) return;
  const known = String(exposed).split(',');
  const isKnown = (name: string) => known.some((other) => other.toLowerCase() === name.toLowerCase());
  res.setHeader(EXPOSE, [...known, ...names.filter((name) => !isKnown(name))].join());
}

/** The number of pieces in which a slow body is sent. */
const PIECES = 20;

/**
 * Sends a response whose head is set, cut after half of its body, or slowly. Returns whether any of it is sent: a response without a body can't be cut,
 * so the connection is reset.
 */
function sendWithTransportFault(res: ServerResponse, text: string, fault: TransportFault): boolean {
  const { connection, bodyDurationMs } = fault;
  const bytes = Buffer.from(res.req.method === 'HEAD' ? '' : text);
  if (!connection && bytes.length === 0) res.end();
  else if (!connection) sendSlowly(res, bytes, bodyDurationMs ?? 0);
  else if (bytes.length === 0) resetConnection(res);
  else {
    res.flushHeaders();
    res.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => res.req.socket.destroy());
  }
  return !connection || bytes.length > 0;
}

/** Resets the connection of a response as a crashed server does, once the responses before it are sent. */
function resetConnection(res: ServerResponse): void {
  if (res.socket) res.socket.resetAndDestroy();
  else res.once('socket', (socket) => socket.resetAndDestroy());
}

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
