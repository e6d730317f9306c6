import type { State } from '../store/state.ts';
import { StoreUnavailableError } from '../store/store.ts';
import { createExpiredIds } from './expired-ids.ts';
import { createFaultList } from './faults/fault-list.ts';
import { createIdGenerator } from './id-generator.ts';
import { createJournals, type Ending, type Journal } from './journal/journal.ts';
import { countedSnapshots, countedStore } from './memory/counted-store.ts';
import { DEFAULT_SNAPSHOTS_BYTES, MAX_SANDBOXES, MEMORY_LIMITS, SANDBOX_BYTES } from './memory/limits.ts';
import { type Account, Memory, type MemoryLimits } from './memory/memory.ts';
import { type Entry, Occupancy } from './occupancy.ts';
import { createSandbox, DEFAULT_SANDBOX_ID, type Sandbox, type SandboxParts } from './sandbox.ts';

/** All sandboxes of a server. */
export interface Sandboxes {
  /** The one of those who name none, which never leaves. */
  readonly default: Sandbox;
  /** The one of this id, made from the default data where there is none yet. Throws `UnknownSandboxError` or `TooManySandboxesError`. */
  get(id: string): Sandbox;
  /** The one of this id, where there is one. This counts as use. */
  find(id: string): Sandbox | undefined;
  /** Handles a request in the sandbox of this id, which is not removed for others meanwhile. Throws as `get` does. */
  use<Result>(id: string, handle: (sandbox: Sandbox) => Promise<Result>): Promise<Result>;
  /** Makes one, or makes it anew, from a state, else from the default data. Throws `TooManySandboxesError` or `StateTooLargeError`. */
  make(id: string, from?: State): Sandbox;
  /** Marks a state that sandboxes are made from: its memory counts for none of them. */
  share(state: State): void;
  /** Whether there was one. The default one stays. */
  remove(id: string): boolean;
  /** All, the default one first. */
  list(): readonly Sandbox[];
  /** How long it is since one was last used, in ms. */
  idleMs(id: string): number;
  /** When the server removed the sandbox of an id, in ms since 1970; undefined where it did not, or there is another one by now. */
  expiredAtMs(id: string): number | undefined;
  close(): Promise<void>;
}

/** A sandbox that isn't there and isn't made by being named. */
export class UnknownSandboxError extends Error {
  override readonly name = 'UnknownSandboxError';
}

/** There are as many sandboxes as possible, and none of them can be removed now. */
export class TooManySandboxesError extends StoreUnavailableError {
  /** `retryAfterSeconds`: after how many seconds the next sandbox expires. */
  constructor(
    most: number,
    readonly retryAfterSeconds: number,
  ) {
    super(
      `There are ${most} sandboxes already, which clients changed within the hour: remove some with DELETE /_control/sandboxes/ID`,
    );
  }
}

/** How long a sandbox is kept that nobody uses, in ms. */
const IDLE_MS = 3_600_000;

/** How often those are looked for that nobody uses, in ms. */
const SWEEP_MS = 60_000;

/** How many requests are kept of the default sandbox, and of any other. */
const MOST_REQUESTS = { default: 1_000, other: 100 };

/** What the sandboxes of a server are made of. */
export interface SandboxesParts extends Omit<SandboxParts, 'snapshots' | 'journal' | 'hold' | 'onChange'> {
  readonly default: Pick<Sandbox, 'store' | 'clock'>;
  /** The default data. */
  readonly defaults: () => State;
  /** Whether only those are there that were made by control. */
  readonly areDeclared: boolean;
  /** Told of each that is made by being named, and of those that leave. */
  readonly tell: (message: string) => void;
  readonly memoryLimits?: MemoryLimits | undefined;
  /** How many sandboxes there may be beside the default one. */
  readonly most?: number | undefined;
}

/** What a sandbox has of its own beside its state. */
interface OwnParts {
  readonly account: Account;
  readonly journal: Journal;
  readonly onChange: () => void;
}

/** The sandboxes of a server, beside the default one in memory. */
export function createSandboxes(parts: SandboxesParts): Sandboxes {
  const { elapsedMs, nowMs, newId, defaults, areDeclared, tell, most = MAX_SANDBOXES } = parts;
  const journals = createJournals(nowMs, elapsedMs);
  const occupancy = new Occupancy(elapsedMs, IDLE_MS);
  const memory = new Memory(parts.memoryLimits ?? MEMORY_LIMITS, sweep);
  const expiredIds = createExpiredIds();
  const sweeping = setInterval(sweep, SWEEP_MS).unref();

  function sweep(): void {
    for (const id of occupancy.expired()) expire(id, 'was not used for an hour');
  }

  /** Removes a sandbox without being asked to. */
  function expire(id: string, reason: string): void {
    expiredIds.add(id, nowMs());
    end(id, 'expired');
    tell(`sandbox ${id} ${reason} and is gone`);
  }

  /** Removes a sandbox and ends its journal. Whether there was one. */
  function end(id: string, event: Ending['event']): boolean {
    const entry = release(id);
    entry?.sandbox.journal.end({ event, sandbox: id, atMs: nowMs() });
    return entry !== undefined;
  }

  function release(id: string): Entry | undefined {
    const entry = occupancy.get(id);
    if (!entry) return undefined;
    occupancy.delete(id);
    entry.account.close();
    entry.sandbox.journal.clear();
    return entry;
  }

  /** Removes sandboxes until there is room for one more. Throws `TooManySandboxesError` where there is none. */
  function makeRoom(): void {
    if (occupancy.size >= most) sweep();
    if (occupancy.size < most) return;
    const evicted = occupancy.evictable();
    if (evicted === undefined) throw new TooManySandboxesError(most, Math.ceil(occupancy.nextExpiryMs() / 1000));
    expire(evicted, 'was never written to, makes room for another one');
  }

  function create(id: string, from: State, isWritten: boolean): Sandbox {
    const before = occupancy.get(id);
    if (!before) makeRoom();
    const account = memory.openFor(from, SANDBOX_BYTES, before?.account);
    release(id);
    // Who follows the journal of one that is made anew follows on.
    const journal = before?.sandbox.journal ?? createJournal(id);
    const entry: Entry = {
      sandbox: sandboxOver(id, from, { account, journal, onChange: () => occupancy.markWritten(entry) }),
      account,
      requests: before?.requests ?? { count: 0 },
      isWritten,
      usedMs: elapsedMs(),
    };
    occupancy.set(id, entry);
    expiredIds.delete(id);
    return entry.sandbox;
  }

  /** A journal whose sandbox is used until the last follower leaves. */
  function createJournal(id: string): Journal {
    const journal: Journal = journals.create(MOST_REQUESTS.other, () => {
      const entry = occupancy.get(id);
      // Another sandbox may have the id by now.
      if (entry?.sandbox.journal === journal) occupancy.use(id, entry);
    });
    return journal;
  }

  function sandboxOver(id: string, from: State, { account, journal, onChange }: OwnParts): Sandbox {
    const snapshots = countedSnapshots(account, onChange);
    const own = { nowMs, newId, elapsedMs, journal, hold: account.add, onChange, tell, snapshots };
    return createSandbox(id, own, (clock) =>
      countedStore({ initial: from, defaults: sharedDefaults, nowMs: clock.nowMs, account, onChange }),
    );
  }

  /** The default data, which counts for no sandbox. */
  function sharedDefaults(): State {
    const state = defaults();
    memory.share(state);
    return state;
  }

  /** The entry of an id, unless it has expired. */
  function present(id: string): Entry | undefined {
    const entry = occupancy.get(id);
    if (!entry || !occupancy.isExpired(entry)) return entry;
    expire(id, 'was not used for an hour');
    return undefined;
  }

  function find(id: string): Sandbox | undefined {
    if (id === DEFAULT_SANDBOX_ID) return main;
    const entry = present(id);
    if (entry) occupancy.use(id, entry);
    return entry?.sandbox;
  }

  function get(id: string): Sandbox {
    const sandbox = find(id);
    if (sandbox) return sandbox;
    if (areDeclared)
      throw new UnknownSandboxError(`there is no sandbox ${id}: make it first with PUT /_control/sandboxes/${id}`);
    const created = create(id, sharedDefaults(), false);
    tell(`made sandbox ${id}`);
    return created;
  }

  const main: Sandbox = {
    id: DEFAULT_SANDBOX_ID,
    ...parts.default,
    ids: createIdGenerator(newId),
    faults: createFaultList({ clock: parts.default.clock, elapsedMs, hold: () => {}, tell }),
    journal: journals.create(MOST_REQUESTS.default),
    snapshots: countedSnapshots(memory.openApart(DEFAULT_SNAPSHOTS_BYTES), () => {}),
  };
  return {
    default: main,
    get,
    find,
    async use(id, handle) {
      const sandbox = get(id);
      const entry = occupancy.get(id);
      if (!entry) return handle(sandbox);
      entry.requests.count++;
      try {
        return await handle(sandbox);
      } finally {
        entry.requests.count--;
        if (occupancy.get(id) === entry) occupancy.use(id, entry);
      }
    },
    make: (id, from = sharedDefaults()) => create(id, from, true),
    share: (state) => memory.share(state),
    remove: (id) => end(id, 'removed'),
    list() {
      sweep();
      return [main, ...occupancy.entries().map(({ sandbox }) => sandbox)];
    },
    idleMs(id) {
      const entry = occupancy.get(id);
      return entry ? Math.round(occupancy.unusedMs(entry)) : 0;
    },
    expiredAtMs(id) {
      present(id);
      return expiredIds.at(id);
    },
    async close() {
      clearInterval(sweeping);
      await Promise.all(occupancy.entries().map(({ sandbox }) => sandbox.store.close()));
    },
  };
}
