/**
 * The seam between the engine and an application: what the engine needs to know of an implementation of a contract. The shop is one that is written by
 * hand; the engine knows no other of its properties.
 */
import type { Contract } from './openapi/contract.ts';
import type { Document } from './openapi/document.ts';
import type { Route } from './openapi/routes.ts';
import type { State } from './store/state.ts';
import type { Change } from './store/store.ts';
import type { Collection, StateRules } from './store/validate-state.ts';

/** An application: the implementation of a contract over a state. */
export interface Application<S extends State = State> {
  /** The file of its contract, which is served unless the user names another. */
  readonly contractFile: string;
  /** The file with its default data, which a reset restores, byte for byte, unless the user names another. */
  readonly defaultDataFile: string;
  /** The folder that is served below `/images`. */
  readonly imagesFolder?: string;
  /** The lists of its state, in the order in which a data file has them. */
  readonly collections: Readonly<Record<keyof S & string, Collection>>;
  /** The problems that its handlers throw as a `DomainError`, by their codes. */
  readonly problems: Readonly<Record<string, ProblemKind>>;
  /** Its built-in snapshots by name, each made from the default data. */
  readonly snapshots: Readonly<Record<string, (defaults: S) => S>>;
  /** Binds it to a contract: at the start, and whenever the contract is reloaded. Throws a `ContractError` if it can't serve the contract. */
  bind(contract: Contract): BoundApplication<S>;
  /** Adds to the context of a request what handlers of this application, and of its users, get beyond it. */
  extendContext?(context: Context<S>): Context<S>;
  /** Builds what reads of a state need, such as a search index, before the state is shown. */
  prepare?(state: S): void;
  /** What the page at / shows of a sandbox, beside the sizes of its collections. */
  describe?(state: S, url: string): FrontPage;
}

/** An application under one version of its contract. */
export interface BoundApplication<S extends State = State> {
  /** Returns the implementation of an operation; undefined if the application has none, so that the operation is mocked. */
  getImplementation(operation: Operation): ApplicationHandler<S> | undefined;
  /** The rules for data from outside: data files, snapshots, and states that the control API replaces. */
  readonly stateRules: StateRules<S>;
  /** Whether each change by its handlers is validated before it is committed, because they are written for another version of the contract. */
  readonly validatesChanges: boolean;
}

/** The operation of a contract that an implementation is looked up for. */
export type Operation = Pick<Route, 'operationId' | 'method' | 'path'>;

/** An implementation of an operation that comes with the application. */
export interface ApplicationHandler<S extends State = State> {
  readonly handle: Handle<S>;
  /** The operation that it is written for: fields which the served contract has added are generated, and those that it has removed are left out. */
  readonly writtenFor?: { readonly document: Document; readonly route: Route };
}

/** The implementation of an operation. Only responses of the application itself are cached, completed with added fields, and verified as closed. */
export interface Implementation<S extends State = State> extends ApplicationHandler<S> {
  readonly source: 'application' | 'user';
}

/** Handles a request that satisfies the contract. Throws a `DomainError` if a business rule declines it. */
export type Handle<S extends State = State> = (
  input: Input,
  context: Context<S>,
) => HandlerResponse | Promise<HandlerResponse>;

/** What a handler gets of a request that satisfies the contract. */
export interface Input {
  /** The headers, by their names in lower case. The values of a header that was sent several times are joined by commas. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  /** The body, which satisfies the contract; undefined if there is none. */
  readonly body: unknown;
}

/** The response of a handler. Its status is the success status of the contract unless it gives one. */
export interface HandlerResponse {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The sandbox of a request, as a handler sees it. */
export interface Context<S extends State = State> {
  /** Returns the committed state. */
  read(): S;
  /** Commits a pure change and returns its result. */
  update<Result>(change: Change<Result, S>): Promise<Result>;
  /** Restores the default data, in turn with the changes. */
  reset(): Promise<void>;
  /** Returns the time of the sandbox, in ms since 1970. A response that is made without it may be cached until the state changes. */
  nowMs(): number;
  /** Returns a new id (uuid), which no entry of the state has. */
  newId(): string;
}

/** What is the same each time that a problem occurs (RFC 9457). */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** The text of the page that explains the problem. */
  readonly explanation: string;
}

/** What the page at / shows of an application. */
export interface FrontPage {
  /** Command lines to try. */
  readonly commands: readonly string[];
  /** Links to its operations: paths by their texts. */
  readonly links: Readonly<Record<string, string>>;
}

/** A business rule declines a request. The message is a sentence for the developer who reads it, with the value, the rule and the remedy. */
export class DomainError<Code extends string = string> extends Error {
  override readonly name = 'DomainError';

  /** `code`: the code of one of the application's problems. */
  constructor(
    readonly code: Code,
    detail: string,
  ) {
    super(detail);
  }
}

/** Stands in place of a handler for an operation that is mocked. */
export const mocked = Symbol('mocked');
