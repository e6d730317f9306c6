import type * as application from '../../application.ts';
import type { mocked } from '../../application.ts';
import type * as store from '../../store/store.ts';
import type { State } from '../state.ts';
import type { Input, OperationId, OperationResponse, Product } from '../types.ts';

/** A pure change of the shop's state. */
export type Change<Result> = store.Change<Result, State>;

/** The outcome of a change: the next state, absent if nothing changes, and the result. */
export type ChangeResult<Result> = store.ChangeResult<Result, State>;

/** The shop as a handler sees it: the sandbox of the request, and the search. */
export interface Shop extends application.Context<State> {
  /** Returns the products of a catalogue that match a term. */
  search(products: readonly Product[], term: string): readonly Product[];
}

/** Implements an operation: decides, and leaves the computing to the domain and the storing to the store. Declines by throwing a `DomainError`. */
export type Handler<Id extends OperationId> = (
  input: Input<Id>,
  shop: Shop,
) => OperationResponse<Id> | Promise<OperationResponse<Id>>;

/** A handler for each operation of the contract, or the word that it is mocked. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> | typeof mocked };

/** The input and the response of a handler for an operation of any contract. */
export type AnyInput = application.Input;
export type AnyResponse = application.HandlerResponse;

/** Handles an operation of any contract: a user's handler. */
export type AnyHandler = (input: AnyInput, shop: Shop) => AnyResponse | Promise<AnyResponse>;

/** Handlers by operationId, of the shop's operations or of any other: these are each an `AnyHandler`, or `mocked`. */
export type CustomHandlers = Partial<Handlers> & { readonly [operationId: string]: unknown };
