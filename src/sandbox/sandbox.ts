import type { State } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import { type Clock, createClock } from './clock.ts';
import { createFaultList, type FaultList } from './faults/fault-list.ts';
import { createIdGenerator, type IdGenerator } from './id-generator.ts';
import type { Journal } from './journal/journal.ts';

/** A shop of its own: its state, its clock, its ids, what is to fail in it, and what was asked of it. */
export interface Sandbox {
  readonly id: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly faults: FaultList;
  readonly journal: Journal;
  /** States that were saved in it, by their names. */
  readonly snapshots: Map<string, State>;
}

/** The sandbox of those who name none: the shop of the interface. */
export const DEFAULT_SANDBOX_ID = 'default';

/** What every sandbox begins with. */
export interface SandboxParts {
  /** The machine's time, in ms since 1970. */
  readonly nowMs: () => number;
  readonly newId: () => string;
  /** How long the machine has been up or the like, in ms. */
  readonly elapsedMs: () => number;
  readonly journal: Journal;
  readonly snapshots: Map<string, State>;
  /** Told of how many bytes more its faults take, or less; throws where that is too much. */
  readonly hold: (moreBytes: number) => void;
  /** Called when a client changes its clock, its ids or its faults. */
  readonly onChange: () => void;
  /** Told of what people should know. */
  readonly tell: (message: string) => void;
}

/** A sandbox over a store, which is made with its clock. */
export function createSandbox(
  id: string,
  { nowMs, newId, elapsedMs, journal, snapshots, hold, onChange, tell }: SandboxParts,
  storeFor: (clock: Clock) => Store,
): Sandbox {
  const clock = createClock(nowMs, onChange);
  const holdFaults = (moreBytes: number) => {
    onChange();
    hold(moreBytes);
  };
  const faults = createFaultList({ clock, elapsedMs, hold: holdFaults, tell });
  return { id, clock, ids: createIdGenerator(newId, onChange), faults, journal, store: storeFor(clock), snapshots };
}
