import { MEGABYTE } from '../../util/limits.ts';

/** The maximum memory of all journals of a server, in bytes. */
const MAX_BYTES = 32 * MEGABYTE;

/**
 * The memory to which all journals are reduced if they exceed the maximum, in bytes.
 * It is below the maximum, so that not every new request must delete entries.
 */
const REDUCED_BYTES = MAX_BYTES * 0.9;

/** A journal whose memory is counted. */
interface CountedJournal {
  /** The approximate memory of the entries, in bytes. */
  usedBytes: number;
  /** Deletes the older half of the entries. */
  dropOlderHalf(): void;
}

/** Counts the memory of all journals of a server, and enforces the limit of 32 MB. */
export class JournalMemory {
  private readonly journals = new Set<CountedJournal>();
  private bytes = 0;

  /** The approximate memory of all journals, in bytes. */
  get usedBytes(): number {
    return this.bytes;
  }

  /** Adds bytes to the counted memory of a journal. A negative number subtracts bytes. */
  add(journal: CountedJournal, bytes: number): void {
    if (journal.usedBytes === 0) this.journals.add(journal);
    journal.usedBytes += bytes;
    this.bytes += bytes;
    if (journal.usedBytes === 0) this.journals.delete(journal);
  }

  /**
   * If the journals exceed the limit, deletes entries until the memory is 10 % below the limit.
   * Deletes the older half of one journal after the other, the largest journal first.
   */
  enforceLimit(): void {
    if (this.bytes <= MAX_BYTES) return;
    while (this.bytes > REDUCED_BYTES && this.journals.size > 0) {
      const journals = [...this.journals].sort((a, b) => b.usedBytes - a.usedBytes);
      for (const journal of journals) if (this.bytes > REDUCED_BYTES) journal.dropOlderHalf();
    }
  }
}
