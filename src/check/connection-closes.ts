import type { Socket } from 'node:net';
import type { Exchange } from './exchange.ts';

/**
 * A server that closes a connection within this time after a response closes it because of the response, and not
 * because the connection was idle for too long, in ms.
 */
const CLOSE_MS = 1_000;

/** The number of connections with the same status after which a closed connection is no coincidence. */
const MIN_CLOSED = 3;

/**
 * The connections after responses with one status.
 * `example`: the last response after which the server closed its connection.
 */
interface Closes {
  closed: number;
  kept: number;
  example: Exchange | undefined;
}

/**
 * Records which responses a server closes the connection after, although it did not announce this with
 * `Connection: close` (RFC 9112, section 9.6).
 * A client that reuses the connection gets no response to its next request.
 */
export class ConnectionCloses {
  readonly #byStatus = new Map<number, Closes>();
  #last = new WeakMap<Socket, { readonly exchange: Exchange; readonly endMs: number }>();

  /** Records the end of a response whose connection can be reused. */
  watch(socket: Socket, exchange: Exchange): void {
    const before = this.#last.get(socket);
    if (before) this.#getCloses(before.exchange).kept++;
    else socket.once('close', () => this.#recordClose(socket));
    this.#last.set(socket, { exchange, endMs: performance.now() });
  }

  /**
   * Forgets all connections until now, because the server has stopped: a server that stops closes its connections,
   * whatever it responded with before.
   */
  forget(): void {
    this.#byStatus.clear();
    this.#last = new WeakMap();
  }

  /**
   * Returns one exchange for each error status after which the server closes nearly every connection without announcing
   * it.
   */
  getExamples(): readonly Exchange[] {
    return [...this.#byStatus].flatMap(([status, { closed, kept, example }]) =>
      status >= 400 && closed >= MIN_CLOSED && closed > kept * 10 && example ? [example] : [],
    );
  }

  #recordClose(socket: Socket): void {
    const last = this.#last.get(socket);
    if (!last) return;
    const closes = this.#getCloses(last.exchange);
    if (performance.now() - last.endMs > CLOSE_MS) {
      closes.kept++;
      return;
    }
    closes.closed++;
    closes.example = last.exchange;
  }

  #getCloses({ response: { status } }: Exchange): Closes {
    const closes = this.#byStatus.get(status) ?? { closed: 0, kept: 0, example: undefined };
    this.#byStatus.set(status, closes);
    return closes;
  }
}
