import type { State } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from './clock.ts';
import type { FaultList } from './faults/fault-list.ts';
import type { IdGenerator } from './id-generator.ts';
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

/** The id of the sandbox for requests that select no sandbox. */
export const DEFAULT_SANDBOX_ID = 'default';
