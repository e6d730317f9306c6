import type { State } from '../store/state.ts';
import { TooManySandboxesError, UnknownSandboxError } from './errors.ts';
import type { Ending, Journal } from './journal/journal.ts';
import { MAX_SANDBOXES, SANDBOX_BYTES } from './memory/limits.ts';
import { type Entry, Occupancy } from './occupancy.ts';
import { DEFAULT_SANDBOX_ID, type Sandbox } from './sandbox.ts';
import { type SandboxesParts, SandboxFactory } from './sandbox-factory.ts';

/** The interval at which expired sandboxes are removed, in ms. */
const SWEEP_MS = 60_000;

/** The maximum number of expired sandboxes whose expiry time is kept. */
const MAX_EXPIRED = 10_000;

/** Why a sandbox expires. */
const UNUSED = 'it was not used for an hour';

/** All sandboxes of a server. All but the default one are in memory. */
export class Sandboxes<S extends State = State> {
  /** The sandbox of requests that select none. It is never removed. */
  readonly default: Sandbox<S>;
  private readonly occupancy: Occupancy<S>;
  private readonly factory: SandboxFactory<S>;
  /** When the sandboxes that expired most recently did so, in ms since 1970, by their ids. */
  private readonly expiryMs = new Map<string, number>();
  private readonly sweeping: NodeJS.Timeout;

  constructor(private readonly parts: SandboxesParts<S>) {
    this.occupancy = new Occupancy(parts.elapsedMs);
    this.factory = new SandboxFactory(parts, () => this.sweep());
    this.sweeping = setInterval(() => this.sweep(), SWEEP_MS).unref();
    this.default = this.factory.createDefault();
  }

  /** Returns a sandbox; undefined if it does not exist. This counts as use. */
  find(id: string): Sandbox<S> | undefined {
    if (id === DEFAULT_SANDBOX_ID) return this.default;
    const entry = this.getUnexpired(id);
    if (entry) this.occupancy.use(id, entry);
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

  /** Handles a request in a sandbox, which is not removed meanwhile. Throws as `get` does. */
  async use<Result>(id: string, handle: (sandbox: Sandbox<S>) => Promise<Result>): Promise<Result> {
    const sandbox = this.get(id);
    const entry = this.occupancy.entries.get(id);
    if (!entry) return handle(sandbox);
    entry.requests.count++;
    try {
      return await handle(sandbox);
    } finally {
      entry.requests.count--;
      if (this.occupancy.entries.get(id) === entry) this.occupancy.use(id, entry);
    }
  }

  /** Creates or replaces a sandbox, with a state or else the default data. Throws `TooManySandboxesError` or `StateTooLargeError`. */
  create(id: string, from: S = this.factory.getDefaults()): Sandbox<S> {
    return this.add(id, from, true);
  }

  /** Marks a state that sandboxes are created from: its memory counts for none of them. */
  share(state: S): void {
    this.factory.memory.objects.share(state);
  }

  /** Removes a sandbox and ends its journal. Returns whether it existed. The default sandbox stays. */
  remove(id: string): boolean {
    return this.end(id, 'removed');
  }

  /** Returns all sandboxes, the default one first. */
  list(): readonly Sandbox<S>[] {
    this.sweep();
    return [this.default, ...Array.from(this.occupancy.entries.values(), ({ sandbox }) => sandbox)];
  }

  /** Returns the time since the last use of a sandbox, in ms. */
  idleMs(id: string): number {
    const entry = this.occupancy.entries.get(id);
    return entry ? Math.round(this.occupancy.unusedMs(entry)) : 0;
  }

  /** Returns when the server removed a sandbox, in ms since 1970; undefined if it did not, or if another sandbox has the id by now. */
  expiredAtMs(id: string): number | undefined {
    this.getUnexpired(id);
    return this.expiryMs.get(id);
  }

  /** Closes the stores of all sandboxes but the default one. */
  async close(): Promise<void> {
    clearInterval(this.sweeping);
    await Promise.all(Array.from(this.occupancy.entries.values(), ({ sandbox }) => sandbox.store.close()));
  }

  private add(id: string, from: S, isWritten: boolean): Sandbox<S> {
    const { occupancy, factory } = this;
    const before = occupancy.entries.get(id);
    if (!before) this.makeRoom();
    const quota = factory.memory.createQuota(from, SANDBOX_BYTES, before?.quota);
    this.release(id);
    // Clients that follow the journal of a sandbox that is created again continue.
    const journal = before?.sandbox.journal ?? this.createJournal(id);
    const onChange = () => occupancy.markWritten(entry);
    const entry: Entry<S> = {
      sandbox: factory.create(id, from, { quota, journal, onChange }),
      quota,
      requests: before?.requests ?? { count: 0 },
      isWritten,
      usedMs: this.parts.elapsedMs(),
    };
    occupancy.set(id, entry);
    this.expiryMs.delete(id);
    return entry.sandbox;
  }

  /** Creates a journal whose sandbox counts as used until the last client stops following it. */
  private createJournal(id: string): Journal {
    const journal = this.factory.createJournal(() => {
      const entry = this.occupancy.entries.get(id);
      // Another sandbox may have the id by now.
      if (entry?.sandbox.journal === journal) this.occupancy.use(id, entry);
    });
    return journal;
  }

  /** Removes sandboxes until there is room for one more. Throws `TooManySandboxesError` if there is none. */
  private makeRoom(): void {
    const { occupancy } = this;
    const { most = MAX_SANDBOXES } = this.parts;
    if (occupancy.entries.size >= most) this.sweep();
    if (occupancy.entries.size < most) return;
    const evicted = occupancy.evictable();
    if (evicted === undefined) throw new TooManySandboxesError(most, Math.ceil(occupancy.nextExpiryMs() / 1000));
    this.expire(evicted, 'the limit is reached, and it was never written to');
  }

  private sweep(): void {
    for (const id of this.occupancy.expired()) this.expire(id, UNUSED);
  }

  private getUnexpired(id: string): Entry<S> | undefined {
    const entry = this.occupancy.entries.get(id);
    if (!entry || !this.occupancy.isExpired(entry)) return entry;
    this.expire(id, UNUSED);
    return undefined;
  }

  /** Removes a sandbox although no client has removed it. */
  private expire(id: string, reason: string): void {
    // The id becomes the latest one of the map.
    this.expiryMs.delete(id);
    this.expiryMs.set(id, this.parts.nowMs());
    const [oldest] = this.expiryMs.keys();
    if (this.expiryMs.size > MAX_EXPIRED && oldest !== undefined) this.expiryMs.delete(oldest);
    this.end(id, 'expired');
    this.parts.log(`removed sandbox ${id}: ${reason}`);
  }

  private end(id: string, event: Ending['event']): boolean {
    const entry = this.release(id);
    entry?.sandbox.journal.end({ event, sandbox: id, atMs: this.parts.nowMs() });
    return entry !== undefined;
  }

  /** Removes a sandbox, clears its journal, and frees its memory. */
  private release(id: string): Entry<S> | undefined {
    const entry = this.occupancy.entries.get(id);
    if (!entry) return undefined;
    this.occupancy.delete(id);
    entry.quota.release();
    entry.sandbox.journal.clear();
    return entry;
  }
}
