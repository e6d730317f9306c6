import {
  compareAllStates,
  type ListChange,
  MAX_CHANGED_REQUESTS,
  type StateChange,
} from '../journal/change-history.ts';
import type { StoredRequest } from '../journal/recorded-request.ts';

/** A journal entry in the form that the database stores. */
export interface StoredEntry {
  readonly request: StoredRequest;
  readonly atMs: number;
  /**
   * What the request changed in the state.
   * Undefined for a large change, and for a request that is not one of the last 20 requests with changes in its batch.
   */
  readonly changes?: readonly ListChange[] | undefined;
}

/** A journal entry that is not stored in the database yet. */
export interface QueuedEntry {
  readonly request: StoredRequest;
  readonly atMs: number;
  readonly changes: readonly StateChange[] | undefined;
}

/**
 * Journal entries that are stored together.
 * `skipped`: the number of older entries that were dropped, because the journal has no room for them.
 */
export interface Batch {
  readonly entries: readonly QueuedEntry[];
  readonly skipped: number;
}

/** The maximum length of the changes of a request as JSON, in characters. */
const MAX_CHANGES_LENGTH = 20_000;

/**
 * The entries of a journal that are not stored in the database yet.
 * Drops the oldest entries if there are more than the journal can contain.
 */
export class EntryQueue {
  #entries: QueuedEntry[] = [];
  #skipped = 0;

  constructor(private readonly maxEntries: number) {}

  /** Adds an entry. Returns how many old entries were dropped to make room. */
  add(entry: QueuedEntry): number {
    this.#entries.push(entry);
    return this.#entries.length >= 2 * this.maxEntries ? this.#dropOldest() : 0;
  }

  /** Returns all entries, and removes them from the queue. */
  take(): Batch {
    this.#dropOldest();
    const batch = { entries: this.#entries, skipped: this.#skipped };
    [this.#entries, this.#skipped] = [[], 0];
    return batch;
  }

  /** Removes all entries. Returns how many entries were removed. */
  clear(): number {
    const { length } = this.#entries;
    [this.#entries, this.#skipped] = [[], 0];
    return length;
  }

  /** Puts the entries of a batch back to the start of the queue, because they could not be stored. */
  restore({ entries, skipped }: Batch): void {
    this.#entries = [...entries, ...this.#entries];
    this.#skipped += skipped;
  }

  #dropOldest(): number {
    const excess = Math.max(0, this.#entries.length - this.maxEntries);
    this.#entries.splice(0, excess);
    this.#skipped += excess;
    return excess;
  }
}

/**
 * Converts journal entries to the form that the database stores.
 * Stores state changes only for the last 20 requests with changes, because a journal keeps no others.
 */
export function toStoredEntries(entries: readonly QueuedEntry[]): readonly StoredEntry[] {
  const changed = new Set(entries.filter(({ changes }) => changes).slice(-MAX_CHANGED_REQUESTS));
  return entries.map((entry) => {
    const changes = changed.has(entry) && entry.changes ? compareAllStates(entry.changes) : undefined;
    const isSmall = JSON.stringify(changes ?? []).length <= MAX_CHANGES_LENGTH;
    return { ...entry, changes: isSmall ? changes : undefined };
  });
}
