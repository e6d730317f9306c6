import type { State } from '../store/state.ts';
import { FaultList } from './faults/fault-list.ts';
import { createIdGenerator } from './id-generator.ts';
import { Journal } from './journal/journal.ts';
import { JournalMemory } from './journal/journal-memory.ts';
import { countedSnapshots, countedStore } from './memory/counted-store.ts';
import { DEFAULT_SNAPSHOTS_BYTES, MEMORY_LIMITS } from './memory/limits.ts';
import { type Account, Memory, type MemoryLimits } from './memory/memory.ts';
import { createSandbox, DEFAULT_SANDBOX_ID, type Sandbox, type SandboxParts } from './sandbox.ts';

/** What the sandboxes of a server are made of. */
export interface SandboxesParts<S extends State = State>
  extends Omit<SandboxParts, 'snapshots' | 'journal' | 'hold' | 'onChange'> {
  readonly default: Pick<Sandbox<S>, 'store' | 'clock'>;
  /** Returns the default data. */
  readonly defaults: () => S;
  /** Whether only the control API creates sandboxes. */
  readonly areDeclared: boolean;
  /** Logs sandboxes that requests create, and sandboxes that expire. */
  readonly tell: (message: string) => void;
  readonly memoryLimits?: MemoryLimits | undefined;
  /** The number of sandboxes that there may be beside the default one. */
  readonly most?: number | undefined;
}

/** What a sandbox has of its own beside its state. */
export interface OwnParts {
  readonly account: Account;
  readonly journal: Journal;
  readonly onChange: () => void;
}

/** Creates the sandboxes of a server, and counts their memory. */
export class SandboxFactory<S extends State> {
  readonly memory: Memory;
  readonly #journalMemory = new JournalMemory();
  readonly #parts: SandboxesParts<S>;

  /** `onFull` is called before a change is refused because of what other sandboxes hold: it may remove some. */
  constructor(parts: SandboxesParts<S>, onFull: () => void) {
    this.#parts = parts;
    this.memory = new Memory(parts.memoryLimits ?? MEMORY_LIMITS, onFull);
  }

  /** Creates the default sandbox, whose journal keeps a number of requests. */
  createDefault(maxRequests: number): Sandbox<S> {
    const { default: main, elapsedMs, newId, tell } = this.#parts;
    return {
      id: DEFAULT_SANDBOX_ID,
      ...main,
      ids: createIdGenerator(newId),
      faults: new FaultList({ clock: main.clock, elapsedMs, reserve: () => {}, tell }),
      journal: this.createJournal(maxRequests),
      snapshots: countedSnapshots(this.memory.openApart(DEFAULT_SNAPSHOTS_BYTES), () => {}),
    };
  }

  /** Creates the journal of a sandbox. `onUnfollow` is called each time a follower leaves. */
  createJournal(maxEntries: number, onUnfollow: () => void = () => {}): Journal {
    const { nowMs, elapsedMs } = this.#parts;
    return new Journal({ maxEntries, onUnfollow, nowMs, elapsedMs, memory: this.#journalMemory });
  }

  /** Creates a sandbox in memory. */
  create(id: string, initial: S, { account, journal, onChange }: OwnParts): Sandbox<S> {
    const { nowMs, newId, elapsedMs, tell } = this.#parts;
    const snapshots = countedSnapshots<S>(account, onChange);
    const defaults = () => this.getDefaults();
    const parts = { nowMs, newId, elapsedMs, journal, hold: account.add, onChange, tell, snapshots };
    return createSandbox(id, parts, (clock) =>
      countedStore({ initial, defaults, nowMs: clock.nowMs, account, onChange }),
    );
  }

  /** Returns the default data, which counts for no sandbox. */
  getDefaults(): S {
    const state = this.#parts.defaults();
    this.memory.share(state);
    return state;
  }
}
