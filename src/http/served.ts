import type { Application, ContractImplementation, EntrySchema, Implementation, UserHandlers } from '../application.ts';
import type { ControlParts } from '../control/handler.ts';
import type { Coverage } from '../coverage/coverage.ts';
import type { Deliveries } from '../deliveries/deliveries.ts';
import type { Webhooks } from '../deliveries/webhooks.ts';
import type { CompletedBody, Difference } from '../mock/compare-contracts.ts';
import type { Mock } from '../mock/mock.ts';
import type { Contract } from '../openapi/contract.ts';
import type { Node } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { ServerOptions } from '../options.ts';
import type { ChangeLogs } from '../sandbox/change-log.ts';
import type { Sandboxes } from '../sandbox/registry.ts';
import type { Store } from '../store/store.ts';
import type { StateRules, StateValidator } from '../store/validate-state.ts';
import type { AccessPolicy } from './access-policy.ts';
import type { Metrics } from './metrics.ts';

/** The part of a pino logger that the HTTP layer uses. */
export interface Log {
  isLevelEnabled(level: 'info'): boolean;
  debug(fields: object): void;
  info(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  error(fields: object, message?: string): void;
}

/** What the HTTP layer uses, and what stays the same when the contract is reloaded. */
export interface Server {
  readonly application: Application;
  readonly options: ServerOptions;
  readonly access: AccessPolicy;
  readonly sandboxes: Sandboxes;
  readonly control: ControlParts;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Counts which parts of the contract the requests use. */
  readonly coverage: Coverage;
  /** Returns the delay of the next response of the contract's API, in ms. */
  readonly getDelayMs: () => number;
  /** Functions that end the streams that are being sent. */
  readonly streams: Set<(reason?: string) => void>;
  /** Sends webhooks and callbacks. */
  readonly deliveries: Deliveries;
  /** The change logs of the sandboxes, from which streams are sent. */
  readonly changeLogs: ChangeLogs;
  /** The signal that is aborted when the server stops. */
  readonly stopping: AbortSignal;
  /** The folder with the built files of the console and the API reference. */
  readonly pagesFolder: string;
  /** The version of this package. */
  readonly version: string;
  /** The name of the data file, without its folder; undefined if the state is in memory only. */
  readonly dataFile: string | undefined;
  /** Returns whether a file of a folder belongs to the stored state, so that no route sends it. */
  readonly isStateFile: (folder: string, file: string) => boolean;
}

/**
 * The contract that the server currently uses, and the implementations of its operations.
 * When the contract file changes, a new object replaces this object.
 */
export interface ServedContract {
  readonly contract: Contract;
  readonly mock: Mock;
  /** The handlers and the state rules of the application. */
  readonly implementation: ContractImplementation;
  /** The handlers of the user. */
  readonly handlers: UserHandlers;
  /** Validates a state against the contract. */
  readonly validator: StateValidator;
  /** The webhooks and callbacks of the contract. */
  readonly webhooks: Webhooks;
  /** The collections of the state. */
  readonly collections: StateRules['collections'];
  /** The lists of the state that are no collections. */
  readonly internalLists: readonly string[];
  /** The operations that are mocked because neither the application nor the user has a handler. */
  readonly unimplemented: ReadonlySet<Route>;
  /** The operationIds of the mocked operations. */
  readonly mocked: readonly string[];
  /** For each operation that differs: the differences from the contract for which the built-in handlers are written. */
  readonly differences: ReadonlyMap<Route, Difference>;
  /** Whether the application can explain for each operation what its handler does, or why the operation is mocked. */
  readonly isExplained: boolean;
  /** Returns the schema of the entries of a collection, and the property that identifies an entry. */
  getEntrySchema(collection: string): EntrySchema;
  /** The contract of the control API. Its schemas describe the collections of the state. */
  readonly controlContract: Contract;
  /** The implementations of the operations. A mocked operation has none. */
  readonly implementations: ReadonlyMap<Route, Implementation>;
  /** Returns what the handler of an operation does, or why the operation is mocked. */
  explain(route: Route): string;
  /**
   * The operations whose responses may have only the properties that the contract defines: those of handlers with
   * `writtenFor`.
   */
  readonly closedRoutes: ReadonlySet<Route>;
  /** Returns an object with the default values that the contract defines for the request body. */
  getBodyDefaults(route: Route): Node;
  /**
   * Completes the body that an application's handler returned for an operation that is in `differences`.
   * Generates the fields that the contract defines and the body lacks.
   * Removes the fields that the contract does not define.
   */
  complete(route: Route, body: unknown): CompletedBody;
  /**
   * Wraps a store for a handler.
   * In the wrapper, `update` throws an error if the new state violates the contract.
   * `userOperationId`: the operationId if the handler is the user's; undefined for a handler of the application.
   */
  guardStore(store: Store, userOperationId: string | undefined): Store;
}
