import type * as application from '../../application.ts';
import type { mocked } from '../../application.ts';
import type * as change from '../../store/change.ts';
import type { State } from '../state.ts';
import type { Input, OperationId, OperationResponse, Product } from '../types.ts';

/** A pure function that takes the state of the shop and returns the next state. */
export type Change<Result> = change.Change<Result, State>;

/** The return value of a `Change`: a result for the caller, and the next state of the shop. The next state is absent if nothing changes. */
export type ChangeResult<Result> = change.ChangeResult<Result, State>;

/** The context of a handler: the state, clock and id generator of the sandbox that the request selects, and the product search. */
export interface Shop extends application.Context<State> {
  /** Returns the products that match a search term, the most relevant first. */
  search(products: readonly Product[], term: string): readonly Product[];
  /**
   * Returns the same products as `search`. The work is split into slices of a few milliseconds, so that a search of many products does not delay other
   * requests.
   */
  searchInSlices(products: readonly Product[], term: string): Promise<readonly Product[]>;
}

/** Handles the requests of one operation. Throws a `DomainError` if a business rule declines the request. The business rules are in `src/shop/domain`. */
export type Handler<Id extends OperationId> = (
  input: Input<Id>,
  shop: Shop,
) => OperationResponse<Id> | Promise<OperationResponse<Id>>;

/** For each operation of the contract, a handler or `mocked`. `mocked` means that the server generates the response from the contract. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> | typeof mocked };

/** The input of a user's handler for an operation whose types are not known. */
export type AnyInput = application.Input;

/** The response of a user's handler for an operation whose types are not known. */
export type AnyResponse = application.HandlerResponse;

/** A user's handler for an operation of any OpenAPI document. */
export type AnyHandler = (input: AnyInput, shop: Shop) => AnyResponse | Promise<AnyResponse>;

/** A user's handlers by operationId. An operation that is not in the shop's contract has an `AnyHandler` or `mocked`. */
export type CustomHandlers = Partial<Handlers> & { readonly [operationId: string]: unknown };
