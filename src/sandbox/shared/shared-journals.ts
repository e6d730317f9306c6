import { setTimeout as wait } from 'node:timers/promises';
import type { JournalTables, NewRecords, NewRows } from '../../store/postgres/journal-tables.ts';
import { compareAllStates, type ListChange, MAX_CHANGED_REQUESTS } from '../journal/change-history.ts';
import { Journal, type JournalOptions } from '../journal/journal.ts';
import {
  type JournalRecord,
  type RecordedRequest,
  type StateChange,
  type StoredRequest,
  toStoredRequest,
} from '../journal/recorded-request.ts';

/** Options of a shared journal, in addition to `JournalOptions`. */
interface SharedJournalParts {
  readonly sandbox: string;
  /**
   * The random id of the sandbox when the journal is created.
   * If a sandbox is deleted and created again, it gets a new one.
   */
  readonly generation: string;
  /** Adds a record to the queue of records to store. */
  readonly enqueue: (record: QueuedRecord) => void;
}

/**
 * The journal of a sandbox that several servers share.
 * The database stores the records, and this object has copies of them.
 */
class SharedJournal extends Journal {
  /** The records that are not stored in the database yet. */
  readonly queue: RecordQueue;
  /** The random id of the sandbox. It changes if the sandbox is deleted and created again. */
  generation: string;
  /**
   * The waiting requests of this server, by a negative id.
   * They get their id when they have ended, because the database counts the records.
   */
  readonly #waiting = new Map<number, JournalRecord>();
  #lastWaitingId = 0;

  constructor(
    options: JournalOptions,
    private readonly parts: SharedJournalParts,
  ) {
    super(options);
    this.queue = new RecordQueue(options.maxRecords);
    this.generation = parts.generation;
  }

  override addWaiting(request: RecordedRequest, waitingId = --this.#lastWaitingId): number | undefined {
    if (!this.#waiting.has(waitingId) && this.isOutdated(request)) return undefined;
    const record = { ...toStoredRequest(request), id: waitingId, atMs: this.nowMs(), isWaiting: true };
    this.#waiting.set(waitingId, record);
    this.notify(() => record);
    return waitingId;
  }

  override records(): readonly JournalRecord[] {
    return [...super.records(), ...this.#waiting.values()];
  }

  override find(id: number): JournalRecord | undefined {
    return this.#waiting.get(id) ?? super.find(id);
  }

  override clear(): void {
    super.clear();
    this.#waiting.clear();
  }

  override clearEnded(): void {
    super.clear();
  }

  override add(request: RecordedRequest, waitingId?: number): void {
    const isWaiting = waitingId !== undefined && this.#waiting.delete(waitingId);
    if (isWaiting) this.notifyWaitingEnd(waitingId);
    if (isWaiting || !this.isOutdated(request)) this.#enqueue(toStoredRequest(request), request.changes);
  }

  override addStored(request: StoredRequest): void {
    this.#enqueue(request, undefined);
  }

  /**
   * Adds new records from the database, and removes records that another server has cleared.
   * Skips records that a concurrent call has already added.
   */
  receive({ firstId, records }: NewRecords): void {
    this.removeCleared(firstId);
    for (const { id, content } of records) {
      if (id <= this.lastId()) continue;
      const { request, atMs, changes } = JSON.parse(content) as StoredRecord;
      this.insert(id, request, atMs);
      if (changes) this.changes.add(id, changes);
    }
  }

  /** Converts a batch to rows of the database. */
  toRows({ records, skipped }: Batch): NewRows {
    const { generation, maxRecords } = this;
    return {
      sandbox: this.parts.sandbox,
      generation,
      maxRecords,
      skipped,
      contents: toStoredRecords(records).map((record) => JSON.stringify(record)),
    };
  }

  #enqueue(request: StoredRequest, changes: readonly StateChange[] | undefined): void {
    this.parts.enqueue({ request, atMs: this.nowMs(), changes });
  }
}

/** The maximum time until a new record is stored, in ms. */
const FLUSH_MS = 100;

/**
 * The maximum time until a new record is stored after a large batch, in ms.
 * In this time, the journals of a busy server drop most records.
 */
const BUSY_FLUSH_MS = 1_000;

/** A batch with more records than this number is large. */
const LARGE_BATCH = 200;

/** The interval at which a server checks whether another server is waiting for its unstored records, in ms. */
const POLL_MS = 50;

/** The interval at which a server tells the database that it is running, in ms. */
const REGISTER_MS = 1_000;

/** The interval at which a server reads new records for clients that follow a journal, in ms. */
const FOLLOW_MS = 200;

/**
 * The maximum time to wait until other servers have stored their records, in ms.
 * A server that was killed never stores them.
 */
const MAX_FLUSH_MS = 3_000;

/** The maximum number of records that wait to be stored. Further records are dropped. */
const MAX_WAITING = 20_000;

/** The request journals of a server that shares its sandboxes with other servers. Stores new records in batches. */
export class SharedJournals {
  readonly #tables: JournalTables;
  readonly #byId = new Map<string, SharedJournal>();
  readonly #timers: NodeJS.Timeout[];
  /** Called if the sandbox of a journal was deleted in the database. */
  onRemoved: (sandbox: string, journal: Journal) => void = () => {};
  /** Called if another server waits until this server has stored its records, to store other values too. */
  onFlush: () => Promise<void> = () => Promise.resolve();
  /** The random ids of the sandboxes whose journals are created next, by the id of the sandbox. */
  readonly #generations = new Map<string, string>();
  /** The journals with records that are not stored yet. */
  #waiting = new Set<SharedJournal>();
  /** The number of records in all journals that are not stored yet. */
  #waitingRecords = 0;
  #flushMs = FLUSH_MS;
  #flushing: Promise<void> = Promise.resolve();
  #flushTimer: NodeJS.Timeout | undefined;
  #fulfilled: number | undefined;

  constructor(tables: JournalTables) {
    this.#tables = tables;
    this.#timers = [
      repeat(POLL_MS, () => this.#fulfillRequests()),
      repeat(REGISTER_MS, () => tables.register()),
      repeat(FOLLOW_MS, () => this.#readFollowed()),
    ];
  }

  /**
   * Sets the generation of a sandbox: a random id that changes if the sandbox is created again.
   * Must be called before `createJournal`.
   */
  setGeneration(sandbox: string, generation: string): void {
    this.#generations.set(sandbox, generation);
  }

  /** Creates the journal of a sandbox. */
  createJournal(sandbox: string, options: JournalOptions): Journal {
    const journal: SharedJournal = new SharedJournal(options, {
      sandbox,
      generation: this.#generations.get(sandbox) ?? '',
      enqueue: (record) => this.#enqueue(journal, record),
    });
    this.#generations.delete(sandbox);
    this.#byId.set(sandbox, journal);
    return journal;
  }

  /**
   * Clears the journal of a sandbox that was created again, including the records that are not stored yet.
   * Clients that follow the journal continue to follow it.
   */
  restart(sandbox: string, generation: string): void {
    const journal = this.#byId.get(sandbox);
    if (!journal) return;
    this.#waitingRecords -= journal.queue.clear();
    this.#waiting.delete(journal);
    this.#fulfilled = undefined;
    journal.generation = generation;
    journal.restart();
  }

  /** Removes the journal of a sandbox from memory. */
  remove(sandbox: string, journal: Journal): void {
    if (this.#byId.get(sandbox) === journal) this.#byId.delete(sandbox);
  }

  /** Adds a record to the queue of a journal. Drops the record if too many records are waiting. */
  #enqueue(journal: SharedJournal, record: QueuedRecord): void {
    if (this.#waitingRecords >= MAX_WAITING) return;
    this.#waitingRecords += 1 - journal.queue.add(record);
    this.#waiting.add(journal);
    this.#scheduleFlush();
  }

  /**
   * Loads all requests that were recorded in a journal until now, also by other servers.
   * Waits up to 3 s until these servers have stored them.
   */
  async load(sandbox: string): Promise<void> {
    await this.#flush();
    await this.flushOthers();
    await this.#read([sandbox]);
  }

  /** Waits up to 3 s until all other servers have stored their records. */
  async flushOthers(): Promise<void> {
    if (await this.#tables.hasOthers()) await this.#requestFlush();
  }

  /**
   * Loads new records of all journals from the database.
   * Does not wait for records that other servers have not stored yet.
   */
  loadStored(): Promise<void> {
    return this.#read([...this.#byId.keys()]);
  }

  /** Clears a journal on all servers. */
  async clear(sandbox: string): Promise<void> {
    await this.load(sandbox);
    await this.#tables.clear(sandbox);
    await this.#read([sandbox]);
  }

  /** Stores all waiting records, and stops the timers. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#flush().catch(() => {});
    await this.#tables.unregister().catch(() => {});
  }

  #scheduleFlush(): void {
    this.#flushTimer ??= setTimeout(() => void this.#flush().catch(() => {}), this.#flushMs).unref();
  }

  /** Stores all waiting records in the database. If this fails, the records stay in the queue. */
  #flush(): Promise<void> {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    const flushing = this.#flushing.catch(() => {}).then(() => this.#storeWaiting());
    this.#flushing = flushing;
    return flushing;
  }

  async #storeWaiting(): Promise<void> {
    const waiting = this.#waiting;
    if (waiting.size === 0) return;
    [this.#waiting, this.#waitingRecords] = [new Set(), 0];
    const batches = Array.from(waiting, (journal) => ({ journal, batch: journal.queue.take() }));
    const added = batches.reduce((sum, { batch }) => sum + batch.skipped + batch.records.length, 0);
    this.#flushMs = added > LARGE_BATCH ? BUSY_FLUSH_MS : FLUSH_MS;
    const rows = batches.map(({ journal, batch }) => journal.toRows(batch));
    try {
      await this.#tables.add(rows);
    } catch (error) {
      for (const [index, { journal, batch }] of batches.entries()) {
        // The sandbox was created again in the meantime.
        if (journal.generation !== rows[index]?.generation) continue;
        journal.queue.restore(batch);
        this.#waiting.add(journal);
        this.#waitingRecords += batch.records.length;
      }
      this.#scheduleFlush();
      throw error;
    }
    await this.#tables.trim(rows);
  }

  async #requestFlush(): Promise<void> {
    const request = await this.#tables.requestFlush();
    const endMs = performance.now() + MAX_FLUSH_MS;
    while (!(await this.#tables.isFlushed(request)) && performance.now() < endMs) await wait(POLL_MS / 2);
  }

  async #fulfillRequests(): Promise<void> {
    const request = await this.#tables.getRequestedFlush();
    if (request === this.#fulfilled) return;
    await Promise.all([this.#flush(), this.onFlush()]);
    await this.#tables.reportFlush(request);
    this.#fulfilled = request;
  }

  #readFollowed(): Promise<void> {
    return this.#read(Array.from(this.#byId).flatMap(([id, { isFollowed }]) => (isFollowed ? [id] : [])));
  }

  async #read(ids: readonly string[]): Promise<void> {
    const journals = Array.from(this.#byId).filter(([id]) => ids.includes(id));
    if (journals.length === 0) return;
    const known = journals.map(
      ([id, journal]) => [id, { generation: journal.generation, lastId: journal.lastId() }] as const,
    );
    const found = await this.#tables.read(new Map(known));
    for (const [index, [id, journal]] of journals.entries()) {
      const stored = found.get(id);
      // The journal was restarted in the meantime, because the database has lost it.
      if (journal.generation !== known[index]?.[1].generation) continue;
      if (!stored) this.onRemoved(id, journal);
      else if (stored.lastId < (known[index]?.[1].lastId ?? 0)) await this.#readAgain(id, journal);
      else journal.receive(stored);
    }
  }

  /** Reads a journal from the start, because the database has lost the last records that this server knows. */
  async #readAgain(id: string, journal: SharedJournal): Promise<void> {
    journal.restart();
    await this.#read([id]);
  }
}

/**
 * Runs a task at an interval, until the returned timer is cleared.
 * Ignores errors: the task runs again at the next interval.
 */
function repeat(intervalMs: number, run: () => Promise<void>): NodeJS.Timeout {
  let isRunning = false;
  return setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    run()
      .catch(() => {})
      .finally(() => {
        isRunning = false;
      });
  }, intervalMs).unref();
}

/** A journal record in the form that the database stores. */
interface StoredRecord {
  readonly request: StoredRequest;
  readonly atMs: number;
  /**
   * What the request changed in the state.
   * Undefined for a large change, and for a request that is not one of the last 20 requests with changes in its batch.
   */
  readonly changes?: readonly ListChange[] | undefined;
}

/** A journal record that is not stored in the database yet. */
interface QueuedRecord {
  readonly request: StoredRequest;
  readonly atMs: number;
  readonly changes: readonly StateChange[] | undefined;
}

/**
 * Journal records that are stored together.
 * `skipped`: the number of older records that were dropped, because the journal has no room for them.
 */
interface Batch {
  readonly records: readonly QueuedRecord[];
  readonly skipped: number;
}

/** The maximum length of the changes of a request as JSON, in characters. */
const MAX_CHANGES_LENGTH = 20_000;

/**
 * The records of a journal that are not stored in the database yet.
 * Drops the oldest records if there are more than the journal can contain.
 */
class RecordQueue {
  #records: QueuedRecord[] = [];
  #skipped = 0;

  constructor(private readonly maxRecords: number) {}

  /** Adds a record. Returns how many old records were dropped to make room. */
  add(record: QueuedRecord): number {
    this.#records.push(record);
    return this.#records.length >= 2 * this.maxRecords ? this.#dropOldest() : 0;
  }

  /** Returns all records, and removes them from the queue. */
  take(): Batch {
    this.#dropOldest();
    const batch = { records: this.#records, skipped: this.#skipped };
    [this.#records, this.#skipped] = [[], 0];
    return batch;
  }

  /** Removes all records. Returns how many records were removed. */
  clear(): number {
    const { length } = this.#records;
    [this.#records, this.#skipped] = [[], 0];
    return length;
  }

  /** Puts the records of a batch back to the start of the queue, because they could not be stored. */
  restore({ records, skipped }: Batch): void {
    this.#records = [...records, ...this.#records];
    this.#skipped += skipped;
  }

  #dropOldest(): number {
    const excess = Math.max(0, this.#records.length - this.maxRecords);
    this.#records.splice(0, excess);
    this.#skipped += excess;
    return excess;
  }
}

/**
 * Converts journal records to the form that the database stores.
 * Stores state changes only for the last 20 requests with changes, because a journal keeps no others.
 */
function toStoredRecords(records: readonly QueuedRecord[]): readonly StoredRecord[] {
  const changed = new Set(records.filter(({ changes }) => changes).slice(-MAX_CHANGED_REQUESTS));
  return records.map((record) => {
    const changes = changed.has(record) && record.changes ? compareAllStates(record.changes) : undefined;
    const isSmall = JSON.stringify(changes ?? []).length <= MAX_CHANGES_LENGTH;
    return { ...record, changes: isSmall ? changes : undefined };
  });
}
