import type { AcceptedState, Application, NewEntryContext, Table } from '../application.ts';
import type { Deliveries } from '../deliveries/deliveries.ts';
import type { Sandboxes } from '../sandbox/registry.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { BuiltInSnapshots } from '../sandbox/snapshots.ts';
import type { Entry, State } from '../store/state.ts';
import type { StateValidator } from '../store/validate-state.ts';
import { toIsoTime } from '../util/iso-time.ts';
import { describeIssues, type Issue } from '../util/issue.ts';
import { HttpProblemError, type ProblemCode, toViolations, type Violation } from '../util/problem.ts';
import type { Steps } from '../util/slices.ts';
import { limitList } from '../util/text.ts';
import type {
  ControlId,
  ControlInput,
  ControlResponse,
  ControlViolation,
  CoverageReport,
  Fault,
  FaultDefinition,
  Operation,
  Server,
  Source,
} from './operation.ts';

/** An operation of the application's contract. Omits `mocked`, because each sandbox has its own value. */
export type OperationDescription = Omit<Operation, 'mocked'>;

/**
 * The parts of the application and of its contract that the control API uses.
 * When the server reloads the contract, a new object replaces this object.
 */
export interface ControlledApplication {
  readonly contract: Omit<Server['contract'], 'reloads'>;
  readonly operations: readonly OperationDescription[];
  readonly collections: Server['collections'];
  /** Returns the table in which the console shows a collection. Returns undefined if the collection does not exist. */
  getTable(collection: string): Table | undefined;
  /** Adds what the server sets in a new entry of a collection, such as its id. */
  completeNewEntry(collection: string, entry: Entry, context: NewEntryContext): Entry;
  /** Returns an entry of a state as responses show it. */
  showEntry(collection: string, entry: Entry, at: { readonly state: State; readonly nowMs: number }): unknown;
  /** Returns a state from a client as it is stored, and what is wrong with it although each entry is valid. */
  acceptState(next: State, before: State): Steps<AcceptedState>;
  /** Functions that explain a search, by the name of the searched collection. */
  readonly explainSearch: NonNullable<Application['explainSearch']>;
  /**
   * Returns the lines of the contract file that contain the violated rule.
   * Returns undefined if the lines are unknown.
   */
  findSource(operationId: string | undefined, violation: ControlViolation): Source | undefined;
  /** Returns example requests that users can try. */
  getExamples(state: State): Server['examples'];
}

/** The dependencies of the handlers of the control API. */
export interface ControlParts {
  readonly sandboxes: Sandboxes;
  /** The webhooks and callbacks of the contract, and their deliveries. */
  readonly deliveries: Deliveries;
  /** The snapshots that ship with the server, and the files in the folder of the option `snapshots`. */
  readonly builtIn: BuiltInSnapshots;
  /** Returns the state of a new sandbox. */
  readonly defaults: () => State;
  /**
   * Returns the names of the collections that the current contract defines.
   * A state can have other lists too, but the control API does not return these.
   */
  readonly collections: () => readonly string[];
  /** Returns the application with the current contract. */
  readonly application: () => ControlledApplication;
  /** The version of this package. */
  readonly version: string;
  /** The time when the server was started, in ISO 8601. */
  readonly startedAt: string;
  /** The name of the data file; undefined if the state is in memory only. */
  readonly dataFile: string | undefined;
  /** The options with which `startStorefront` starts a server with the same contract and handlers. */
  readonly startOptions: Server['startOptions'];
  /** Returns the number of times that the contract or the handlers were reloaded. */
  readonly reloads: () => number;
  /** Returns the validator of states for the current contract. */
  readonly validator: () => StateValidator;
  /** Returns a validation issue for each operationId that the application's contract does not define. */
  readonly findUnknownOperationIssues: (operation: FaultDefinition['operation']) => readonly Issue[];
  /** Returns validation issues if the application's contract does not allow the response of a fault. */
  readonly findUndocumentedResponses: (fault: FaultDefinition) => readonly Issue[];
  /**
   * Returns warnings about a fault, for example that no request can match it, or that the contract does not document
   * its status.
   */
  readonly findFaultWarnings: (fault: Fault & { readonly needsBody: boolean }) => readonly string[];
  /** The coverage of the contract by the requests to all sandboxes. */
  readonly coverage: {
    readonly report: () => Promise<CoverageReport>;
    readonly reset: () => Promise<void> | void;
    readonly close: () => Promise<void> | void;
  };
  /** Returns the metrics of the server in the text format of Prometheus. */
  readonly formatMetrics: () => Promise<string>;
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

/** Returns a sandbox. Throws a `HttpProblemError` if the sandbox does not exist. */
export function getSandbox(id: string, { sandboxes }: ControlParts): Sandbox {
  const sandbox = sandboxes.find(id);
  if (sandbox) return sandbox;
  const existing = formatNames(sandboxes.list().map((one) => one.id));
  const remedy = `Create it with PUT /_control/sandboxes/${id}, or use one of ${existing}`;
  const expiredMs = sandboxes.expiredAtMs(id);
  const expiry = expiredMs === undefined ? '' : `; it expired at ${toIsoTime(expiredMs)}`;
  throw new HttpProblemError({ code: 'unknown-sandbox', detail: `Sandbox ${id} does not exist${expiry}. ${remedy}.` });
}

/** The maximum number of names in an error message. */
const MAX_NAMES = 20;

/**
 * Joins names with commas for an error message.
 * If there are more than 20 names, the text ends with the number of omitted names.
 */
export function formatNames(names: readonly string[]): string {
  return limitList(names, MAX_NAMES).join(', ');
}

/** Throws an `HttpProblemError` whose message describes the issues. Does nothing if `issues` is empty. */
export function rejectIssues(code: ProblemCode, issues: readonly Issue[], part?: Violation['in']): void {
  if (issues.length > 0)
    throw new HttpProblemError({ code, detail: describeIssues(issues, part), violations: toViolations(issues, part) });
}

/** Creates the error for a collection that does not exist. */
export function createUnknownCollectionError(collection: string, { collections }: ControlParts): HttpProblemError {
  const remedy =
    collections().length > 0 ? `Use one of ${formatNames(collections())}` : 'The contract has no collections';
  return new HttpProblemError({
    code: 'unknown-collection',
    detail: `Collection ${collection} does not exist. ${remedy}.`,
  });
}
