import type { NewEntries, NewRows } from '../../store/postgres/journal-tables.ts';
import type { StateChange } from '../journal/change-history.ts';
import { Journal, type JournalOptions } from '../journal/journal.ts';
import { type RecordedRequest, type StoredRequest, toStoredRequest } from '../journal/recorded-request.ts';
import { type Batch, EntryQueue, type QueuedEntry, type StoredEntry, toStoredEntries } from './entry-queue.ts';

/** Options of a shared journal, in addition to `JournalOptions`. */
interface SharedJournalParts {
  readonly sandbox: string;
  /** The random id of the sandbox when the journal is created. If a sandbox is deleted and created again, it gets a new one. */
  readonly generation: string;
  /** Adds an entry to the queue of entries to store. */
  readonly enqueue: (entry: QueuedEntry) => void;
}

/** The journal of a sandbox that several servers share. The database stores the entries, and this object has copies of them. */
export class SharedJournal extends Journal {
  /** The entries that are not stored in the database yet. */
  readonly queue: EntryQueue;
  /** The random id of the sandbox. It changes if the sandbox is deleted and created again. */
  generation: string;

  constructor(
    options: JournalOptions,
    private readonly parts: SharedJournalParts,
  ) {
    super(options);
    this.queue = new EntryQueue(options.maxEntries);
    this.generation = parts.generation;
  }

  override add(request: RecordedRequest): void {
    if (!this.isOutdated(request)) this.#enqueue(toStoredRequest(request), request.changes);
  }

  override addStored(request: StoredRequest): void {
    this.#enqueue(request, undefined);
  }

  /** Adds new entries from the database, and removes entries that another server has cleared. Skips entries that a concurrent call has already added. */
  receive({ firstId, entries }: NewEntries): void {
    this.removeCleared(firstId);
    for (const { id, content } of entries) {
      if (id <= this.lastId()) continue;
      const { request, atMs, changes } = JSON.parse(content) as StoredEntry;
      this.insert(id, request, atMs);
      if (changes) this.changes.addLists(id, changes);
    }
  }

  /** Converts a batch to rows of the database. */
  toRows({ entries, skipped }: Batch): NewRows {
    const { generation, maxEntries } = this;
    return {
      sandbox: this.parts.sandbox,
      generation,
      maxEntries,
      skipped,
      contents: toStoredEntries(entries).map((entry) => JSON.stringify(entry)),
    };
  }

  #enqueue(request: StoredRequest, changes: readonly StateChange[] | undefined): void {
    this.parts.enqueue({ request, atMs: this.nowMs(), changes });
  }
}
