import { type ControlApi, createError, getFailedRequest } from './control-api.ts';
import type { Session } from './session.ts';

/** Functions that are called when a stream of recorded requests opens, receives requests, or ends. */
interface StreamListener {
  /** Called when the stream is open. */
  onOpen(): void;
  /**
   * Called with recorded requests, in the order of their ids. Each text is a journal entry as JSON.
   * A waiting request is sent again when it has ended.
   */
  onRequests(texts: readonly string[]): void;
  /** Called when waiting requests have ended whose entries get other ids. */
  onEnded(ids: readonly number[]): void;
  /**
   * Called if the journal of the sandbox is new, because the server was restarted or the sandbox was replaced.
   * The stream continues with the first request of the new journal.
   */
  onRestart(): void;
  /** Called when the connection is lost. The stream connects again automatically. */
  onLost(): void;
  /** Called when the stream ends because the sandbox was removed, has expired, or does not exist. */
  onRemoved(): void;
}

/** The delays before the first, second and further attempts to connect again, in ms. The last delay is repeated. */
const RETRY_DELAYS_MS = [500, 1000, 2000, 4000, 5000];

/** The time without data after which the connection counts as lost, in ms. The server sends a comment every 15 s. */
const MAX_SILENCE_MS = 40_000;

/**
 * Receives the recorded requests of a sandbox as a stream of server-sent events, until `signal` is aborted.
 * If the connection is lost, connects again.
 */
export async function followRequests(options: StreamOptions, listener: StreamListener): Promise<void> {
  const { api, sandbox, signal } = options;
  const known: KnownRequests = { lastId: 0, waiting: new Set() };
  for (let attempt = 0; !signal.aborted; ) {
    try {
      if (known.lastId > 0 && (await hasRestarted(api, sandbox, known.lastId))) {
        known.lastId = 0;
        known.waiting.clear();
        listener.onRestart();
      }
      for await (const event of readEvents(options, known)) {
        if (event.isOpen) {
          attempt = 0;
          listener.onOpen();
        }
        if (event.isRemoved) return listener.onRemoved();
        if (event.ended && event.ended.length > 0) listener.onEnded(event.ended);
        if (event.texts.length > 0) listener.onRequests(event.texts);
      }
    } catch (error) {
      const { status } = getFailedRequest(error);
      if (status === 404) return signal.aborted ? undefined : listener.onRemoved();
      if ([401, 403].includes(status)) return;
    }
    if (signal.aborted) return;
    listener.onLost();
    await delay(RETRY_DELAYS_MS[Math.min(attempt++, RETRY_DELAYS_MS.length - 1)] ?? 0, signal);
  }
}

/** The options of `followRequests`, which receives the recorded requests of a sandbox. */
interface StreamOptions {
  readonly api: ControlApi;
  readonly session: Session;
  readonly sandbox: string;
  readonly signal: AbortSignal;
}

/**
 * Returns whether the journal of a sandbox was replaced: it is empty, or its newest id is lower than `lastId`.
 * `lastId`: the id of the newest journal entry that the page has loaded.
 */
async function hasRestarted(api: ControlApi, sandbox: string, lastId: number): Promise<boolean> {
  const [newest] = await api.send('listRequests', { path: { id: sandbox }, query: { limit: 1 } });
  // With a database, a waiting request has a negative id, and comes last.
  return newest?.state !== 'waiting' && (newest?.id ?? 0) < lastId;
}

/** What the page has received: the id of the newest request that has ended, and the ids of the waiting requests. */
interface KnownRequests {
  lastId: number;
  readonly waiting: Set<number>;
}

interface StreamPart {
  readonly isOpen?: boolean;
  readonly isRemoved?: boolean;
  readonly texts: readonly string[];
  readonly ended?: readonly number[];
}

/**
 * Opens one connection, and yields the events in each chunk of data.
 * Ends when the connection ends.
 * Throws an error if the server refuses the request.
 */
async function* readEvents(
  { sandbox, session, signal }: Omit<StreamOptions, 'api'>,
  known: KnownRequests,
): AsyncGenerator<StreamPart> {
  // A request that was waiting when the connection was lost may have ended since.
  const lastId = Math.max(0, Math.min(known.lastId, ...Array.from(known.waiting, (id) => id - 1)));
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), MAX_SILENCE_MS);
  try {
    const response = await fetch(`/_control/sandboxes/${encodeURIComponent(sandbox)}/requests`, {
      headers: { ...session.headers(), Accept: 'text/event-stream', 'Last-Event-ID': String(lastId) },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!response.ok || response.body === null)
      throw createError(response.status, await response.json().catch(() => undefined), session);
    session.confirm();
    yield { isOpen: true, texts: [] };
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), MAX_SILENCE_MS);
      const { parts, remainder } = splitEvents(rest + chunk.value);
      rest = remainder;
      yield parseEvents(parts, known);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Splits text into complete server-sent events, and a remainder that is the start of the next event. */
function splitEvents(text: string): { readonly parts: readonly string[]; readonly remainder: string } {
  const parts = text.split('\n\n');
  const remainder = parts.pop() ?? '';
  return { parts, remainder };
}

/**
 * Parses server-sent events, and updates `known`.
 * The events `request` and `waiting` have a journal entry as their data.
 * The events `removed` and `expired` end the stream.
 */
function parseEvents(events: readonly string[], known: KnownRequests): StreamPart {
  const texts: string[] = [];
  const ended: number[] = [];
  for (const event of events) {
    const fields = new Map(event.split('\n').map(splitField));
    const name = fields.get('event');
    const data = fields.get('data');
    if (name === 'removed' || name === 'expired') return { texts, ended, isRemoved: true };
    if (data === undefined) continue;
    const sentId = fields.get('id');
    const id = Number(sentId ?? (JSON.parse(data) as { readonly id: number }).id);
    if (name === 'ended') ended.push(id);
    if (name === 'waiting' || (name === 'request' && (id > known.lastId || known.waiting.has(id)))) texts.push(data);
    if (name === 'waiting') known.waiting.add(id);
    else known.waiting.delete(id);
    if (sentId !== undefined) known.lastId = Math.max(known.lastId, id);
  }
  return { texts, ended };
}

function splitField(line: string): readonly [string, string] {
  const colon = line.indexOf(': ');
  return colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 2)];
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
