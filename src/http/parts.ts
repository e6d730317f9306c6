import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Application, HandlerResponse, Implementation, Input } from '../application.ts';
import type { ControlParts } from '../control/handler.ts';
import type { CompletedBody } from '../mock/compare-contracts.ts';
import type { Mock } from '../mock/mock.ts';
import type { Contract } from '../openapi/contract.ts';
import type { Route } from '../openapi/routes.ts';
import type { Sandboxes } from '../sandbox/registry.ts';
import type { State } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import type { StateRules } from '../store/validate-state.ts';
import type { AccessPolicy } from './access-policy.ts';
import type { HttpOptions } from './options.ts';
import type { RetryDetector } from './pipeline/retry-detector.ts';
import type { Api, Exchange } from './pipeline/values.ts';
import type { Log, SentResponse } from './record.ts';

/** The dependencies of the HTTP layer that stay the same when the contract is reloaded. */
export interface ServerParts {
  readonly application: Application;
  readonly options: HttpOptions;
  readonly access: AccessPolicy;
  readonly sandboxes: Sandboxes;
  readonly control: ControlParts;
  readonly log: Log;
  /** Returns the delay of the next response of the contract's API, in ms. */
  readonly getDelayMs: () => number;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  /** The version of this package. */
  readonly version: string;
  /** The name of the data file, without its folder; undefined if the state is in memory only. */
  readonly dataFile: string | undefined;
}

/** The contract that the server currently serves, and the implementations of its operations. A reload replaces it. */
export interface ServedContract {
  readonly contract: Contract;
  readonly mock: Mock;
  /** The collections of the state. */
  readonly collections: StateRules['collections'];
  /** The contract of the control API. Its schemas contain the collections. */
  readonly controlContract: Contract;
  /** Returns the implementation of an operation; undefined if the operation is mocked. */
  getImplementation(route: Route): Implementation | undefined;
  /** Returns the response of a mocked operation if it is an entry of the state; undefined for another response. Throws a `DomainError` if an entry is missing. */
  getStoredResponse(route: Route, input: Input, state: State): HandlerResponse | undefined;
  /** Returns what the handler of an operation does, or why the operation is mocked. */
  explain(route: Route): string;
  /** Returns whether responses of an operation can only have properties that the contract defines: its handler is written for the contract. */
  isClosed(route: Route): boolean;
  /** Adds what the contract requires, and the application's state can lack, to the response of a user's handler. */
  completeUserResponse(route: Route, response: HandlerResponse): HandlerResponse;
  /** Adds generated values for the fields of the contract that the application's handler does not return. Removes fields that the contract does not define. */
  complete(route: Route, body: unknown): CompletedBody;
  /** Returns a store that refuses a change whose new state is invalid. `userOperationId`: the id of the operation if a user's handler implements it. */
  guardStore(store: Store, userOperationId?: string): Store;
}

/**
 * Stores the bytes of GET responses from the sandbox `default`, and sends them again until the state changes. The key of an entry consists of the request target,
 * the `Origin` header and the headers with credentials. The responses depend on no other header.
 */
export interface ResponseCache {
  /** Sends the stored response to a request, records it in the journal, and returns its operationId. Returns undefined if no response is stored. */
  send(req: IncomingMessage, res: ServerResponse): string | undefined;
  /** Stores the response of an exchange, if an identical request would get the same response. */
  store(exchange: Exchange, sent: SentResponse | undefined, res: ServerResponse): void;
}

/** The dependencies of the middlewares and of the steps of the pipeline. */
export interface AppParts extends ServerParts, ServedContract {
  readonly apis: { readonly contract: Api; readonly control: Api };
  /** The paths below which the contract's API handles all unknown paths, such as `/api`. */
  readonly basePaths: readonly string[];
  readonly cache: ResponseCache;
  readonly retries: RetryDetector;
}
