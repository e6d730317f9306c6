import type { State } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import { type Clock, createClock } from './clock.ts';
import { FaultList } from './faults/fault-list.ts';
import { createIdGenerator, type IdGenerator } from './id-generator.ts';
import type { Journal } from './journal/journal.ts';

/** An isolated instance of the application: its state, clock, id generator, faults, request journal and snapshots. */
export interface Sandbox<S extends State = State> {
  readonly id: string;
  readonly store: Store<S>;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly faults: FaultList;
  readonly journal: Journal;
  /** Saved states by name. */
  readonly snapshots: Map<string, S>;
}

/** The id of the sandbox for requests that select none. */
export const DEFAULT_SANDBOX_ID = 'default';

/** What a sandbox is created from. */
export interface SandboxParts<S extends State = State> {
  /** Returns the machine's time in ms since 1970. */
  readonly nowMs: () => number;
  readonly newId: () => string;
  /** A monotonic clock in ms. */
  readonly elapsedMs: () => number;
  readonly journal: Journal;
  readonly snapshots: Map<string, S>;
  /** Reserves memory for faults, or releases it if negative. Throws a `StateTooLargeError` if the sandbox exceeds its limit. */
  readonly hold: (moreBytes: number) => void;
  /** Called when a client changes its clock, its ids or its faults. */
  readonly onChange: () => void;
  /** Logs a message. */
  readonly tell: (message: string) => void;
}

/** Creates a sandbox. `storeFor` creates its store with its clock. */
export function createSandbox<S extends State>(
  id: string,
  { nowMs, newId, elapsedMs, journal, snapshots, hold, onChange, tell }: SandboxParts<S>,
  storeFor: (clock: Clock) => Store<S>,
): Sandbox<S> {
  const clock = createClock(nowMs, onChange);
  const holdFaults = (moreBytes: number) => {
    onChange();
    hold(moreBytes);
  };
  const faults = new FaultList({ clock, elapsedMs, reserve: holdFaults, tell });
  return { id, clock, ids: createIdGenerator(newId, onChange), faults, journal, store: storeFor(clock), snapshots };
}
