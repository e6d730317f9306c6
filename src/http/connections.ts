import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** How long requests that have begun may take to finish once the server stops, in ms. */
const GRACE_MS = 8_000;

/** How long a connection without a request stays open then, in ms: its client may be in the middle of sending one. */
const SILENT_GRACE_MS = 500;

/** The last request of a connection, and how many wait for an earlier response to be out. */
interface Line {
  last: ServerResponse | undefined;
  waiting: number;
}

/** The open connections of a server, and the last response of each. */
export class Connections {
  readonly #lines = new Map<Duplex, Line>();

  /** Adds a connection that has been opened. */
  add(socket: Duplex): void {
    const line: Line = { last: undefined, waiting: 0 };
    this.#lines.set(socket, line);
    // Node resumes by itself at the end of a message and where a body is read.
    socket.on('resume', () => pauseWhileWaiting(socket, line));
    socket.once('close', () => this.#lines.delete(socket));
  }

  /**
   * Calls `begin` for a request that has arrived, given its response, once all earlier responses of its connection are sent, which is now unless
   * requests are pipelined. Until then no more requests are read from the connection: a client that sends and does not read fills its own buffers.
   */
  inTurn(response: ServerResponse, begin: () => void): void {
    const { socket } = response.req;
    const line = this.#lines.get(socket);
    if (line && isBegun(line.last)) waitInLine(socket, line, response, begin);
    else begin();
    if (line) line.last = response;
  }

  /** Returns the last response of a connection, done or not; undefined if it has had no request yet. */
  lastOf(socket: Duplex): ServerResponse | undefined {
    return this.#lines.get(socket)?.last;
  }

  /** Ends each connection with its present response, and destroys what lasts too long. Waits for `allClosed`. */
  async end(allClosed: Promise<unknown>): Promise<void> {
    for (const [socket, { last }] of this.#lines) if (isBegun(last)) endWith(last, socket);
    const silent = setTimeout(() => {
      for (const [socket, { last }] of this.#lines) if (!isBegun(last)) socket.destroy();
    }, SILENT_GRACE_MS);
    const all = setTimeout(() => {
      for (const socket of this.#lines.keys()) socket.destroy();
    }, GRACE_MS);
    await allClosed;
    clearTimeout(silent);
    clearTimeout(all);
  }
}

function waitInLine(socket: Duplex, line: Line, response: ServerResponse, begin: () => void): void {
  line.waiting++;
  // After what Node still does with this message, the end of which resumes reading.
  queueMicrotask(() => pauseWhileWaiting(socket, line));
  line.last?.once('close', () => {
    line.waiting--;
    if (line.waiting === 0) socket.resume();
    // Not at once: between the requests of one connection come those of others.
    setImmediate(() => {
      // One whose body turned out broken was refused meanwhile.
      if (!socket.destroyed && !response.headersSent) begin();
    });
  });
}

function pauseWhileWaiting(socket: Duplex, { waiting }: Line): void {
  if (waiting > 0) socket.pause();
}

/** Calls a function once a response is sent: now if it is sent already. */
export function runAfterResponse(response: ServerResponse, then: () => void): void {
  if (isBegun(response)) response.once('close', then);
  else then();
}

function isBegun(response: ServerResponse | undefined): response is ServerResponse {
  return response !== undefined && !response.writableFinished && !response.destroyed;
}

function endWith(response: ServerResponse, socket: Duplex): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
  response.once('close', () => socket.destroy());
}
