import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Log } from './log.ts';
import { methodNotAllowed, problemKinds, unavailable } from './problem.ts';
import { answerBeside, answerRaw, type ClientError, faultOfClientError, pathOf } from './raw-answers.ts';

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
  const sockets = new Map<Duplex, ServerResponse | undefined>();
  const servers: Server[] = [];
  let closing = false;

  function onRequest(req: IncomingMessage, res: ServerResponse): void {
    sockets.set(req.socket, res);
    res.once('close', () => {
      if (sockets.get(req.socket) === res) sockets.set(req.socket, undefined);
      if (closing) req.socket.destroySoon();
    });
    if (closing) answerBeside(req, res, unavailable('the server is stopping: try again once it is back'));
    else answer(req, res);
  }

  function onClientError(error: ClientError, socket: Duplex): void {
    const response = sockets.get(socket);
    const fault = faultOfClientError(error);
    const refuse = () => {
      if (!fault || !socket.writable) return void socket.destroy();
      const path = pathOf(error, response?.req.url);
      log.info({ path, status: problemKinds[fault.code].status, notes: [fault.detail] });
      answerRaw(socket, fault, path);
    };
    // A request that was received whole is answered first; what is wrong came after it. One whose answer has begun can't be told any more.
    if (response?.req.complete) response.once('close', refuse);
    else if (response?.headersSent) socket.destroy();
    else refuse();
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
        sockets.set(socket, undefined);
        socket.once('close', () => sockets.delete(socket));
      })
      .on('clientError', onClientError)
      .on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => {
        const detail = `the expectation ${JSON.stringify(req.headers.expect)} is not understood: send 100-continue or none`;
        answerBeside(req, res, { code: 'expectation-failed', detail });
      })
      .on('connect', (req: IncomingMessage, socket: Duplex) => {
        answerRaw(
          socket,
          methodNotAllowed('CONNECT', 'a server that is no proxy', ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']),
          '/',
        );
        socket.on('error', () => socket.destroy());
        log.info({ method: req.method, path: req.url, status: 405 });
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
      for (const response of sockets.values())
        if (response && !response.headersSent) response.setHeader('Connection', 'close');
      const cutSilent = setTimeout(() => {
        for (const [socket, response] of sockets) if (!response) socket.destroy();
      }, SILENT_GRACE_MS);
      const cutAll = setTimeout(() => {
        for (const socket of sockets.keys()) socket.destroy();
      }, GRACE_MS);
      await allClosed;
      clearTimeout(cutSilent);
      clearTimeout(cutAll);
    },
  };
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
