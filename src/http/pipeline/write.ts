import type { ServerResponse } from 'node:http';
import { isJsonType } from '../../openapi/responses.ts';
import { isBodilessStatus } from '../../util/bodiless-status.ts';
import { DATA_HEADERS, type Headers, setHeaders } from '../headers.ts';
import { internalError } from '../problem.ts';
import type { Log } from '../request-log.ts';
import { getPath } from './draft.ts';
import type { ResentRequests } from './resent-requests.ts';
import { createProblemResponse, JSON_TYPE, type ResponseData } from './response.ts';
import { resetConnection, sendWithTransportFault } from './transport-faults.ts';
import type { Exchange, TransportFault } from './values.ts';

/** The parts that write responses. */
export interface WriteParts {
  readonly log: Log;
  readonly resends: ResentRequests;
}

/** A response that was sent. */
export interface SentResponse {
  readonly response: ResponseData;
  /** The text of its body, also after a request with HEAD. */
  readonly text: string;
}

/** Writes the response of an exchange, as its transport fault damages it. Returns what was sent; undefined if nothing was, or a stream. */
export function writeResponse(
  { log, resends }: WriteParts,
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
    if (isReset) resetConnection(res);
    if (isReset) return undefined;
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
