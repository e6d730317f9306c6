/** The types through which the engine uses an application, such as the shop. The engine is the part of the server that works with any OpenAPI document. */
import type { ExampleRequest, ExplainedSearch, SearchExplanation, Table } from './application-views.ts';
import type { Contract } from './openapi/contract.ts';
import type { Document } from './openapi/document.ts';
import type { Route } from './openapi/routes.ts';
import type { Change } from './store/change.ts';
import type { State } from './store/state.ts';
import type { StateRules } from './store/validate-state.ts';

/** An application: the handlers for the operations of a contract (an OpenAPI document), and the data of these handlers. */
export interface Application<S extends State = State> {
  /** The path of the contract that the server uses if the user selects no other contract. */
  readonly contractFile: string;
  /**
   * The default data, which each new sandbox starts with and a reset restores: the path of a JSON file, or a function that creates the data from a contract.
   * The server option `defaultData` replaces the file. A function gets the lists in the file of this option as `lists` (`{}` if the option is not set). It
   * returns these lists and the other lists of the contract.
   */
  readonly defaultData: string | ((contract: Contract, lists: S) => S);
  /**
   * A file with settings of the application. The engine passes the text of the file to `load` at the start, and again when the user saves the file. If the text
   * is invalid, `load` throws a `UserError` and keeps the earlier settings.
   */
  readonly settings?: { readonly path: string; readonly load: (text: string) => void };
  /** The path of the folder that is served at `/images`. */
  readonly imagesFolder?: string;
  /**
   * The problems (error responses) of the application, by code. A handler that throws a `DomainError` with a code gets the problem of this code as its
   * response.
   */
  readonly problems: Readonly<Record<string, ProblemKind>>;
  /** The snapshots that ship with the application, by name. Each function creates the state of a snapshot from the default data. */
  readonly snapshots: Readonly<Record<string, (defaults: S) => S>>;
  /**
   * Returns the handlers and the state rules for a contract. The engine calls this function at the start, and each time it reloads the contract. Throws a
   * `ContractError` if the application can't serve the contract.
   */
  implementContract(contract: Contract): ContractImplementation<S>;
  /** Returns the context of a request with additional properties. Handlers of the application and of the user get this context. */
  extendContext?(context: Context<S>): Context<S>;
  /**
   * Prepares a state before handlers read it, for example by building a search index. Splits the work for a large state into slices of a few ms. Between two
   * slices, the server handles other requests.
   */
  prepare?(state: S): Promise<void>;
  /** Returns requests to try, for the console of a server that has received no requests yet. `contract`: the contract that the server currently uses. */
  getExamples?(state: S, contract: Contract): readonly ExampleRequest[];
  /** Functions that explain a search, by the name of the searched collection. The control API returns the explanation. */
  readonly explainSearch?: Readonly<Record<string, (state: S, search: ExplainedSearch) => Promise<SearchExplanation>>>;
  /**
   * The tables in which the console shows collections, by the name of the collection. For a collection without a table here, the columns are the scalar
   * properties of its entries.
   */
  readonly tables?: Readonly<Record<string, Table<S>>>;
}

/** The handlers and the state rules of an application for one version of a contract. */
export interface ContractImplementation<S extends State = State> {
  /**
   * Returns the handler of an operation. Returns undefined if the application has no handler for the operation. The engine then generates responses from the
   * contract.
   */
  getImplementation(operation: Operation): ApplicationHandler<S> | undefined;
  /**
   * Returns the response of an operation without a handler if this response is an entry of the state. Otherwise returns undefined, and the engine generates a
   * response. Throws a `DomainError` if the request names an entry that does not exist.
   */
  getStoredResponse?(route: Route, input: Input, state: S): HandlerResponse | undefined;
  /** The rules with which the engine validates states from data files, from snapshots, and from clients of the control API. */
  readonly stateRules: StateRules<S>;
  /** Whether the engine validates each change that the application's handlers make. True if the handlers are written for another version of the contract. */
  readonly validatesChanges: boolean;
  /** Returns the response of a user's handler with the properties that the contract requires and the response lacks. */
  completeResponse?(route: Route, response: HandlerResponse): HandlerResponse;
  /**
   * Returns the schema of the entries of a collection, and the property that identifies an entry. By default, these are the component schema and the key in
   * `stateRules`.
   */
  getEntrySchema?(collection: string): EntrySchema | undefined;
  /** Converts the stored state to the state that a user's handlers see, and back. Default: a user's handlers see the stored state. */
  readonly stateView?: StateView<S>;
  /**
   * Returns what the handler of an operation does, such as `lists pets`, or why the operation has no handler. The command `storefront explain` and the log show
   * this text.
   */
  explain?(route: Route): string;
}

/** Converts between the stored state and the state that a user's handlers see. */
export interface StateView<S extends State = State> {
  /** Returns the state that a user's handlers see. Its entries also have the values that responses contain but that are not stored. */
  show(state: S): S;
  /** Returns the state to store: removes the values that `show` added. If the handler did not change an entry, the result contains the original object that was passed to `show`. */
  toStored(state: S): S;
}

/** The properties of an operation by which an application finds its handler. */
export type Operation = Pick<Route, 'operationId' | 'method' | 'path'>;

/** A handler of the application for an operation. */
export interface ApplicationHandler<S extends State = State> {
  readonly handle: Handle<S>;
  /**
   * The operation for which the handler is written, and its contract. The engine compares this operation with the operation in the served contract. It adds
   * generated values for the response fields that only the served contract has, and removes the response fields that the served contract does not have.
   */
  readonly writtenFor?: { readonly document: Document; readonly route: Route };
}

/** A handler and its source. The engine caches responses, and adds generated fields to responses, only if the source is `application`. */
export interface Implementation<S extends State = State> extends ApplicationHandler<S> {
  readonly source: 'application' | 'user';
}

/** Handles a request that satisfies the contract. Throws a `DomainError` if a business rule declines the request. */
export type Handle<S extends State = State> = (
  input: Input,
  context: Context<S>,
) => HandlerResponse | Promise<HandlerResponse>;

/** The input of a handler: the headers, the path parameters, the query and the body of a valid request. */
export interface Input {
  /** The headers by name in lower case. If a header was sent several times, its values are joined with commas. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  /** The body; undefined if there is none. */
  readonly body: unknown;
}

/** The response that a handler returns. The default of `status` is the success status that the contract documents for the operation. */
export interface HandlerResponse {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sentences about the request for the log and the journal. */
  readonly notes?: readonly string[];
  /** JSON Pointers to the generated values in the body, which the state does not contain. The response header `X-Mocked` lists these pointers. */
  readonly generated?: readonly string[];
}

/** What a handler can use in the sandbox (isolated test environment) of its request: the state, the clock and the id generator. */
export interface Context<S extends State = State> {
  /** Returns the committed state. */
  read(): S;
  /** Commits a change to the state. `change`: a pure function that gets the current state, and returns the next state and a result. Resolves to this result. */
  update<Result>(change: Change<Result, S>): Promise<Result>;
  /** Restores the default data, after all earlier changes are committed. */
  reset(): Promise<void>;
  /** Returns the time on the clock of the sandbox, in ms since 1970. If a handler calls this function, the server does not cache its response. */
  nowMs(): number;
  /** Returns a new UUID. No entry of the state has this UUID as its id. */
  newId(): string;
}

/** A type of problem, which is an error response (RFC 9457): the properties that all its responses share, and its documentation. */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** The text of the HTML page `/problems/CODE`, which documents the problem. */
  readonly explanation: string;
}

/** The schema of the entries of a collection. */
export interface EntrySchema {
  /** The JSON Pointer to the schema in the contract; empty if the contract has no schema for the entries. */
  readonly schema: string;
  /** The property that identifies an entry, such as `id`. Dots separate nested properties: `item.id`. Undefined if no property identifies an entry. */
  readonly key?: string | undefined;
}

/** The error that a handler throws if a business rule declines a request. The message says which value is invalid, which rule it breaks, and how to fix it. */
export class DomainError<Code extends string = string> extends Error {
  override readonly name = 'DomainError';

  /** `code`: a key of `Application.problems`. `detail`: the error message. */
  constructor(
    readonly code: Code,
    detail: string,
  ) {
    super(detail);
  }
}

/** A value in the server option `handlers`. The server generates the responses of an operation with this value from the contract. */
export const mocked = Symbol('mocked');
