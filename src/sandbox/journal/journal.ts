import { findDifference, findListChanges, hasSameList } from '../../store/entry-list.ts';
import type { Entry } from '../../store/state.ts';
import { MEGABYTE } from '../../util/limits.ts';
import {
  type JournalRecord,
  measureHeaders,
  measureValue,
  type RecordedRequest,
  type StateChange,
  type StoredHeaders,
  type StoredRequest,
  toStoredRequest,
} from './recorded-request.ts';

/** The event that ends a journal: its sandbox was deleted (`removed`) or has expired. */
export interface Ending {
  readonly event: 'removed' | 'expired';
  readonly sandbox: string;
  /** The time of the event, in ms since 1970. */
  readonly atMs: number;
}

/** Functions that a journal calls: `onRecord` for each new record, and finally `onEnd`. */
export interface Follower {
  readonly onRecord: (record: JournalRecord) => void;
  /** Called when the journal starts again without records. Later records can have smaller ids than earlier records. */
  readonly onRestart?: () => void;
  /**
   * `ending`: why the journal has ended.
   * Undefined if this follower was stopped because `onRecord` has thrown an error.
   * The journal then continues.
   */
  readonly onEnd: (ending?: Ending) => void;
}

/** Options of a journal. */
export interface JournalOptions {
  /** The maximum number of records. A new record replaces the oldest record. */
  readonly maxRecords: number;
  /** Called each time a follower is removed. */
  readonly onUnfollow: () => void;
  /** Counts the memory of all journals of the server, and limits it. */
  readonly memory: JournalMemory;
  /** Returns the system time, in ms since 1970. */
  readonly nowMs: () => number;
  /** Returns the time of a monotonic clock in ms. */
  readonly elapsedMs: () => number;
}

/**
 * The recorded requests of a sandbox, in a ring buffer.
 * The request with the id N is at the index `(N - 1) % maxRecords`.
 */
export class Journal {
  /** The approximate memory of the records, in bytes. */
  usedBytes = 0;
  /** The changes that the latest requests made to the state. */
  readonly changes: ChangeHistory;
  private readonly ring: (StoredRequest | undefined)[] = [];
  /** The times of the responses, in ms since 1970, at the same indexes as the requests in `ring`. */
  private readonly timesMs: number[] = [];
  private readonly followers = new Set<Follower>();
  private firstId = 1;
  private latestId = 0;
  private droppedId = 0;
  private clearedMs = Number.NEGATIVE_INFINITY;
  private hasEnded = false;

  constructor(private readonly options: JournalOptions) {
    this.changes = new ChangeHistory((bytes) => options.memory.add(this, bytes));
  }

  /** Adds a request. Does nothing if the journal has ended, or if the journal was cleared after the request began. */
  add(request: RecordedRequest): void {
    if (this.isOutdated(request)) return;
    const { rawHeaders, changes } = request;
    this.insert(this.latestId + 1, toStoredRequest(request, this.findHeaders(rawHeaders)), this.options.nowMs());
    if (changes && !this.hasEnded) this.changes.add(this.latestId, compareAllStates(changes));
  }

  /**
   * Returns a header list for a new request.
   * If one of the latest requests has the same headers, returns its list instead of `headers`, to save memory.
   */
  private findHeaders(headers: readonly string[]): StoredHeaders {
    for (let id = this.latestId; id > this.latestId - COMPARED_REQUESTS; id--) {
      const earlier = this.ring[(id - 1) % this.options.maxRecords];
      const known = earlier?.headers;
      if (known === headers || (known?.length === headers.length && known.every((part, at) => part === headers[at])))
        return earlier as StoredRequest;
    }
    return measureHeaders(headers);
  }

  /** Adds a request that already has the form in which the journal stores it. Does nothing if the journal has ended. */
  addStored(request: StoredRequest): void {
    this.insert(this.latestId + 1, request, this.options.nowMs());
  }

  /**
   * Adds a request with the given id.
   * The id must be greater than the id of the latest request.
   * `atMs`: the time of the response, in ms since 1970.
   */
  protected insert(id: number, request: StoredRequest, atMs: number): void {
    const { maxRecords, memory } = this.options;
    if (this.hasEnded) return;
    if (id > this.latestId + 1) this.skip(id - 1);
    if (id - this.firstId === maxRecords) this.drop(this.firstId);
    this.latestId = id;
    this.ring[(id - 1) % maxRecords] = request;
    this.timesMs[(id - 1) % maxRecords] = atMs;
    memory.add(this, request.bytes);
    if (memory.usedBytes > MAX_BYTES) memory.enforceLimit();
    if (this.followers.size === 0) return;
    const record = this.toRecord(id);
    for (const follower of this.followers) notify(follower, record);
  }

  /** Removes the records with ids below `firstId`, because another server has cleared the journal. */
  protected removeCleared(firstId: number): void {
    if (firstId <= this.firstId) return;
    this.skip(firstId - 1);
    this.droppedId = 0;
  }

  /** Removes all records, and forgets the ids. The next record can have any id. */
  restart(): void {
    this.drop(this.latestId);
    [this.firstId, this.latestId, this.droppedId] = [1, 0, 0];
    for (const { onRestart } of this.followers) onRestart?.();
  }

  /** Removes the records up to and including `id`. The next request gets a greater id. */
  private skip(id: number): void {
    this.drop(Math.min(id, this.latestId));
    if (id <= this.latestId) return;
    this.latestId = id;
    this.firstId = id + 1;
    this.droppedId = id;
  }

  /** Returns whether a request began before the journal was last cleared. Such a request is not recorded. */
  protected isOutdated({ durationMs }: RecordedRequest): boolean {
    return durationMs > 0 && this.options.elapsedMs() - durationMs < this.clearedMs;
  }

  protected get maxRecords(): number {
    return this.options.maxRecords;
  }

  /** Returns the system time, in ms since 1970. */
  protected nowMs(): number {
    return this.options.nowMs();
  }

  /** Returns the current records, oldest first. */
  records(): readonly JournalRecord[] {
    return Array.from({ length: this.size() }, (_, index) => this.toRecord(this.firstId + index));
  }

  /** Returns the number of records. */
  size(): number {
    return this.latestId - this.firstId + 1;
  }

  /** Returns the first record with an id greater than `id`. Returns undefined if there is no such record. */
  recordAfter(id: number): JournalRecord | undefined {
    return id < this.latestId && this.size() > 0 ? this.toRecord(Math.max(this.firstId, id + 1)) : undefined;
  }

  /** Returns the id of the latest request, even if its record was deleted. Returns 0 if there was no request. */
  lastId(): number {
    return this.latestId;
  }

  /**
   * Returns the id of the latest record that a limit has deleted.
   * Returns 0 if no limit has deleted a record since the journal was last cleared.
   */
  lastDroppedId(): number {
    return this.droppedId;
  }

  /**
   * Deletes all records.
   * Requests that are still in progress are not recorded.
   * The ids of new requests continue after the latest id.
   */
  clear(): void {
    this.drop(this.latestId);
    this.droppedId = 0;
    this.clearedMs = this.options.elapsedMs();
  }

  /** Whether the journal has a follower. */
  get isFollowed(): boolean {
    return this.followers.size > 0;
  }

  /** Adds a follower. Returns a function that removes the follower. */
  follow(follower: Follower): () => void {
    this.followers.add(follower);
    return () => {
      if (this.followers.delete(follower)) this.options.onUnfollow();
    };
  }

  /**
   * Ends the journal: calls `onEnd` of the followers, which can still read the records, then deletes all records, and
   * ignores later requests.
   */
  end(ending: Ending): void {
    this.hasEnded = true;
    for (const { onEnd } of this.followers) onEnd(ending);
    this.clear();
  }

  /** Deletes the older half of the records. */
  dropOlderHalf(): void {
    this.drop(this.firstId + Math.floor((this.latestId - this.firstId) / 2));
  }

  /** Returns the request with the given id, which must be in the range from `firstId` to `latestId`. */
  private get(id: number): StoredRequest | undefined {
    return this.ring[(id - 1) % this.options.maxRecords];
  }

  /** Returns the record with the given id, which must be in the range from `firstId` to `latestId`. */
  private toRecord(id: number): JournalRecord {
    const atMs = this.timesMs[(id - 1) % this.options.maxRecords] as number;
    return { ...(this.get(id) as StoredRequest), id, atMs };
  }

  /** Deletes the records up to and including the id `lastId`. */
  private drop(lastId: number): void {
    const { maxRecords, memory } = this.options;
    for (; this.firstId <= lastId; this.firstId++) {
      memory.add(this, -(this.get(this.firstId)?.bytes ?? 0));
      this.ring[(this.firstId - 1) % maxRecords] = undefined;
    }
    this.changes.drop(lastId);
    this.droppedId = lastId;
  }
}

/** The number of earlier requests whose headers are compared with the headers of a new request. */
const COMPARED_REQUESTS = 4;

/**
 * Calls `onRecord` of a follower.
 * If `onRecord` throws an error, calls `onEnd`.
 * The error is ignored, so that the recorded request does not fail.
 */
function notify({ onRecord, onEnd }: Follower, record: JournalRecord): void {
  try {
    onRecord(record);
  } catch {
    onEnd();
  }
}

/** The maximum memory of all journals of a server, in bytes. */
const MAX_BYTES = 32 * MEGABYTE;

/**
 * The memory to which all journals are reduced if they exceed the maximum, in bytes.
 * It is below the maximum, so that not every new request must delete records.
 */
const REDUCED_BYTES = MAX_BYTES * 0.9;

/** A journal whose memory is counted. */
interface CountedJournal {
  /** The approximate memory of the records, in bytes. */
  usedBytes: number;
  /** Deletes the older half of the records. */
  dropOlderHalf(): void;
}

/** Counts the memory of all journals of a server, and enforces the limit of 32 MB. */
export class JournalMemory {
  private readonly journals = new Set<CountedJournal>();
  /** The approximate memory of all journals, in bytes. */
  usedBytes = 0;

  /** Adds bytes to the counted memory of a journal. A negative number subtracts bytes. */
  add(journal: CountedJournal, bytes: number): void {
    if (journal.usedBytes === 0) this.journals.add(journal);
    journal.usedBytes += bytes;
    this.usedBytes += bytes;
    if (journal.usedBytes === 0) this.journals.delete(journal);
  }

  /**
   * Deletes records until the memory is 10 % below the limit.
   * Deletes the older half of one journal after the other, the largest journal first.
   */
  enforceLimit(): void {
    while (this.usedBytes > REDUCED_BYTES && this.journals.size > 0) {
      const journals = [...this.journals].sort((a, b) => b.usedBytes - a.usedBytes);
      for (const journal of journals) if (this.usedBytes > REDUCED_BYTES) journal.dropOlderHalf();
    }
  }
}

/** A change of a collection: at the index `start`, the entries in `after` replace the entries in `before`. */
export interface ListChange {
  readonly collection: string;
  readonly start: number;
  readonly before: readonly Entry[];
  readonly after: readonly Entry[];
}

/** The changes that a request made to the state, and their approximate memory in bytes. */
interface RequestChanges {
  readonly lists: readonly ListChange[];
  readonly bytes: number;
}

/** The maximum number of requests whose changes are stored for each sandbox. */
export const MAX_CHANGED_REQUESTS = 20;

/** The maximum number of entries in the changes of one request. Changes with more entries are not stored. */
const MAX_ENTRIES = 1_000;

/** The maximum memory of the changes of one request, in bytes. Larger changes are not stored. */
const MAX_CHANGED_BYTES = 1_000_000;

/** The changes that the latest requests made to the state of a sandbox, by the id of the request in the journal. */
export class ChangeHistory {
  private readonly changes = new Map<number, RequestChanges>();

  /** `charge`: adds bytes to the memory of the journal. A negative number frees memory. */
  constructor(private readonly charge: (bytes: number) => void) {}

  /** Adds the changes of a request, as returned by `compareAllStates`. `id`: the id of the request in the journal. */
  add(id: number, lists: readonly ListChange[]): void {
    const entries = lists.reduce((count, { before, after }) => count + before.length + after.length, 0);
    if (entries > MAX_ENTRIES) return;
    let bytes = 0;
    for (const { before, after } of lists) for (const entry of [...before, ...after]) bytes += measureValue(entry);
    if (bytes > MAX_CHANGED_BYTES) return;
    this.changes.set(id, { lists, bytes });
    this.charge(bytes);
    const [oldest] = this.changes.keys();
    if (this.changes.size > MAX_CHANGED_REQUESTS && oldest !== undefined) this.delete(oldest);
  }

  /** Returns the changes of the request with the given id. Returns undefined if they are not stored. */
  get(id: number): readonly ListChange[] | undefined {
    return this.changes.get(id)?.lists;
  }

  /** Removes the changes of all requests up to and including the id `lastId`. */
  drop(lastId: number): void {
    // The ids are in ascending order.
    for (const id of this.changes.keys()) {
      if (id > lastId) return;
      this.delete(id);
    }
  }

  private delete(id: number): void {
    this.charge(-(this.changes.get(id)?.bytes ?? 0));
    this.changes.delete(id);
  }
}

/**
 * Returns the entries that differ between the states before and after each change.
 * Ignores lists that are missing in `after`, because the store does not change them.
 * Uses loops, because it runs for each change, and `flatMap` takes five times as long.
 */
export function compareAllStates(states: readonly StateChange[]): readonly ListChange[] {
  const changes: ListChange[] = [];
  for (const { before, after } of states) {
    for (const collection of Object.keys(after)) {
      if (hasSameList(before, after, collection)) continue;
      const [change, ...others] = findListChanges(before, after, collection);
      if (!change) continue;
      if (others.length === 0) {
        if (change.removed.length + change.inserted.length > 0)
          changes.push({ collection, start: change.from, before: change.removed, after: change.inserted });
        continue;
      }
      const [from, to] = [before[collection] ?? [], after[collection] ?? []];
      const { start, fromEnd, toEnd } = findDifference(from, to);
      if (start < Math.max(fromEnd, toEnd))
        changes.push({ collection, start, before: from.slice(start, fromEnd), after: to.slice(start, toEnd) });
    }
  }
  return changes;
}
