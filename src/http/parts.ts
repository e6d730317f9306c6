import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Application, HandlerResponse, Implementation, Input } from '../application.ts';
import type { ControlParts } from '../control/handler.ts';
import type { CompletedBody } from '../mock/compare-contracts.ts';
import type { Mock } from '../mock/mock.ts';
import type { Contract } from '../openapi/contract.ts';
import type { Node } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { Sandboxes } from '../sandbox/registry.ts';
import type { State } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import type { StateRules } from '../store/validate-state.ts';
import type { AccessPolicy } from './access-policy.ts';
import type { Metrics } from './metrics.ts';
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
  readonly metrics: Metrics;
  /** Returns the delay of the next response of the contract's API, in ms. */
  readonly getDelayMs: () => number;
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
 * The contract that the server currently uses, and the implementations of its operations. When the contract file changes, a new object replaces this object.
 */
export interface ServedContract {
  readonly contract: Contract;
  readonly mock: Mock;
  /** The collections of the state. */
  readonly collections: StateRules['collections'];
  /** The contract of the control API. Its schemas describe the collections of the state. */
  readonly controlContract: Contract;
  /** Returns the implementation of an operation; undefined if the operation is mocked. */
  getImplementation(route: Route): Implementation | undefined;
  /**
   * Returns a stored entry as the response of a mocked operation, such as the pet for `POST /pets/{petId}/feed`. Returns undefined if the mock must generate
   * the response. Throws a `DomainError` if the request names an entry that does not exist.
   */
  getStoredResponse(route: Route, input: Input, state: State): HandlerResponse | undefined;
  /** Returns what the handler of an operation does, or why the operation is mocked. */
  explain(route: Route): string;
  /** Returns whether responses of an operation may have only the properties that the contract defines. True for handlers with `writtenFor`. */
  isClosed(route: Route): boolean;
  /** Returns an object with the default values that the contract defines for the request body. */
  getBodyDefaults(route: Route): Node;
  /** Adds missing properties to the response of a user's handler: properties that the contract requires. */
  completeUserResponse(route: Route, response: HandlerResponse): HandlerResponse;
  /**
   * Completes the body that an application's handler returned. Generates the fields that the contract defines and the body lacks. Removes the fields that the
   * contract does not define.
   */
  complete(route: Route, body: unknown): CompletedBody;
  /**
   * Wraps a store for a handler. In the wrapper, `update` throws an error if the new state violates the contract. `userOperationId`: the operationId if the
   * handler is the user's; undefined for a handler of the application.
   */
  guardStore(store: Store, userOperationId?: string): Store;
}

/**
 * Stores the bytes of responses to GET requests, and sends the stored bytes again until the state changes. Stores only responses of the sandbox `default`,
 * which handles the requests that name no sandbox. A response depends only on the request target, the `Origin` header and the headers with credentials. These
 * three parts form the cache key.
 */
export interface ResponseCache {
  /**
   * Sends the stored response to a request, and records the request in the journal. Returns the operationId of the request. Returns undefined if no response is
   * stored.
   */
  send(req: IncomingMessage, res: ServerResponse): string | undefined;
  /** Stores the response of an exchange (a request and its response) if an identical request would get the same response. */
  store(exchange: Exchange, sent: SentResponse | undefined, res: ServerResponse): void;
}

/** The dependencies of the middlewares and of the steps of the pipeline. */
export interface AppParts extends ServerParts, ServedContract {
  readonly apis: { readonly contract: Api; readonly control: Api };
  /** The base paths of the contract's API, such as `/api`. A request for an unknown path below a base path gets a 404 response of this API. */
  readonly basePaths: readonly string[];
  readonly cache: ResponseCache;
  readonly retries: RetryDetector;
}
