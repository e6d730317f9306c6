import type { NewEntries, NewRows } from '../../store/postgres/journal-tables.ts';
import type { StateChange } from '../journal/change-history.ts';
import { Journal, type JournalOptions } from '../journal/journal.ts';
import { type RecordedRequest, type StoredRequest, toStoredRequest } from '../journal/recorded-request.ts';
import { type Batch, EntryQueue, type QueuedEntry, type StoredEntry, toStoredEntries } from './entry-queue.ts';

/** The parts of a shared journal. */
interface SharedJournalParts {
  readonly sandbox: string;
  /** The generation of the sandbox when the journal is created. */
  readonly generation: string;
  /** Adds an entry to those that are stored next. */
  readonly enqueue: (entry: QueuedEntry) => void;
}

/** The journal of a sandbox that several servers share. Its entries are in a database, and this journal has copies of them. */
export class SharedJournal extends Journal {
  /** The entries that are not stored yet. */
  readonly queue: EntryQueue;
  /** The generation of the sandbox. */
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

  /** Adds what is stored and not known yet. Another call may have read the same entries in the meantime. */
  receive({ firstId, entries }: NewEntries): void {
    this.removeCleared(firstId);
    for (const { id, content } of entries) {
      if (id <= this.lastId()) continue;
      const { request, atMs, changes } = JSON.parse(content) as StoredEntry;
      this.insert(id, request, atMs);
      if (changes) this.changes.addLists(id, changes);
    }
  }

  /** Returns the rows of a batch. */
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
