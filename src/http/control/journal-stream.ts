import type { Context } from 'koa';
import type { Ending, Entry, Journal } from '../../sandbox/journal/journal.ts';
import { toJournalEntry } from '../../sandbox/journal/journal-entry.ts';
import { toIsoTime } from '../../util/iso-time.ts';
import { createTurnQueue } from '../../util/turn-queue.ts';

/** How many entries are looked at before other requests are handled: showing one of 4 kB takes about 80 µs. */
const SLICE_ENTRIES = 50;

/** The streams of all servers of this process take turns, so that many of them delay other requests no more than one does. */
const queueTurn = createTurnQueue();

/** How often a sign of life is sent, in ms: proxies close connections on which nothing moves. */
const SIGN_OF_LIFE_MS = 15_000;

/** Which requests are told of. */
export interface StreamOptions {
  /** Of those that came before only those with a higher id are told of; where it isn't given none. */
  readonly after: number | undefined;
  readonly isMeant: (entry: Entry) => boolean;
  /** Ends the stream. */
  readonly stopping: AbortSignal;
}

/** Whether a client wants server-sent events rather than JSON. */
export function acceptsEventStream(ctx: Context): boolean {
  return /\btext\/event-stream\b/i.test(ctx.get('Accept'));
}

/** The id of the last event that a client has seen; undefined where it doesn't say, or says none. */
export function getLastEventId(ctx: Context): number | undefined {
  const id = ctx.get('Last-Event-ID');
  return /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/**
 * Sends each request of a journal to a client as a server-sent event (HTML Standard, section 9.2), until the client goes away. Entries are read from
 * the journal as fast as the client reads, so that little waits in memory: a slow client misses those that leave the journal before it reads them.
 */
export function streamJournal(ctx: Context, journal: Journal, { after, isMeant, stopping }: StreamOptions): void {
  const { res } = ctx;
  ctx.respond = false;
  res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  let lastId = Math.min(after ?? Number.POSITIVE_INFINITY, journal.lastId());
  let isEnded = false;
  let isQueued = false;
  /** Sends what the client has not got yet, as much as it takes now. */
  const send = () => {
    if (isEnded || isQueued) return;
    for (let looked = 0; !res.writableNeedDrain; looked++) {
      const entry = journal.entryAfter(lastId);
      if (!entry) return;
      if (looked === SLICE_ENTRIES) return sendLater();
      lastId = entry.id;
      if (isMeant(entry)) res.write(toEvent(entry));
    }
  };
  const sendLater = () => {
    if (isQueued) return;
    isQueued = true;
    queueTurn(() => {
      isQueued = false;
      try {
        send();
      } catch {
        // The journal ends those that it can't tell of an entry in the same way.
        stop();
      }
    });
  };
  /** Sends no more from now on; what is on the way arrives. */
  const stop = () => {
    isEnded = true;
    unfollow();
    clearInterval(signs);
    stopping.removeEventListener('abort', stop);
    if (!res.writableEnded) res.end();
  };
  const end = (ending?: Ending) => {
    if (ending) res.write(eventOf(ending));
    stop();
  };
  const unfollow = journal.follow({ tell: send, end });
  const signs = setInterval(() => {
    if (!res.writableNeedDrain) res.write(': still here\n\n');
  }, SIGN_OF_LIFE_MS);
  stopping.addEventListener('abort', stop);
  res.once('close', stop).on('error', stop).on('drain', sendLater);
  res.write(': the journal\n\n');
  if (ctx.method === 'HEAD' || stopping.aborted) stop();
  else sendLater();
}

function toEvent(entry: Entry): string {
  return `event: request\nid: ${entry.id}\ndata: ${JSON.stringify(toJournalEntry(entry))}\n\n`;
}

/** The last event of a stream whose sandbox is gone. */
function eventOf({ event, sandbox, atMs }: Ending): string {
  return `event: ${event}\ndata: ${JSON.stringify({ sandbox, at: toIsoTime(atMs) })}\n\n`;
}
