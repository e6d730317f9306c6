import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { createMethodNotAllowed, type HttpProblem } from '../util/problem.ts';
import { getPathname } from '../util/request-target.ts';
import type { AccessPolicy, Requester } from './access-policy.ts';
import { COMMON_HEADERS, DATA_HEADERS, getCorsHeaders } from './cors.ts';
import { logRequest } from './record.ts';
import { createProblemResponse } from './response.ts';
import type { Log } from './served.ts';

/** The maximum time that a stopping server waits for the responses to current requests, in ms. */
const GRACE_MS = 8_000;

/**
 * The time that a stopping server keeps idle connections open, in ms.
 * In this time, a client can finish sending a request.
 */
const IDLE_GRACE_MS = 500;

/** The state of a connection. */
interface Connection {
  lastResponse: ServerResponse | undefined;
  /** The number of requests that wait because the response to an earlier request is not yet sent. */
  waitingRequests: number;
}

/** The open connections of a server. */
export class Connections {
  readonly #connections = new Map<Duplex, Connection>();

  /** Adds a new connection. */
  add(socket: Duplex): void {
    const connection: Connection = { lastResponse: undefined, waitingRequests: 0 };
    this.#connections.set(socket, connection);
    // Node resumes the socket at the end of a request and when a body is read.
    socket.on('resume', () => pauseWhileWaiting(socket, connection));
    socket.once('close', () => this.#connections.delete(socket));
  }

  /**
   * Calls `handle` for a new request when all earlier responses on the same connection are sent.
   * While a request waits, Node does not read from the connection.
   * So a client with many pipelined requests can't fill the memory.
   */
  handleInOrder(response: ServerResponse, handle: (response: ServerResponse) => void): void {
    const { socket } = response.req;
    const connection = this.#connections.get(socket);
    if (connection && isActive(connection.lastResponse)) handleLater(socket, connection, response, handle);
    else handle(response);
    if (connection) connection.lastResponse = response;
  }

  /** Returns the response to the last request on a connection. Returns undefined if there was no request. */
  getLastResponse(socket: Duplex): ServerResponse | undefined {
    return this.#connections.get(socket)?.lastResponse;
  }

  /**
   * Closes each connection when its current response is sent, and after 8 s at the latest.
   * Closes an idle connection after 0.5 s.
   * `allClosed`: a promise that resolves when the server has no connections.
   * Waits for this promise.
   */
  async close(allClosed: Promise<unknown>): Promise<void> {
    for (const [socket, { lastResponse }] of this.#connections)
      if (isActive(lastResponse)) closeAfter(lastResponse, socket);
    const idleTimer = setTimeout(() => {
      for (const [socket, { lastResponse }] of this.#connections) if (!isActive(lastResponse)) socket.destroy();
    }, IDLE_GRACE_MS);
    const timer = setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.destroy();
    }, GRACE_MS);
    await allClosed;
    clearTimeout(idleTimer);
    clearTimeout(timer);
  }
}

function handleLater(
  socket: Duplex,
  connection: Connection,
  response: ServerResponse,
  handle: (response: ServerResponse) => void,
): void {
  connection.waitingRequests++;
  // Node resumes the socket after the current event, so the socket is paused again in a microtask.
  queueMicrotask(() => pauseWhileWaiting(socket, connection));
  connection.lastResponse?.once('close', () => {
    connection.waitingRequests--;
    if (connection.waitingRequests === 0) socket.resume();
    // Requests of other connections are handled first.
    setImmediate(() => {
      // The server may have refused the request in the meantime, because its body is malformed.
      if (!socket.destroyed && !response.headersSent) handle(response);
    });
  });
}

function pauseWhileWaiting(socket: Duplex, { waitingRequests }: Connection): void {
  if (waitingRequests > 0) socket.pause();
}

/**
 * Calls `then` when a response has been sent or its connection has been closed.
 * If this has already happened, calls `then` immediately.
 */
function runAfterResponse(response: ServerResponse, then: () => void): void {
  if (isActive(response)) response.once('close', then);
  else then();
}

function isActive(response: ServerResponse | undefined): response is ServerResponse {
  return response !== undefined && !response.writableFinished && !response.destroyed;
}

function closeAfter(response: ServerResponse, socket: Duplex): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
  response.once('close', () => socket.destroy());
}

/** The methods that the error response to a CONNECT request lists as supported. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];

/**
 * Creates functions that refuse a request before the Koa app receives it.
 * Each function sends a problem document (RFC 9457) and writes a log line.
 */
export function createRequestRefusals(connections: Connections, log: Log, access: AccessPolicy) {
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
      const response = connections.getLastResponse(socket);
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
      ...getCorsHeaders(access, requester, path),
    },
  };
}
