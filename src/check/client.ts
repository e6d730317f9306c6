import { setMaxListeners } from 'node:events';
import type { ConnectionCloses } from './connection-closes.ts';
import type { ReceivedResponse, RequestToSend } from './exchange.ts';
import { DEFAULT_TIMEOUT_SECONDS } from './options.ts';
import { OperationUnavailableError } from './stop-signal.ts';
import { MAX_WAIT_MS, Throttle } from './throttle.ts';
import { Transport } from './transport.ts';

/** The maximum number of times that a request is repeated after status 429. */
const MAX_RETRIES = 5;

/** The maximum number of times that a request is repeated after status 503. It can be an error of the operation. */
const MAX_RETRIES_AFTER_503 = 2;

/** The status of a response to a client that exceeds a rate limit (RFC 6585, section 4). */
export const TOO_MANY_REQUESTS = 429;

/** The options of a client. */
export interface ClientOptions {
  /** Query parameters of all requests to operations. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** A signal that stops the check. No request is sent after it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** The maximum time to wait for a response, in ms. */
  readonly timeoutMs?: number | undefined;
}

/** The options of a request to an operation. */
export interface OperationRequest {
  readonly operationId: string;
  /** The maximum time to wait because of a rate limit, in ms. Default: one minute. */
  readonly maxWaitMs?: number;
}

/**
 * Sends requests to one server.
 * If an operation responds with status 429, or with 503 and `Retry-After`, waits for the time in `Retry-After`, at most
 * a minute, and repeats the request.
 * Then sends requests to this operation more slowly.
 * Other operations are not affected.
 */
export class Client {
  /** The URL of the server, without a trailing slash. */
  readonly url: string;
  /** The query parameters that `addCredentials` adds to requests. */
  readonly query: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #transport: Transport;
  /** The throttles by operationId. */
  readonly #throttles = new Map<string, Throttle>();
  #rateLimitedCount = 0;

  /** `headers` are sent with each request. */
  constructor(
    url: string,
    readonly headers: Readonly<Record<string, string>>,
    { signal, query = {}, timeoutMs = DEFAULT_TIMEOUT_SECONDS * 1_000 }: ClientOptions = {},
  ) {
    // Each pending request adds a listener. Without this line, Node warns about more than ten listeners.
    if (signal) setMaxListeners(0, signal);
    this.url = url.replace(/\/+$/, '');
    this.query = query;
    this.timeoutMs = timeoutMs;
    this.#signal = signal;
    this.#transport = new Transport(this.url, headers, signal);
  }

  /** The number of received responses that limit the request rate. */
  get rateLimitedCount(): number {
    return this.#rateLimitedCount;
  }

  /** The connections that the server has closed. */
  get closes(): ConnectionCloses {
    return this.#transport.closes;
  }

  /**
   * Sends a request that is not for an operation.
   * Throws a `NoResponseError` if there is no response within `timeoutMs`.
   */
  async send(request: RequestToSend, timeoutMs = this.timeoutMs): Promise<ReceivedResponse> {
    return this.#transport.send(request, timeoutMs);
  }

  /**
   * Sends a request to an operation.
   * Throws a `NoResponseError` if there is no response in time.
   * Throws an `OperationUnavailableError` if the operation is limited for longer than `maxWaitMs`.
   */
  async sendToOperation(
    request: RequestToSend,
    { operationId, maxWaitMs = MAX_WAIT_MS }: OperationRequest,
  ): Promise<ReceivedResponse> {
    const throttle = this.#throttles.get(operationId) ?? new Throttle(this.#signal);
    this.#throttles.set(operationId, throttle);
    if (throttle.waitMs > maxWaitMs)
      throw new OperationUnavailableError(
        `${operationId} limits the request rate: Retry-After is ${Math.ceil(throttle.waitMs / 1_000)} s`,
      );
    for (let retries = 0; ; retries++) {
      const sentMs = await throttle.waitForTurn();
      const response = await this.#transport.send(request, this.timeoutMs);
      if (!isRateLimit(response)) {
        throttle.speedUp();
        return response;
      }
      this.#rateLimitedCount++;
      throttle.slowDown(sentMs, response.headers);
      const maxRetries = response.status === TOO_MANY_REQUESTS ? MAX_RETRIES : MAX_RETRIES_AFTER_503;
      if (retries === maxRetries || throttle.waitMs > maxWaitMs) return response;
    }
  }

  close(): void {
    this.#transport.close();
  }
}

/**
 * Returns whether a response means that the client has sent too many requests: status 429, or status 503 with
 * `Retry-After` (RFC 9110, section 15.6.4).
 */
export function isRateLimit({ status, headers }: ReceivedResponse): boolean {
  return status === TOO_MANY_REQUESTS || (status === 503 && headers['retry-after'] !== undefined);
}
