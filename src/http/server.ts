import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { createMethodNotAllowed, type HttpProblem, unavailable } from '../util/problem.ts';
import { getPathname } from '../util/request-target.ts';
import { type AccessPolicy, isControlPath, type Requester } from './access-policy.ts';
import { Connections, countRequest, recordConnection, runAfterResponse } from './connections.ts';
import { COMMON_HEADERS, DATA_HEADERS, getCorsHeaders, NO_CORS_HEADERS } from './cors.ts';
import { logRequest } from './request-log.ts';
import { createProblemResponse } from './response.ts';
import type { Log, Server as StorefrontServer } from './served.ts';

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
  const refusals = createRequestRefusals(connections, log, access);
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
  if (!hasOneHost(req)) return createMalformedProblem('the request must have exactly one Host header');
  if (req.httpVersion === '1.0' && req.headers['transfer-encoding'] !== undefined)
    return createMalformedProblem('HTTP/1.0 has no Transfer-Encoding: send a Content-Length header, or use HTTP/1.1');
  const { method = '', url = '' } = req;
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

/**
 * Returns whether a request has exactly one Host header (RFC 9112, section 3.2).
 * An HTTP/1.0 request may have none.
 * Counts the raw headers, because `req.headers` contains only the first Host header.
 */
function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 'host'.length && name.toLowerCase() === 'host') hosts++;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
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

/** The methods that the error response to a CONNECT request lists as supported. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];

/**
 * Creates functions that refuse a request before the Koa app receives it.
 * Each function sends a problem document (RFC 9457) and writes a log line.
 */
function createRequestRefusals(connections: Connections, log: Log, access: AccessPolicy) {
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
      ...(isControlPath(path) ? NO_CORS_HEADERS : getCorsHeaders(access, requester)),
    },
  };
}
