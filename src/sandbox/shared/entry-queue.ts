import {
  compareAllStates,
  type ListChange,
  MAX_CHANGED_REQUESTS,
  type StateChange,
} from '../journal/change-history.ts';
import type { StoredRequest } from '../journal/recorded-request.ts';

/** An entry of a journal as it is stored. */
export interface StoredEntry {
  readonly request: StoredRequest;
  readonly atMs: number;
  /** The changes of the state by the request, if they are small and belong to the last ones of a batch. */
  readonly changes?: readonly ListChange[] | undefined;
}

/** An entry that is not stored yet. */
export interface QueuedEntry {
  readonly request: StoredRequest;
  readonly atMs: number;
  readonly changes: readonly StateChange[] | undefined;
}

/** The entries of a batch. `skipped`: the number of older entries that were dropped, since the journal would delete them at once. */
export interface Batch {
  readonly entries: readonly QueuedEntry[];
  readonly skipped: number;
}

/** The maximum length of the changes of a request as JSON, in characters. */
const MAX_CHANGES_LENGTH = 20_000;

/** The entries of a journal that are not stored yet. Keeps only as many as the journal. */
export class EntryQueue {
  #entries: QueuedEntry[] = [];
  #skipped = 0;

  constructor(private readonly maxEntries: number) {}

  /** Adds an entry. Returns the number of entries that were dropped for it. */
  add(entry: QueuedEntry): number {
    this.#entries.push(entry);
    return this.#entries.length >= 2 * this.maxEntries ? this.#dropOldest() : 0;
  }

  /** Returns the entries, and removes them. */
  take(): Batch {
    this.#dropOldest();
    const batch = { entries: this.#entries, skipped: this.#skipped };
    [this.#entries, this.#skipped] = [[], 0];
    return batch;
  }

  /** Removes the entries. Returns their number. */
  clear(): number {
    const { length } = this.#entries;
    [this.#entries, this.#skipped] = [[], 0];
    return length;
  }

  /** Adds the entries of a batch that could not be stored before the others. */
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

/** Converts entries to the form in which they are stored. Keeps the changes of the last requests only, as a journal does. */
export function toStoredEntries(entries: readonly QueuedEntry[]): readonly StoredEntry[] {
  const changed = new Set(entries.filter(({ changes }) => changes).slice(-MAX_CHANGED_REQUESTS));
  return entries.map((entry) => {
    const changes = changed.has(entry) && entry.changes ? compareAllStates(entry.changes) : undefined;
    const isSmall = JSON.stringify(changes ?? []).length <= MAX_CHANGES_LENGTH;
    return { ...entry, changes: isSmall ? changes : undefined };
  });
}
