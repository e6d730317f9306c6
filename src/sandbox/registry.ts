import type { State } from '../store/state.ts';
import { TooManySandboxesError, UnknownSandboxError } from './errors.ts';
import type { Ending, Journal } from './journal/journal.ts';
import { MAX_SANDBOXES, SANDBOX_BYTES } from './memory/memory.ts';
import { DEFAULT_SANDBOX_ID, type Sandbox, type SandboxesParts, SandboxFactory } from './sandbox.ts';
import { type Entry, SandboxMap } from './sandbox-map.ts';

/** The interval at which expired sandboxes are removed, in ms. */
const SWEEP_MS = 60_000;

/** The maximum number of expired sandboxes with a stored expiry time. */
const MAX_EXPIRED = 10_000;

/** The reason in the log if a sandbox has expired. */
const UNUSED = 'it was not used for an hour';

/** All sandboxes of a server. The states of all sandboxes except `default` are only in memory. */
export class Sandboxes<S extends State = State> {
  /** The sandbox for requests that select no sandbox. It is never removed. */
  readonly default: Sandbox<S>;
  private readonly map: SandboxMap<S>;
  private readonly factory: SandboxFactory<S>;
  /** The expiry times of the latest expired sandboxes by id, in ms since 1970. */
  private readonly expiryMs = new Map<string, number>();
  private readonly sweeping: NodeJS.Timeout;

  constructor(private readonly parts: SandboxesParts<S>) {
    this.map = new SandboxMap(parts.elapsedMs);
    this.factory = new SandboxFactory(parts, () => this.sweep());
    this.sweeping = setInterval(() => this.sweep(), SWEEP_MS).unref();
    this.default = this.factory.createDefault();
  }

  /** Returns a sandbox, and sets the time of its last use. Returns undefined if the sandbox does not exist. */
  find(id: string): Sandbox<S> | undefined {
    if (id === DEFAULT_SANDBOX_ID) return this.default;
    const entry = this.getUnexpired(id);
    if (entry) this.map.use(id, entry);
    return entry?.sandbox;
  }

  /** Returns a sandbox. Creates it from the default data if it does not exist. Throws `UnknownSandboxError` or `TooManySandboxesError`. */
  get(id: string): Sandbox<S> {
    const sandbox = this.find(id);
    if (sandbox) return sandbox;
    if (this.parts.areDeclared)
      throw new UnknownSandboxError(`Sandbox ${id} does not exist. Create it with PUT /_control/sandboxes/${id}.`);
    const created = this.add(id, this.factory.getDefaults(), false);
    this.parts.log(`created sandbox ${id}`);
    return created;
  }

  /** Calls `handle` with a sandbox, which is not removed until `handle` has finished. Throws `UnknownSandboxError` or `TooManySandboxesError`. */
  async use<Result>(id: string, handle: (sandbox: Sandbox<S>) => Promise<Result>): Promise<Result> {
    const sandbox = this.get(id);
    const entry = this.map.entries.get(id);
    if (!entry) return handle(sandbox);
    entry.requests.count++;
    try {
      return await handle(sandbox);
    } finally {
      entry.requests.count--;
      if (this.map.entries.get(id) === entry) this.map.use(id, entry);
    }
  }

  /** Creates or replaces a sandbox with a state, by default the default data. Throws `TooManySandboxesError` or `StateTooLargeError`. */
  create(id: string, from: S = this.factory.getDefaults()): Sandbox<S> {
    return this.add(id, from, true);
  }

  /** Marks a state from which sandboxes are created, such as a snapshot. Its memory does not count for any sandbox. */
  share(state: S): void {
    this.factory.memory.objects.share(state);
  }

  /** Removes a sandbox and ends its journal. Returns whether it existed. Returns false for the default sandbox. */
  remove(id: string): boolean {
    return this.end(id, 'removed');
  }

  /** Returns all sandboxes, the default one first. */
  list(): readonly Sandbox<S>[] {
    this.sweep();
    return [this.default, ...Array.from(this.map.entries.values(), ({ sandbox }) => sandbox)];
  }

  /** Returns the time since the last use of a sandbox, in ms; 0 if it is in use or does not exist. */
  idleMs(id: string): number {
    const entry = this.map.entries.get(id);
    return entry ? Math.round(this.map.getIdleMs(entry)) : 0;
  }

  /** Returns the time when a sandbox expired, in ms since 1970; undefined if it has not expired, or if it was created again. */
  expiredAtMs(id: string): number | undefined {
    this.getUnexpired(id);
    return this.expiryMs.get(id);
  }

  /** Closes the stores of all sandboxes except `default`. */
  async close(): Promise<void> {
    clearInterval(this.sweeping);
    await Promise.all(Array.from(this.map.entries.values(), ({ sandbox }) => sandbox.store.close()));
  }

  /** Creates or replaces a sandbox. `isWritten`: whether a client has created it with the control API. */
  private add(id: string, from: S, isWritten: boolean): Sandbox<S> {
    const { map, factory } = this;
    const before = map.entries.get(id);
    if (!before) this.evictIfFull();
    const quota = factory.memory.createQuota(from, SANDBOX_BYTES, before?.quota);
    this.release(id);
    // If the sandbox is created again, clients continue to follow its journal.
    const journal = before?.sandbox.journal ?? this.createJournal(id);
    const onChange = () => {
      entry.isWritten = true;
    };
    const entry: Entry<S> = {
      sandbox: factory.create(id, from, { quota, journal, onChange }),
      quota,
      requests: before?.requests ?? { count: 0 },
      isWritten,
      usedMs: this.parts.elapsedMs(),
    };
    map.set(id, entry);
    this.expiryMs.delete(id);
    return entry.sandbox;
  }

  /** Creates the journal of a sandbox. Each time a follower is removed, sets the time of the last use of the sandbox. */
  private createJournal(id: string): Journal {
    const journal = this.factory.createJournal(() => {
      const entry = this.map.entries.get(id);
      // The sandbox may have been removed, and another one created with the same id.
      if (entry?.sandbox.journal === journal) this.map.use(id, entry);
    });
    return journal;
  }

  /**
   * If the maximum number of sandboxes is reached, removes the least recently used sandbox that no client has changed. Throws `TooManySandboxesError`
   * if there is none.
   */
  private evictIfFull(): void {
    const { map } = this;
    const { maxSandboxes = MAX_SANDBOXES } = this.parts;
    if (map.entries.size >= maxSandboxes) this.sweep();
    if (map.entries.size < maxSandboxes) return;
    const evicted = map.findEvictable();
    if (evicted === undefined) throw new TooManySandboxesError(maxSandboxes, Math.ceil(map.getNextExpiryMs() / 1000));
    this.expire(evicted, 'the maximum number of sandboxes is reached, and no client has changed this sandbox');
  }

  /** Removes all expired sandboxes. */
  private sweep(): void {
    for (const id of this.map.listExpired()) this.expire(id, UNUSED);
  }

  /** Returns the map entry of a sandbox; undefined if the sandbox does not exist. If the sandbox has expired, removes it and returns undefined. */
  private getUnexpired(id: string): Entry<S> | undefined {
    const entry = this.map.entries.get(id);
    if (!entry || !this.map.isExpired(entry)) return entry;
    this.expire(id, UNUSED);
    return undefined;
  }

  /** Removes an expired or evicted sandbox, and stores the current time as its expiry time. */
  private expire(id: string, reason: string): void {
    // `delete` makes the id the last key of the map.
    this.expiryMs.delete(id);
    this.expiryMs.set(id, this.parts.nowMs());
    const [oldest] = this.expiryMs.keys();
    if (this.expiryMs.size > MAX_EXPIRED && oldest !== undefined) this.expiryMs.delete(oldest);
    this.end(id, 'expired');
    this.parts.log(`removed sandbox ${id}: ${reason}`);
  }

  /** Removes a sandbox and ends its journal. Returns whether it existed. */
  private end(id: string, event: Ending['event']): boolean {
    const entry = this.release(id);
    entry?.sandbox.journal.end({ event, sandbox: id, atMs: this.parts.nowMs() });
    return entry !== undefined;
  }

  /** Removes a sandbox from the map, clears its journal, and frees its memory. */
  private release(id: string): Entry<S> | undefined {
    const entry = this.map.entries.get(id);
    if (!entry) return undefined;
    this.map.delete(id);
    entry.quota.release();
    entry.sandbox.journal.clear();
    return entry;
  }
}
