import type { Sandboxes } from '../sandbox/registry.ts';
import type { BuiltInSnapshots } from '../sandbox/snapshots.ts';
import type { State } from '../store/state.ts';
import type { StateValidator } from '../store/validate-state.ts';
import type { Issue } from '../util/issue.ts';
import type { ControlId, ControlInput, ControlResponse, Fault, FaultDefinition } from './operation.ts';

/** What the handlers of the control API use. */
export interface ControlParts {
  readonly sandboxes: Sandboxes;
  readonly builtIn: BuiltInSnapshots;
  /** Returns the default state. */
  readonly defaults: () => State;
  /** Returns the validator of states for the current contract. */
  readonly validator: () => StateValidator;
  /** Returns the operations that the contract of the application doesn't have. */
  readonly findUnknownOperations: (operation: FaultDefinition['operation']) => readonly Issue[];
  /** Returns why the contract of the application doesn't allow the response of a fault for its operations. */
  readonly undocumented: (fault: FaultDefinition) => readonly Issue[];
  /** Returns why no request can match a fault under the current contract, one sentence each. */
  readonly unmatched: (fault: Fault & { readonly needsBody: boolean }) => readonly string[];
  /** Writes a warning to the log. */
  readonly warn: (message: string) => void;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

/** The handlers of the control API, by operationId. */
export type ControlHandlers = {
  readonly [Id in ControlId]: (
    input: ControlInput<Id>,
    parts: ControlParts,
  ) => ControlResponse<Id> | Promise<ControlResponse<Id>>;
};
