import type { Contract } from './openapi/contract.ts';
import type { Document } from './openapi/document.ts';
import type { Route } from './openapi/routes.ts';
import type { Change } from './store/backend.ts';
import type { ChangeSequence, Entry, State } from './store/state.ts';
import type { StateRules } from './store/validate-state.ts';
import type { Issue } from './util/issue.ts';
import type { ProblemKind } from './util/problem.ts';
import type { Steps } from './util/slices.ts';

/**
 * A state from a client as it is stored.
 * `issues`: what changed entries share with others, although it must be unique.
 */
export interface AcceptedState<S extends State = State> {
  readonly state: S;
  readonly issues: readonly Issue[];
}

/**
 * The types through which the engine uses an application, such as the shop.
 * The engine is the part of the server that works with any OpenAPI document.
 */

/**
 * An application: the handlers for the operations of a contract (an OpenAPI document), and the data of these handlers.
 */
export interface Application<S extends State = State> {
  /** The path of the contract that the server uses if the user selects no other contract. */
  readonly contractFile: string;
  /**
   * The default data of each new sandbox, which a reset restores: the path of a JSON file, or a function that creates
   * the data for a contract.
   * The server option `defaultData` names another file.
   * This file replaces the JSON file, or is passed to the function as `lists` (`{}` if the option is not set).
   * The function returns these lists and adds the missing ones.
   */
  readonly defaultData: string | ((contract: Contract, lists: S) => S);
  /**
   * Adds the lists that the contract defines and the JSON file with the default data lacks.
   * Without this function, the file has all lists.
   */
  completeDefaultData?(contract: Contract, lists: S): S;
  /**
   * A file with settings of the application.
   * The engine reads the file at the start and each time the user saves it, and passes its text to `load`.
   * If the text is invalid, `load` throws a `UserError` and keeps the earlier settings.
   */
  readonly settings?: { readonly path: string; readonly load: (text: string) => void };
  /** The path of the folder that is served at `/images`. */
  readonly imagesFolder?: string;
  /**
   * The problems (error responses) of the application, by code.
   * If a handler throws a `DomainError`, the client gets the problem with the code of the error.
   */
  readonly problems: Readonly<Record<string, ProblemKind>>;
  /**
   * The snapshots that ship with the application, by name.
   * Each function creates the state of a snapshot from the default data.
   */
  readonly snapshots: Readonly<Record<string, (defaults: S) => S>>;
  /**
   * Returns the handlers and the state rules for a contract.
   * The engine calls this function at the start, and each time it reloads the contract.
   * Throws a `UserError` if the application can't serve the contract.
   */
  implementContract(contract: Contract): ContractImplementation<S>;
  /**
   * Adds properties to the context of a request.
   * The handlers of the application and of the user get the returned context.
   */
  extendContext?(context: Context<S>): Context<S>;
  /**
   * Prepares a state before handlers read it, for example by building a search index.
   * Splits long work into slices of a few ms.
   * Between two slices, the server handles other requests.
   */
  prepare?(state: S): Promise<void>;
  /**
   * Returns example requests.
   * The console shows them until the server has received its first request.
   * `contract`: the contract that the server currently uses.
   */
  getExamples?(state: S, contract: Contract): readonly ExampleRequest[];
  /**
   * Functions that explain a search, by the name of the searched collection.
   * The control API returns the explanation.
   */
  readonly explainSearch?: Readonly<Record<string, (state: S, search: ExplainedSearch) => Promise<SearchExplanation>>>;
  /**
   * The tables in which the console shows collections, by the name of the collection.
   * For a collection without a table here, the columns are the scalar properties of its entries.
   */
  readonly tables?: Readonly<Record<string, Table<S>>>;
}

/** The handlers and the state rules of an application for one version of a contract. */
export interface ContractImplementation<S extends State = State> {
  /**
   * Returns the handler of an operation.
   * Returns undefined if the application has no handler for the operation.
   * The engine then generates responses from the contract.
   */
  getImplementation(operation: Operation): ApplicationHandler<S> | undefined;
  /**
   * Returns a stored entry as the response of an operation without a handler, such as the pet for
   * `POST /pets/{petId}/feed`.
   * Returns undefined if the engine must generate the response.
   * Throws a `DomainError` if the request names an entry that does not exist.
   */
  getStoredResponse?(route: Route, input: Input, state: S): HandlerResponse | undefined;
  /**
   * Puts stored entries into the generated body of an operation without a handler, so that it agrees with the state.
   * Returns a changed copy, or the body.
   * `nowMs`: the time of the sandbox.
   */
  linkEntries?(
    route: Route,
    request: { readonly input: Input; readonly state: S; readonly nowMs: number },
    body: unknown,
  ): unknown;
  /**
   * The rules that each state must satisfy.
   * The engine checks states from data files, from snapshots and from clients of the control API.
   */
  readonly stateRules: StateRules<S>;
  /**
   * Whether the engine validates each change that the application's handlers make.
   * True if the handlers are written for another version of the contract.
   */
  readonly validatesChanges: boolean;
  /**
   * Adds missing properties to the response of a user's handler: properties that the contract requires.
   * `request`: the request, and the state after it.
   */
  completeResponse?(
    route: Route,
    response: HandlerResponse,
    request: { readonly input: Input; readonly state: S },
  ): HandlerResponse;
  /** Returns the uploaded file with a hash, which no operation returns. Returns undefined if there is none. */
  getUploadedFile?(hash: string, state: S): UploadedFile | undefined;
  /** Returns an item of a stream of a user's handler without what no response shows. */
  showItem?(item: unknown): unknown;
  /**
   * Returns the schema of the entries of a collection, and the property that identifies an entry.
   * Without this function, the engine uses the component schema and the key in `stateRules`.
   */
  getEntrySchema?(collection: string): EntrySchema | undefined;
  /**
   * Returns an entry of a state as responses show it, for a webhook.
   * Without this function, a webhook has the stored entry.
   * `nowMs`: the time of the sandbox.
   */
  showEntry?(collection: string, entry: Entry, at: { readonly state: S; readonly nowMs: number }): unknown;
  /** Returns what the console asks for in a new entry. Without it, the console asks for all properties. */
  getEntryForm?(collection: string): EntryForm | undefined;
  /**
   * Adds what the server sets in a new entry of a collection, such as its id and times.
   * The control API calls this function, so `entry` can have any properties.
   */
  completeNewEntry?(collection: string, entry: Entry, context: NewEntryContext<S>): Entry;
  /**
   * Checks the token of a request that needs credentials, before its parameters and its body are validated, or before
   * a user's handler calls the built-in handler.
   * Throws a `DomainError` if the token has expired, a logout has ended it, or its user does not exist.
   */
  checkToken?(route: Route, input: Pick<Input, 'headers' | 'user'>, state: S, nowMs: number): void;
  /** The operations that log a user in with a password, and return a token. */
  readonly logins?: readonly Route[];
  /** Returns whether a text is a token that a login has returned. The option `auth` need not name such tokens. */
  isIssuedToken?(text: string): boolean;
  /**
   * Returns the state that a client of the control API or a snapshot file sets as it is stored, such as with hashes
   * instead of passwords.
   * Yields often, because a state can have many entries.
   * `before`: the state before the change.
   */
  acceptState?(next: S, before: S): Steps<AcceptedState<S>>;
  /**
   * Converts the stored state to the state that a user's handlers see, and back.
   * Without this property, these handlers see the stored state.
   */
  readonly stateView?: StateView<S>;
  /**
   * Returns what the handler of an operation does, such as `lists pets`, or why the operation has no handler.
   * The command `storefront explain` and the log show this text.
   */
  explain?(route: Route): string;
}

/** Converts between the stored state and the state that a user's handlers see. */
export interface StateView<S extends State = State> {
  /**
   * Returns the state that a user's handlers see.
   * Adds generated values, which responses contain but the store does not.
   */
  show(state: S): S;
  /**
   * Returns the state to store: removes the values that `show` added.
   * An unchanged entry becomes the same object that was passed to `show`.
   */
  toStored(state: S): S;
}

/** The properties of an operation by which an application finds its handler. */
export type Operation = Pick<Route, 'operationId' | 'method' | 'path'>;

/** A handler of the application for an operation. */
export interface ApplicationHandler<S extends State = State> {
  readonly handle: Handle<S>;
  /**
   * The operation for which the handler was written, and its contract.
   * If the served contract defines the operation differently, the engine adapts the response of the handler.
   * It generates the fields that only the served contract has, and removes the fields that the served contract does not
   * have.
   */
  readonly writtenFor?: { readonly document: Document; readonly route: Route };
}

/**
 * A handler, and whether it belongs to the application or to the user.
 * The engine caches responses, and adds generated fields, only for handlers of the application.
 */
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
  /** The URL of the request without its query. Only the handlers of an application get it. */
  readonly url?: string | undefined;
  /**
   * The URL below which the server sends uploaded files of the sandbox, such as `http://localhost:3000/_files`.
   * Only the handlers of an application get it.
   */
  readonly filesUrl?: string | undefined;
  /** The credentials in the query, which links to other pages need too. */
  readonly credentials?: Readonly<Record<string, string>> | undefined;
  /** The id or the login of the user that the option `auth` names for the token of the request. */
  readonly user?: string | undefined;
  /** Returns the current time of the sandbox in milliseconds. Only the handlers of an application get it. */
  readonly getNow?: (() => number) | undefined;
}

/** An uploaded file. `type`: its media type. */
export interface UploadedFile {
  readonly type: string;
  readonly content: Buffer;
}

/**
 * The response that a handler returns.
 * The default of `status` is the success status that the contract documents for the operation.
 */
export interface HandlerResponse {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sentences about the request for the log and the journal. */
  readonly notes?: readonly string[];
  /**
   * JSON Pointers to the values in the body that were generated and are not stored.
   * The response header `X-Mocked` lists these pointers.
   */
  readonly generated?: readonly string[];
  /** Whether the mock creates the response instead. Only the handlers of an application can return it. */
  readonly isMocked?: boolean;
}

/**
 * What a handler can use in the sandbox (isolated test environment) of its request: the state, the clock and the id
 * generator.
 */
export interface Context<S extends State = State> {
  /** Returns the committed state. */
  read(): S;
  /**
   * Commits a change to the state.
   * `change`: a pure function that takes the current state, and returns the next state and a result.
   * Resolves to this result.
   */
  update<Result>(change: Change<Result, S>): Promise<Result>;
  /** Restores the default data after all earlier changes have been committed. */
  reset(): Promise<void>;
  /**
   * Returns the time on the clock of the sandbox, in ms since 1970.
   * The server does not cache the response of a handler that calls this function.
   */
  nowMs(): number;
  /** Returns a new UUID. No entry of the state has this UUID as its id. */
  newId(): string;
  /**
   * Returns the committed changes of the entries of the sandbox from now on, without end, for a handler that returns an
   * async iterable as its body.
   * `after`: the id of the change after which the changes start, such as the header `Last-Event-ID`.
   * Throws an error, which becomes the status 410, if not all of these changes are known any more.
   */
  changes(after?: string): ChangeSequence;
}

/** The schema of the entries of a collection. */
export interface EntrySchema {
  /** The JSON Pointer to the schema in the contract; empty if the contract has no schema for the entries. */
  readonly schema: string;
  /**
   * The property that identifies an entry, such as `id`.
   * Dots separate nested properties: `item.id`.
   * Undefined if no property identifies an entry.
   */
  readonly key?: string | undefined;
}

/** What the console asks for in an entry. */
export interface EntryForm {
  /** The properties of a new entry that a client may send, and the ids of its parents. */
  readonly properties: readonly string[];
  /** The default values of these properties. */
  readonly defaults?: Entry;
  readonly references: readonly Reference[];
}

/** A property with the id of an entry of another collection, such as `projectId`. A hidden id is `$path.projectId`. */
export interface Reference {
  readonly property: string;
  readonly collection: string;
}

/** What an application can use to complete a new entry. `nowMs`: the time of the sandbox, in ms since 1970. */
export interface NewEntryContext<S extends State = State> {
  readonly state: S;
  readonly nowMs: number;
  readonly newId: () => string;
}

/**
 * The error that a handler throws if a business rule declines a request.
 * The message says which value is invalid, which rule it breaks, and how to fix it.
 */
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

/**
 * Takes the place of a handler in the server option `handlers`, as in `{ listPets: mocked }`.
 * The server then generates the responses of this operation from the contract.
 */
export const mocked = Symbol('mocked');

/** The handlers of a user, by operationId. The value `mocked` means that the operation is mocked. */
export type UserHandlers = Readonly<Record<string, Handle | typeof mocked>>;

/** Types of the data that the console and the control API show about an application. */

/** An example request that users can try. */
export interface ExampleRequest {
  readonly title: string;
  readonly method: string;
  /** The path and the query. */
  readonly path: string;
  /** The JSON body; undefined if there is none. */
  readonly body?: unknown;
}

/** The table in which the console shows the entries of a collection. */
export interface Table<S extends State = State> {
  readonly columns: readonly Column[];
  /** Returns one value for each column, such as `[1, 'Leo']`. A missing value is null. */
  getCells(entry: Entry, state: S): readonly unknown[];
  /** Returns values about the whole collection, such as totals. */
  summarize?(state: S): readonly SummaryValue[];
}

/**
 * A column of a table.
 * `format` says how the console shows a value: `money` is an amount in cents, `time` is an ISO 8601 time, `image` is
 * the URL of an image, `id` is an id, and `json` is any JSON value.
 */
export interface Column {
  readonly title: string;
  readonly format: 'text' | 'number' | 'boolean' | 'image' | 'money' | 'time' | 'json' | 'id';
  /** The collection of the entries whose ids the column has. */
  readonly collection?: string;
}

/** A value about a whole collection, such as a total. */
export interface SummaryValue {
  readonly title: string;
  readonly value: string | number;
  readonly format: 'text' | 'number' | 'money';
}

/**
 * A search to explain.
 * `term`: the text that the user searches for.
 * `limit`: the maximum number of results in the explanation.
 */
export interface ExplainedSearch {
  readonly term: string;
  readonly limit: number;
}

/** The explanation of a search in a collection. */
export interface SearchExplanation {
  /** The number of entries that the search finds. */
  readonly total: number;
  /** The search term with corrected spelling. Undefined if no word seems to be misspelled. */
  readonly suggestion?: string;
  readonly words: readonly ExplainedWord[];
  /** The first results, the most relevant first. */
  readonly results: readonly ExplainedResult[];
}

/** A word of a search term, and what the search finds for this word. */
export interface ExplainedWord {
  readonly word: string;
  /** Whether the search also finds entries that do not match the word. */
  readonly isOptional: boolean;
  /** The number of entries that match this word. */
  readonly entries: number;
  /** The indexed words that match this word, such as `kettle` for `ketle`. The closest match comes first. */
  readonly matches: readonly WordMatch[];
}

/**
 * A word in the search index that matches a search word.
 * `how`: the type of the match.
 * `distance`: how much the spelling differs from the search word; 0 if it is equal.
 * `entries`: the number of entries that contain the indexed word.
 */
export interface WordMatch {
  readonly text: string;
  readonly how: string;
  readonly distance: number;
  readonly entries: number;
}

/**
 * A search result.
 * `cost`: a measure of its relevance; lower means more relevant.
 * `parts`: the parts of which `cost` is the sum.
 */
export interface ExplainedResult {
  /** The index of the entry in the collection. */
  readonly position: number;
  readonly cost: number;
  readonly parts: readonly CostPart[];
}

/**
 * One part of the cost of a search result (a lower cost means more relevant).
 * `cost`: the amount; less than 0 for a bonus.
 * `word`: the search word that causes this part; undefined if no single word causes it.
 */
export interface CostPart {
  readonly word?: string;
  /** The reason, such as `misspelled: kettle`. */
  readonly title: string;
  readonly cost: number;
}
