import type { Mock } from '../mock/mock.ts';
import type { Contract } from '../openapi/contract.ts';
import type { Route } from '../openapi/routes.ts';
import { type RecordedRequest, truncateText } from '../sandbox/journal/recorded-request.ts';
import type { Sandboxes } from '../sandbox/registry.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { State } from '../store/state.ts';
import { HttpProblemError } from '../util/problem.ts';
import { NO_NAMES, redactUrl } from '../util/redact-secrets.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import {
  addDeliveries,
  DELIVERIES,
  type Delivery,
  listDeliveries,
  listPending,
  PENDING_LIMITS,
  recordAttempt,
  sendAgain,
  toDeliveryId,
  updateDelivery,
} from './delivery.ts';
import { createParameters } from './parameters.ts';
import { createPayload, type PayloadFacts } from './payload.ts';
import { type Attempt, createSignatureHeaders, findTargetIssue, sendDelivery, TIMEOUT_MS } from './send.ts';
import type { PlannedRequest, Webhooks } from './webhooks.ts';

/** The contract in use, with its webhooks. */
interface DeliveredContract {
  readonly contract: Contract;
  readonly mock: Mock;
  readonly webhooks: Webhooks;
}

/** Options of the deliveries of a server. */
export interface DeliveriesOptions {
  readonly sandboxes: Sandboxes;
  /** Returns the contract in use. */
  readonly current: () => DeliveredContract;
  /** The URLs of the option `webhookUrl`. */
  readonly urls: readonly string[];
  readonly secret: string | undefined;
  readonly allowedHosts: readonly string[];
  /** Whether other machines can send requests to the server. */
  readonly isPublic: boolean;
  readonly userAgent: string;
  /** Returns the system time, in ms since 1970. */
  readonly nowMs: () => number;
  /** Returns the time of a monotonic clock, in ms. */
  readonly elapsedMs: () => number;
  /** Returns a UUID. */
  readonly newId: () => string;
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  readonly stopping: AbortSignal;
}

/** What a delivery reports, and where it is sent. */
export interface NewDelivery extends Omit<PayloadFacts, 'id' | 'nowMs'> {
  readonly request: PlannedRequest;
  readonly url: string;
  readonly operation?: string | undefined;
}

/** The longest time until the deliveries of a sandbox are looked at again, in ms. */
const MAX_TIMER_MS = 60_000;

/** The maximum time for which a change of a clock waits for deliveries, in ms. */
const MAX_WAIT_MS = 60_000;

/** The time for which a server has the right to send a delivery, in ms. Longer than an attempt. */
const CLAIM_MS = 3 * TIMEOUT_MS;

/** The interval at which a server looks for deliveries that other servers have left, in ms. */
const POLL_MS = 5_000;

/**
 * Sends the deliveries of webhooks and callbacks.
 * The deliveries of a sandbox are sent one after the other, in the order of their times by the clock of the sandbox.
 * A commit records the result of each attempt, so that a delivery is sent at least once, also after a crash.
 */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #server: string;
  readonly #runs = new Map<Sandbox['store'], Promise<void>>();
  /** The stores of sandboxes whose clock a client has moved, until their deliveries are sent. */
  readonly #advanced = new Set<Sandbox['store']>();
  readonly #timers = new Map<Sandbox['store'], NodeJS.Timeout>();
  readonly #polling: NodeJS.Timeout | undefined;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
    this.#server = options.newId();
    if (options.sandboxes.isShared) this.#polling = setInterval(() => void this.#poll(), POLL_MS).unref();
  }

  /** Whether requests have a signature. */
  get isSigned(): boolean {
    return this.#options.secret !== undefined;
  }

  /** The webhooks and callbacks of the contract in use. */
  get webhooks(): Webhooks {
    return this.#options.current().webhooks;
  }

  /** Returns the URLs to which a sandbox sends webhooks, each once. */
  getUrls({ webhookUrls }: Sandbox): readonly string[] {
    const urls = webhookUrls.urls ?? this.#options.urls;
    return [...new Map(urls.map((url) => [new URL(url).href, url])).values()];
  }

  /** Throws an `HttpProblemError` if the server can't send to a URL. */
  requireTarget(url: string): void {
    const issue = findTargetIssue(url, this.#options.allowedHosts);
    if (issue !== undefined)
      throw new HttpProblemError({
        code: 'invalid-target',
        detail: `The URL ${redactUrl(url, NO_NAMES)} is refused: ${issue}.`,
      });
  }

  /** Creates a delivery for the current time of a sandbox. */
  create({ clock }: Sandbox, { request, url, operation, ...facts }: NewDelivery): Delivery {
    const id = toDeliveryId(this.#options.newId());
    const nowMs = clock.nowMs();
    const known = { ...facts, id, nowMs };
    const source = this.#options.current();
    const { notes, ...payload } = createPayload(source, request, known);
    const sent = createParameters(source, request, url, known);
    return {
      id,
      name: request.name,
      kind: request.kind,
      ...(operation !== undefined && { operation }),
      ...sent,
      method: request.route.method,
      ...payload,
      status: 'pending',
      createdMs: nowMs,
      dueMs: nowMs,
      attempts: 0,
      ...(notes.length > 0 && { notes }),
    };
  }

  /** Adds deliveries to a state, and logs if there are too many. */
  add(state: State, added: readonly Delivery[]): State {
    const { next, dropped } = addDeliveries(state, added);
    if (dropped > 0)
      this.#options.log.warn(
        {},
        `${dropped} deliveries of webhooks were dropped, because the sandbox has the maximum of ${PENDING_LIMITS} that are pending`,
      );
    return next;
  }

  /** Commits deliveries, sends them, and returns them after the first attempts. */
  async send(sandbox: Sandbox, added: readonly Delivery[]): Promise<readonly Delivery[]> {
    await sandbox.store.update((state) => ({ next: this.add(state, added), result: undefined }));
    await this.deliverDue(sandbox);
    const ids = added.map(({ id }) => id);
    return listDeliveries(sandbox.store.read().state).filter(({ id }) => ids.includes(id));
  }

  /** Sends a delivery again, and returns it after the attempt. Returns undefined if the sandbox does not have it. */
  async retry(sandbox: Sandbox, id: string): Promise<Delivery | undefined> {
    const isKnown = await sandbox.store.update((state) => {
      const next = updateDelivery(state, id, (delivery) => sendAgain(delivery, sandbox.clock.nowMs()));
      return next ? { next, result: true } : { result: false };
    });
    if (isKnown) await this.deliverDue(sandbox);
    return listDeliveries(sandbox.store.read().state).find((delivery) => delivery.id === id);
  }

  /** Sends the deliveries of a sandbox that are due, and later those that become due. */
  wake(sandbox: Sandbox): void {
    void this.#run(sandbox);
  }

  /**
   * Sends the deliveries of a sandbox that are due, in their order.
   * The attempts after a failed one have the times at which they would have been made, and are also sent.
   * Resolves when no more deliveries are due, but after 60 s at the latest.
   */
  async deliverDue(sandbox: Sandbox): Promise<void> {
    if (listPending(sandbox.store.read().state).length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, MAX_WAIT_MS);
    });
    const { store } = sandbox;
    this.#advanced.add(store);
    const run = this.#run(sandbox).then(() => {
      if (!this.#runs.has(store)) this.#advanced.delete(store);
    });
    await Promise.race([run, timeout]);
    clearTimeout(timer);
  }

  /** Stops sending. Attempts in progress are ended, and are repeated after the next start. */
  async close(): Promise<void> {
    clearInterval(this.#polling);
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all(this.#runs.values());
  }

  #run(sandbox: Sandbox): Promise<void> {
    const { store } = sandbox;
    const previous = this.#runs.get(store) ?? Promise.resolve();
    const run = previous
      .then(() => this.#deliverAll(sandbox))
      .catch((error) => this.#logFailure(sandbox, error))
      .then(() => {
        if (this.#runs.get(store) !== run) return;
        this.#runs.delete(store);
        this.#schedule(sandbox);
      });
    this.#runs.set(store, run);
    return run;
  }

  #logFailure({ id }: Sandbox, error: unknown): void {
    if (this.#isStopped) return;
    const { message } = error as Error;
    this.#options.log.warn(
      {},
      `the deliveries of the sandbox ${id} could not be stored (${message}): the server tries again`,
    );
  }

  get #isStopped(): boolean {
    return this.#options.stopping.aborted;
  }

  async #deliverAll(sandbox: Sandbox): Promise<void> {
    const { store, clock } = sandbox;
    while (!this.#isStopped && this.#options.sandboxes.isCurrent(sandbox)) {
      const due = listPending(store.read().state).filter(({ dueMs }) => dueMs <= clock.nowMs());
      const next = due.find((delivery) => !this.#isClaimed(delivery));
      if (!next) return;
      if (await this.#claim(sandbox, next)) await this.#attempt(sandbox, next);
    }
  }

  /** Returns whether another server sends a delivery. */
  #isClaimed({ claim }: Delivery): boolean {
    return claim !== undefined && claim.server !== this.#server && claim.untilMs > this.#options.nowMs();
  }

  /**
   * Claims a delivery, if several servers share the state, so that only this server sends it.
   * Resolves to whether this server may send it.
   */
  async #claim({ store }: Sandbox, { id, attempts }: Delivery): Promise<boolean> {
    const { sandboxes, nowMs } = this.#options;
    if (!sandboxes.isShared) return true;
    return store.update((state) => {
      const known = listPending(state).find((delivery) => delivery.id === id);
      if (!known || known.attempts !== attempts || this.#isClaimed(known)) return { result: false };
      const claim = { server: this.#server, untilMs: nowMs() + CLAIM_MS };
      const next = updateDelivery(state, id, (delivery) => ({ ...delivery, claim }));
      return next ? { next, result: true } : { result: false };
    });
  }

  async #attempt(sandbox: Sandbox, delivery: Delivery): Promise<void> {
    const { allowedHosts, isPublic, stopping, elapsedMs } = this.#options;
    const headers = this.#createHeaders(sandbox, delivery);
    const startMs = elapsedMs();
    const atMs = this.#getAttemptTime(sandbox, delivery);
    const dropped = watchForDrop(sandbox.store, delivery);
    // A client that sends an operation has chosen the URL of its callback.
    const isForeign = isPublic && delivery.kind === 'callback' && delivery.operation !== undefined;
    const signal = AbortSignal.any([stopping, dropped.signal]);
    const attempt = await sendDelivery(delivery, { headers, allowedHosts, isForeign, signal });
    dropped.stop();
    if (signal.aborted) return;
    const durationMs = elapsedMs() - startMs;
    try {
      await sandbox.store.update((state) => {
        const next = updateDelivery(state, delivery.id, (known) => recordAttempt(known, attempt, atMs));
        return next ? { next, result: undefined } : { result: undefined };
      });
    } finally {
      sandbox.journal.add(this.#toRecord(delivery, { attempt, headers, durationMs }));
      this.#logAttempt(delivery, attempt);
    }
  }

  /**
   * Returns the time of an attempt by the clock of the sandbox, in ms since 1970.
   * If a client moves the clock, this is the time at which the attempt became due, so that the next one follows it.
   */
  #getAttemptTime({ store, clock }: Sandbox, { dueMs }: Delivery): number {
    return clock.isFrozen || this.#advanced.has(store) ? dueMs : clock.nowMs();
  }

  #createHeaders({ id }: Sandbox, delivery: Delivery): Readonly<Record<string, string>> {
    const { userAgent, nowMs, secret } = this.#options;
    return {
      ...delivery.headers,
      ...(delivery.content === '' ? {} : { 'content-type': delivery.contentType }),
      'user-agent': userAgent,
      'x-sandbox': id,
      ...createSignatureHeaders(delivery, { nowMs: nowMs(), secret }),
    };
  }

  #logAttempt({ id, name, url, attempts }: Delivery, { status, error, isFinal }: Attempt): void {
    const { log } = this.#options;
    const target = redactUrl(url, NO_NAMES);
    const fields = { delivery: id, attempt: attempts + 1, ...(status !== undefined && { status }) };
    if (error === undefined) log.info(fields, `sent ${name} to ${target}`);
    else if (isFinal) log.warn(fields, `did not send ${name} to ${target}: ${error}`);
    else log.info(fields, `could not send ${name} to ${target}: ${error}`);
  }

  /** Creates the record of an attempt for the journal. The contract judges the payload and the response. */
  #toRecord(
    { id, name, url, method, content, attempts, notes = [] }: Delivery,
    {
      attempt,
      headers,
      durationMs,
    }: { readonly attempt: Attempt; readonly headers: Readonly<Record<string, string>>; readonly durationMs: number },
  ): RecordedRequest {
    const { response, error } = attempt;
    const { contract, webhooks } = this.#options.current();
    const request = webhooks.list.find((planned) => planned.name === name);
    const responseViolations = request && response ? judgeResponse(contract, request.route, response) : [];
    const all = [...notes, ...(error === undefined ? [] : [error])];
    const isRemarkable = all.length + responseViolations.length > 0;
    return {
      method,
      url,
      prefix: '',
      rawHeaders: Object.entries(headers).flat(),
      bodyText: content,
      response: response && {
        status: response.status,
        headers: response.headers,
        bytes: response.bytes,
        text: truncateText(response.text),
      },
      durationMs,
      operationId: undefined,
      delivery: { id, name, attempt: attempts + 1 },
      remarks: isRemarkable ? { notes: all, ...(responseViolations.length > 0 && { responseViolations }) } : undefined,
    };
  }

  /** Sets a timer for the next delivery of a sandbox that becomes due. A frozen clock needs none. */
  #schedule(sandbox: Sandbox): void {
    const { store, clock } = sandbox;
    clearTimeout(this.#timers.get(store));
    this.#timers.delete(store);
    if (this.#isStopped || !this.#options.sandboxes.isCurrent(sandbox)) return;
    const [next] = listPending(store.read().state);
    if (!next) return;
    const isDue = next.dueMs <= clock.nowMs();
    // A delivery that is still due could not be stored, or another server sends it.
    if (!isDue && clock.isFrozen) return;
    const waitMs = isDue ? POLL_MS : Math.min(next.dueMs - clock.nowMs(), MAX_TIMER_MS);
    this.#timers.set(store, setTimeout(() => this.wake(sandbox), waitMs).unref());
  }

  /** Looks for deliveries that other servers have left, in the sandbox `default` and in those with known deliveries. */
  async #poll(): Promise<void> {
    const { sandboxes } = this.#options;
    const watched = sandboxes
      .list()
      .filter((one) => one === sandboxes.default || listPending(one.store.read().state).length > 0);
    for (const sandbox of watched) {
      await sandboxes.load(sandbox.id).catch(() => {});
      if (listPending(sandbox.store.read().state).length > 0) this.wake(sandbox);
    }
  }
}

/** Returns a signal that is aborted when the state of a store no longer has a delivery, for example after a reset. */
function watchForDrop({ follow, read }: Sandbox['store'], { id }: Delivery): DropWatch {
  const dropped = new AbortController();
  const check = (state: State) => {
    if (!listDeliveries(state).some((delivery) => delivery.id === id)) dropped.abort();
  };
  check(read().state);
  const stop = follow((before, after) => {
    if (before.state[DELIVERIES] !== after.state[DELIVERIES]) check(after.state);
  });
  return { signal: dropped.signal, stop };
}

interface DropWatch {
  readonly signal: AbortSignal;
  readonly stop: () => void;
}

/** Returns how the response of a receiver violates the contract. Each violation is a sentence. */
function judgeResponse(
  contract: Contract,
  route: Route,
  { status, headers, text, isTruncated }: NonNullable<Attempt['response']>,
): readonly string[] {
  if (isTruncated) return [];
  const body = text === '' ? undefined : (tryOrUndefined(() => JSON.parse(text)) ?? text);
  const options = { closed: false, isReceived: true, allowsExamples: true };
  return contract.verifyResponse(route, { status, headers, body }, options).map(({ message }) => message);
}
