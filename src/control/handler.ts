import type { Sandboxes } from '../sandbox/registry.ts';
import type { BuiltInSnapshots } from '../sandbox/snapshots.ts';
import type { State } from '../store/state.ts';
import type { StateValidator } from '../store/validate-state.ts';
import type { Issue } from '../util/issue.ts';
import type { ControlAnswer, ControlId, ControlInput, FaultDefinition } from './operation.ts';

/** Operations, and an answer of theirs. */
type Meant = {
  readonly [Name in 'operation' | 'where' | 'status' | 'example' | 'body' | 'headers' | 'violation']?:
    | FaultDefinition[Name]
    | undefined;
};

/** Which requests a fault means. */
interface RequestsMeant {
  readonly operation?: FaultDefinition['operation'] | undefined;
  readonly where?: FaultDefinition['where'] | undefined;
  /** Whether only requests with a body match. */
  readonly needsBody: boolean;
}

/** What control steers. */
export interface ControlParts {
  readonly sandboxes: Sandboxes;
  readonly builtIn: BuiltInSnapshots;
  /** The default data. */
  readonly defaults: () => State;
  /** Returns the validator of states under the contract that is served now. */
  readonly validator: () => StateValidator;
  /** Returns the operations that the contract of the application doesn't have. */
  readonly findUnknownOperations: (operation: FaultDefinition['operation']) => readonly Issue[];
  /** Returns why the contract of the application doesn't allow the response of a fault for its operations. */
  readonly undocumented: (meant: Meant) => readonly Issue[];
  /** Why no request can meet a fault under the contract that is served now, a sentence each. */
  readonly unmatched: (meant: RequestsMeant) => readonly string[];
  /** Writes a warning to the log. */
  readonly warn: (message: string) => void;
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
