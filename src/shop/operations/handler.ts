import type { State } from '../../store/state.ts';
import type { Change } from '../../store/store.ts';
import type { Answer, Input, OperationId, Product, RequestHeaders } from '../types.ts';

/** What an operation has of the shop that it is asked in. */
export interface Shop {
  /** The committed state. */
  read(): State;
  /** The result of a pure change, once it is committed. */
  update<Result>(change: Change<Result>): Promise<Result>;
  /** Restores the default data, in turn with the changes. */
  reset(): Promise<void>;
  /** The products of a catalogue that a term means. */
  search(products: readonly Product[], term: string): readonly Product[];
  /** The time, in ms since 1970. An answer that was made without asking for it may be given again until the state changes. */
  nowMs(): number;
  /** A new id (uuid). */
  newId(): string;
}

/** What does an operation: decides, and leaves computing to the domain and keeping to the store. Declines by throwing a `DomainError`. */
export type Handler<Id extends OperationId> = (input: Input<Id>, shop: Shop) => Answer<Id> | Promise<Answer<Id>>;

/** Stands in the table of handlers for an operation that is answered from the contract's examples. */
export const mocked = Symbol('mocked');

/** A handler for each operation of the contract, or the word that it is mocked. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> | typeof mocked };

/** What does an operation of whichever contract: a handler that a team brings for its own. */
export type AnyHandler = (input: AnyInput, shop: Shop) => AnyAnswer | Promise<AnyAnswer>;

/** What a handler gets of a request that keeps the contract. */
export interface AnyInput {
  /** The headers, their names in lower case; one that was sent several times has its values joined by commas. */
  readonly headers: RequestHeaders;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  /** Of the shape that the contract has for it: the request has passed. */
  readonly body: unknown;
}

/** A body and headers; the status is the contract's success where none is given. */
export interface AnyAnswer {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Handlers by operationId, of the shop's operations or of any other: these are each an `AnyHandler`, or `mocked`. */
export type OwnHandlers = Partial<Handlers> & { readonly [operationId: string]: unknown };
