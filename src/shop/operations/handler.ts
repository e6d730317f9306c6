import type * as application from '../../application.ts';
import type { mocked } from '../../application.ts';
import type * as change from '../../store/backend.ts';
import type { State } from '../state.ts';
import type { Input, OperationId, OperationResponse, Product } from '../types.ts';

/** A pure function that takes the current data of the shop and returns the changed data. */
export type Change<Result> = change.Change<Result, State>;

/**
 * The return value of a `Change`: a result for the caller, and the changed data of the shop.
 * The changed data is absent if nothing changes.
 */
export type ChangeResult<Result> = change.ChangeResult<Result, State>;

/**
 * What a handler can use: the product search, and the data, clock and id generator of a sandbox.
 * The request selects the sandbox.
 */
export interface Shop extends application.Context<State> {
  /** Returns the products that match a search term, the most relevant first. */
  search(products: readonly Product[], term: string): readonly Product[];
  /**
   * Returns the same products as `search`, but works in slices of a few milliseconds.
   * So a search in many products does not delay other requests.
   */
  searchInSlices(products: readonly Product[], term: string): Promise<readonly Product[]>;
}

/**
 * Handles the requests of one operation.
 * Throws a `DomainError` if a business rule declines the request.
 * The business rules are in `src/shop/domain`.
 */
export type Handler<Id extends OperationId> = (
  input: Input<Id>,
  shop: Shop,
) => OperationResponse<Id> | Promise<OperationResponse<Id>>;

/**
 * A handler for each operation of the contract.
 * The value `mocked` means that the server generates the response from the contract.
 */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> | typeof mocked };

/** The input of a user's handler if the types of the operation are not known. */
export type AnyInput = application.Input;

/** The response of a user's handler if the types of the operation are not known. */
export type AnyResponse = application.HandlerResponse;

/** What a user's handler can use: also the response of the built-in handler to the same request. */
interface UserShop<Response> extends Shop {
  /** Handles the request as the server does without this handler. Rejects if the operation is mocked. */
  builtIn(): Promise<Response>;
}

/** A user's handler for an operation of any OpenAPI document. */
export type AnyHandler = (input: AnyInput, shop: UserShop<AnyResponse>) => AnyResponse | Promise<AnyResponse>;

/** A user's handler for an operation of the shop. */
type UserHandler<Id extends OperationId> = (
  input: Input<Id>,
  shop: UserShop<OperationResponse<Id>>,
) => OperationResponse<Id> | Promise<OperationResponse<Id>>;

/**
 * A user's handlers.
 * The keys are operationIds.
 * An operation that is not in the shop's contract has an `AnyHandler` or the value `mocked`.
 */
export type CustomHandlers = { readonly [Id in OperationId]?: UserHandler<Id> | typeof mocked } & {
  readonly [operationId: string]: unknown;
};
