import type { JournalEntry } from '../../control/operation.ts';
import { measureHeaders, shareHeaders, truncateText } from './compact.ts';
import type { JournalMemory, MemoryUser } from './journal-memory.ts';

/** A request with its response, as `http` hands it over. */
export interface RecordedRequest {
  readonly method: string;
  /** The request target as it was sent, including the prefix. */
  readonly url: string;
  /** The beginning of the target that selects the sandbox, such as `/_sandbox/w1`; empty if there is none. */
  readonly prefix: string;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  /** The text of its body, as far as it was read. */
  readonly bodyText?: string | undefined;
  /** Undefined if no response was sent. */
  readonly response: RecordedResponse | undefined;
  /** The time from request to response, in ms. */
  readonly durationMs: number;
  readonly operationId: string | undefined;
  /** Undefined for most requests. */
  readonly remarks: Remarks | undefined;
}

/** What the journal adds to a request: its violations, notes, and the effects of faults and preferences. */
export type Remarks = {
  readonly [Name in 'violations' | 'responseViolations' | 'notes' | 'forced']?: JournalEntry[Name] | undefined;
};

/** A response as it was sent. The cache records one object for many requests. */
export interface RecordedResponse {
  readonly status: number;
  /** Headers that differ between responses. */
  readonly headers: Readonly<Record<string, string>>;
  /** The length of the complete body in bytes. */
  readonly bytes: number;
  /** The beginning of the body. */
  readonly text: string;
}

/** A recorded request. */
export interface Entry extends Omit<RecordedRequest, 'rawHeaders' | 'bodyText'> {
  readonly id: number;
  /** The time of the response, in ms since 1970. */
  readonly atMs: number;
  /** Names and values in turn. Consecutive requests with the same headers share one list. */
  readonly headers: readonly string[];
  /** The beginning of the body. */
  readonly body: string | undefined;
  readonly isTruncated: boolean;
  /** The approximate memory of the entry in bytes, including what it shares with others. */
  readonly bytes: number;
}

/** Why a journal ended: its sandbox was deleted or has expired. */
export interface Ending {
  readonly event: 'removed' | 'expired';
  readonly sandbox: string;
  /** In ms since 1970. */
  readonly atMs: number;
}

/** Receives the new entries of a journal. */
export interface Follower {
  readonly onEntry: (entry: Entry) => void;
  /** `ending` is undefined if the journal continues without this follower. */
  readonly onEnd: (ending?: Ending) => void;
}

/** Options of a journal. */
export interface JournalOptions {
  /** The number of requests that it keeps. */
  readonly maxEntries: number;
  /** Called each time a follower leaves. */
  readonly onUnfollow: () => void;
  /** The memory that the journals of a server share. */
  readonly memory: JournalMemory;
  /** Returns the machine's time in ms since 1970. */
  readonly nowMs: () => number;
  /** A monotonic clock in ms. */
  readonly elapsedMs: () => number;
}

/** The recorded requests of a sandbox, in a ring buffer: the entry with an id has the index `(id - 1) % maxEntries`. */
export class Journal implements MemoryUser {
  usedBytes = 0;
  private readonly ring: (Entry | undefined)[] = [];
  private readonly followers = new Set<Follower>();
  private firstId = 1;
  private latestId = 0;
  private droppedId = 0;
  private clearedMs = Number.NEGATIVE_INFINITY;
  private hasEnded = false;

  constructor(private readonly options: JournalOptions) {}

  /** Adds a request, unless the journal has ended. */
  add(request: RecordedRequest): void {
    const { maxEntries, memory, nowMs, elapsedMs } = this.options;
    // A request that began before the journal was cleared is not recorded.
    if (this.hasEnded || (request.durationMs > 0 && elapsedMs() - request.durationMs < this.clearedMs)) return;
    const id = this.latestId + 1;
    const headers = shareHeaders(request.rawHeaders, (back) => this.get(id - back)?.headers);
    const entry = createEntry(request, { id, atMs: nowMs(), headers });
    if (id - this.firstId === maxEntries) this.drop(this.firstId);
    this.latestId = id;
    this.ring[(id - 1) % maxEntries] = entry;
    memory.add(this, entry.bytes);
    memory.enforceLimit();
    for (const follower of this.followers) notify(follower, entry);
  }

  /** Returns the current entries, oldest first. */
  entries(): readonly Entry[] {
    return Array.from({ length: this.size() }, (_, index) => this.get(this.firstId + index) as Entry);
  }

  /** Returns the number of entries. */
  size(): number {
    return this.latestId - this.firstId + 1;
  }

  /** Returns the oldest entry with an id greater than `id`. */
  entryAfter(id: number): Entry | undefined {
    return id < this.latestId ? this.get(Math.max(this.firstId, id + 1)) : undefined;
  }

  /** Returns the id of the last request that was added, even if the journal has dropped it; 0 if there is none. */
  lastId(): number {
    return this.latestId;
  }

  /** Returns the id of the last request that was dropped to make room since the journal was cleared; 0 if there is none. */
  lastDroppedId(): number {
    return this.droppedId;
  }

  /** Deletes the entries. Requests that are in progress are not recorded. Ids continue. */
  clear(): void {
    this.drop(this.latestId);
    this.droppedId = 0;
    this.clearedMs = this.options.elapsedMs();
  }

  get isFollowed(): boolean {
    return this.followers.size > 0;
  }

  /** Calls the follower for each new request and for the end of the journal. Returns a function that stops this. */
  follow(follower: Follower): () => void {
    this.followers.add(follower);
    return () => {
      if (this.followers.delete(follower)) this.options.onUnfollow();
    };
  }

  /** Deletes the entries, ends the followers, and ignores new requests. */
  end(ending: Ending): void {
    this.hasEnded = true;
    this.clear();
    for (const { onEnd } of this.followers) onEnd(ending);
  }

  dropOlderHalf(): void {
    this.drop(this.firstId + Math.floor((this.latestId - this.firstId) / 2));
  }

  /** Returns the entry with an id from the first to the latest. */
  private get(id: number): Entry | undefined {
    return this.ring[(id - 1) % this.options.maxEntries];
  }

  /** Drops the entries up to an id. */
  private drop(lastId: number): void {
    const { maxEntries, memory } = this.options;
    for (; this.firstId <= lastId; this.firstId++) {
      memory.add(this, -(this.get(this.firstId)?.bytes ?? 0));
      this.ring[(this.firstId - 1) % maxEntries] = undefined;
    }
    this.droppedId = lastId;
  }
}

/** The memory of an entry in addition to its texts, in bytes. */
const ENTRY_BYTES = 500;

/** Creates an entry. Lists its properties, because an object made with spread syntax uses twice the memory. */
function createEntry(request: RecordedRequest, { id, atMs, headers }: Pick<Entry, 'id' | 'atMs' | 'headers'>): Entry {
  const { method, url, prefix, response, durationMs, operationId, remarks, bodyText } = request;
  const body = bodyText && truncateText(bodyText);
  const isTruncated = body !== bodyText;
  const bytes = ENTRY_BYTES + url.length + measureHeaders(headers) + (body?.length ?? 0) + (response?.text.length ?? 0);
  return {
    id,
    atMs,
    method,
    url,
    prefix,
    headers,
    body,
    isTruncated,
    response,
    durationMs,
    operationId,
    remarks,
    bytes,
  };
}

/** Hands an entry to a follower. A follower that throws is ended: its failure is not the request's. */
function notify({ onEntry, onEnd }: Follower, entry: Entry): void {
  try {
    onEntry(entry);
  } catch {
    onEnd();
  }
}
