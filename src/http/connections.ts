import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

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
export function runAfterResponse(response: ServerResponse, then: () => void): void {
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
