import { setTimeout as sleep } from 'node:timers/promises';
import type { Route } from '../openapi/routes.ts';
import { joinList } from '../util/text.ts';
import type { Client } from './client.ts';
import type { ReceivedResponse, RequestToSend } from './exchange.ts';
import { CheckStoppedError } from './exchange.ts';
import { MAX_LISTED_OPERATIONS } from './selection.ts';
import { findCause, findRefusal, type Suspect, Suspects } from './suspects.ts';
import { NoResponseError } from './transport.ts';

/**
 * Counts consecutive rounds of requests without a response.
 * A round is a group of concurrent requests.
 * The whole group counts once, because one interruption of the server or the network affects all requests of the group.
 */
class FailureRounds {
  #lastSent = 0;
  #roundEnd = 0;
  #rounds = 0;

  /** Records that a request is sent. Returns the number of the request. */
  recordRequest(): number {
    return ++this.#lastSent;
  }

  /** Records that a request got a response. */
  recordResponse(): void {
    this.#rounds = 0;
  }

  /** Records that a request got no response. Returns the number of consecutive rounds without a response. */
  recordFailure(requestNumber: number): number {
    if (requestNumber > this.#roundEnd) {
      this.#rounds++;
      this.#roundEnd = this.#lastSent;
    }
    return this.#rounds;
  }
}

/** The check stops after this many consecutive rounds without a response. A round is a group of concurrent requests. */
const MAX_FAILURE_ROUNDS = 5;

/** The pause between two connection attempts, in ms. */
const PAUSE_MS = 200;

/** An operation that does not respond in time to this many consecutive requests gets no further request. */
const MAX_TIMEOUTS = 3;

/** The maximum time to wait for a response that shows that the server still responds, in ms. */
const PROBE_MS = 10_000;

/** The maximum number of times that the check repeats requests to find the one that stopped the server. */
const MAX_SEARCHES = 5;

/** An operation gets no further request after it has responded and then stopped the server this many times. */
const MAX_STOPS = 2;

/** Options of a connection. */
interface ConnectionOptions {
  readonly client: Client;
  /** The maximum time to wait until a server that has stopped accepts connections again, in ms. */
  readonly restartMs: number;
  readonly signal: AbortSignal | undefined;
  /**
   * Called when the server has started again.
   * `cause`: the request that stopped it; undefined if none of the latest requests stops it again.
   */
  readonly onRestart: (cause: Suspect | undefined) => void;
}

/** Sends requests to the operations of a server. Finds out what happened if a request gets no response. */
export class Connection {
  /** The requests without a response since the server responded last. One of them may have stopped the server. */
  lost: readonly Suspect[] = [];
  /** The requests that were answered shortly before the server stopped, the latest first. */
  answered: readonly Suspect[] = [];
  readonly #options: ConnectionOptions;
  readonly #rounds = new FailureRounds();
  /** The number of the last request in `lost`. */
  #lastLost = 0;
  /** The number of consecutive requests without a response in time, by operationId. */
  readonly #timeouts = new Map<string, number>();
  #probe: Promise<boolean> | undefined;
  readonly #suspects = new Suspects();
  /** Resolves when the server has started again, and the request that stopped it was searched. */
  #restart: Promise<void> | undefined;
  #searchCount = 0;
  /** The operations that stopped the server, with the number of times. */
  readonly #stops = new Map<string, number>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /**
   * Sends a request to an operation.
   * Waits until the server accepts connections.
   * Throws a `NoResponseError` if there is no response, and a `CheckStoppedError` if the server or the operation does
   * not respond any more.
   * `maxWaitMs`: the maximum time to wait because of a rate limit.
   * `maxTimeouts`: the maximum number of consecutive requests to the operation that get no response in time.
   */
  async send(
    route: Route,
    request: RequestToSend,
    { maxWaitMs, maxTimeouts = MAX_TIMEOUTS }: { readonly maxWaitMs: number; readonly maxTimeouts?: number },
  ): Promise<ReceivedResponse> {
    const { operationId } = route;
    const timeouts = this.#timeouts.get(operationId) ?? 0;
    if (timeouts >= maxTimeouts)
      throw new CheckStoppedError(
        `${operationId} did not respond to ${timeouts} consecutive requests within ${this.#options.client.timeoutMs / 1_000} s (--timeout)`,
        'unavailable',
      );
    if ((this.#stops.get(operationId) ?? 0) >= MAX_STOPS)
      throw new CheckStoppedError(`${operationId} stops the server`, 'unavailable');
    await this.#restart;
    const requestNumber = this.#rounds.recordRequest();
    try {
      const response = await this.#sendWithRetries(route, request, { requestNumber, maxWaitMs });
      this.#recordResponse(route, requestNumber);
      this.#suspects.add({ route, request, exchange: { request, response } });
      return response;
    } catch (error) {
      if (error instanceof NoResponseError && !this.#options.signal?.aborted)
        await this.#recordFailure(route, request, { requestNumber, error });
      throw error;
    }
  }

  /** Sends a request, and repeats it after the server has refused the connection and started again. */
  async #sendWithRetries(
    route: Route,
    request: RequestToSend,
    { requestNumber, maxWaitMs }: { readonly requestNumber: number; readonly maxWaitMs: number },
  ): Promise<ReceivedResponse> {
    const { client, signal } = this.#options;
    let wasSent = false;
    for (;;) {
      const sentMs = performance.now();
      try {
        return await client.sendToOperation(request, { operationId: route.operationId, maxWaitMs });
      } catch (error) {
        if (signal?.aborted || !(error instanceof NoResponseError && error.kind === 'refused')) throw error;
        if (error.wasSent) this.#addLost({ route, request }, requestNumber);
        if (error.wasSent && wasSent) throw new NoResponseError(error.message, 'lost');
        wasSent = error.wasSent;
        this.#restart ??= this.#recover(error, sentMs).finally(() => {
          this.#restart = undefined;
        });
        await this.#restart;
      }
    }
  }

  /**
   * Waits until a stopped server accepts connections again.
   * Then repeats the latest requests to find the one that stopped it.
   * `sentMs`: when the check began to send the request that failed.
   */
  async #recover(error: NoResponseError, sentMs: number): Promise<void> {
    const { client, onRestart } = this.#options;
    const { lost } = this;
    this.answered = this.#suspects.take(sentMs);
    client.closes.forget();
    const restart = () => this.#waitForRestart(error);
    await restart();
    const isKnown = lost.some(({ route }) => this.#stops.has(route.operationId));
    if (isKnown || this.#searchCount++ >= MAX_SEARCHES) return;
    const cause = (await findCause(client, lost, restart)) ?? (await findCause(client, this.answered, restart));
    if (cause) this.#countStop(cause);
    onRestart(cause);
  }

  #countStop({ route: { operationId }, exchange }: Suspect): void {
    // A request without a response can be repeated: its operation may accept others.
    this.#stops.set(operationId, (this.#stops.get(operationId) ?? 0) + (exchange ? 1 : 0));
  }

  /** Throws a `CheckStoppedError` if the server does not accept connections within `restartMs`. */
  async #waitForRestart({ message }: NoResponseError): Promise<void> {
    const { client, signal, restartMs } = this.#options;
    const endMs = performance.now() + restartMs;
    while (await findRefusal(client)) {
      if (signal?.aborted) throw signal.reason;
      if (performance.now() >= endMs)
        throw new CheckStoppedError(
          `the server no longer accepts connections: ${message}${this.#describeLost()}`,
          'unreachable',
        );
      await sleep(PAUSE_MS);
    }
  }

  /** Returns a sentence with the operations whose requests can have stopped the server; empty if there are none. */
  #describeLost(): string {
    const names = [...new Set(this.lost.map(({ route }) => route.operationId))];
    if (names.length === 0) return '';
    return `. Requests without a response: ${joinList(names, MAX_LISTED_OPERATIONS)}. Correct the server, leave such an operation out with --exclude, or start the server again whenever it ends`;
  }

  #recordResponse({ operationId }: Route, requestNumber: number): void {
    this.#rounds.recordResponse();
    this.#timeouts.delete(operationId);
    // A response to a request that was sent later shows that the server still runs.
    if (requestNumber > this.#lastLost) this.lost = [];
  }

  #addLost(lost: Suspect, requestNumber: number): void {
    this.lost = [...this.lost.filter(({ request }) => request !== lost.request), lost];
    this.#lastLost = Math.max(this.#lastLost, requestNumber);
  }

  async #recordFailure(
    route: Route,
    request: RequestToSend,
    { requestNumber, error }: { readonly requestNumber: number; readonly error: NoResponseError },
  ): Promise<void> {
    if (error.kind === 'timeout' || error.kind === 'unfinished') return this.#recordTimeout(route, request, error);
    if (error.kind === 'lost') this.#addLost({ route, request }, requestNumber);
    const rounds = this.#rounds.recordFailure(requestNumber);
    if (rounds >= MAX_FAILURE_ROUNDS)
      throw new CheckStoppedError(
        `no response in ${rounds} consecutive rounds of concurrent requests: ${error.message}`,
        'unresponsive',
      );
  }

  /**
   * Counts a request without a response in time.
   * Throws `CheckStoppedError` if the server does not respond to another request either.
   */
  async #recordTimeout(route: Route, request: RequestToSend, error: NoResponseError): Promise<void> {
    this.#timeouts.set(route.operationId, (this.#timeouts.get(route.operationId) ?? 0) + 1);
    if (error.kind === 'unfinished') return;
    this.#probe ??= this.#isResponding().finally(() => {
      this.#probe = undefined;
    });
    if (await this.#probe) return;
    this.#addLost({ route, request }, 0);
    throw new CheckStoppedError(`${error.message}, and then no response to GET /`, 'unresponsive');
  }

  async #isResponding(): Promise<boolean> {
    const { client } = this.#options;
    try {
      await client.send({ method: 'GET', target: '/' }, Math.min(PROBE_MS, client.timeoutMs));
      return true;
    } catch (error) {
      return !(error instanceof NoResponseError && error.kind === 'timeout');
    }
  }
}
