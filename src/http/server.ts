import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Log, logRequest } from './log.ts';
import { type Fault, methodNotAllowed, problemKinds, unavailable } from './problem.ts';
import { answerBeside, answerRaw, type ClientError, faultOfClientError, originOf, pathOf } from './raw-answers.ts';

/** Request line and headers together, in bytes. */
const HEADER_LIMIT_BYTES = 64 * 1024;

/** How long a connection may stay idle between requests, in ms: longer than proxies in front of it keep theirs, so that they close first. */
const IDLE_MS = 65_000;

/** How often Node looks for requests that take too long, in ms. */
const CHECK_MS = 1_000;

/** How long requests that have begun may take to finish once the server stops, in ms. */
const GRACE_MS = 8_000;

/** How long a connection without a request is waited for then, in ms: its client may be in the middle of sending one. */
const SILENT_GRACE_MS = 500;

/** What the interface has methods of. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];

/** What answers requests, and what they are told of that never reach it. */
export interface ServerParts {
  readonly answer: (req: IncomingMessage, res: ServerResponse) => void;
  readonly log: Log;
  /** How long a request may take to arrive, in ms. */
  readonly requestTimeoutMs: number;
}

/** An HTTP server on one or more addresses. */
export interface HttpServer {
  /** Listens on one more address, and gives back the port: 0 asks for a free one. */
  listen(host: string, port: number): Promise<number>;
  /** Lets go of all addresses, without waiting for anything: for a start that has to begin anew. */
  unlisten(): Promise<void>;
  /** Takes no new request and finishes those begun; after 8 s those that are still not done are cut off. */
  close(): Promise<void>;
}

/** An HTTP server in which everything that Node refuses by itself is answered with a problem document too. */
export function createHttpServer({ answer, log, requestTimeoutMs }: ServerParts): HttpServer {
  /** The last response of each connection that is open; undefined where it has had no request yet. */
  const last = new Map<Duplex, ServerResponse | undefined>();
  const servers: Server[] = [];
  let closing = false;

  function onRequest(req: IncomingMessage, res: ServerResponse): void {
    last.set(req.socket, res);
    if (closing) refuse(req, res, unavailable('the server is stopping: try again once it is back'));
    else if (!hasOneHost(req))
      refuse(req, res, { code: 'malformed-request', detail: 'send one Host header, no more and no less' });
    else answer(req, res);
  }

  function refuse(req: IncomingMessage, res: ServerResponse, fault: Fault): void {
    logRequest(log, req, res, () => ({ notes: [fault.detail] }));
    answerBeside(req, res, fault);
  }

  function onClientError(error: ClientError, socket: Duplex): void {
    const fault = faultOfClientError(error);
    const response = last.get(socket);
    if (!fault || !socket.writable) socket.destroy();
    else if (!response) refuseRaw(socket, fault, error);
    // What is wrong came after a request that was received whole: that one is answered first.
    else if (response.req.complete) afterwards(response, () => refuseRaw(socket, fault, error));
    // What is wrong is in the body of a request: it is told so unless its answer has begun.
    else if (response.headersSent) socket.destroy();
    else answerBeside(response.req, response, fault);
  }

  function refuseRaw(socket: Duplex, fault: Fault, error: ClientError): void {
    const path = pathOf(error);
    log.info({ path, status: problemKinds[fault.code].status, notes: [fault.detail] });
    answerRaw(socket, fault, { path, origin: originOf(error) });
  }

  function makeServer(): Server {
    const limits = {
      maxHeaderSize: HEADER_LIMIT_BYTES,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: CHECK_MS,
    };
    const timeouts = { requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs };
    // A missing Host header is refused in the app: Node would do it without a body.
    return createServer({ ...limits, ...timeouts, requireHostHeader: false }, onRequest)
      .on('connection', (socket: Duplex) => {
        last.set(socket, undefined);
        socket.once('close', () => last.delete(socket));
      })
      .on('clientError', onClientError)
      .on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => {
        const detail = `the expectation ${JSON.stringify(req.headers.expect)} is not understood: send 100-continue or none`;
        refuse(req, res, { code: 'expectation-failed', detail });
      })
      .on('connect', (_req: IncomingMessage, socket: Duplex) => {
        socket.on('error', () => socket.destroy());
        refuseRaw(socket, methodNotAllowed('CONNECT', 'a server that is no proxy', METHODS), new Error('CONNECT'));
      });
  }

  return {
    async listen(host, port) {
      const server = makeServer();
      await listenOn(server, host, port);
      servers.push(server);
      return portOf(server);
    },
    async unlisten() {
      await Promise.all(servers.splice(0).map(closed));
    },
    async close() {
      closing = true;
      const allClosed = Promise.all(servers.map(closed));
      for (const [socket, response] of last) if (isBegun(response)) lastAnswer(response, socket);
      const cutSilent = setTimeout(() => {
        for (const [socket, response] of last) if (!isBegun(response)) socket.destroy();
      }, SILENT_GRACE_MS);
      const cutAll = setTimeout(() => {
        for (const socket of last.keys()) socket.destroy();
      }, GRACE_MS);
      await allClosed;
      clearTimeout(cutSilent);
      clearTimeout(cutAll);
    },
  };
}

/** Whether a connection has a request whose answer isn't out. */
function isBegun(response: ServerResponse | undefined): response is ServerResponse {
  return response !== undefined && !response.writableFinished && !response.destroyed;
}

/** Does something once a response is out, now where it is out already. */
function afterwards(response: ServerResponse, then: () => void): void {
  if (isBegun(response)) response.once('close', then);
  else then();
}

/** Ends a connection with the response that is in the making. */
function lastAnswer(response: ServerResponse, socket: Duplex): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
  response.once('close', () => socket.destroy());
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

function listenOn(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closed(server: Server): Promise<unknown> {
  return new Promise((resolve) => server.close(resolve));
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
