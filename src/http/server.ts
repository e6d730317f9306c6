import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type HttpProblem, unavailable } from '../util/problem.ts';
import { createRequestRefusals } from './refusals.ts';
import { countRequest, recordConnection } from './retries.ts';
import type { Server as StorefrontServer } from './served.ts';

/** Limits that Node enforces. */
export const LIMITS = {
  /** The maximum size of the request line and the headers together, in bytes. */
  maxHeaderSize: 64 * 1024,
  /**
   * The idle timeout of connections, in ms.
   * Most proxies have a shorter timeout, so the proxy closes an idle connection first.
   */
  keepAliveTimeout: 65_000,
  /** The interval at which Node checks for requests that exceed the time limit, in ms. */
  connectionsCheckingInterval: 1_000,
  /**
   * Turns off Node's check of the Host header.
   * Node would respond without a body, so `findHttpProblem` checks the header instead.
   */
  requireHostHeader: false,
};

/** The default time limit in which a request must arrive, in ms. */
export const REQUEST_TIMEOUT_MS = 30_000;

interface HttpServerOptions extends Pick<StorefrontServer, 'log' | 'access' | 'options'> {
  /** The listener of all requests. A reload of the contract replaces it. */
  readonly current: { readonly listener: RequestListener };
}

/** An HTTP server on one or more addresses. */
export type HttpServer = ReturnType<typeof createHttpServer>;

/**
 * Creates an HTTP server, which does not listen yet.
 * If Node refuses a request, the server responds with a problem document (RFC 9457).
 */
export function createHttpServer({ current, log, access, options }: HttpServerOptions) {
  const connections = new Connections();
  const refusals = createRequestRefusals((socket) => connections.getLastResponse(socket), log, access);
  const servers: Server[] = [];
  const { requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  let isClosing = false;

  function handle(res: ServerResponse): void {
    const { req } = res;
    const problem = isClosing ? STOPPING : findHttpProblem(req);
    if (problem) refusals.refuse(res, problem);
    else current.listener(req, res);
  }

  function createNodeServer(): Server {
    return createServer({ ...LIMITS, requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs })
      .on('request', (_req, res) => {
        countRequest();
        connections.handleInOrder(res, handle);
      })
      .on('connection', (socket) => {
        connections.add(socket);
        recordConnection(socket);
      })
      .on('clientError', refusals.handleClientError)
      .on('checkExpectation', refusals.refuseExpectation)
      .on('connect', (_req, socket) => refusals.refuseConnect(socket));
  }

  return {
    /** Starts to listen on an additional address. Resolves to the port. If `port` is 0, selects a free port. */
    async listen(host: string, port: number): Promise<number> {
      const server = createNodeServer();
      await once(server.listen({ host, port }), 'listening');
      servers.push(server);
      return (server.address() as { readonly port: number }).port;
    },
    /** Stops listening on all addresses, so that the server can listen on another port. */
    async unlisten(): Promise<void> {
      await Promise.all(servers.splice(0).map(close));
    },
    /**
     * Stops listening, and waits until the current requests have their responses.
     * Closes the remaining connections after 8 s.
     */
    async close(): Promise<void> {
      isClosing = true;
      await connections.close(Promise.all(servers.map(close)));
    },
  };
}

const STOPPING = unavailable('the server is shutting down: try again later');

/**
 * Returns the problem (error response) of a request that is not valid HTTP, although Node accepts it.
 * For a valid request, returns undefined and converts `req.url` to a path with a query.
 */
function findHttpProblem(req: IncomingMessage): HttpProblem | undefined {
  const { method = '', url = '', rawHeaders, httpVersion } = req;
  // RFC 9112, section 3.2. An HTTP/1.0 request may have no Host header.
  // The raw headers are counted, because `req.headers` contains only the first Host header.
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 'host'.length && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts !== 1 && !(hosts === 0 && httpVersion === '1.0'))
    return createMalformedProblem('the request must have exactly one Host header');
  if (httpVersion === '1.0' && req.headers['transfer-encoding'] !== undefined)
    return createMalformedProblem('HTTP/1.0 has no Transfer-Encoding: send a Content-Length header, or use HTTP/1.1');
  if (PLAIN_TARGET.test(url)) return undefined;
  const target = parseRequestTarget(method, url);
  if (!target)
    return createMalformedProblem('the request target is not a path: send a path such as /items, or an http URL');
  req.url = target.url;
  if (target.authority !== undefined) replaceHost(req, target.authority);
  return undefined;
}

function createMalformedProblem(detail: string): HttpProblem {
  return { code: 'malformed-request', detail };
}

function close(server: Server): Promise<unknown> {
  return new Promise((resolve) => server.close(resolve));
}

/**
 * Matches the scheme and the authority (host and port) of an http or https URL.
 * The URL can't contain a user name (RFC 9110, section 4.2.4).
 */
const ABSOLUTE = /^https?:\/\/([^/?#@]+)(?![^/?#])/i;

/**
 * Matches a simple request target: a path of visible ASCII characters without a fragment.
 * `parseRequestTarget` returns it unchanged.
 */
const PLAIN_TARGET = /^\/[!"$-~]*$/;

/** White-space characters. They are invalid in a request target, and Node and Koa parse them differently. */
const SPACES = /[\t\n\f\r \u00a0\ufeff]/g;

/**
 * Parses a request target (RFC 9112, section 3.2): a path, an http or https URL, or `*` with the method OPTIONS.
 * Returns the path and the query as `url`.
 * For a URL, also returns the host and port as `authority`.
 * Returns undefined if the target is invalid.
 * Decision: converts `OPTIONS *` to `OPTIONS /`, and removes a fragment such as `#top`.
 */
export function parseRequestTarget(method: string, target: string) {
  if (target.startsWith('/')) return { url: removeFragment(target) };
  if (target === '*') return method === 'OPTIONS' ? { url: '/' } : undefined;
  const [begin, authority] = ABSOLUTE.exec(target) ?? [];
  if (begin === undefined || authority === undefined) return undefined;
  const rest = target.slice(begin.length);
  return { url: removeFragment(rest.startsWith('/') ? rest : `/${rest}`), authority };
}

function removeFragment(target: string): string {
  const end = target.indexOf('#');
  const plain = end === -1 ? target : target.slice(0, end);
  return plain.search(SPACES) === -1 ? plain : plain.replaceAll(SPACES, encodeURIComponent);
}

/**
 * Sets the `Host` header of a request to the host and port in the request target, which take precedence (RFC 9112,
 * section 3.2.2).
 */
function replaceHost({ headers, rawHeaders }: IncomingMessage, authority: string): void {
  // The raw headers change too, because the response cache compares them. An HTTP/1.0 request may have no Host header.
  if (headers.host === undefined) rawHeaders.push('Host', authority);
  headers.host = authority;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === 'host') rawHeaders[at + 1] = authority;
  }
}

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
class Connections {
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

function isActive(response: ServerResponse | undefined): response is ServerResponse {
  return response !== undefined && !response.writableFinished && !response.destroyed;
}

function closeAfter(response: ServerResponse, socket: Duplex): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
  response.once('close', () => socket.destroy());
}
