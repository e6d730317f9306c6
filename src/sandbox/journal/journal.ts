import { MEGABYTE } from '../../util/limits.ts';
import { ChangeHistory, compareAllStates } from './change-history.ts';
import {
  type JournalRecord,
  measureHeaders,
  type RecordedRequest,
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

/**
 * Functions that a journal calls: `onRecord` for each new record, again when a waiting request has ended, and finally
 * `onEnd`.
 */
export interface Follower {
  readonly onRecord: (record: JournalRecord) => void;
  /** Called when a waiting request has ended whose record gets another id. `id`: the former id. */
  readonly onWaitingEnd?: (id: number) => void;
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
  /** The ids of the requests that have no response yet, because a fault or a delay holds them back. */
  private readonly waitingIds = new Set<number>();
  /** The present ids of waiting requests that `clearEnded` has moved, by the ids that `addWaiting` returned. */
  private readonly movedIds = new Map<number, number>();
  private readonly followers = new Set<Follower>();
  private firstId = 1;
  private latestId = 0;
  private droppedId = 0;
  private clearedMs = Number.NEGATIVE_INFINITY;
  private hasEnded = false;

  constructor(private readonly options: JournalOptions) {
    this.changes = new ChangeHistory((bytes) => options.memory.add(this, bytes));
  }

  /**
   * Adds a request that has ended.
   * Does nothing if the journal has ended, or if the journal was cleared after the request began.
   * `waitingId`: the id that `addWaiting` returned. The record of this id is replaced, unless it was dropped.
   */
  add(request: RecordedRequest, waitingId?: number): void {
    const id = this.findWaiting(waitingId);
    if (waitingId !== undefined) this.movedIds.delete(waitingId);
    if (id === undefined && this.isOutdated(request)) return;
    const { rawHeaders, changes } = request;
    const stored = toStoredRequest(request, this.findHeaders(rawHeaders));
    if (id === undefined) this.insert(this.latestId + 1, stored, this.options.nowMs());
    else {
      this.waitingIds.delete(id);
      this.replace(id, stored);
    }
    if (changes && !this.hasEnded) this.changes.add(id ?? this.latestId, compareAllStates(changes));
  }

  /** Returns the present id of a waiting request. `waitingId`: the id that `addWaiting` returned. */
  private findWaiting(waitingId: number | undefined): number | undefined {
    if (waitingId === undefined) return undefined;
    const id = this.movedIds.get(waitingId) ?? waitingId;
    return this.waitingIds.has(id) ? id : undefined;
  }

  /**
   * Adds a request that waits, so that it is visible before it has a response.
   * Returns the id of the record, for `add`. Returns undefined if the journal has ended or was cleared in the meantime.
   * `waitingId`: the id that an earlier call has returned, if the request waits again.
   */
  addWaiting(request: RecordedRequest, waitingId?: number): number | undefined {
    const known = this.findWaiting(waitingId);
    if (this.hasEnded || (known === undefined && this.isOutdated(request))) return undefined;
    const stored = toStoredRequest(request, this.findHeaders(request.rawHeaders));
    if (known !== undefined) {
      this.replace(known, stored);
      return waitingId;
    }
    this.waitingIds.add(this.latestId + 1);
    this.insert(this.latestId + 1, stored, this.options.nowMs());
    return this.latestId;
  }

  /** Replaces the record with the given id, which exists. */
  private replace(id: number, request: StoredRequest): void {
    const { maxRecords, memory, nowMs } = this.options;
    memory.add(this, request.bytes - (this.get(id)?.bytes ?? 0));
    this.ring[(id - 1) % maxRecords] = request;
    this.timesMs[(id - 1) % maxRecords] = nowMs();
    this.notify(() => this.toRecord(id));
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
    memory.enforceLimit();
    this.notify(() => this.toRecord(id));
  }

  /** Calls the followers with a record. `create`: creates the record, if there is a follower. */
  protected notify(create: () => JournalRecord): void {
    if (this.followers.size === 0) return;
    const record = create();
    for (const follower of this.followers) notify(follower, record);
  }

  /** Tells the followers that a waiting request has ended whose record gets another id. */
  protected notifyWaitingEnd(id: number): void {
    for (const { onWaitingEnd } of this.followers) onWaitingEnd?.(id);
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

  /** Returns the current records, oldest first, with those of waiting requests. */
  records(): readonly JournalRecord[] {
    return Array.from({ length: this.size() }, (_, index) => this.toRecord(this.firstId + index));
  }

  /** Returns the record with the given id. Returns undefined if there is none. */
  find(id: number): JournalRecord | undefined {
    return id >= this.firstId && id <= this.latestId ? this.toRecord(id) : undefined;
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
   * Requests that are still in progress are not recorded, also not if they wait.
   * The ids of new requests continue after the latest id.
   */
  clear(): void {
    this.drop(this.latestId);
    this.movedIds.clear();
    this.droppedId = 0;
    this.clearedMs = this.options.elapsedMs();
  }

  /**
   * Deletes the records of requests that have ended.
   * Those of waiting requests get new ids, because the ids in the journal have no gaps.
   */
  clearEnded(): void {
    const firstIds = new Map([...this.movedIds].map(([first, moved]) => [moved, first]));
    const waiting = [...this.waitingIds].map((id) => ({ firstId: firstIds.get(id) ?? id, record: this.toRecord(id) }));
    this.clear();
    for (const { firstId, record } of waiting) {
      const { id: formerId, atMs, isWaiting: _, ...request } = record;
      const id = this.latestId + 1;
      this.notifyWaitingEnd(formerId);
      this.waitingIds.add(id);
      this.movedIds.set(firstId, id);
      this.insert(id, request, atMs);
    }
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
    const record = { ...(this.get(id) as StoredRequest), id, atMs };
    return this.waitingIds.has(id) ? { ...record, isWaiting: true } : record;
  }

  /** Deletes the records up to and including the id `lastId`. */
  private drop(lastId: number): void {
    const { maxRecords, memory } = this.options;
    for (; this.firstId <= lastId; this.firstId++) {
      memory.add(this, -(this.get(this.firstId)?.bytes ?? 0));
      this.ring[(this.firstId - 1) % maxRecords] = undefined;
      this.waitingIds.delete(this.firstId);
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
 * The part of the maximum memory to which all journals are reduced if they exceed it.
 * It is below the maximum, so that not every new request must delete records.
 */
const REDUCED_PART = 0.9;

/** A journal whose memory is counted. */
interface CountedJournal {
  /** The approximate memory of the records, in bytes. */
  usedBytes: number;
  /** Deletes the older half of the records. */
  dropOlderHalf(): void;
}

/** Counts the memory of all journals of a server, and enforces a limit. */
export class JournalMemory {
  private readonly journals = new Set<CountedJournal>();
  /** The approximate memory of all journals, in bytes. */
  usedBytes = 0;

  constructor(private readonly maxBytes = MAX_BYTES) {}

  /** Adds bytes to the counted memory of a journal. A negative number subtracts bytes. */
  add(journal: CountedJournal, bytes: number): void {
    if (journal.usedBytes === 0) this.journals.add(journal);
    journal.usedBytes += bytes;
    this.usedBytes += bytes;
    if (journal.usedBytes === 0) this.journals.delete(journal);
  }

  /**
   * If the memory exceeds the limit, deletes records until it is 10 % below the limit.
   * Deletes the older half of one journal after the other, the largest journal first.
   */
  enforceLimit(): void {
    if (this.usedBytes <= this.maxBytes) return;
    const isAbove = () => this.usedBytes > this.maxBytes * REDUCED_PART;
    while (isAbove() && this.journals.size > 0)
      for (const journal of [...this.journals].sort((a, b) => b.usedBytes - a.usedBytes))
        if (isAbove()) journal.dropOlderHalf();
  }
}
