import type { Context } from 'koa';
import type { Entry, Journal } from '../sandboxes/journal.ts';
import { shownEntry } from '../sandboxes/journal-entry.ts';

/** How much may wait for somebody who follows a journal, in bytes: who reads too slowly is let go, and begins anew where they were. */
const UNREAD_BYTES = 4_000_000;

/** How often a sign of life is sent, in ms: proxies close connections on which nothing moves. */
const SIGN_OF_LIFE_MS = 15_000;

/** Which requests are told of. */
export interface Following {
  /** Of those that came before only those with a higher id are told of; where it isn't given none. */
  readonly after: number | undefined;
  readonly isMeant: (entry: Entry) => boolean;
  /** Ends the stream. */
  readonly stopping: AbortSignal;
}

/** Whether a client wants server-sent events rather than JSON. */
export function wantsStream(ctx: Context): boolean {
  return /\btext\/event-stream\b/i.test(ctx.get('Accept'));
}

/** The id of the last event that a client has seen; undefined where it doesn't say, or says none. */
export function lastSeen(ctx: Context): number | undefined {
  const id = ctx.get('Last-Event-ID');
  return /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/** Tells a client of each request of a journal, as server-sent events (HTML Standard, section 9.2), until it goes away. */
export function streamJournal(ctx: Context, journal: Journal, { after, isMeant, stopping }: Following): void {
  const { res } = ctx;
  ctx.respond = false;
  res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  const tell = (entry: Entry) => {
    if (!isMeant(entry)) return;
    res.write(`event: request\nid: ${entry.id}\ndata: ${JSON.stringify(shownEntry(entry))}\n\n`);
    if (res.writableLength > UNREAD_BYTES) res.destroy();
  };
  /** No more is told from now on; what is on the way arrives. */
  const end = () => {
    unfollow();
    clearInterval(signs);
    stopping.removeEventListener('abort', end);
    if (!res.writableEnded) res.end();
  };
  const unfollow = journal.follow({ tell, end });
  const signs = setInterval(() => res.write(': still here\n\n'), SIGN_OF_LIFE_MS);
  stopping.addEventListener('abort', end);
  res.once('close', end).on('error', end);
  res.write(': the journal\n\n');
  if (ctx.method === 'HEAD' || stopping.aborted) end();
  else if (after !== undefined) for (const entry of journal.entries()) if (entry.id > after) tell(entry);
}
