import { MEGABYTE } from '../../util/limits.ts';
import {
  type Entry,
  type RecordedRequest,
  type StoredRequest,
  shareHeaders,
  toStoredRequest,
} from './recorded-request.ts';

/** The end of a journal, because its sandbox was deleted or has expired. */
export interface Ending {
  readonly event: 'removed' | 'expired';
  readonly sandbox: string;
  /** In ms since 1970. */
  readonly atMs: number;
}

/** Receives the new entries of a journal. */
export interface Follower {
  readonly onEntry: (entry: Entry) => void;
  /** `ending` is undefined if only this follower is removed, because its `onEntry` threw an error. */
  readonly onEnd: (ending?: Ending) => void;
}

/** Options of a journal. */
export interface JournalOptions {
  /** The maximum number of entries. */
  readonly maxEntries: number;
  /** Called each time a follower is removed. */
  readonly onUnfollow: () => void;
  /** The memory of all journals of the server. */
  readonly memory: JournalMemory;
  /** Returns the machine's time in ms since 1970. */
  readonly nowMs: () => number;
  /** Returns the time of a monotonic clock in ms. */
  readonly elapsedMs: () => number;
}

/** The request journal of a sandbox: a ring buffer. The request with the id N has the index `(N - 1) % maxEntries`. */
export class Journal {
  /** The approximate memory of the entries, in bytes. */
  usedBytes = 0;
  private readonly ring: (StoredRequest | undefined)[] = [];
  /** The times of the responses, in ms since 1970. They have the same indexes as the requests. */
  private readonly timesMs: number[] = [];
  private readonly followers = new Set<Follower>();
  private firstId = 1;
  private latestId = 0;
  private droppedId = 0;
  private clearedMs = Number.NEGATIVE_INFINITY;
  private hasEnded = false;

  constructor(private readonly options: JournalOptions) {}

  /** Adds a request, unless the journal has ended. */
  add(request: RecordedRequest): void {
    const { durationMs, rawHeaders } = request;
    // A request that began before the journal was cleared is not recorded.
    if (durationMs > 0 && this.options.elapsedMs() - durationMs < this.clearedMs) return;
    const headers = shareHeaders(rawHeaders, (back) => this.get(this.latestId + 1 - back));
    this.addStored(toStoredRequest(request, headers));
  }

  /** Adds a request that is already converted for storage and has just begun, unless the journal has ended. */
  addStored(request: StoredRequest): void {
    const { maxEntries, memory, nowMs } = this.options;
    if (this.hasEnded) return;
    const id = this.latestId + 1;
    if (id - this.firstId === maxEntries) this.drop(this.firstId);
    this.latestId = id;
    this.ring[(id - 1) % maxEntries] = request;
    this.timesMs[(id - 1) % maxEntries] = nowMs();
    memory.add(this, request.bytes);
    memory.enforceLimit();
    if (this.isFollowed) this.notifyFollowers(id);
  }

  /** Returns the current entries, oldest first. */
  entries(): readonly Entry[] {
    return Array.from({ length: this.size() }, (_, index) => this.toEntry(this.firstId + index));
  }

  /** Returns the number of entries. */
  size(): number {
    return this.latestId - this.firstId + 1;
  }

  /** Returns the oldest entry with an id greater than `id`; undefined if there is none. */
  entryAfter(id: number): Entry | undefined {
    return id < this.latestId && this.size() > 0 ? this.toEntry(Math.max(this.firstId, id + 1)) : undefined;
  }

  /** Returns the id of the latest request, even if its entry was deleted; 0 if there is none. */
  lastId(): number {
    return this.latestId;
  }

  /** Returns the id of the latest entry that was deleted because of a limit; 0 if no entry was, since the journal was last cleared. */
  lastDroppedId(): number {
    return this.droppedId;
  }

  /** Deletes the entries. Requests that are in progress will not be recorded. The next id is not reset. */
  clear(): void {
    this.drop(this.latestId);
    this.droppedId = 0;
    this.clearedMs = this.options.elapsedMs();
  }

  /** Whether the journal has a follower. */
  get isFollowed(): boolean {
    return this.followers.size > 0;
  }

  /** Adds a follower: calls it for each new request and for the end of the journal. Returns a function that removes the follower. */
  follow(follower: Follower): () => void {
    this.followers.add(follower);
    return () => {
      if (this.followers.delete(follower)) this.options.onUnfollow();
    };
  }

  /** Deletes the entries, calls `onEnd` of the followers, and ignores later requests. */
  end(ending: Ending): void {
    this.hasEnded = true;
    this.clear();
    for (const { onEnd } of this.followers) onEnd(ending);
  }

  /** Deletes the older half of the entries. */
  dropOlderHalf(): void {
    this.drop(this.firstId + Math.floor((this.latestId - this.firstId) / 2));
  }

  /** Returns the request with an id. The id must be in the range from `firstId` to `latestId`. */
  private get(id: number): StoredRequest | undefined {
    return this.ring[(id - 1) % this.options.maxEntries];
  }

  /** Returns the entry with an id. The id must be in the range from `firstId` to `latestId`. */
  private toEntry(id: number): Entry {
    const atMs = this.timesMs[(id - 1) % this.options.maxEntries] as number;
    return { ...(this.get(id) as StoredRequest), id, atMs };
  }

  private notifyFollowers(id: number): void {
    const entry = this.toEntry(id);
    for (const follower of this.followers) notify(follower, entry);
  }

  /** Deletes the entries up to and including an id. */
  private drop(lastId: number): void {
    const { maxEntries, memory } = this.options;
    for (; this.firstId <= lastId; this.firstId++) {
      memory.add(this, -(this.get(this.firstId)?.bytes ?? 0));
      this.ring[(this.firstId - 1) % maxEntries] = undefined;
    }
    this.droppedId = lastId;
  }
}

/** Calls `onEntry` of a follower. If it throws, calls `onEnd`, because an error of a follower must not fail the request. */
function notify({ onEntry, onEnd }: Follower, entry: Entry): void {
  try {
    onEntry(entry);
  } catch {
    onEnd();
  }
}

/** The maximum memory of all journals of a server, in bytes. */
const MAX_BYTES = 32 * MEGABYTE;

/** The memory to which the journals are reduced when they exceed the maximum, in bytes. It is smaller than the maximum, so that most requests delete nothing. */
const REDUCED_BYTES = MAX_BYTES * 0.9;

/** Counts the memory of all journals of a server, and enforces the limit of 32 MB. */
export class JournalMemory {
  private readonly journals = new Set<Journal>();
  private bytes = 0;

  /** Adds bytes to the memory of a journal. A negative number removes bytes. */
  add(journal: Journal, bytes: number): void {
    if (journal.usedBytes === 0) this.journals.add(journal);
    journal.usedBytes += bytes;
    this.bytes += bytes;
    if (journal.usedBytes === 0) this.journals.delete(journal);
  }

  /** If the limit is exceeded, deletes the older half of the entries of one journal after the other. Starts with the journal that uses the most memory. */
  enforceLimit(): void {
    if (this.bytes <= MAX_BYTES) return;
    while (this.bytes > REDUCED_BYTES && this.journals.size > 0) {
      const journals = [...this.journals].sort((a, b) => b.usedBytes - a.usedBytes);
      for (const journal of journals) if (this.bytes > REDUCED_BYTES) journal.dropOlderHalf();
    }
  }
}
