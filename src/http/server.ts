import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AccessPolicy } from './access-policy.ts';
import { Connections } from './connections.ts';
import { noteOpened, noteRequest } from './pipeline/resent-requests.ts';
import { type HttpProblem, unavailable } from './problem.ts';
import type { Log } from './request-log.ts';
import { createRequestRefusals } from './request-refusals.ts';

/** What Node itself holds clients to. */
export const LIMITS = {
  /** Request line and headers together, in bytes. */
  maxHeaderSize: 64 * 1024,
  /** How long a connection may stay idle, in ms: longer than proxies in front of it keep theirs, so that they close first. */
  keepAliveTimeout: 65_000,
  /** How often Node looks for requests that take too long, in ms. */
  connectionsCheckingInterval: 1_000,
  /** A missing Host header is refused below: Node would do it without a body. */
  requireHostHeader: false,
};

/** How long a request may take to arrive, in ms, unless the options say otherwise. */
export const REQUEST_TIMEOUT_MS = 30_000;

/** The options of the Node server: the request listener, and the refusals of requests that never reach it. */
interface ServerParts {
  readonly answer: (req: IncomingMessage, res: ServerResponse) => void;
  readonly log: Log;
  /** How long a request may take to arrive, in ms. */
  readonly requestTimeoutMs: number;
  /** Which origins may read what is answered here. */
  readonly access: AccessPolicy;
}

/** An HTTP server on one or more addresses. */
export interface HttpServer {
  /** Listens on one more address, and returns the port: 0 asks for a free one. */
  listen(host: string, port: number): Promise<number>;
  /** Closes all addresses at once: for a start that has to begin again. */
  unlisten(): Promise<void>;
  /** Takes no new request and finishes those begun; after 8 s those that are still not done are cut off. */
  close(): Promise<void>;
}

/** An HTTP server in which everything that Node refuses by itself is answered with a problem document too. */
export function createHttpServer({ answer, log, requestTimeoutMs, access }: ServerParts): HttpServer {
  const connections = new Connections();
  const refusals = createRequestRefusals(connections, log, access);
  const servers: Server[] = [];
  let isClosing = false;

  function handle(req: IncomingMessage, res: ServerResponse): void {
    const problem = isClosing ? STOPPING : findHttpProblem(req);
    if (problem) refusals.request(req, res, problem);
    else answer(req, res);
  }

  function makeServer(): Server {
    return createServer({ ...LIMITS, requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs })
      .on('request', (req, res) => {
        noteRequest();
        connections.inTurn(res, () => handle(req, res));
      })
      .on('connection', (socket) => {
        connections.add(socket);
        noteOpened(socket);
      })
      .on('clientError', refusals.clientError)
      .on('checkExpectation', refusals.expectation)
      .on('connect', (_req, socket) => refusals.tunnel(socket));
  }

  return {
    async listen(host, port) {
      const server = makeServer();
      await once(server.listen({ host, port }), 'listening');
      servers.push(server);
      return (server.address() as { readonly port: number }).port;
    },
    async unlisten() {
      await Promise.all(servers.splice(0).map(close));
    },
    async close() {
      isClosing = true;
      await connections.end(Promise.all(servers.map(close)));
    },
  };
}

const STOPPING = unavailable('the server is shutting down: try again later');

/** Returns why a request that Node has accepted is not valid HTTP; undefined if it is. Puts its target into origin form. */
function findHttpProblem(req: IncomingMessage): HttpProblem | undefined {
  if (!hasOneHost(req)) return malformed('the request must have exactly one Host header');
  if (req.httpVersion === '1.0' && req.headers['transfer-encoding'] !== undefined)
    return malformed('HTTP/1.0 has no Transfer-Encoding: send Content-Length, or HTTP/1.1');
  if (normalizeTarget(req)) return undefined;
  return malformed('the request target is not a path: send a path such as /items, or an http URL');
}

function malformed(detail: string): HttpProblem {
  return { code: 'malformed-request', detail };
}

/** Whether a request has the one Host header that HTTP/1.1 asks for (RFC 9112, section 3.2); Node keeps the first of several. */
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

/** Authority, and what follows it, of a target in absolute form. User information is no part of an authority here (RFC 9110, section 4.2.4). */
const ABSOLUTE = /^https?:\/\/([^/?#@]+)(?![^/?#])/i;

/** Characters that no target has, and that Node's parser and Koa's read differently. */
const SPACES = /[\t\n\f\r \u00a0\ufeff]/g;

/**
 * Reads a request target (RFC 9112, section 3.2): a path, an http(s) URL, or `*` with OPTIONS. Returns path and query as `url`, and `authority`, host and
 * port, if the target itself names them; undefined for any other target.
 * Decision: `OPTIONS *` is answered as `OPTIONS /`; a fragment, which no client should send, is dropped.
 */
export function parseRequestTarget(method: string, target: string) {
  if (target.startsWith('/')) return { url: toPlain(target) };
  if (target === '*') return method === 'OPTIONS' ? { url: '/' } : undefined;
  const [begin, authority] = ABSOLUTE.exec(target) ?? [];
  if (begin === undefined || authority === undefined) return undefined;
  const rest = target.slice(begin.length);
  return { url: toPlain(rest.startsWith('/') ? rest : `/${rest}`), authority };
}

function toPlain(target: string): string {
  const end = target.indexOf('#');
  const plain = end === -1 ? target : target.slice(0, end);
  return plain.search(SPACES) === -1 ? plain : plain.replaceAll(SPACES, encodeURIComponent);
}

/**
 * Puts the target of a request into origin form, before anything reads it. Where the target is in absolute form, its authority takes the place of
 * the `Host` header, which is to be ignored then (RFC 9112, section 3.2.2). Returns false for a target that no server has.
 */
function normalizeTarget(req: IncomingMessage): boolean {
  const target = parseRequestTarget(req.method ?? '', req.url ?? '');
  if (!target) return false;
  req.url = target.url;
  if (target.authority !== undefined) replaceHost(req, target.authority);
  return true;
}

function replaceHost({ headers, rawHeaders }: IncomingMessage, authority: string): void {
  headers.host = authority;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === 'host') rawHeaders[at + 1] = authority;
  }
}
