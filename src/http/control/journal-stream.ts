import type { ServerResponse } from 'node:http';
import type { Ending, Journal } from '../../sandbox/journal/journal.ts';
import { toJournalEntry } from '../../sandbox/journal/journal-entry.ts';
import type { Entry } from '../../sandbox/journal/recorded-request.ts';
import { toIsoTime } from '../../util/iso-time.ts';
import { createTurnQueue } from '../../util/turn-queue.ts';
import type { HttpRequest } from '../pipeline/request.ts';

/** The number of entries that are sent before other requests are handled. Formatting an entry of 4 kB takes about 80 µs. */
const MAX_ENTRIES_PER_TURN = 50;

/** A queue that the streams of all servers of this process share, so that many streams delay other requests no more than one stream. */
const queueTurn = createTurnQueue();

/** The interval of comments that keep the connection open, in ms. Proxies close idle connections. */
const HEARTBEAT_MS = 15_000;

const EVENT_STREAM_TYPE = 'text/event-stream';

/** Options of a journal stream. */
interface StreamOptions {
  /** The id of a journal entry: the stream starts with the entry after it. If undefined, the stream starts with the next request. */
  readonly after: number | undefined;
  /** Returns whether the stream sends an entry. */
  readonly isMatch: (entry: Entry) => boolean;
  /** Aborted when the server stops, which ends the stream. */
  readonly stopping: AbortSignal;
}

/** Returns whether a client prefers server-sent events to JSON. */
export function acceptsEventStream(request: HttpRequest): boolean {
  return request.accepts(['application/json', EVENT_STREAM_TYPE]) === EVENT_STREAM_TYPE;
}

/** Returns the id in the `Last-Event-ID` header; undefined if the header is missing or invalid. */
export function getLastEventId({ headers }: HttpRequest): number | undefined {
  const id = String(headers['last-event-id'] ?? '');
  return /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/**
 * Returns a function that sends each request of a journal as a server-sent event (HTML Standard, section 9.2) until the client disconnects. To limit the
 * memory of a slow client, an entry is read from the journal only when the client can receive it. The client misses entries that the journal has deleted.
 */
export function streamJournal(journal: Journal, options: StreamOptions): (res: ServerResponse) => void {
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

  /** Sends entries until the journal has no more, or the client can't receive more. */
  readonly #send = (): void => {
    if (this.#isEnded || this.#isQueued) return;
    for (let read = 0; !this.res.writableNeedDrain; read++) {
      const entry = this.journal.entryAfter(this.#lastId);
      if (!entry) return;
      if (read === MAX_ENTRIES_PER_TURN) {
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
        // An entry that can't be formatted ends the stream.
        this.#stop();
      }
    });
  };

  /** Ends the stream after the events that are already written. */
  readonly #stop = (): void => {
    this.#isEnded = true;
    this.#unfollow();
    clearInterval(this.#heartbeat);
    this.options.stopping.removeEventListener('abort', this.#stop);
    if (!this.res.writableEnded) this.res.end();
  };

  /** Ends the stream, after an event about the end of the sandbox if it was deleted or has expired. */
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
