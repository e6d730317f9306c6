import type { JournalEntry } from '../control/operation.ts';

/** A request of the shop and its answer, as they are handed over. */
export interface Recorded extends Outcome {
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  /** The text of its body, as far as it was read. */
  readonly sent?: string | undefined;
}

/** What is known of a request beside what it brought along. */
interface Outcome {
  readonly method: string;
  /** As it was sent; it begins with the prefix, which names the sandbox. */
  readonly url: string;
  readonly prefix: string;
  /** Undefined where none went out. */
  readonly answer: SentAnswer | undefined;
  /** How long it took, in ms. */
  readonly ms: number;
  readonly operationId: string | undefined;
  /** What few have. */
  readonly remarks: Remarks | undefined;
}

/** What there is to say of a request: what was wrong with it, and what was forced upon it. */
export type Remarks = {
  readonly [What in 'violations' | 'breaches' | 'notes' | 'forced']?: JournalEntry[What] | undefined;
};

/** An answer as it went out; one that went out several times is kept once. */
export interface SentAnswer {
  readonly status: number;
  /** Those that not all answers have. */
  readonly headers: Readonly<Record<string, string>>;
  /** The length of the whole body, and its beginning. */
  readonly bytes: number;
  readonly text: string;
}

/** A request in the journal. */
export interface Entry extends Outcome {
  readonly id: number;
  /** When it was answered, in ms since 1970. */
  readonly atMs: number;
  /** A line for each name and each value. The same headers are kept once. */
  readonly headers: string;
  /** The beginning of its body, and whether that is all. */
  readonly body: string | undefined;
  readonly isCut: boolean;
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
const ENTRY_BYTES = 500;

/** How much is kept of a body, in bytes. */
const KEPT_BYTES = 4096;

/** The beginning of a text, 4 kB of it, as a text of its own: the whole isn't kept for its sake. */
export function beginningOf(text: string): string {
  // A character has three bytes at most, or is one of two that have four together.
  if (text.length * 3 <= KEPT_BYTES) return text;
  const bytes = Buffer.from(text.slice(0, KEPT_BYTES));
  if (bytes.length <= KEPT_BYTES) return text.length <= KEPT_BYTES ? text : bytes.toString();
  let end = KEPT_BYTES;
  // Not in the middle of a character: the bytes of one after the first begin with 10.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

/** How many different headers are looked up. */
const HEADERS_KNOWN = 5_000;

/** Gives back the same text for the same headers: a client sends the same ones each time. */
function headerPool(): (rawHeaders: readonly string[]) => string {
  const known = new Map<string, string>();
  return (rawHeaders) => {
    const text = rawHeaders.join('\n');
    const same = known.get(text);
    if (same !== undefined) return same;
    if (known.size >= HEADERS_KNOWN) known.clear();
    known.set(text, text);
    return text;
  };
}

/** A place in the line of those that leave: empty once its request has left. */
interface Place {
  entry: Entry | undefined;
  readonly bytes: number;
}

/** Journals that take 32 MB together at most. `nowMs`: the machine's time, in ms since 1970. */
export function createJournals(nowMs: () => number): Journals {
  const pooled = headerPool();
  let line: Place[] = [];
  let bytes = 0;
  let live = 0;

  // Written out, and not by spreading: an object that is made so takes half the room.
  function entryOf(
    { method, url, prefix, answer, ms, operationId, remarks, rawHeaders, sent }: Recorded,
    id: number,
  ): Entry {
    const body = sent && beginningOf(sent);
    const headers = pooled(rawHeaders);
    const isCut = body !== sent;
    return { id, atMs: nowMs(), method, url, prefix, headers, body, isCut, answer, ms, operationId, remarks };
  }

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
        const entry = entryOf(recorded, ++last);
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

/** About how much a request takes, what is kept once for several included. */
function bytesOf({ url, headers, body = '', answer }: Entry): number {
  return ENTRY_BYTES + url.length + headers.length + body.length + (answer?.text.length ?? 0);
}
