import type { ServerResponse } from 'node:http';
import type { ControlParts } from '../control/handler.ts';
import { controlHandlers } from '../control/handlers.ts';
import { getFollowedRequests } from '../control/journal-handlers.ts';
import type { ControlId, ControlInput } from '../control/operation.ts';
import type { Contract } from '../openapi/contract.ts';
import type { Ending, Journal } from '../sandbox/journal/journal.ts';
import { type JournalRecord, toJournalEntry } from '../sandbox/journal/recorded-request.ts';
import { DEFAULT_SANDBOX_ID } from '../sandbox/sandbox.ts';
import { toIsoTime } from '../util/iso-time.ts';
import type { HttpProblem } from '../util/problem.ts';
import { createTurnQueue } from '../util/slices.ts';
import { CONTROL_DOCUMENT_PATHS } from './access-policy.ts';
import { NO_HEADERS } from './cors.ts';
import type { Exchange, OperationExchange } from './exchange.ts';
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
  exchange.response = isInSlices ? { ...response, list: body } : response;
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
 * The maximum time for which all streams of this process send entries in one turn of the event loop, in ms.
 * The rest is sent in later turns.
 * It takes about 80 µs to format an entry of 4 kB, and 20 µs to write it to a stream.
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

/**
 * The interval between heartbeat comments in a stream, in ms.
 * The comments prevent proxies from closing an idle connection.
 */
const HEARTBEAT_MS = 15_000;

const EVENT_STREAM_TYPE = 'text/event-stream';

/** Options of a journal stream. */
interface StreamOptions {
  /**
   * The id of the journal entry after which the stream starts.
   * If undefined, the stream starts with the next request that the server receives.
   */
  readonly after: number | undefined;
  /** Returns whether the stream sends an entry. */
  readonly isMatch: (entry: JournalRecord) => boolean;
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
 * Returns the journal entry id in the `Last-Event-ID` header.
 * Returns undefined if the header is missing or invalid.
 */
function getLastEventId({ headers }: Exchange): number | undefined {
  const id = String(headers['last-event-id'] ?? '');
  return /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/**
 * Returns a function that sends each new journal entry as a server-sent event (HTML Standard, section 9.2) until the
 * client disconnects.
 * Reads an entry from the journal only when the client can receive data, so slow clients do not fill the memory.
 * The journal deletes old entries, so a slow client can miss entries.
 */
function streamJournal(journal: Journal, options: StreamOptions): (res: ServerResponse) => void {
  return (res) => {
    res.writeHead(200, { 'Content-Type': EVENT_STREAM_TYPE, 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
    new JournalStream(res, journal, options).start();
  };
}

/** A journal stream to one client. */
class JournalStream {
  readonly #unfollow: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  #lastId: number;
  #isEnded = false;
  #isQueued = false;
  /** Why the journal has ended, and its entries that are not sent yet. */
  #rest: { readonly ending: Ending; readonly entries: JournalRecord[] } | undefined;

  constructor(
    private readonly res: ServerResponse,
    private readonly journal: Journal,
    private readonly options: StreamOptions,
  ) {
    this.#lastId = Math.min(options.after ?? Number.POSITIVE_INFINITY, journal.lastId());
    const onRestart = () => {
      this.#lastId = 0;
    };
    this.#unfollow = journal.follow({ onEntry: this.#send, onRestart, onEnd: this.#end });
    this.#heartbeat = setInterval(() => {
      if (!res.writableNeedDrain) res.write(': heartbeat\n\n');
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
   * Sends entries until the journal has no more entries, the client can't receive more data, or the time for this turn
   * is used.
   */
  readonly #send = (): void => {
    if (this.#isEnded || this.#isQueued) return;
    while (!this.res.writableNeedDrain) {
      const entry = this.#rest ? this.#rest.entries[0] : this.journal.entryAfter(this.#lastId);
      if (!entry && this.#rest) this.#finish(this.#rest.ending);
      else if (entry && isTurnUsed()) this.#sendLater();
      if (!entry || this.#isQueued) return;
      this.#rest?.entries.shift();
      this.#lastId = entry.id;
      if (this.options.isMatch(entry)) this.res.write(toEvent(this.journal, entry));
    }
  };

  readonly #sendLater = (): void => {
    if (this.#isQueued) return;
    this.#isQueued = true;
    queueTurn(() => {
      this.#isQueued = false;
      try {
        this.#send();
      } catch {
        // An entry that can't be formatted ends the stream.
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
   * If the sandbox was deleted or has expired, first sends the rest of the entries, and an event that says so.
   */
  readonly #end = (ending?: Ending): void => {
    if (!ending) {
      this.#stop();
      return;
    }
    this.#rest = { ending, entries: this.journal.entries().filter(({ id }) => id > this.#lastId) };
    this.#sendLater();
  };

  readonly #finish = ({ event, sandbox, atMs }: Ending): void => {
    this.res.write(`event: ${event}\ndata: ${JSON.stringify({ sandbox, at: toIsoTime(atMs) })}\n\n`);
    this.#stop();
  };
}

/**
 * The latest event that a stream has sent.
 * Most streams follow the newest entry, so all streams of a journal share its text.
 */
let latest:
  | { readonly journal: WeakRef<Journal>; readonly id: number; readonly atMs: number; readonly text: Buffer }
  | undefined;

/** Formats a journal entry as a server-sent event. */
function toEvent(journal: Journal, entry: JournalRecord): Buffer {
  const { id, atMs } = entry;
  if (latest?.id === id && latest.atMs === atMs && latest.journal.deref() === journal) return latest.text;
  const text = Buffer.from(`event: request\nid: ${id}\ndata: ${JSON.stringify(toJournalEntry(entry))}\n\n`);
  latest = { journal: new WeakRef(journal), id, atMs, text };
  return text;
}
