import type { State } from '../store/state.ts';
import type { MemoryQuota } from './memory/memory.ts';
import type { Sandbox } from './sandbox.ts';

/** A sandbox other than `default`, with its memory quota and the time of its last use. */
export interface Entry<S extends State = State> {
  readonly sandbox: Sandbox<S>;
  readonly quota: MemoryQuota;
  /**
   * The number of requests in progress.
   * If the sandbox is replaced, the new entry gets the same object, so that these requests still count.
   */
  readonly requests: { count: number };
  /**
   * Whether a client has created the sandbox with the control API, or has changed its state, clock, ids, faults or
   * snapshots.
   */
  isWritten: boolean;
  /** The time of the last use, in ms of the monotonic clock. */
  usedMs: number;
}

/** How long a sandbox can be unused before it expires, in ms. */
const IDLE_MS = 3_600_000;

/** The sandboxes of a server by id, except `default`. The least recently used sandbox comes first. */
export class SandboxMap<S extends State = State> {
  private readonly byId = new Map<string, Entry<S>>();
  readonly entries: ReadonlyMap<string, Entry<S>> = this.byId;

  /** `elapsedMs`: returns the time of a monotonic clock, in ms. */
  constructor(private readonly elapsedMs: () => number) {}

  /** Adds or replaces a sandbox, and makes it the most recently used sandbox. */
  set(id: string, entry: Entry<S>): void {
    this.delete(id);
    this.byId.set(id, entry);
  }

  /** Removes a sandbox. */
  delete(id: string): void {
    this.byId.delete(id);
  }

  /** Sets the time of the last use of a sandbox to now. */
  use(id: string, entry: Entry<S>): void {
    entry.usedMs = this.elapsedMs();
    this.set(id, entry);
  }

  /** Returns the time since the last use of a sandbox, in ms. Returns 0 if the sandbox is in use. */
  getIdleMs(entry: Entry<S>): number {
    return isInUse(entry) ? 0 : this.elapsedMs() - entry.usedMs;
  }

  /** Returns whether a sandbox has not been used for an hour. */
  isExpired(entry: Entry<S>): boolean {
    return this.getIdleMs(entry) >= IDLE_MS;
  }

  /** Returns the ids of the sandboxes that have expired and are not in use. */
  listExpired(): readonly string[] {
    const ids: string[] = [];
    for (const [id, entry] of this.byId) {
      if (this.elapsedMs() - entry.usedMs < IDLE_MS) break;
      if (isInUse(entry)) this.use(id, entry);
      else ids.push(id);
    }
    return ids;
  }

  /** Returns the ids of the sandboxes that are in use. */
  listInUse(): readonly string[] {
    return Array.from(this.byId).flatMap(([id, entry]) => (isInUse(entry) ? [id] : []));
  }

  /**
   * Returns the id of the sandbox to remove if there are too many: the least recently used sandbox, but never one that
   * is in use or that a client has changed.
   * Returns undefined if no sandbox can be removed.
   */
  findEvictable(): string | undefined {
    for (const [id, entry] of this.byId) if (!entry.isWritten && !isInUse(entry)) return id;
    return undefined;
  }

  /** Returns the time until the next sandbox expires, in ms. */
  getNextExpiryMs(): number {
    for (const entry of this.byId.values()) if (!isInUse(entry)) return IDLE_MS - this.getIdleMs(entry);
    return IDLE_MS;
  }
}

/** Returns whether a sandbox is in use: a request to it is in progress, or a client follows its journal. */
function isInUse<S extends State>({ requests, sandbox }: Entry<S>): boolean {
  return requests.count > 0 || sandbox.journal.isFollowed;
}
