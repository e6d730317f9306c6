import type { JournalEntry } from '../control/operation.ts';

/** A request of the shop and its answer, as they are handed over. */
export interface Recorded {
  readonly method: string;
  /** As it was sent, and without what names a sandbox. */
  readonly url: string;
  readonly shopUrl: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The length of all headers together, in characters. */
  readonly headersLength: number;
  readonly body?: CutText | undefined;
  /** Undefined where none went out. */
  readonly answer: SentAnswer | undefined;
  /** How long it took, in ms. */
  readonly ms: number;
  readonly operationId: string | undefined;
  readonly violations?: JournalEntry['violations'] | undefined;
  readonly breaches?: readonly string[] | undefined;
  readonly notes?: readonly string[] | undefined;
  readonly forced?: JournalEntry['forced'] | undefined;
}

/** An answer as it went out; one that went out several times is kept once. */
export interface SentAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, number | string | readonly string[] | undefined>>;
  /** The length of the whole body. */
  readonly bytes: number;
  readonly body: CutText;
}

/** The beginning of a text. */
export interface CutText {
  readonly text: string;
  readonly isCut: boolean;
}

/** A request in the journal. */
export interface Entry extends Recorded {
  readonly id: number;
  /** When it was answered, in ms since 1970. */
  readonly atMs: number;
}

/** What was asked in a sandbox, the last requests of it. */
export interface Journal {
  add(recorded: Recorded): void;
  /** The oldest first. */
  entries(): readonly Entry[];
  /** Ids go on from where they were. */
  clear(): void;
  /** Has somebody be told of each further request; the function that is given back ends that. */
  follow(follower: (entry: Entry) => void): () => void;
}

/** The journals of a server, which share a bound. */
export interface Journals {
  /** A journal of so many requests. */
  create(most: number): Journal;
}

/** How much all journals may take together, in bytes. The oldest requests of all leave first. */
const MOST_BYTES = 32 * 1024 * 1024;

/** What a request takes beside its texts, in bytes. */
const ENTRY_BYTES = 700;

/** How much is kept of a body, in bytes. */
const KEPT_BYTES = 4096;

/** The beginning of a text, 4 kB of it, as a text of its own: the whole isn't kept for its sake. */
export function cut(text: string): CutText {
  if (text.length * 3 <= KEPT_BYTES) return { text, isCut: false };
  const bytes = Buffer.from(text.slice(0, KEPT_BYTES));
  if (bytes.length <= KEPT_BYTES && text.length <= KEPT_BYTES) return { text, isCut: false };
  let end = Math.min(KEPT_BYTES, bytes.length);
  // Not in the middle of a character: the bytes of one after the first begin with 10.
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return { text: bytes.toString('utf8', 0, end), isCut: true };
}

/** A place in the line of those that leave: empty once its request has left. */
interface Place {
  entry: Entry | undefined;
  readonly bytes: number;
}

/** Journals that take 32 MB together at most. `nowMs`: the machine's time, in ms since 1970. */
export function createJournals(nowMs: () => number): Journals {
  let line: Place[] = [];
  let bytes = 0;
  let live = 0;

  function leave(place: Place): void {
    if (!place.entry) return;
    place.entry = undefined;
    bytes -= place.bytes;
    live--;
  }

  function enter(entry: Entry): Place {
    const place: Place = { entry, bytes: bytesOf(entry) };
    line.push(place);
    bytes += place.bytes;
    live++;
    // Of those that have left some stand in the line still.
    if (line.length > 2 * live + 1_000) line = line.filter((one) => one.entry);
    if (bytes > MOST_BYTES) letGo();
    return place;
  }

  /** Lets the oldest go, somewhat more than has to be, so that not each further one does it again. */
  function letGo(): void {
    for (const place of line) {
      if (bytes <= MOST_BYTES * 0.9) break;
      leave(place);
    }
    line = line.filter(({ entry }) => entry);
  }

  function create(most: number): Journal {
    const places: Place[] = [];
    const followers = new Set<(entry: Entry) => void>();
    let last = 0;
    return {
      add(recorded) {
        const entry = { ...recorded, id: ++last, atMs: nowMs() };
        places.push(enter(entry));
        if (places.length > most) leave(places.shift() as Place);
        for (const follower of followers) follower(entry);
      },
      entries: () => places.flatMap(({ entry }) => entry ?? []),
      clear() {
        for (const place of places.splice(0)) leave(place);
      },
      follow(follower) {
        followers.add(follower);
        return () => followers.delete(follower);
      },
    };
  }

  return { create };
}

/** About how much a request takes. Answers that are kept elsewhere too are small beside the texts of requests. */
function bytesOf({ url, headersLength, body, answer }: Entry): number {
  return ENTRY_BYTES + url.length + headersLength + (body?.text.length ?? 0) + (answer?.body.text.length ?? 0);
}
