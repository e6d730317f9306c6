import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { ControlParts } from '../control/handler.ts';
import { controlHandlers } from '../control/handlers.ts';
import { getFollowedRequests } from '../control/journal-handlers.ts';
import type { ControlId, ControlInput } from '../control/operation.ts';
import type { Contract } from '../openapi/contract.ts';
import type { Ending, Journal } from '../sandbox/journal/journal.ts';
import { type JournalRecord, toJournalEntry } from '../sandbox/journal/recorded-request.ts';
import { DEFAULT_SANDBOX_ID } from '../sandbox/sandbox.ts';
import type { State } from '../store/state.ts';
import { SANDBOX_ID } from '../util/ids.ts';
import { toIsoTime } from '../util/iso-time.ts';
import { isLongList } from '../util/limits.ts';
import { type HttpProblem, HttpProblemError, type ProblemCode } from '../util/problem.ts';
import { createTurnQueue } from '../util/slices.ts';
import { formatEvent, HEARTBEAT } from '../util/streams.ts';
import { type AccessPolicy, CONTROL_DOCUMENT_PATHS, NO_HEADERS } from './access-policy.ts';
import type { Exchange, OperationExchange } from './exchange.ts';
import { HEARTBEAT_MS, STREAM_HEADERS } from './item-stream.ts';
import { createResponse } from './response.ts';

/** The headers of a response in the text format of Prometheus. */
const METRICS_HEADERS = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' };

/** A handler of any operation of the control API. The input is already validated. */
type Handle = (input: unknown, parts: ControlParts) => unknown;

/**
 * Handles a valid request to the control API.
 * Preferences and injected faults do not apply to it, and the journal does not record it.
 */
export async function handleControl(exchange: OperationExchange): Promise<void> {
  const { route, input, app } = exchange;
  const id = route.operationId as ControlId;
  if (id === 'listRequests' && acceptsEventStream(exchange)) return followJournal(exchange);
  const handler = controlHandlers[id] as Handle;
  const body = await handler(input, app.control);
  const response = createResponse(route.successStatus, body, id === 'getMetrics' ? METRICS_HEADERS : NO_HEADERS);
  // The entries of a journal can be large, so even a short list is converted to JSON in slices.
  const isInSlices = id === 'listRequests' && Array.isArray(body) && body.length > 0;
  const isState = id === 'getState' || id === 'getSnapshot';
  const state = isState && Object.values(body as State).some(isLongList) ? (body as State) : undefined;
  exchange.response = { ...response, ...(isInSlices && { list: body }), ...(state && { state }) };
}

/** Responds with a stream of the requests that the server receives from now on. */
async function followJournal(exchange: OperationExchange): Promise<void> {
  const { input, app } = exchange;
  const { control } = app;
  // Loads the requests that other servers have recorded, so that the stream sends only later requests.
  await control.sandboxes.loadJournal(input.path.id ?? DEFAULT_SANDBOX_ID);
  const { journal, after, isMatch } = getFollowedRequests(input as ControlInput<'listRequests'>, control);
  const options = { after: getLastEventId(exchange) ?? after, isMatch, stopping: control.stopping };
  exchange.response = { ...createResponse(200, undefined), stream: streamJournal(journal, options) };
}

/** Creates the 404 response to a request for a path that the control API does not have. */
export function createUnknownControlPath(path: string, { routes }: Contract): HttpProblem {
  const paths = new Set([...routes.map((route) => route.path), CONTROL_DOCUMENT_PATHS.yaml]);
  return { code: 'unknown-path', detail: `the control API has no path ${path}: use ${[...paths].join(', ')}` };
}

/**
 * The maximum time for which all streams of this process send records in one turn of the event loop, in ms.
 * The rest is sent in later turns.
 * It takes about 80 µs to format a record of 4 kB, and 20 µs to write it to a stream.
 */
const MAX_MS_PER_TURN = 3;

/**
 * The time in ms of `performance.now()` at which the streams stop sending in this turn of the event loop.
 * Undefined if no stream has sent in this turn.
 */
let turnEndMs: number | undefined;

/** Returns whether the streams have used their time in this turn of the event loop. */
function isTurnUsed(): boolean {
  const nowMs = performance.now();
  if (turnEndMs === undefined) {
    turnEndMs = nowMs + MAX_MS_PER_TURN;
    setImmediate(() => {
      turnEndMs = undefined;
    });
  }
  return nowMs >= turnEndMs;
}

/**
 * The queue in which all streams of this process wait for their turn to send.
 * With one queue, many streams delay other requests no more than a single stream does.
 */
const queueTurn = createTurnQueue();

const EVENT_STREAM_TYPE = 'text/event-stream';

/** Options of a journal stream. */
interface StreamOptions {
  /**
   * The id of the journal record after which the stream starts.
   * If undefined, the stream starts with the next request that the server receives.
   */
  readonly after: number | undefined;
  /** Returns whether the stream sends a record. */
  readonly isMatch: (record: JournalRecord) => boolean;
  /** The signal that ends the stream. It is aborted when the server stops. */
  readonly stopping: AbortSignal;
}

/**
 * Returns whether a client prefers server-sent events (`text/event-stream`) to JSON, according to the `Accept` header.
 */
function acceptsEventStream({ ctx }: Exchange): boolean {
  return ctx.accepts(['application/json', EVENT_STREAM_TYPE]) === EVENT_STREAM_TYPE;
}

/**
 * Returns the journal record id in the `Last-Event-ID` header.
 * Returns undefined if the header is missing or invalid.
 */
function getLastEventId({ headers }: Exchange): number | undefined {
  const id = String(headers['last-event-id'] ?? '');
  return /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/**
 * Returns a function that sends each new journal record as a server-sent event (HTML Standard, section 9.2) until the
 * client disconnects.
 * Reads a record from the journal only when the client can receive data, so slow clients do not fill the memory.
 * The journal deletes old records, so a slow client can miss records.
 */
function streamJournal(journal: Journal, options: StreamOptions): (res: ServerResponse) => void {
  return (res) => {
    res.writeHead(200, { 'Content-Type': EVENT_STREAM_TYPE, ...STREAM_HEADERS });
    new JournalStream(res, journal, options).start();
  };
}

/** A journal stream to one client. */
class JournalStream {
  readonly #unfollow: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  /** Records of requests that wait or have waited, and that are sent again: later than the records after them. */
  readonly #updates = new Map<number, JournalRecord | 'ended'>();
  #lastId: number;
  #isEnded = false;
  #isQueued = false;
  /** Why the journal has ended, and its records that are not sent yet. */
  #rest: { readonly ending: Ending; readonly records: JournalRecord[] } | undefined;

  constructor(
    private readonly res: ServerResponse,
    private readonly journal: Journal,
    private readonly options: StreamOptions,
  ) {
    this.#lastId = Math.min(options.after ?? Number.POSITIVE_INFINITY, journal.lastId());
    const onRestart = () => {
      this.#lastId = 0;
    };
    this.#unfollow = journal.follow({
      onRecord: (record) => {
        if (record.id <= this.#lastId) this.#update(record.id, record);
        this.#send();
      },
      onWaitingEnd: (id) => {
        this.#update(id, 'ended');
        this.#send();
      },
      onRestart,
      onEnd: this.#end,
    });
    this.#heartbeat = setInterval(() => {
      if (!res.writableNeedDrain) res.write(HEARTBEAT);
    }, HEARTBEAT_MS);
  }

  start(): void {
    const { res } = this;
    const { stopping } = this.options;
    stopping.addEventListener('abort', this.#stop);
    res.once('close', this.#stop).on('error', this.#stop).on('drain', this.#sendLater);
    res.write(': connected\n\n');
    if (res.req.method === 'HEAD' || stopping.aborted) this.#stop();
    else this.#sendLater();
  }

  /**
   * Sends records until the journal has no more records, the client can't receive more data, or the time for this turn
   * is used.
   */
  readonly #send = (): void => {
    if (this.#isEnded || this.#isQueued) return;
    while (!this.res.writableNeedDrain) {
      if (this.#updates.size > 0 && !isTurnUsed()) {
        this.#sendUpdate();
        continue;
      }
      const record = this.#rest ? this.#rest.records[0] : this.journal.recordAfter(this.#lastId);
      if (!record && this.#rest) this.#finish(this.#rest.ending);
      else if (record && isTurnUsed()) this.#sendLater();
      if (!record || this.#isQueued) return;
      this.#rest?.records.shift();
      this.#lastId = record.id;
      if (this.options.isMatch(record)) this.res.write(toEvent(this.journal, record));
    }
  };

  /** Adds an update to send. A slow client gets only the latest updates. */
  #update(id: number, update: JournalRecord | 'ended'): void {
    this.#updates.delete(id);
    this.#updates.set(id, update);
    const [oldest] = this.#updates.keys();
    if (this.#updates.size > MAX_UPDATES && oldest !== undefined) this.#updates.delete(oldest);
  }

  /** Sends the oldest update. */
  #sendUpdate(): void {
    for (const [id, update] of this.#updates) {
      this.#updates.delete(id);
      if (update === 'ended') this.res.write(formatEvent({ event: 'ended', data: { id } }));
      else if (this.options.isMatch(update)) this.res.write(toUpdateEvent(update));
      return;
    }
  }

  readonly #sendLater = (): void => {
    if (this.#isQueued) return;
    this.#isQueued = true;
    queueTurn(() => {
      this.#isQueued = false;
      try {
        this.#send();
      } catch {
        // A record that can't be formatted ends the stream.
        this.#stop();
      }
    });
  };

  /** Ends the stream. The client still receives the events that are already written. */
  readonly #stop = (): void => {
    this.#isEnded = true;
    this.#unfollow();
    clearInterval(this.#heartbeat);
    this.options.stopping.removeEventListener('abort', this.#stop);
    if (!this.res.writableEnded) this.res.end();
  };

  /**
   * Ends the stream.
   * If the sandbox was deleted or has expired, first sends the rest of the records, and an event that says so.
   */
  readonly #end = (ending?: Ending): void => {
    if (!ending) {
      this.#stop();
      return;
    }
    this.#rest = { ending, records: this.journal.records().filter(({ id }) => id > this.#lastId) };
    this.#sendLater();
  };

  readonly #finish = ({ event, sandbox, atMs }: Ending): void => {
    this.res.write(formatEvent({ event, data: { sandbox, at: toIsoTime(atMs) } }));
    this.#stop();
  };
}

/**
 * The latest event that a stream has sent.
 * Most streams follow the newest record, so all streams of a journal share its text.
 */
let latest:
  | { readonly journal: WeakRef<Journal>; readonly id: number; readonly atMs: number; readonly text: Buffer }
  | undefined;

/** The maximum number of updates that wait to be sent in a stream. */
const MAX_UPDATES = 1_000;

/**
 * Formats the record of a request that waits or has waited as a server-sent event.
 * The event has no id, so that a client that connects again continues after the latest record.
 */
function toUpdateEvent(record: JournalRecord): string {
  return formatEvent({ event: record.isWaiting ? 'waiting' : 'request', data: toJournalEntry(record) });
}

/** Formats a journal record as a server-sent event. */
function toEvent(journal: Journal, record: JournalRecord): Buffer | string {
  const { id, atMs } = record;
  if (record.isWaiting) return toUpdateEvent(record);
  if (latest?.id === id && latest.atMs === atMs && latest.journal.deref() === journal) return latest.text;
  const text = Buffer.from(formatEvent({ event: 'request', id, data: toJournalEntry(record) }));
  latest = { journal: new WeakRef(journal), id, atMs, text };
  return text;
}

/** The request headers that proxies add, in lower case. */
const FORWARDING_HEADER =
  /^(forwarded|via|x-real-ip|x-forwarded(-.+)?|x-original-(forwarded-for|host)|x-client-ip|x-cluster-client-ip|true-client-ip|cf-connecting-ip|fastly-client-ip)$/;

/**
 * Returns the name of a header which shows that a request came through a proxy; undefined if there is none.
 * Such a request can come from another machine.
 */
function findForwardingHeader(headers: IncomingHttpHeaders): string | undefined {
  return Object.keys(headers).find((name) => FORWARDING_HEADER.test(name));
}

/**
 * Throws an `HttpProblemError` if a request is not allowed to use the control API.
 * Does not check the `Host` header, which the caller has already checked.
 */
export function refuseControlAccess(
  { isOn, isLoopback, publicHost, token }: AccessPolicy['control'],
  headers: IncomingHttpHeaders,
): void {
  const { host, origin, authorization } = headers;
  if (!isOn) throw deny('control-disabled', 'The control API is disabled. Start the server without --no-control.');
  if (!isLoopback && token === undefined)
    throw deny(
      'control-disabled',
      'The control API is disabled, because the server runs without --control-token and other machines can reach it (--host or the variable HOST). ' +
        TOKEN_REMEDY,
    );
  if (publicHost !== undefined && token === undefined)
    throw deny(
      'control-disabled',
      `The control API is disabled, because the server runs without --control-token and can be reached under a public name (--allow-host ${publicHost}). ${TOKEN_REMEDY}`,
    );
  const forwarding = token === undefined ? findForwardingHeader(headers) : undefined;
  if (forwarding !== undefined) throw deny('control-disabled', describeForwarding(forwarding));
  if (host === undefined)
    throw deny(
      'host-not-allowed',
      'The request has no Host header. Send the host and port of the server in this header.',
    );
  if (origin !== undefined && !isOwnOrigin(origin, host))
    throw deny(
      'origin-not-allowed',
      `Pages of the origin ${origin.slice(0, 100)} cannot use the control API. Send the request from a program that is not a browser, or from a page of this server.`,
    );
  if (token !== undefined && !hasToken(authorization, token))
    throw deny(
      'token-required',
      'The token is missing or wrong. Send Authorization: Bearer TOKEN with the value of --control-token.',
      { 'WWW-Authenticate': 'Bearer' },
    );
}

const TOKEN_REMEDY = 'Start the server with --control-token TOKEN, and send Authorization: Bearer TOKEN.';

/**
 * Returns the message for a request that came through a proxy to a server without a token.
 * `header`: the header that shows the proxy.
 */
function describeForwarding(header: string): string {
  return `The request came through a proxy (header ${header}), so it can come from another machine, and the server runs without --control-token. ${TOKEN_REMEDY} Requests that are sent to the server directly need no token.`;
}

/**
 * Logs a warning at the first request to the control API that came through a proxy, if the server runs without a token.
 * Not if the control API is disabled for all requests, which the log says at the start.
 */
export function logForwarding(
  { access, log }: { readonly access: AccessPolicy; readonly log: { warn(fields: object, message?: string): void } },
  headers: IncomingHttpHeaders,
): void {
  const { control, forwarding } = access;
  if (!control.isOn || control.token !== undefined || forwarding.isLogged) return;
  if (!control.isLoopback || control.publicHost !== undefined) return;
  const header = findForwardingHeader(headers);
  if (header === undefined) return;
  forwarding.isLogged = true;
  log.warn({}, `A request to the control API was refused. ${describeForwarding(header)}`);
}

/** Creates the error for a request that is not allowed to use the control API. `detail`: the error message. */
function deny(code: ProblemCode, detail: string, headers = {}): HttpProblemError {
  return new HttpProblemError({ code, detail, headers });
}

function isOwnOrigin(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

/**
 * Returns whether an `Authorization` header contains a token.
 * Compares in constant time.
 * The scheme `Bearer` is case-insensitive (RFC 9110, section 11.1).
 */
function hasToken(authorization: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const [, received = ''] = /^bearer +(.*)$/i.exec(authorization ?? '') ?? [];
  return timingSafeEqual(digest(received), digest(token));
}

/**
 * The operations of the control API that use no state, or check by themselves whether the state can be read.
 * `getMetrics` also works while the database is not available, because the metrics describe this situation.
 */
const STATELESS_OPERATIONS: readonly string[] = ['getMetrics', 'getReadiness'] satisfies readonly ControlId[];

/**
 * Returns the id of the sandbox for a request that does not select one: `w3` for the control path
 * `/_control/sandboxes/w3/state`, otherwise `default`.
 * Returns undefined if the operation uses no sandbox, if the id in the path is invalid, or if the control API does not
 * define the path.
 */
export function getUsedId({ api, route, location }: Exchange): string | undefined {
  if (api === 'contract') return DEFAULT_SANDBOX_ID;
  if (route && STATELESS_OPERATIONS.includes(route.operationId)) return undefined;
  const { id = DEFAULT_SANDBOX_ID } = route?.pathParameters(location.path) ?? { id: '' };
  return SANDBOX_ID.test(id) ? id : undefined;
}
