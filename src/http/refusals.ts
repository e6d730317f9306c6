import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { COMMON_HEADERS } from '../util/headers.ts';
import { createMethodNotAllowed, type HttpProblem } from '../util/problem.ts';
import { getPathname } from '../util/request-target.ts';
import {
  type AccessPolicy,
  DATA_HEADERS,
  getCorsHeaders,
  isControlPath,
  NO_CORS_HEADERS,
  type Requester,
} from './access-policy.ts';
import { logRequest } from './app.ts';
import { createProblemResponse } from './response.ts';
import type { Log } from './served.ts';

/** The methods that the error response to a CONNECT request lists as supported. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];

/**
 * Creates functions that refuse a request before the Koa app receives it.
 * Each function sends a problem document (RFC 9457) and writes a log line.
 * `getLastResponse`: returns the response to the last request on a connection.
 */
export function createRequestRefusals(
  getLastResponse: (socket: Duplex) => ServerResponse | undefined,
  log: Log,
  access: AccessPolicy,
) {
  function send(res: ServerResponse, problem: HttpProblem): void {
    const { req } = res;
    const { status, headers, text } = createLastResponse(problem, access, req.headers, toPath(req.url));
    res.writeHead(status, headers).end(req.method === 'HEAD' ? undefined : text);
  }

  function refuse(res: ServerResponse, problem: HttpProblem): void {
    logRequest(log, res, () => ({ notes: [problem.detail] }));
    send(res, problem);
  }

  function refuseUnparsed(socket: Duplex, problem: HttpProblem, error: ClientError): void {
    const path = parsePath(error);
    const response = createLastResponse(problem, access, parseRequester(error), path);
    log.info({ path, status: response.status, notes: [problem.detail] });
    sendRaw(socket, response);
  }

  return {
    /** Refuses a request that Node has parsed. */
    refuse,
    /**
     * Refuses a request that Node can't parse, or that did not arrive within the time limit.
     * Handles Node's event `clientError`.
     */
    handleClientError(error: ClientError, socket: Duplex): void {
      const problem = toClientProblem(error);
      const response = getLastResponse(socket);
      if (!problem || !socket.writable) socket.destroy();
      else if (!response) refuseUnparsed(socket, problem, error);
      // The error is in the next request on the connection. The response to the complete request is sent first.
      else if (response.req.complete) runAfterResponse(response, () => refuseUnparsed(socket, problem, error));
      // The error is in the body of a request whose response has already begun. The response can't be replaced.
      else if (response.headersSent) socket.destroy();
      else send(response, problem);
    },
    /** Refuses a request whose `Expect` header is not `100-continue`. */
    refuseExpectation({ headers }: IncomingMessage, res: ServerResponse): void {
      const detail = `the Expect header ${JSON.stringify(headers.expect)} is not supported: send 100-continue or omit it`;
      refuse(res, { code: 'expectation-failed', detail });
    },
    /** Refuses a CONNECT request. */
    refuseConnect(socket: Duplex): void {
      socket.on('error', () => socket.destroy());
      refuseUnparsed(socket, createMethodNotAllowed('CONNECT', 'this server', METHODS), new Error('CONNECT'));
    },
  };
}

/** An error of Node's HTTP parser, or a timeout of the HTTP server. */
interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/**
 * Converts an error of Node's HTTP parser, or a timeout, to a problem (error response).
 * Returns undefined if the client has closed the connection.
 */
function toClientProblem({ code, message }: ClientError): HttpProblem | undefined {
  if (code === 'ECONNRESET' || code === 'EPIPE') return undefined;
  if (code === 'HPE_HEADER_OVERFLOW')
    return {
      code: 'headers-too-large',
      detail:
        'the request line and the headers together exceed the limit of 64 kB: send a shorter URL or smaller headers',
    };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { code: 'request-timeout', detail: 'the complete request did not arrive in time: send it without pauses' };
  return { code: 'malformed-request', detail: `invalid HTTP request: ${message.replace(/^Parse Error: /, '')}` };
}

/** Returns the path of a request that Node could not parse, without the query. Returns `/` if the path is unknown. */
function parsePath({ rawPacket }: ClientError): string {
  return toPath(/^[A-Z]+ (\/\S*) HTTP/.exec(rawPacket?.toString('latin1', 0, 4096) ?? '')?.[1]);
}

/**
 * Returns the headers `Host` and `Origin` of a request that Node could not parse.
 * A header that is not found is undefined.
 */
function parseRequester({ rawPacket }: ClientError): Requester {
  const [head = ''] = (rawPacket?.toString('latin1') ?? '').split('\r\n\r\n');
  const header = (name: string) => new RegExp(`^${name}: *(\\S+)[ \\t]*$`, 'im').exec(head)?.[1];
  return { host: header('host'), origin: header('origin') };
}

/** Returns the path of a request target. Returns `/` if the target has no path. */
function toPath(target = '/'): string {
  return target.startsWith('/') ? getPathname(target) : '/';
}

/**
 * The time between a refusal and the end of the connection, in ms.
 * Without this delay, the client could lose the response.
 */
const LINGER_MS = 1_000;

/**
 * Writes a response directly to a socket, because Node creates no response object for a request that it can't parse.
 * Then ends the connection.
 */
function sendRaw(socket: Duplex, { status, headers, text }: ReturnType<typeof createLastResponse>): void {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.resume().end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${text}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/**
 * Creates the response to a refused request.
 * The header `Connection: close` tells the client that the server ends the connection.
 */
function createLastResponse(problem: HttpProblem, access: AccessPolicy, requester: Requester, path: string) {
  const { status, headers, body } = createProblemResponse(problem, path);
  const text = JSON.stringify(body);
  return {
    status,
    text,
    headers: {
      ...headers,
      'Content-Length': String(Buffer.byteLength(text)),
      ...COMMON_HEADERS,
      ...DATA_HEADERS,
      Connection: 'close',
      ...(isControlPath(path) ? NO_CORS_HEADERS : getCorsHeaders(access, requester)),
    },
  };
}

/**
 * Calls `then` when a response has been sent or its connection has been closed.
 * If this has already happened, calls `then` immediately.
 */
function runAfterResponse(response: ServerResponse, then: () => void): void {
  if (response.writableFinished || response.destroyed) then();
  else response.once('close', then);
}
