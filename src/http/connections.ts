import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The time limit for the current requests when the server stops, in ms. */
const GRACE_MS = 8_000;

/** The time limit for connections without a request when the server stops, in ms. In this time, a client can finish sending a request. */
const IDLE_GRACE_MS = 500;

/** The state of a connection. */
interface Connection {
  lastResponse: ServerResponse | undefined;
  /** The number of requests that wait for an earlier response. */
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
   * Calls `handle` for a new request when all earlier responses on the same connection are sent. While a pipelined request waits, Node reads no further request from
   * the connection, so that waiting requests do not fill the memory.
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

  /** Closes each connection after its current response, or when the time limit is reached. Resolves when `allClosed` resolves. */
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
      // A request with a malformed body was refused in the meantime.
      if (!socket.destroyed && !response.headersSent) handle(response);
    });
  });
}

function pauseWhileWaiting(socket: Duplex, { waitingRequests }: Connection): void {
  if (waitingRequests > 0) socket.pause();
}

/** Calls a function after a response is sent. Calls it immediately if the response is already sent. */
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
