import { type ControlApi, createError, getFailedRequest } from './control-api.ts';
import type { Session } from './session.ts';

/** Functions that are called when a stream of recorded requests opens, receives requests, or ends. */
interface StreamListener {
  /** Called when the stream is open. */
  onOpen(): void;
  /** Called with new recorded requests, in the order of their ids. Each text is a journal entry as JSON. */
  onRequests(texts: readonly string[]): void;
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
  let lastId = 0;
  for (let attempt = 0; !signal.aborted; ) {
    try {
      if (lastId > 0 && (await hasRestarted(api, sandbox, lastId))) {
        lastId = 0;
        listener.onRestart();
      }
      for await (const event of readEvents(options, lastId)) {
        if (event.isOpen) {
          attempt = 0;
          listener.onOpen();
        }
        if (event.isRemoved) return listener.onRemoved();
        if (event.texts.length > 0) listener.onRequests(event.texts);
        lastId = event.lastId ?? lastId;
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
  return (newest?.id ?? 0) < lastId;
}

interface StreamPart {
  readonly isOpen?: boolean;
  readonly isRemoved?: boolean;
  readonly texts: readonly string[];
  readonly lastId?: number | undefined;
}

/**
 * Opens one connection, and yields the events in each chunk of data.
 * Ends when the connection ends.
 * Throws an error if the server refuses the request.
 */
async function* readEvents(
  { sandbox, session, signal }: Omit<StreamOptions, 'api'>,
  lastId: number,
): AsyncGenerator<StreamPart> {
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
      yield parseEvents(parts);
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
 * Parses server-sent events.
 * The event `request` has a journal entry as its data.
 * The events `removed` and `expired` end the stream.
 */
function parseEvents(events: readonly string[]): StreamPart {
  const texts: string[] = [];
  let lastId: number | undefined;
  for (const event of events) {
    const fields = new Map(event.split('\n').map(splitField));
    const name = fields.get('event');
    const data = fields.get('data');
    if (name === 'removed' || name === 'expired') return { texts, lastId, isRemoved: true };
    if (name !== 'request' || data === undefined) continue;
    texts.push(data);
    lastId = Number(fields.get('id') ?? lastId);
  }
  return { texts, lastId };
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
