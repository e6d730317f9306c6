import type { ServerResponse } from 'node:http';
import type { Ending, Journal } from '../../sandbox/journal/journal.ts';
import { toJournalEntry } from '../../sandbox/journal/journal-entry.ts';
import type { Entry } from '../../sandbox/journal/recorded-request.ts';
import { toIsoTime } from '../../util/iso-time.ts';
import { createTurnQueue } from '../../util/turn-queue.ts';
import type { HttpRequest } from '../pipeline/request.ts';

/** How many entries are looked at before other requests are handled: showing one of 4 kB takes about 80 µs. */
const SLICE_ENTRIES = 50;

/** The streams of all servers of this process take turns, so that many of them delay other requests no more than one does. */
const queueTurn = createTurnQueue();

/** How often a comment is sent, in ms: proxies close idle connections. */
const HEARTBEAT_MS = 15_000;

const EVENT_STREAM_TYPE = 'text/event-stream';

/** Which requests a stream sends. */
interface StreamOptions {
  /** Of the requests before, only those with a higher id are sent; undefined sends none of them. */
  readonly after: number | undefined;
  readonly isMatch: (entry: Entry) => boolean;
  /** Ends the stream. */
  readonly stopping: AbortSignal;
}

/** Whether a client prefers server-sent events to a list in JSON. */
export function acceptsEventStream(request: HttpRequest): boolean {
  return request.accepts(['application/json', EVENT_STREAM_TYPE]) === EVENT_STREAM_TYPE;
}

/** Returns the id of the last event that a client has received; undefined if it sends none, or an invalid one. */
export function getLastEventId({ headers }: HttpRequest): number | undefined {
  const id = String(headers['last-event-id'] ?? '');
  return /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/**
 * Returns a function that sends each request of a journal as a server-sent event (HTML Standard, section 9.2), until the client goes away. Entries are
 * read from the journal as fast as the client reads, so that little waits in memory: a slow client misses those that leave the journal before.
 */
export function streamJournal(journal: Journal, options: StreamOptions): (res: ServerResponse) => void {
  return (res) => {
    res.writeHead(200, { 'Content-Type': EVENT_STREAM_TYPE, 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
    new JournalStream(res, journal, options).start();
  };
}

/** The stream of one client. */
class JournalStream {
  readonly #unfollow: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  #lastId: number;
  #isEnded = false;
  #isQueued = false;

  constructor(
    private readonly res: ServerResponse,
    private readonly journal: Journal,
    private readonly options: StreamOptions,
  ) {
    this.#lastId = Math.min(options.after ?? Number.POSITIVE_INFINITY, journal.lastId());
    this.#unfollow = journal.follow({ onEntry: this.#send, onEnd: this.#end });
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

  /** Sends what the client has not received yet, as much as it takes now. */
  readonly #send = (): void => {
    if (this.#isEnded || this.#isQueued) return;
    for (let seen = 0; !this.res.writableNeedDrain; seen++) {
      const entry = this.journal.entryAfter(this.#lastId);
      if (!entry) return;
      if (seen === SLICE_ENTRIES) {
        this.#sendLater();
        return;
      }
      this.#lastId = entry.id;
      if (this.options.isMatch(entry)) this.res.write(toEvent(entry));
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
        // An entry that can't be sent ends the stream, as it does where the journal itself calls `send`.
        this.#stop();
      }
    });
  };

  /** Sends no more; what is on the way arrives. */
  readonly #stop = (): void => {
    this.#isEnded = true;
    this.#unfollow();
    clearInterval(this.#heartbeat);
    this.options.stopping.removeEventListener('abort', this.#stop);
    if (!this.res.writableEnded) this.res.end();
  };

  /** Sends the event that the sandbox is gone, if it is, and no more. */
  readonly #end = (ending?: Ending): void => {
    if (ending) {
      const { event, sandbox, atMs } = ending;
      this.res.write(`event: ${event}\ndata: ${JSON.stringify({ sandbox, at: toIsoTime(atMs) })}\n\n`);
    }
    this.#stop();
  };
}

function toEvent(entry: Entry): string {
  return `event: request\nid: ${entry.id}\ndata: ${JSON.stringify(toJournalEntry(entry))}\n\n`;
}
