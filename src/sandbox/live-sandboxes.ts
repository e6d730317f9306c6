import type { State } from '../store/state.ts';
import { HttpProblemError, unavailable } from '../util/problem.ts';
import type { Ending, Journal } from './journal/journal.ts';
import { MAX_SANDBOXES, type MemoryQuota, SANDBOX_BYTES } from './memory/memory.ts';
import { type OwnParts, type Sandbox, type SandboxesParts, SandboxFactory } from './sandbox.ts';

/** The maximum number of expired sandboxes whose expiry time is stored. */
const MAX_EXPIRED = 10_000;

/** The expiry times of sandboxes, in ms since 1970, by the id of the sandbox. Contains only the latest 10,000 times. */
class ExpiryTimes {
  private readonly timesMs = new Map<string, number>();

  /** Returns the time when the sandbox expired. Returns undefined if no time is stored. */
  get(id: string): number | undefined {
    return this.timesMs.get(id);
  }

  /** Stores the time when the sandbox expired. Removes the oldest stored time if there are more than 10,000. */
  set(id: string, atMs: number): void {
    // `delete` makes the id the last key of the map.
    this.delete(id);
    this.timesMs.set(id, atMs);
    const [oldest] = this.timesMs.keys();
    if (this.timesMs.size > MAX_EXPIRED && oldest !== undefined) this.delete(oldest);
  }

  /** Removes the expiry time of a sandbox, because the sandbox was created again. */
  delete(id: string): void {
    this.timesMs.delete(id);
  }
}

/** A sandbox other than `default`, with its memory quota and the time of its last use. */
interface LiveSandbox<S extends State = State> {
  readonly sandbox: Sandbox<S>;
  readonly quota: MemoryQuota;
  /**
   * The number of requests in progress.
   * If the sandbox is replaced, the new sandbox gets the same object, so that these requests still count.
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
export const IDLE_MS = 3_600_000;

/** How long a sandbox can be unused on a server whose sandboxes belong to visitors, in ms. */
export const VISITOR_IDLE_MS = 30 * 24 * 3_600_000;

/** Options of the sandboxes in memory that depend on where sandboxes are stored. */
interface LiveSandboxesOptions {
  /**
   * Whether the sandboxes in memory are copies of stored sandboxes.
   * A copy that is not used is removed from memory without a log line and an expiry time, because the sandbox itself
   * continues to exist.
   */
  readonly areCopies: boolean;
  /** Called after a sandbox was removed from memory. */
  readonly onRelease?: (id: string, journal: Journal) => void;
}

/**
 * The sandboxes in the memory of a server, except `default`.
 * The least recently used sandbox comes first.
 */
export class LiveSandboxes<S extends State = State> {
  readonly factory: SandboxFactory<S>;
  readonly expiryTimes = new ExpiryTimes();
  private readonly byId = new Map<string, LiveSandbox<S>>();
  private readonly idleMs: number;

  constructor(
    private readonly parts: SandboxesParts<S>,
    private readonly options: LiveSandboxesOptions,
  ) {
    // A copy can be loaded again.
    this.idleMs = parts.areVisitors && !options.areCopies ? VISITOR_IDLE_MS : IDLE_MS;
    this.factory = new SandboxFactory(parts, (isFull) => this.freeMemory(isFull));
  }

  /** Returns a sandbox, even if it has expired. Returns undefined if the sandbox does not exist. */
  get(id: string): LiveSandbox<S> | undefined {
    return this.byId.get(id);
  }

  /**
   * Returns a sandbox.
   * Returns undefined if the sandbox does not exist or has expired.
   * Removes an expired sandbox.
   */
  getUnexpired(id: string): LiveSandbox<S> | undefined {
    const live = this.byId.get(id);
    if (!live || this.getIdleMs(live) < this.idleMs) return live;
    this.expire(id, this.describeExpiry());
    return undefined;
  }

  /** Returns a sandbox, and sets the time of its last use to now. Returns undefined if the sandbox does not exist. */
  find(id: string): Sandbox<S> | undefined {
    const live = this.getUnexpired(id);
    if (live) this.use(id, live);
    return live?.sandbox;
  }

  /** Returns all sandboxes, with their ids. */
  list(): readonly (readonly [id: string, live: LiveSandbox<S>])[] {
    return [...this.byId];
  }

  /** Returns the ids of the sandboxes that are in use. */
  listInUse(): readonly string[] {
    return this.list().flatMap(([id, live]) => (isInUse(live) ? [id] : []));
  }

  /** Sets the time of the last use of a sandbox to now. */
  use(id: string, live: LiveSandbox<S>): void {
    live.usedMs = this.parts.elapsedMs();
    this.set(id, live);
  }

  /** Returns the time since the last use of a sandbox, in ms. Returns 0 if the sandbox is in use. */
  getIdleMs(live: LiveSandbox<S>): number {
    return isInUse(live) ? 0 : this.parts.elapsedMs() - live.usedMs;
  }

  /**
   * Creates or replaces a sandbox.
   * `from`: its initial state.
   * `isWritten`: whether a client creates the sandbox with the control API.
   * `create`: creates the sandbox object from its parts.
   */
  add(
    id: string,
    from: S,
    isWritten: boolean,
    create = (parts: OwnParts) => this.factory.create(id, from, parts),
  ): Sandbox<S> {
    const before = this.byId.get(id);
    if (!before) this.evictIfFull();
    const quota = this.factory.memory.createQuota(from, SANDBOX_BYTES, before?.quota);
    this.release(id);
    // A sandbox that is replaced keeps its journal, so that clients continue to follow it.
    const journal = before?.sandbox.journal ?? this.createJournal(id);
    let isLoaded = false;
    const onChange = () => {
      // A sandbox in a database gets its stored settings while it is created. These are not changes by a client.
      if (isLoaded) live.isWritten = true;
    };
    const live: LiveSandbox<S> = {
      sandbox: create({ quota, journal, onChange }),
      quota,
      requests: before?.requests ?? { count: 0 },
      isWritten,
      usedMs: this.parts.elapsedMs(),
    };
    isLoaded = true;
    this.set(id, live);
    this.expiryTimes.delete(id);
    return live.sandbox;
  }

  /** Removes a sandbox and ends its journal. Returns whether the sandbox existed. */
  end(id: string, event: Ending['event']): boolean {
    // First ends the journal, because followers still read the entries that they have not received.
    this.byId.get(id)?.sandbox.journal.end({ event, sandbox: id, atMs: this.parts.nowMs() });
    return this.release(id);
  }

  /** Removes all expired sandboxes. */
  removeExpired(): void {
    for (const [id, live] of this.list()) {
      if (this.parts.elapsedMs() - live.usedMs < this.idleMs) break;
      if (isInUse(live)) this.use(id, live);
      else this.expire(id, this.describeExpiry());
    }
  }

  private describeExpiry(): string {
    return `it was not used for ${this.idleMs === IDLE_MS ? 'an hour' : '30 days'}`;
  }

  /**
   * Removes sandboxes because all sandboxes together have reached their memory limit: those that have expired, and on a
   * server for visitors also the least recently used ones.
   * `isFull`: returns whether the limit is still reached.
   */
  private freeMemory(isFull: () => boolean): void {
    this.removeExpired();
    if (!this.parts.areVisitors) return;
    for (const [id, live] of this.list()) {
      if (!isFull()) return;
      if (!isInUse(live)) this.expire(id, 'the memory limit of all sandboxes is reached');
    }
  }

  /** Adds or replaces a sandbox, and makes it the most recently used sandbox. */
  private set(id: string, live: LiveSandbox<S>): void {
    this.byId.delete(id);
    this.byId.set(id, live);
  }

  /**
   * Creates the journal of a sandbox.
   * When a client stops following the journal, the sandbox counts as used at this time.
   */
  private createJournal(id: string): Journal {
    const journal = this.factory.createJournal(id, () => {
      const live = this.byId.get(id);
      // The sandbox may have been removed, and another sandbox with the same id may have been created.
      if (live?.sandbox.journal === journal) this.use(id, live);
    });
    return journal;
  }

  /**
   * If the maximum number of sandboxes is reached, removes the least recently used sandbox, but never one that is in
   * use or that a client has changed.
   * On a server for visitors, removes a changed one if there is no other.
   * Throws an `HttpProblemError` if no sandbox can be removed.
   */
  private evictIfFull(): void {
    const { maxSandboxes = MAX_SANDBOXES } = this.parts;
    if (this.byId.size >= maxSandboxes) this.removeExpired();
    if (this.byId.size < maxSandboxes) return;
    for (const [id, live] of this.byId) {
      if (live.isWritten || isInUse(live)) continue;
      this.expire(id, 'the maximum number of sandboxes is reached, and no client has changed this sandbox');
      return;
    }
    const oldest = this.parts.areVisitors && this.list().find(([, live]) => !isInUse(live));
    if (oldest) {
      this.expire(oldest[0], 'the maximum number of sandboxes is reached');
      return;
    }
    const detail = `The limit of ${maxSandboxes} sandboxes is reached, and all of them were used within the last hour: remove some with DELETE /_control/sandboxes/ID`;
    throw new HttpProblemError(unavailable(detail, Math.ceil(this.getNextExpiryMs() / 1000)));
  }

  /** Returns the time until the next sandbox expires, in ms. */
  private getNextExpiryMs(): number {
    for (const live of this.byId.values()) if (!isInUse(live)) return this.idleMs - this.getIdleMs(live);
    return this.idleMs;
  }

  /**
   * Removes a sandbox because it has expired or a limit is reached.
   * Stores the current time as its expiry time.
   * `reason`: the text for the log.
   */
  private expire(id: string, reason: string): void {
    if (this.options.areCopies) {
      this.release(id);
      return;
    }
    this.expiryTimes.set(id, this.parts.nowMs());
    this.end(id, 'expired');
    this.parts.log(`removed sandbox ${id}: ${reason}`);
  }

  /** Removes a sandbox, clears its journal, and frees its memory. Returns whether the sandbox existed. */
  private release(id: string): boolean {
    const live = this.byId.get(id);
    if (!live) return false;
    this.byId.delete(id);
    live.quota.release();
    live.sandbox.journal.clear();
    live.sandbox.faults.end();
    live.sandbox.idempotencyKeys.dispose();
    this.options.onRelease?.(id, live.sandbox.journal);
    return true;
  }
}

/** Returns whether a sandbox is in use: a request to it is in progress, or a client follows its journal. */
function isInUse<S extends State>({ requests, sandbox }: LiveSandbox<S>): boolean {
  return requests.count > 0 || sandbox.journal.isFollowed;
}
