import { MEGABYTE } from '../../util/limits.ts';

/** The memory of all journals together, in bytes. */
const MAX_BYTES = 32 * MEGABYTE;

/** When the limit is reached, memory is reduced to this size, so that it is not reduced for each request. */
const REDUCED_BYTES = MAX_BYTES * 0.9;

/** A journal that counts towards the shared limit. */
export interface MemoryUser {
  usedBytes: number;
  dropOlderHalf(): void;
}

/** Counts the memory of all journals and enforces the limit of 32 MB. */
export class JournalMemory {
  private readonly users = new Set<MemoryUser>();
  private bytes = 0;

  /** Adds bytes to the memory of a user; negative values remove them. */
  add(user: MemoryUser, bytes: number): void {
    user.usedBytes += bytes;
    this.bytes += bytes;
    if (user.usedBytes === 0) this.users.delete(user);
    else this.users.add(user);
  }

  /** If the limit is exceeded, the users with the most memory drop the older half of their entries. */
  enforceLimit(): void {
    if (this.bytes <= MAX_BYTES) return;
    while (this.bytes > REDUCED_BYTES && this.users.size > 0) {
      const users = [...this.users].sort((a, b) => b.usedBytes - a.usedBytes);
      for (const user of users) if (this.bytes > REDUCED_BYTES) user.dropOlderHalf();
    }
  }
}
