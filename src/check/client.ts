import { setMaxListeners } from 'node:events';
import type { ReceivedResponse, RequestToSend } from './exchange.ts';
import { Throttle } from './throttle.ts';
import { Transport } from './transport.ts';

/** The maximum time to wait for a response, in ms. */
const TIMEOUT_MS = 10_000;

/** The maximum number of times that a request is repeated after status 429. */
const MAX_RETRIES = 5;

/** The status of a response to a client that exceeds a rate limit (RFC 6585, section 4). */
export const TOO_MANY_REQUESTS = 429;

/**
 * Sends requests to one server. After a response with status 429, waits for the time in Retry-After, at most a minute, and repeats the request. Then
 * sends requests more slowly. Sends no request after `signal` is aborted.
 */
export class Client {
  /** The URL of the server, without a trailing slash. */
  readonly url: string;
  readonly #transport: Transport;
  readonly #throttle: Throttle;
  #rateLimitedCount = 0;

  /** `headers` are sent with each request. */
  constructor(
    url: string,
    readonly headers: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ) {
    // Each pending request adds a listener. Without this line, Node warns about more than ten listeners.
    if (signal) setMaxListeners(0, signal);
    this.url = url.replace(/\/+$/, '');
    this.#transport = new Transport(this.url, headers, signal);
    this.#throttle = new Throttle(signal);
  }

  /** The number of received responses with status 429. */
  get rateLimitedCount(): number {
    return this.#rateLimitedCount;
  }

  /** Sends a request. Throws a `NoResponseError` if there is no response within `timeoutMs`. */
  async send(request: RequestToSend, timeoutMs = TIMEOUT_MS): Promise<ReceivedResponse> {
    for (let retries = 0; ; retries++) {
      const sentMs = await this.#throttle.waitForTurn();
      const response = await this.#transport.send(request, timeoutMs);
      if (response.status !== TOO_MANY_REQUESTS) {
        this.#throttle.speedUp();
        return response;
      }
      this.#rateLimitedCount++;
      if (!this.#throttle.slowDown(sentMs, response.headers) || retries === MAX_RETRIES) return response;
    }
  }

  close(): void {
    this.#transport.close();
  }
}
