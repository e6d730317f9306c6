import type { State } from '../store/state.ts';
import { HttpProblemError } from '../util/problem.ts';
import type { Journal } from './journal/journal.ts';
import { LiveSandboxes } from './live-sandboxes.ts';
import { DEFAULT_SANDBOX_ID, type Sandbox, type SandboxesParts } from './sandbox.ts';

/** The interval at which the server removes expired sandboxes, in ms. */
const SWEEP_MS = 60_000;

/** A sandbox that a request uses. */
interface UsedSandbox<S extends State> {
  readonly sandbox: Sandbox<S>;
  readonly expiredAtMs: number | undefined;
  /** Whether the request has created the sandbox. */
  readonly isNew: boolean;
  /** Ends the use. Call it exactly once. */
  readonly leave: () => void;
}

/**
 * A database that stores the sandboxes, so that several servers can share them.
 * The sandboxes in the memory of a server are copies.
 */
export interface SandboxStorage<S extends State = State> {
  /** Loads the changes that other servers have made in a sandbox. */
  load(id: string): Promise<void>;
  /** Loads the changes that other servers have made in all sandboxes. */
  loadAll(): Promise<void>;
  /** Loads the requests that other servers have recorded in the journal of a sandbox. */
  loadJournal(id: string): Promise<void>;
  /** Clears the journal of a sandbox on the other servers. */
  clearJournal(id: string): Promise<void>;
  /** Creates or replaces a sandbox with a state. */
  create(id: string, from: S): Promise<Sandbox<S>>;
  /** Creates a sandbox. If another request or server creates it first, resolves to that sandbox. */
  createNew(id: string, from: S): Promise<Sandbox<S>>;
  /** Removes a sandbox. Resolves to true if the sandbox existed. */
  remove(id: string): Promise<boolean>;
  /** Marks a state from which sandboxes are created. */
  share(state: S): void;
  /** Removes the sandboxes that no server has used for too long. `used`: the ids of sandboxes that are in use. */
  removeUnused(used: readonly string[]): void;
  /** Called when a sandbox is removed from the memory of this server. */
  onRelease(id: string, journal: Journal): void;
}

/** Creates the storage of sandboxes. `live`: their copies in memory. `main`: the sandbox `default`. */
type CreateStorage<S extends State> = (live: LiveSandboxes<S>, main: Sandbox<S>) => SandboxStorage<S>;

/**
 * All sandboxes of a server.
 * Without a storage, the states of all sandboxes except `default` are only in memory.
 */
export class Sandboxes<S extends State = State> {
  /** Whether other servers use the same sandboxes. */
  readonly isShared: boolean;
  /** The sandbox `default`, which handles requests that select no sandbox. It is never removed. */
  readonly default: Sandbox<S>;
  private readonly live: LiveSandboxes<S>;
  private readonly storage: SandboxStorage<S> | undefined;
  /** The ids of the sandboxes that were used since the last sweep. */
  private readonly used = new Set<string>();
  private readonly sweeping: NodeJS.Timeout;

  constructor(
    private readonly parts: SandboxesParts<S>,
    createStorage?: CreateStorage<S>,
  ) {
    this.live = new LiveSandboxes(parts, {
      areCopies: createStorage !== undefined,
      onRelease: (id, journal) => this.storage?.onRelease(id, journal),
    });
    this.default = this.live.factory.createDefault();
    this.storage = createStorage?.(this.live, this.default);
    this.isShared = createStorage !== undefined;
    this.sweeping = setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  /** Returns a sandbox, and sets the time of its last use to now. Returns undefined if the sandbox does not exist. */
  find(id: string): Sandbox<S> | undefined {
    if (this.storage) this.used.add(id);
    return id === DEFAULT_SANDBOX_ID ? this.default : this.live.find(id);
  }

  /**
   * Loads the changes that other servers have made in a sandbox.
   * Does nothing if the sandbox is not shared with other servers.
   */
  async load(id: string): Promise<void> {
    await this.storage?.load(id);
  }

  /** Loads the changes that other servers have made in all sandboxes. */
  async loadAll(): Promise<void> {
    await this.storage?.loadAll();
  }

  /** Loads the requests that other servers have recorded in the journal of a sandbox. */
  async loadJournal(id: string): Promise<void> {
    await this.storage?.loadJournal(id);
  }

  /** Clears the journal of a sandbox, also on other servers that share the sandbox. */
  async clearJournal({ id, journal }: Pick<Sandbox<S>, 'id' | 'journal'>): Promise<void> {
    await this.storage?.clearJournal(id);
    journal.clearEnded();
  }

  /**
   * Returns a sandbox.
   * If it does not exist, creates it from the default data.
   * Rejects with an `HttpProblemError` if it can't be created.
   */
  async get(id: string): Promise<Sandbox<S>> {
    if (this.storage) await this.storage.load(id);
    return this.find(id) ?? this.createFromDefaults(id);
  }

  /**
   * Returns a sandbox, which cannot expire until `leave` is called.
   * If it does not exist, creates it.
   * `expiredAtMs`: if the sandbox had expired, the time when it expired, in ms since 1970.
   * Rejects with an `HttpProblemError` if the sandbox can't be created.
   */
  async use(id: string): Promise<UsedSandbox<S>> {
    if (this.storage) await this.storage.load(id);
    const expiredAtMs = this.expiredAtMs(id);
    const found = this.find(id);
    const sandbox = found ?? (await this.createFromDefaults(id));
    const isNew = found === undefined;
    if (id === DEFAULT_SANDBOX_ID) return { sandbox, expiredAtMs, isNew, leave: () => {} };
    const live = this.live.get(id);
    // Another request has created another sandbox in the meantime, and the limit was reached, so the sandbox `id` was
    // removed.
    if (!live) return this.use(id);
    live.requests.count++;
    const leave = () => {
      live.requests.count--;
      if (this.live.get(id) === live) this.live.use(id, live);
    };
    return { sandbox: live.sandbox, expiredAtMs, isNew, leave };
  }

  /**
   * Creates or replaces a sandbox with a state, by default the default data.
   * Rejects with an `HttpProblemError` if a limit is reached.
   */
  async create(id: string, from: S = this.live.factory.getDefaults()): Promise<Sandbox<S>> {
    if (this.storage) {
      this.used.add(id);
      return this.storage.create(id, from);
    }
    return this.live.factory.memory.countShared(from, async () => this.live.add(id, from, true));
  }

  /**
   * Marks a state from which sandboxes are created, such as a snapshot.
   * The memory of the state does not count towards the limit of any sandbox.
   */
  share(state: S): void {
    this.live.factory.memory.objects.share(state);
    this.storage?.share(state);
  }

  /**
   * Removes a sandbox and ends its journal.
   * Resolves to true if the sandbox existed.
   * Never removes the sandbox `default`, and then resolves to false.
   */
  async remove(id: string): Promise<boolean> {
    if (id === DEFAULT_SANDBOX_ID) return false;
    const isStored = await this.storage?.remove(id);
    const isInMemory = this.live.end(id, 'removed');
    return isStored ?? isInMemory;
  }

  /** Returns all sandboxes. The sandbox `default` comes first. */
  list(): readonly Sandbox<S>[] {
    this.sweep();
    return [this.default, ...this.live.list().map(([, { sandbox }]) => sandbox)];
  }

  /** Returns whether a sandbox still exists, and was not replaced. Is no use of the sandbox. */
  isCurrent(sandbox: Sandbox<S>): boolean {
    return sandbox === this.default || this.live.get(sandbox.id)?.sandbox === sandbox;
  }

  /** The approximate memory of all journals, in bytes. */
  get journalBytes(): number {
    return this.live.factory.journalMemory.usedBytes;
  }

  /** Returns the time since the last use of a sandbox, in ms. Returns 0 if the sandbox is in use or does not exist. */
  idleMs(id: string): number {
    const live = this.live.get(id);
    return live ? Math.round(this.live.getIdleMs(live)) : 0;
  }

  /**
   * Returns the time when a sandbox expired, in ms since 1970.
   * Returns undefined if it has not expired, or was created again.
   * If other servers share the sandbox, call `load` first.
   */
  expiredAtMs(id: string): number | undefined {
    this.live.getUnexpired(id);
    return this.live.expiryTimes.get(id);
  }

  /** Closes the stores of all sandboxes except `default`. */
  async close(): Promise<void> {
    clearInterval(this.sweeping);
    await Promise.all(this.live.list().map(([, { sandbox }]) => sandbox.store.close()));
  }

  /**
   * Creates a sandbox from the default data for a request to an unknown sandbox.
   * Throws an `HttpProblemError` if only the control API can create sandboxes.
   */
  private async createFromDefaults(id: string): Promise<Sandbox<S>> {
    if (this.parts.areDeclared)
      throw new HttpProblemError({
        code: 'unknown-sandbox',
        detail: `Sandbox ${id} does not exist. Create it with PUT /_control/sandboxes/${id}.`,
      });
    const from = this.live.factory.getDefaults();
    if (this.storage) return this.storage.createNew(id, from);
    return this.live.factory.memory.countShared(from, async () => {
      const other = this.find(id);
      if (other) return other;
      const created = this.live.add(id, from, false);
      this.parts.log(`created sandbox ${id}`);
      return created;
    });
  }

  /** Removes the sandboxes that have expired. */
  private sweep(): void {
    this.live.removeExpired();
    if (!this.storage) return;
    const used = [...this.used, ...this.live.listInUse()];
    this.used.clear();
    this.storage.removeUnused(used);
  }
}
