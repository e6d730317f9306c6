import type { State } from '../store/state.ts';
import { TooManySandboxesError, UnknownSandboxError } from './errors.ts';
import { createExpiredIds } from './expired-ids.ts';

import type { Ending, Journal } from './journal/journal.ts';
import { MAX_SANDBOXES, SANDBOX_BYTES } from './memory/limits.ts';
import { type Entry, Occupancy } from './occupancy.ts';
import { DEFAULT_SANDBOX_ID, type Sandbox } from './sandbox.ts';
import { type SandboxesParts, SandboxFactory } from './sandbox-factory.ts';

/** All sandboxes of a server. */
export interface Sandboxes<S extends State = State> {
  /** The sandbox of requests that select none. It is never removed. */
  readonly default: Sandbox<S>;
  /** Returns a sandbox. Creates it from the default data if it does not exist. Throws `UnknownSandboxError` or `TooManySandboxesError`. */
  get(id: string): Sandbox<S>;
  /** Returns a sandbox; undefined if it does not exist. This counts as use. */
  find(id: string): Sandbox<S> | undefined;
  /** Handles a request in a sandbox, which is not removed meanwhile. Throws as `get` does. */
  use<Result>(id: string, handle: (sandbox: Sandbox<S>) => Promise<Result>): Promise<Result>;
  /** Creates or replaces a sandbox, with a state or else the default data. Throws `TooManySandboxesError` or `StateTooLargeError`. */
  make(id: string, from?: S): Sandbox<S>;
  /** Marks a state that sandboxes are created from: its memory counts for none of them. */
  share(state: S): void;
  /** Removes a sandbox. Returns whether it existed. The default sandbox stays. */
  remove(id: string): boolean;
  /** Returns all sandboxes, the default one first. */
  list(): readonly Sandbox<S>[];
  /** Returns the time since the last use of a sandbox, in ms. */
  idleMs(id: string): number;
  /** Returns when the server removed a sandbox, in ms since 1970; undefined if it did not, or if another sandbox has the id by now. */
  expiredAtMs(id: string): number | undefined;
  close(): Promise<void>;
}

/** How long an unused sandbox is kept, in ms. */
const IDLE_MS = 3_600_000;

/** The interval at which expired sandboxes are removed, in ms. */
const SWEEP_MS = 60_000;

/** The number of requests that the journals of the default sandbox and of any other keep. */
const MAX_REQUESTS = { default: 1_000, other: 100 };

/** Creates the sandboxes of a server. All but the default one are in memory. */
export function createSandboxes<S extends State>(parts: SandboxesParts<S>): Sandboxes<S> {
  return new Registry(parts);
}

class Registry<S extends State> implements Sandboxes<S> {
  readonly default: Sandbox<S>;
  readonly #parts: SandboxesParts<S>;
  readonly #most: number;
  readonly #occupancy: Occupancy<S>;
  readonly #factory: SandboxFactory<S>;
  readonly #expiredIds = createExpiredIds();
  readonly #sweeping: NodeJS.Timeout;

  constructor(parts: SandboxesParts<S>) {
    this.#parts = parts;
    this.#most = parts.most ?? MAX_SANDBOXES;
    this.#occupancy = new Occupancy(parts.elapsedMs, IDLE_MS);
    this.#factory = new SandboxFactory(parts, () => this.#sweep());
    this.#sweeping = setInterval(() => this.#sweep(), SWEEP_MS).unref();
    this.default = this.#factory.createDefault(MAX_REQUESTS.default);
  }

  find(id: string): Sandbox<S> | undefined {
    if (id === DEFAULT_SANDBOX_ID) return this.default;
    const entry = this.#getUnexpired(id);
    if (entry) this.#occupancy.use(id, entry);
    return entry?.sandbox;
  }

  get(id: string): Sandbox<S> {
    const sandbox = this.find(id);
    if (sandbox) return sandbox;
    if (this.#parts.areDeclared)
      throw new UnknownSandboxError(`there is no sandbox ${id}: make it first with PUT /_control/sandboxes/${id}`);
    const created = this.#create(id, this.#factory.getDefaults(), false);
    this.#parts.tell(`made sandbox ${id}`);
    return created;
  }

  async use<Result>(id: string, handle: (sandbox: Sandbox<S>) => Promise<Result>): Promise<Result> {
    const sandbox = this.get(id);
    const entry = this.#occupancy.get(id);
    if (!entry) return handle(sandbox);
    entry.requests.count++;
    try {
      return await handle(sandbox);
    } finally {
      entry.requests.count--;
      if (this.#occupancy.get(id) === entry) this.#occupancy.use(id, entry);
    }
  }

  make(id: string, from: S = this.#factory.getDefaults()): Sandbox<S> {
    return this.#create(id, from, true);
  }

  share(state: S): void {
    this.#factory.memory.share(state);
  }

  remove(id: string): boolean {
    return this.#end(id, 'removed');
  }

  list(): readonly Sandbox<S>[] {
    this.#sweep();
    return [this.default, ...this.#occupancy.entries().map(({ sandbox }) => sandbox)];
  }

  idleMs(id: string): number {
    const entry = this.#occupancy.get(id);
    return entry ? Math.round(this.#occupancy.unusedMs(entry)) : 0;
  }

  expiredAtMs(id: string): number | undefined {
    this.#getUnexpired(id);
    return this.#expiredIds.at(id);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    await Promise.all(this.#occupancy.entries().map(({ sandbox }) => sandbox.store.close()));
  }

  #create(id: string, from: S, isWritten: boolean): Sandbox<S> {
    const occupancy = this.#occupancy;
    const before = occupancy.get(id);
    if (!before) this.#makeRoom();
    const account = this.#factory.memory.openFor(from, SANDBOX_BYTES, before?.account);
    this.#release(id);
    const entry: Entry<S> = {
      sandbox: this.#factory.create(id, from, {
        account,
        // Clients that follow the journal of a sandbox that is created again continue.
        journal: before?.sandbox.journal ?? this.#createJournal(id),
        onChange: () => occupancy.markWritten(entry),
      }),
      account,
      requests: before?.requests ?? { count: 0 },
      isWritten,
      usedMs: this.#parts.elapsedMs(),
    };
    occupancy.set(id, entry);
    this.#expiredIds.delete(id);
    return entry.sandbox;
  }

  /** Creates a journal whose sandbox counts as used until the last client stops following it. */
  #createJournal(id: string): Journal {
    const journal: Journal = this.#factory.createJournal(MAX_REQUESTS.other, () => {
      const entry = this.#occupancy.get(id);
      // Another sandbox may have the id by now.
      if (entry?.sandbox.journal === journal) this.#occupancy.use(id, entry);
    });
    return journal;
  }

  /** Removes sandboxes until there is room for one more. Throws `TooManySandboxesError` if there is none. */
  #makeRoom(): void {
    const [occupancy, most] = [this.#occupancy, this.#most];
    if (occupancy.size >= most) this.#sweep();
    if (occupancy.size < most) return;
    const evicted = occupancy.evictable();
    if (evicted === undefined) throw new TooManySandboxesError(most, Math.ceil(occupancy.nextExpiryMs() / 1000));
    this.#expire(evicted, 'was never written to, makes room for another one');
  }

  #sweep(): void {
    for (const id of this.#occupancy.expired()) this.#expire(id, UNUSED);
  }

  #getUnexpired(id: string): Entry<S> | undefined {
    const entry = this.#occupancy.get(id);
    if (!entry || !this.#occupancy.isExpired(entry)) return entry;
    this.#expire(id, UNUSED);
    return undefined;
  }

  /** Removes a sandbox although no client has removed it. */
  #expire(id: string, reason: string): void {
    this.#expiredIds.add(id, this.#parts.nowMs());
    this.#end(id, 'expired');
    this.#parts.tell(`sandbox ${id} ${reason} and is gone`);
  }

  /** Removes a sandbox and ends its journal. Returns whether it existed. */
  #end(id: string, event: Ending['event']): boolean {
    const entry = this.#release(id);
    entry?.sandbox.journal.end({ event, sandbox: id, atMs: this.#parts.nowMs() });
    return entry !== undefined;
  }

  #release(id: string): Entry<S> | undefined {
    const entry = this.#occupancy.get(id);
    if (!entry) return undefined;
    this.#occupancy.delete(id);
    entry.account.close();
    entry.sandbox.journal.clear();
    return entry;
  }
}

/** Why a sandbox expires. */
const UNUSED = 'was not used for an hour';
