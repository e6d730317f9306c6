import type * as application from '../../application.ts';
import type { mocked } from '../../application.ts';
import type * as store from '../../store/store.ts';
import type { State } from '../state.ts';
import type { Input, OperationId, OperationResponse, Product } from '../types.ts';

/** A pure function that changes the shop's state. */
export type Change<Result> = store.Change<Result, State>;

/** What a change returns: its result, and the next state. The next state is absent if nothing changes. */
export type ChangeResult<Result> = store.ChangeResult<Result, State>;

/** The context of a handler: the sandbox of the request, and the product search. */
export interface Shop extends application.Context<State> {
  /** Returns the products that match a search term, the most relevant first. */
  search(products: readonly Product[], term: string): readonly Product[];
}

/** Handles the requests of one operation. Throws a `DomainError` if a business rule declines the request. Rules are in the domain folder. */
export type Handler<Id extends OperationId> = (
  input: Input<Id>,
  shop: Shop,
) => OperationResponse<Id> | Promise<OperationResponse<Id>>;

/** A handler for each operation of the contract, or `mocked` for operations that are mocked. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> | typeof mocked };

/** The input of a handler for an operation of any contract. */
export type AnyInput = application.Input;

/** The response of a handler for an operation of any contract. */
export type AnyResponse = application.HandlerResponse;

/** A user's handler for an operation of any contract. */
export type AnyHandler = (input: AnyInput, shop: Shop) => AnyResponse | Promise<AnyResponse>;

/** A user's handlers by operationId. Operations that are not in the shop's contract have an `AnyHandler` or `mocked`. */
export type CustomHandlers = Partial<Handlers> & { readonly [operationId: string]: unknown };
