import type { State } from '../../store/state.ts';
import type { Change } from '../../store/store.ts';
import type { Answer, Input, OperationId, Product, RequestHeaders } from '../types.ts';

/** The shop as a handler sees it: one sandbox's state, clock and id generator. */
export interface Shop {
  /** Returns the committed state. */
  read(): State;
  /** Applies a pure change and resolves to its result, once it is committed. */
  update<Result>(change: Change<Result>): Promise<Result>;
  /** Restores the default data, in order with the changes. */
  reset(): Promise<void>;
  /** Returns the products that match a search term, the most relevant first. */
  search(products: readonly Product[], term: string): readonly Product[];
  /** Returns the time, in ms since 1970. A response that is created without this method may be cached until the state changes. */
  nowMs(): number;
  /** Returns a new id (UUID). */
  newId(): string;
}

/** Implements an operation: decides, and leaves the computing to the domain and the storing to the store. Declines by throwing a `DomainError`. */
export type Handler<Id extends OperationId> = (input: Input<Id>, shop: Shop) => Answer<Id> | Promise<Answer<Id>>;

/** Takes the place of a handler for an operation whose responses are generated from the contract's examples. */
export const mocked = Symbol('mocked');

/** A handler for each operation of the contract, or `mocked`. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> | typeof mocked };

/** Implements an operation of any contract. */
export type AnyHandler = (input: AnyInput, shop: Shop) => AnyAnswer | Promise<AnyAnswer>;

/** The validated parts of a request. */
export interface AnyInput {
  /** The headers by their names in lower case. The values of a repeated header are joined by commas. */
  readonly headers: RequestHeaders;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  /** Matches the contract's schema. */
  readonly body: unknown;
}

/** The response of a handler. */
export interface AnyAnswer {
  /** The HTTP status; by default the success status of the contract. */
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Handlers by operationId, of the shop's operations or of any other operation. The value of the latter is an `AnyHandler` or `mocked`. */
export type OwnHandlers = Partial<Handlers> & { readonly [operationId: string]: unknown };
