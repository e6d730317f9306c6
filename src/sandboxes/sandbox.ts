import type { State } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import { type Clock, createClock } from './clock.ts';
import { createIds, type Ids } from './ids.ts';

/** A shop of its own: its state, its clock, its ids. */
export interface Sandbox {
  readonly id: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  /** States that were saved in it, by their names. */
  readonly snapshots: Map<string, State>;
}

/** The sandbox of those who name none: the shop of the interface. */
export const DEFAULT_ID = 'default';

/** What every sandbox begins with. */
export interface SandboxParts {
  /** The machine's time, in ms since 1970. */
  readonly nowMs: () => number;
  readonly newId: () => string;
  /** Where snapshots go; a map of their own unless given. */
  readonly snapshots?: Map<string, State>;
}

/** A sandbox over a store, which is made with its clock. */
export function createSandbox(
  id: string,
  { nowMs, newId, snapshots = new Map() }: SandboxParts,
  storeFor: (clock: Clock) => Store,
): Sandbox {
  const clock = createClock(nowMs);
  return { id, clock, ids: createIds(newId), store: storeFor(clock), snapshots };
}
