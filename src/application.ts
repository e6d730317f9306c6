/** The interface between the engine and an application such as the shop. The engine uses an application only through these types. */
import type { Contract } from './openapi/contract.ts';
import type { Document } from './openapi/document.ts';
import type { Route } from './openapi/routes.ts';
import type { State } from './store/state.ts';
import type { Change } from './store/store.ts';
import type { StateRules } from './store/validate-state.ts';

/** An application. It implements the operations of a contract and has a state. */
export interface Application<S extends State = State> {
  /** The path of the contract that is served by default. */
  readonly contractFile: string;
  /**
   * The default data, which a reset restores: the path of its file, or a function that creates it for a contract. The server option `defaultData` takes
   * precedence. `lists`: the lists of that option. The function returns the others.
   */
  readonly defaultData: string | ((contract: Contract, lists: S) => S);
  /** The path of the folder that is served at `/images`. */
  readonly imagesFolder?: string;
  /** The problems by code. A handler reports a problem with a `DomainError` that has the code. */
  readonly problems: Readonly<Record<string, ProblemKind>>;
  /** The built-in snapshots by name. Each function creates the state of the snapshot from the default data. */
  readonly snapshots: Readonly<Record<string, (defaults: S) => S>>;
  /** Returns the handlers and state rules for a contract. Called at the start and at each reload. Throws a `ContractError` if the contract can't be served. */
  implementContract(contract: Contract): ContractImplementation<S>;
  /** Adds properties to the context that the handlers of the application and of the user get for a request. */
  extendContext?(context: Context<S>): Context<S>;
  /** Prepares a state before it is read, for example by building a search index. Handles large states in slices, so that other requests do not wait. */
  prepare?(state: S): Promise<void>;
  /** Returns additional content for the page at `/`. `url`: the URL of the sandbox. `contract`: the contract that is currently served. */
  describe?(state: S, url: string, contract: Contract): FrontPage;
}

/** The handlers and the state rules of an application for one version of a contract. */
export interface ContractImplementation<S extends State = State> {
  /** Returns the handler of an operation. Returns undefined if the application has none; then the operation is mocked. */
  getImplementation(operation: Operation): ApplicationHandler<S> | undefined;
  /**
   * Returns the response of a mocked operation if it is an entry of the state. Returns undefined for another response. Throws a `DomainError` if the operation needs
   * an entry that does not exist.
   */
  getStoredResponse?(route: Route, input: Input, state: S): HandlerResponse | undefined;
  /** The rules for the validation of states. States come from data files, from snapshots, and from clients of the control API. */
  readonly stateRules: StateRules<S>;
  /** Whether to validate changes by the application's handlers. True if the handlers are written for another version of the contract. */
  readonly validatesChanges: boolean;
  /** Adds properties to the response of a user's handler that the contract requires, but that entries of the state can lack. */
  completeResponse?(route: Route, response: HandlerResponse): HandlerResponse;
  /** Explains what the handler of an operation does, or why there is none: `lists pets`. For `storefront explain` and the log of the start. */
  explain?(route: Route): string;
}

/** The properties of an operation with which an application finds the handler. */
export type Operation = Pick<Route, 'operationId' | 'method' | 'path'>;

/** A handler of the application for an operation. */
export interface ApplicationHandler<S extends State = State> {
  readonly handle: Handle<S>;
  /**
   * The operation for which the handler is written. The engine compares it with the operation in the served contract: it generates fields that only the served
   * contract has, and removes fields that the served contract does not have.
   */
  readonly writtenFor?: { readonly document: Document; readonly route: Route };
}

/** The implementation of an operation. If `source` is `application`, the engine can cache its responses and add generated fields to them. */
export interface Implementation<S extends State = State> extends ApplicationHandler<S> {
  readonly source: 'application' | 'user';
}

/** Handles a request that satisfies the contract. Throws a `DomainError` if a business rule declines the request. */
export type Handle<S extends State = State> = (
  input: Input,
  context: Context<S>,
) => HandlerResponse | Promise<HandlerResponse>;

/** The values of a valid request that a handler gets. */
export interface Input {
  /** The headers by name in lower case. If a header was sent several times, its values are joined with commas. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  /** The body; undefined if there is none. */
  readonly body: unknown;
}

/** The response of a handler. The default status is the success status of the operation in the contract. */
export interface HandlerResponse {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The JSON Pointers of the values in the body that the mock generated, because the state does not contain them. They are listed in `X-Mocked`. */
  readonly generated?: readonly string[];
}

/** The sandbox of a request: its state, clock and id generator. */
export interface Context<S extends State = State> {
  /** Returns the committed state. */
  read(): S;
  /** Commits a change, which is a pure function of the state. Resolves to the result that the function returns. */
  update<Result>(change: Change<Result, S>): Promise<Result>;
  /** Restores the default data, after earlier changes are committed. */
  reset(): Promise<void>;
  /** Returns the time of the sandbox, in ms since 1970. A response is not cached if the handler calls this function. */
  nowMs(): number;
  /** Returns a UUID that no entry of the state has as its id. */
  newId(): string;
}

/** The constant properties of a problem (RFC 9457). */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** The text of the page `/problems/CODE`. */
  readonly explanation: string;
}

/** The content that an application adds to the page at `/`. */
export interface FrontPage {
  /** Example command lines. */
  readonly commands: readonly string[];
  /** Links to operations: paths by link text. */
  readonly links: Readonly<Record<string, string>>;
}

/** The error that a handler throws if a business rule declines a request. The message contains the invalid value, the rule and the remedy. */
export class DomainError<Code extends string = string> extends Error {
  override readonly name = 'DomainError';

  /** `code`: a code of the application's problems. */
  constructor(
    readonly code: Code,
    detail: string,
  ) {
    super(detail);
  }
}

/** A value in the option `handlers`. It mocks an operation. */
export const mocked = Symbol('mocked');
