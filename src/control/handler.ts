import type { Sandboxes } from '../sandbox/registry.ts';
import type { BuiltInSnapshots } from '../sandbox/snapshots.ts';
import type { State } from '../store/state.ts';
import type { StateValidator } from '../store/validate-state.ts';
import type { Issue } from '../util/issue.ts';
import type { ControlId, ControlInput, ControlResponse, Fault, FaultDefinition } from './operation.ts';

/** The dependencies of the handlers of the control API. */
export interface ControlParts {
  readonly sandboxes: Sandboxes;
  /** The built-in snapshots. */
  readonly builtIn: BuiltInSnapshots;
  /** Returns the state of a new sandbox. */
  readonly defaults: () => State;
  /** Returns the names of the collections of the current contract. A state can contain other lists, which the control API does not return. */
  readonly collections: () => readonly string[];
  /** Returns the current validator of states. A reload of the contract replaces the validator. */
  readonly validator: () => StateValidator;
  /** Returns an issue for each operationId that is not in the application's contract. */
  readonly findUnknownOperations: (operation: FaultDefinition['operation']) => readonly Issue[];
  /** Returns the reasons why the application's contract does not allow the response of a fault. */
  readonly findUndocumentedResponses: (fault: FaultDefinition) => readonly Issue[];
  /** Returns the reasons why no request can match a fault. Each reason is a sentence. */
  readonly findUnmatchableReasons: (fault: Fault & { readonly needsBody: boolean }) => readonly string[];
  /** Writes a warning to the log. */
  readonly warn: (message: string) => void;
  /** The signal that is aborted when the server stops. */
  readonly stopping: AbortSignal;
}

/** The handlers of the control API, by operationId. */
export type ControlHandlers = {
  readonly [Id in ControlId]: (
    input: ControlInput<Id>,
    parts: ControlParts,
  ) => ControlResponse<Id> | Promise<ControlResponse<Id>>;
};
