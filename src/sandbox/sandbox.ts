import type { State } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import { type Clock, createClock } from './clock.ts';
import { FaultList } from './faults/fault-list.ts';
import { createIdGenerator, type IdGenerator } from './id-generator.ts';
import { Journal, JournalMemory } from './journal/journal.ts';
import { CountedSnapshots, createCountedStore } from './memory/counted-store.ts';
import {
  DEFAULT_SNAPSHOTS_BYTES,
  MEMORY_LIMITS,
  Memory,
  type MemoryLimits,
  type MemoryQuota,
} from './memory/memory.ts';

/** An isolated instance of the application: its state, clock, id generator, faults, request journal and snapshots. */
export interface Sandbox<S extends State = State> {
  readonly id: string;
  readonly store: Store<S>;
  readonly clock: Clock;
  readonly idGenerator: IdGenerator;
  readonly faults: FaultList;
  readonly journal: Journal;
  /** Saved states by name. */
  readonly snapshots: Map<string, S>;
}

/** The id of the sandbox for requests that select no sandbox. */
export const DEFAULT_SANDBOX_ID = 'default';

/** Options of the sandboxes of a server. */
export interface SandboxesParts<S extends State = State> {
  readonly default: Pick<Sandbox<S>, 'store' | 'clock'>;
  /** Returns the default data. */
  readonly defaults: () => S;
  /** Returns the machine's time in ms since 1970. */
  readonly nowMs: () => number;
  /** Returns the time of a monotonic clock, in ms. */
  readonly elapsedMs: () => number;
  readonly newId: () => string;
  /** Whether only the control API creates sandboxes. Otherwise a request creates the sandbox that it selects. */
  readonly areDeclared: boolean;
  /** Logs a message, for example that a sandbox has expired. */
  readonly log: (message: string) => void;
  readonly memoryLimits?: MemoryLimits | undefined;
  /** The maximum number of sandboxes, without `default`. */
  readonly maxSandboxes?: number | undefined;
}

/** The parts of a new sandbox that come from the registry. */
interface OwnParts {
  readonly quota: MemoryQuota;
  readonly journal: Journal;
  /** Called when a client changes anything in the sandbox. */
  readonly onChange: () => void;
}

/** The maximum numbers of requests in the journal of the default sandbox, and in the journal of any other sandbox. */
const MAX_REQUESTS = { default: 1_000, other: 100 };

/** Creates the parts of sandboxes, and counts their memory. */
export class SandboxFactory<S extends State> {
  readonly memory: Memory;
  private readonly journalMemory = new JournalMemory();

  /** `onFull` is called if all sandboxes together exceed their memory limit. It can remove sandboxes, so that the change succeeds. */
  constructor(
    private readonly parts: SandboxesParts<S>,
    onFull: () => void,
  ) {
    this.memory = new Memory(parts.memoryLimits ?? MEMORY_LIMITS, onFull);
  }

  /** Creates the default sandbox. */
  createDefault(): Sandbox<S> {
    const { default: main, elapsedMs, newId, log } = this.parts;
    return {
      id: DEFAULT_SANDBOX_ID,
      ...main,
      idGenerator: createIdGenerator(newId),
      faults: new FaultList({ clock: main.clock, elapsedMs, reserve() {}, log }),
      journal: this.createJournal(() => {}, MAX_REQUESTS.default),
      snapshots: new CountedSnapshots(this.memory.createSeparateQuota(DEFAULT_SNAPSHOTS_BYTES)),
    };
  }

  /** Creates a sandbox with a state in memory. */
  create(id: string, initial: S, { quota, journal, onChange }: OwnParts): Sandbox<S> {
    const { nowMs, elapsedMs, newId, log } = this.parts;
    const clock = createClock(nowMs, onChange);
    const reserve = (moreBytes: number) => {
      onChange();
      quota.reserve(moreBytes);
    };
    const defaults = () => this.getDefaults();
    return {
      id,
      clock,
      journal,
      idGenerator: createIdGenerator(newId, onChange),
      faults: new FaultList({ clock, elapsedMs, reserve, log }),
      store: createCountedStore({ initial, defaults, nowMs: clock.nowMs, quota, onChange }),
      snapshots: new CountedSnapshots(quota, onChange),
    };
  }

  /** Creates the journal of a sandbox. `onUnfollow` is called each time a follower is removed. */
  createJournal(onUnfollow: () => void, maxEntries = MAX_REQUESTS.other): Journal {
    const { nowMs, elapsedMs } = this.parts;
    return new Journal({ maxEntries, onUnfollow, nowMs, elapsedMs, memory: this.journalMemory });
  }

  /** Returns the default data. Its memory does not count for any sandbox. */
  getDefaults(): S {
    const state = this.parts.defaults();
    this.memory.objects.share(state);
    return state;
  }
}
