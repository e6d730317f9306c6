import type { Sandboxes } from '../sandboxes/registry.ts';
import type { ReadyMade } from '../sandboxes/snapshots.ts';
import type { Flaw, SchemaCheck } from '../store/check-state.ts';
import type { State } from '../store/state.ts';
import type { ControlAnswer, ControlId, ControlInput, FaultWish } from './operation.ts';

/** Operations, and an answer of theirs. */
type Meant = { readonly [Name in 'operation' | 'code' | 'example']?: FaultWish[Name] | undefined };

/** What control steers. */
export interface ControlParts {
  readonly sandboxes: Sandboxes;
  readonly readyMade: ReadyMade;
  /** The default data. */
  readonly defaults: () => State;
  /** How a state is checked: by the contract that is served now. */
  readonly check: () => SchemaCheck;
  /** What of operations and answers the contract that is served now doesn't have. */
  readonly undocumented: (meant: Meant) => readonly Flaw[];
  /** Ends what waits once the server stops. */
  readonly stopping: AbortSignal;
}

/** What does an operation of control. */
export type ControlHandler<Id extends ControlId> = (
  input: ControlInput<Id>,
  parts: ControlParts,
) => ControlAnswer<Id> | Promise<ControlAnswer<Id>>;

/** Who does some operations of control. */
export type ControlHandlers<Id extends ControlId> = { readonly [I in Id]: ControlHandler<I> };
