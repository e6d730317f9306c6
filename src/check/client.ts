import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Route } from '../openapi/routes.ts';
import { type Access, DIRECT } from './access.ts';
import type { CredentialStore } from './credential-store.ts';
import type { CommonInput } from './credentials.ts';
import type { ReceivedResponse, RequestToSend } from './exchange.ts';
import { CheckStoppedError } from './exchange.ts';
import { type GetSettings, NO_SETTINGS } from './operation-settings.ts';
import { DEFAULT_TIMEOUT_SECONDS } from './options.ts';
import type { ConnectionCloses } from './transport.ts';
import { Transport } from './transport.ts';

/** The maximum number of times that a request is repeated after status 429. */
const MAX_RETRIES = 5;

/** The maximum number of times that a request is repeated after status 503. It can be an error of the operation. */
const MAX_RETRIES_AFTER_503 = 2;

/** The number of responses after which a server can count as slow. */
const MIN_RESPONSES = 4;

/** A server that needs this time for its fastest response is slow, in ms. */
const SLOW_MS = 25;

/** The status of a response to a client that exceeds a rate limit (RFC 6585, section 4). */
export const TOO_MANY_REQUESTS = 429;

/** The options of a client. */
interface ClientOptions {
  /** Query parameters of all requests to operations. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** A signal that stops the check. No request is sent after it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** The maximum time to wait for a response, in ms. */
  readonly timeoutMs?: number | undefined;
  /** How the check reaches the server. Default: without options and without a proxy. */
  readonly access?: Access | undefined;
  /** The credentials of the configuration. Default: none. */
  readonly credentials?: CredentialStore | undefined;
  /** Returns the settings of an operation. Default: none. */
  readonly getSettings?: GetSettings | undefined;
}

/** The options of a request to an operation. */
interface OperationRequest {
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
  readonly access: Access;
  readonly credentials: CredentialStore | undefined;
  readonly #getSettings: GetSettings;
  readonly #signal: AbortSignal | undefined;
  readonly #transport: Transport;
  /** The throttles by operationId. */
  readonly #throttles = new Map<string, Throttle>();
  #rateLimitedCount = 0;
  #responseCount = 0;
  #fastestMs = Number.POSITIVE_INFINITY;

  /** `headers` are sent with each request. */
  constructor(
    url: string,
    readonly headers: Readonly<Record<string, string>>,
    {
      signal,
      query = {},
      timeoutMs = DEFAULT_TIMEOUT_SECONDS * 1_000,
      access = DIRECT,
      credentials,
      getSettings = NO_SETTINGS,
    }: ClientOptions = {},
  ) {
    // Each pending request adds a listener. Without this line, Node warns about more than ten listeners.
    if (signal) setMaxListeners(0, signal);
    this.url = url.replace(/\/+$/, '');
    this.query = query;
    this.timeoutMs = timeoutMs;
    this.#signal = signal;
    this.access = access;
    this.#getSettings = getSettings;
    this.credentials = credentials;
    this.#transport = new Transport(this.url, headers, { signal, access });
  }

  /** Returns the headers, by lower-case name, and the query parameters of the user for one operation. */
  getOwnInput(route: Route): Pick<CommonInput, 'headers' | 'query'> {
    const { headers = {} } = this.#getSettings(route);
    const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const { credentials } = this;
    if (!credentials) return { headers: own, query: {} };
    const input = credentials.getInput(route);
    const cookies = [own.cookie ?? this.headers.cookie, input.headers.cookie].filter((cookie) => cookie !== undefined);
    const cookie = input.headers.cookie === undefined ? {} : { cookie: cookies.join('; ') };
    return { headers: { ...input.headers, ...own, ...cookie }, query: input.query };
  }

  /** The number of received responses that limit the request rate. */
  get rateLimitedCount(): number {
    return this.#rateLimitedCount;
  }

  /**
   * Whether every response takes so long that the check mostly waits.
   * A single slow operation, or a busy machine, does not count.
   */
  get isSlow(): boolean {
    return this.#responseCount >= MIN_RESPONSES && this.#fastestMs >= SLOW_MS;
  }

  /** The connections that the server has closed. */
  get closes(): ConnectionCloses {
    return this.#transport.closes;
  }

  /** Whether a connection is used for several requests. */
  get reusesConnections(): boolean {
    return this.#transport.isReusing;
  }

  /** Uses a new connection for each further request. */
  stopReusingConnections(): void {
    this.#transport.isReusing = false;
  }

  /**
   * Sends a request that is not for an operation.
   * Throws a `NoResponseError` if there is no response within `timeoutMs`.
   */
  async send(request: RequestToSend, timeoutMs = this.timeoutMs): Promise<ReceivedResponse> {
    await this.access.waitForTurn(this.#signal);
    return this.#send(request, timeoutMs);
  }

  /**
   * Sends a request to an operation.
   * Throws a `NoResponseError` if there is no response in time.
   * Throws a `CheckStoppedError` if the operation is limited for longer than `maxWaitMs`.
   */
  async sendToOperation(
    request: RequestToSend,
    { operationId, maxWaitMs = MAX_WAIT_MS }: OperationRequest,
  ): Promise<ReceivedResponse> {
    const throttle = this.#throttles.get(operationId) ?? new Throttle(this.#signal);
    this.#throttles.set(operationId, throttle);
    if (throttle.waitMs > maxWaitMs)
      throw new CheckStoppedError(
        `${operationId} limits the request rate: Retry-After is ${Math.ceil(throttle.waitMs / 1_000)} s`,
        'unavailable',
      );
    for (let retries = 0; ; retries++) {
      await this.access.waitForTurn(this.#signal);
      const sentMs = await throttle.waitForTurn();
      const startMs = performance.now();
      const response = await this.#send(request, this.timeoutMs);
      this.#responseCount++;
      this.#fastestMs = Math.min(this.#fastestMs, performance.now() - startMs);
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

  async #send(request: RequestToSend, timeoutMs: number): Promise<ReceivedResponse> {
    const { csrf } = this.access;
    const response = await this.#transport.send(csrf?.apply(request, this.headers) ?? request, timeoutMs);
    csrf?.observe(response);
    return response;
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

/** The time to wait after a response with status 429 but without a valid Retry-After header, in ms. */
const DEFAULT_WAIT_MS = 1_000;

/** The maximum time to wait after status 429, in ms. */
export const MAX_WAIT_MS = 60_000;

/** The time between two requests after the first response with status 429, in ms. */
const INITIAL_GAP_MS = 20;

/** The maximum time between two requests after status 429, in ms. */
const MAX_GAP_MS = 1_000;

/** Each response other than 429 multiplies the time between two requests by this factor. */
const DECAY = 0.9;

/** The minimum time between two requests, in ms. A shorter time becomes 0. */
const MIN_GAP_MS = 2;

/**
 * Delays requests to an operation that has limited the request rate, for example with status 429 (Too Many Requests).
 */
export class Throttle {
  readonly #signal: AbortSignal | undefined;
  #nextMs = 0;
  #gapMs = 0;
  #limitedMs = -1;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /**
   * The time until the next request may be sent, in ms.
   * It can be longer than the maximum for which the check waits.
   */
  get waitMs(): number {
    return Math.max(0, this.#nextMs - performance.now());
  }

  /**
   * Waits until the next request may be sent.
   * Returns the value of `performance.now()` at this time, in ms.
   * Rejects when the signal is aborted.
   */
  async waitForTurn(): Promise<number> {
    const nowMs = performance.now();
    const turnMs = Math.max(nowMs, this.#nextMs);
    this.#nextMs = turnMs + this.#gapMs;
    if (turnMs > nowMs) await sleep(turnMs - nowMs, undefined, this.#signal ? { signal: this.#signal } : {});
    return turnMs;
  }

  /** Shortens the time between requests. Call this method after each response other than 429. */
  speedUp(): void {
    this.#gapMs = this.#gapMs * DECAY < MIN_GAP_MS ? 0 : this.#gapMs * DECAY;
  }

  /**
   * Lengthens the time between requests.
   * Call this method after each response with a rate limit.
   * `sentMs`: the time at which the request was sent.
   */
  slowDown(sentMs: number, headers: Readonly<Record<string, string>>): void {
    const waitMs = parseRetryAfter(headers['retry-after'], headers.date);
    // A request that was sent before the last 429 response exceeded the same limit, so its 429 response does not
    // lengthen the time again.
    if (sentMs > this.#limitedMs) {
      this.#limitedMs = performance.now();
      this.#gapMs = Math.min(MAX_GAP_MS, Math.max(INITIAL_GAP_MS, this.#gapMs * 2));
    }
    this.#nextMs = Math.max(this.#nextMs, performance.now() + waitMs);
  }
}

/**
 * Parses a `Retry-After` header, which contains seconds or a date.
 * Returns the time to wait, in ms; for an invalid header, the default.
 * A date is compared with the `Date` header, and not with the local clock (RFC 9110, section 10.2.3).
 */
function parseRetryAfter(retryAfter = '', date = ''): number {
  if (/^\d+$/.test(retryAfter.trim())) return Number(retryAfter) * 1_000;
  const waitMs = Date.parse(retryAfter) - Date.parse(date);
  return Number.isNaN(waitMs) ? DEFAULT_WAIT_MS : Math.max(0, waitMs);
}
