import type { State } from '../store/state.ts';
import { HttpProblemError, unavailable } from '../util/problem.ts';
import type { Ending, Journal } from './journal/journal.ts';
import { MAX_SANDBOXES, type MemoryQuota, SANDBOX_BYTES } from './memory/memory.ts';
import { DEFAULT_SANDBOX_ID, type OwnParts, type Sandbox, type SandboxesParts, SandboxFactory } from './sandbox.ts';

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

/** The interval at which the server removes expired sandboxes, in ms. */
const SWEEP_MS = 60_000;

/** The reason that the log gives when an expired sandbox is removed. */
const UNUSED = 'it was not used for an hour';

/** A sandbox that a request uses. */
interface UsedSandbox<S extends State> {
  readonly sandbox: Sandbox<S>;
  readonly expiredAtMs: number | undefined;
  /** Ends the use. Call it exactly once. */
  readonly leave: () => void;
}

/**
 * All sandboxes of a server.
 * The states of all sandboxes except `default` are only in memory.
 * A subclass stores the sandboxes in a database.
 */
export class Sandboxes<S extends State = State> {
  /** Whether other servers use the same sandboxes. */
  readonly isShared: boolean = false;
  /** The sandbox `default`, which handles requests that select no sandbox. It is never removed. */
  readonly default: Sandbox<S>;
  protected readonly map: SandboxMap<S>;
  protected readonly factory: SandboxFactory<S>;
  protected readonly expiryTimes = new ExpiryTimes();
  private readonly sweeping: NodeJS.Timeout;

  constructor(protected readonly parts: SandboxesParts<S>) {
    this.map = new SandboxMap(parts.elapsedMs);
    this.factory = new SandboxFactory(parts, () => this.sweep());
    this.sweeping = setInterval(() => this.sweep(), SWEEP_MS).unref();
    this.default = this.factory.createDefault();
  }

  /** Returns a sandbox, and sets the time of its last use to now. Returns undefined if the sandbox does not exist. */
  find(id: string): Sandbox<S> | undefined {
    if (id === DEFAULT_SANDBOX_ID) return this.default;
    const entry = this.getUnexpired(id);
    if (entry) this.map.use(id, entry);
    return entry?.sandbox;
  }

  /**
   * Loads the changes that other servers have made in a sandbox.
   * Does nothing if the sandbox is not shared with other servers.
   */
  async load(_id: string): Promise<void> {}

  /** Loads the changes that other servers have made in all sandboxes. */
  async loadAll(): Promise<void> {}

  /** Loads the requests that other servers have recorded in the journal of a sandbox. */
  async loadJournal(_id: string): Promise<void> {}

  /** Clears the journal of a sandbox, also on other servers that share the sandbox. */
  async clearJournal({ journal }: Pick<Sandbox<S>, 'id' | 'journal'>): Promise<void> {
    journal.clear();
  }

  /**
   * Returns a sandbox.
   * If it does not exist, creates it from the default data.
   * Rejects with an `HttpProblemError` if it can't be created.
   */
  async get(id: string): Promise<Sandbox<S>> {
    if (this.isShared) await this.load(id);
    return this.find(id) ?? this.createFromDefaults(id);
  }

  /**
   * Returns a sandbox, which cannot expire until `leave` is called.
   * If it does not exist, creates it.
   * `expiredAtMs`: if the sandbox had expired, the time when it expired, in ms since 1970.
   * Rejects with an `HttpProblemError` if the sandbox can't be created.
   */
  async use(id: string): Promise<UsedSandbox<S>> {
    if (this.isShared) await this.load(id);
    const expiredAtMs = this.expiredAtMs(id);
    const sandbox = this.find(id) ?? (await this.createFromDefaults(id));
    if (id === DEFAULT_SANDBOX_ID) return { sandbox, expiredAtMs, leave: () => {} };
    const entry = this.map.entries.get(id);
    // Another request has created another sandbox in the meantime, and the limit was reached, so the sandbox `id` was
    // removed.
    if (!entry) return this.use(id);
    entry.requests.count++;
    const leave = () => {
      entry.requests.count--;
      if (this.map.entries.get(id) === entry) this.map.use(id, entry);
    };
    return { sandbox: entry.sandbox, expiredAtMs, leave };
  }

  /**
   * Creates or replaces a sandbox with a state, by default the default data.
   * Rejects with an `HttpProblemError` if a limit is reached.
   */
  async create(id: string, from: S = this.factory.getDefaults()): Promise<Sandbox<S>> {
    return this.factory.memory.countShared(from, async () => this.add(id, from, true));
  }

  /**
   * Marks a state from which sandboxes are created, such as a snapshot.
   * The memory of the state does not count towards the limit of any sandbox.
   */
  share(state: S): void {
    this.factory.memory.objects.share(state);
  }

  /**
   * Removes a sandbox and ends its journal.
   * Resolves to true if the sandbox existed.
   * Never removes the sandbox `default`, and then resolves to false.
   */
  async remove(id: string): Promise<boolean> {
    return this.end(id, 'removed');
  }

  /** Returns all sandboxes. The sandbox `default` comes first. */
  list(): readonly Sandbox<S>[] {
    this.sweep();
    return [this.default, ...Array.from(this.map.entries.values(), ({ sandbox }) => sandbox)];
  }

  /** The approximate memory of all journals, in bytes. */
  get journalBytes(): number {
    return this.factory.journalMemory.usedBytes;
  }

  /** Returns the time since the last use of a sandbox, in ms. Returns 0 if the sandbox is in use or does not exist. */
  idleMs(id: string): number {
    const entry = this.map.entries.get(id);
    return entry ? Math.round(this.map.getIdleMs(entry)) : 0;
  }

  /**
   * Returns the time when a sandbox expired, in ms since 1970.
   * Returns undefined if it has not expired, or was created again.
   * If other servers share the sandbox, call `load` first.
   */
  expiredAtMs(id: string): number | undefined {
    this.getUnexpired(id);
    return this.expiryTimes.get(id);
  }

  /** Closes the stores of all sandboxes except `default`. */
  async close(): Promise<void> {
    clearInterval(this.sweeping);
    await Promise.all(Array.from(this.map.entries.values(), ({ sandbox }) => sandbox.store.close()));
  }

  /**
   * Creates a sandbox from the default data for a request to an unknown sandbox.
   * Throws an `HttpProblemError` if only the control API can create sandboxes.
   */
  private createFromDefaults(id: string): Promise<Sandbox<S>> {
    if (this.parts.areDeclared)
      throw new HttpProblemError({
        code: 'unknown-sandbox',
        detail: `Sandbox ${id} does not exist. Create it with PUT /_control/sandboxes/${id}.`,
      });
    return this.createNew(id, this.factory.getDefaults());
  }

  /** Creates a sandbox. If another request creates it first, resolves to that sandbox. */
  protected createNew(id: string, from: S): Promise<Sandbox<S>> {
    return this.factory.memory.countShared(from, async () => {
      const other = this.find(id);
      if (other) return other;
      const created = this.add(id, from, false);
      this.parts.log(`created sandbox ${id}`);
      return created;
    });
  }

  /**
   * Creates or replaces a sandbox.
   * `from`: its initial state.
   * `isWritten`: whether a client creates the sandbox with the control API.
   * `create`: creates the sandbox object from its parts.
   */
  protected add(
    id: string,
    from: S,
    isWritten: boolean,
    create = (parts: OwnParts) => this.factory.create(id, from, parts),
  ): Sandbox<S> {
    const { map, factory } = this;
    const before = map.entries.get(id);
    if (!before) this.evictIfFull();
    const quota = factory.memory.createQuota(from, SANDBOX_BYTES, before?.quota);
    this.release(id);
    // A sandbox that is replaced keeps its journal, so that clients continue to follow it.
    const journal = before?.sandbox.journal ?? this.createJournal(id);
    let isLoaded = false;
    const onChange = () => {
      // A sandbox in a database gets its stored settings while it is created. These are not changes by a client.
      if (isLoaded) entry.isWritten = true;
    };
    const entry: Entry<S> = {
      sandbox: create({ quota, journal, onChange }),
      quota,
      requests: before?.requests ?? { count: 0 },
      isWritten,
      usedMs: this.parts.elapsedMs(),
    };
    isLoaded = true;
    map.set(id, entry);
    this.expiryTimes.delete(id);
    return entry.sandbox;
  }

  /**
   * Creates the journal of a sandbox.
   * When a client stops following the journal, the sandbox counts as used at this time.
   */
  private createJournal(id: string): Journal {
    const journal = this.factory.createJournal(id, () => {
      const entry = this.map.entries.get(id);
      // The sandbox may have been removed, and another sandbox with the same id may have been created.
      if (entry?.sandbox.journal === journal) this.map.use(id, entry);
    });
    return journal;
  }

  /**
   * If the maximum number of sandboxes is reached, removes the least recently used sandbox, but never one that is in
   * use or that a client has changed.
   * Throws an `HttpProblemError` if no sandbox can be removed.
   */
  private evictIfFull(): void {
    const { map } = this;
    const { maxSandboxes = MAX_SANDBOXES } = this.parts;
    if (map.entries.size >= maxSandboxes) this.sweep();
    if (map.entries.size < maxSandboxes) return;
    const evicted = map.findEvictable();
    if (evicted === undefined) {
      const detail = `The limit of ${maxSandboxes} sandboxes is reached, and all of them were used within the last hour: remove some with DELETE /_control/sandboxes/ID`;
      throw new HttpProblemError(unavailable(detail, Math.ceil(map.getNextExpiryMs() / 1000)));
    }
    this.expire(evicted, 'the maximum number of sandboxes is reached, and no client has changed this sandbox');
  }

  /** Removes all expired sandboxes. */
  protected sweep(): void {
    for (const id of this.map.listExpired()) this.expire(id, UNUSED);
  }

  /**
   * Returns the map entry of a sandbox.
   * Returns undefined if the sandbox does not exist or has expired.
   * Removes an expired sandbox.
   */
  protected getUnexpired(id: string): Entry<S> | undefined {
    const entry = this.map.entries.get(id);
    if (!entry || !this.map.isExpired(entry)) return entry;
    this.expire(id, UNUSED);
    return undefined;
  }

  /**
   * Removes a sandbox because it has expired or a limit is reached.
   * Stores the current time as its expiry time.
   * `reason`: the text for the log.
   */
  protected expire(id: string, reason: string): void {
    this.expiryTimes.set(id, this.parts.nowMs());
    this.end(id, 'expired');
    this.parts.log(`removed sandbox ${id}: ${reason}`);
  }

  /** Removes a sandbox and ends its journal. Returns whether the sandbox existed. */
  protected end(id: string, event: Ending['event']): boolean {
    // First ends the journal, because followers still read the entries that they have not received.
    this.map.entries.get(id)?.sandbox.journal.end({ event, sandbox: id, atMs: this.parts.nowMs() });
    return this.release(id) !== undefined;
  }

  /**
   * Removes a sandbox from the map, clears its journal, and frees its memory.
   * Returns the removed map entry, or undefined if the sandbox did not exist.
   */
  protected release(id: string): Entry<S> | undefined {
    const entry = this.map.entries.get(id);
    if (!entry) return undefined;
    this.map.delete(id);
    entry.quota.release();
    entry.sandbox.journal.clear();
    entry.sandbox.idempotencyKeys.dispose();
    return entry;
  }
}

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
class SandboxMap<S extends State = State> {
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
