import type { JournalEntry } from '../../control/operation.ts';
import { measureHeaders, shareHeaders, truncateText } from './compact.ts';

/** A request of the shop and its answer, as they are handed over. */
export interface RecordedRequest extends Outcome {
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
  readonly answer: RecordedResponse | undefined;
  /** How long it took, in ms. */
  readonly ms: number;
  readonly operationId: string | undefined;
  /** What few have. */
  readonly remarks: Remarks | undefined;
}

/** What there is to say of a request: what was wrong with it, and what was forced upon it. */
export type Remarks = {
  readonly [What in 'violations' | 'responseViolations' | 'notes' | 'forced']?: JournalEntry[What] | undefined;
};

/** An answer as it went out; one that went out several times is kept once. */
export interface RecordedResponse {
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
  /** Names and values in turn; one and the same list for requests that follow one another with the same. */
  readonly headers: readonly string[];
  /** The beginning of its body, and whether that is all. */
  readonly body: string | undefined;
  readonly isTruncated: boolean;
  /** About how much it takes, what is kept once for several included. */
  readonly bytes: number;
}

/** What was asked in a sandbox, the last requests of it. */
export interface Journal {
  add(recorded: RecordedRequest): void;
  /** The oldest first, as they are now. */
  entries(): readonly Entry[];
  /** How many there are. */
  size(): number;
  /** The oldest entry whose id is greater than `id`; undefined where there is none. */
  entryAfter(id: number): Entry | undefined;
  /** The id of the last request that was added, even where it has left the journal; 0 where none was. */
  lastId(): number;
  /** The id of the last request that had to leave for others since it was cleared; 0 where none had. */
  forgotten(): number;
  /** Forgets all, what has begun and is not answered yet too. Ids go on from where they were. */
  clear(): void;
  /** Has somebody be told of each further request, and of the end; the function that is given back ends that. */
  follow(follower: Follower): () => void;
  /** Whether somebody follows it. */
  readonly isFollowed: boolean;
  /** Forgets all, takes no more, and tells those who follow. */
  end(ending: Ending): void;
}

/** Why a journal has ended: its sandbox was removed, or it expired. */
export interface Ending {
  readonly event: 'removed' | 'expired';
  readonly sandbox: string;
  /** When, in ms since 1970. */
  readonly atMs: number;
}

/** Somebody who follows a journal. */
export interface Follower {
  readonly tell: (entry: Entry) => void;
  /** `ending` is undefined where the journal goes on. */
  readonly end: (ending?: Ending) => void;
}

/** The journals of a server, which share a bound. */
export interface Journals {
  /** A journal of so many requests. `onUnfollow` is called each time a follower leaves. */
  create(most: number, onUnfollow?: () => void): Journal;
}

/** How much all journals may take together, in bytes, and down to what they are brought where it is more. Those that hold most lose their oldest. */
const MOST_BYTES = 32 * 1024 * 1024;
const EASED_BYTES = MOST_BYTES * 0.9;

/** What a request takes beside its texts, in bytes. */
const ENTRY_BYTES = 500;

/** A journal as the others see it. */
interface Holder {
  bytes: number;
  /** Lets go of the older half. */
  ease(): void;
}

/** Journals that take 32 MB together at most. `nowMs`: the machine's time, in ms since 1970; `elapsedMs`: how long it has been up or the like. */
export function createJournals(nowMs: () => number, elapsedMs: () => number): Journals {
  const holders = new Set<Holder>();
  let bytes = 0;

  function hold(holder: Holder, more: number): void {
    holder.bytes += more;
    bytes += more;
    if (holder.bytes === more) holders.add(holder);
    else if (holder.bytes === 0) holders.delete(holder);
  }

  function makeRoom(): void {
    while (bytes > EASED_BYTES && holders.size > 0) {
      for (const holder of [...holders].sort((one, other) => other.bytes - one.bytes)) {
        if (bytes <= EASED_BYTES) return;
        holder.ease();
      }
    }
  }

  // Written out, and not by spreading: an object that is made so takes half the room.
  function entryOf(recorded: RecordedRequest, id: number, headers: Entry['headers']): Entry {
    const { method, url, prefix, answer, ms, operationId, remarks, sent } = recorded;
    const body = sent && truncateText(sent);
    const isTruncated = body !== sent;
    const bytes = ENTRY_BYTES + url.length + measureHeaders(headers) + (body?.length ?? 0) + (answer?.text.length ?? 0);
    return {
      id,
      atMs: nowMs(),
      method,
      url,
      prefix,
      headers,
      body,
      isTruncated,
      answer,
      ms,
      operationId,
      remarks,
      bytes,
    };
  }

  function create(most: number, onUnfollow: () => void = () => {}): Journal {
    /** Each entry at the place of its id, by turns: the newest takes that of the oldest. */
    const places: (Entry | undefined)[] = [];
    const followers = new Set<Follower>();
    let first = 1;
    let last = 0;
    let forgotten = 0;
    let clearedMs = Number.NEGATIVE_INFINITY;
    let isOver = false;
    /** The entry with an id from the first to the last. */
    const at = (id: number) => places[(id - 1) % most];
    const size = () => last - first + 1;
    const forget = (upTo: number) => {
      for (; first <= upTo; first++) {
        hold(holder, -(at(first)?.bytes ?? 0));
        places[(first - 1) % most] = undefined;
      }
      forgotten = upTo;
    };
    const holder: Holder = {
      bytes: 0,
      ease: () => forget(first + Math.floor((last - first) / 2)),
    };
    const clear = () => {
      forget(last);
      forgotten = 0;
      clearedMs = elapsedMs();
    };
    return {
      add(recorded) {
        // What began before is of the time before.
        if (isOver || (recorded.ms > 0 && elapsedMs() - recorded.ms < clearedMs)) return;
        const entry = entryOf(
          recorded,
          last + 1,
          shareHeaders(recorded.rawHeaders, (back) => at(last + 1 - back)?.headers),
        );
        if (entry.id - first === most) forget(first);
        last = entry.id;
        places[(last - 1) % most] = entry;
        hold(holder, entry.bytes);
        if (bytes > MOST_BYTES) makeRoom();
        for (const follower of followers) told(follower, entry);
      },
      size,
      entryAfter: (id) => (id < last ? at(Math.max(first, id + 1)) : undefined),
      lastId: () => last,
      entries: () => Array.from({ length: size() }, (_, place) => at(first + place) as Entry),
      forgotten: () => forgotten,
      clear,
      get isFollowed() {
        return followers.size > 0;
      },
      end(ending) {
        isOver = true;
        clear();
        for (const { end } of followers) end(ending);
      },
      follow(follower) {
        followers.add(follower);
        return () => {
          if (followers.delete(follower)) onUnfollow();
        };
      },
    };
  }

  return { create };
}

/** Tells somebody, whose trouble with it is not the request's. */
function told({ tell, end }: Follower, entry: Entry): void {
  try {
    tell(entry);
  } catch {
    // Nothing can be told to them any more.
    end();
  }
}
