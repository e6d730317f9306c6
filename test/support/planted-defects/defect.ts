import type { AnyResponse } from '../../../src/index.ts';
import type { Shop } from '../../../src/shop/operations/handler.ts';
import type { Input, OperationId } from '../../../src/shop/types.ts';
import type { Tamper } from './proxy.ts';

/** A handler with a defect: its responses may violate the contract. */
export type WrongHandler<Id extends OperationId> = (input: Input<Id>, shop: Shop) => AnyResponse | Promise<AnyResponse>;

/** A violation of the contract, and how to change a correct shop so that it violates the contract in this way. */
export interface Defect {
  /** A text that continues "a shop that …", for example `rounds the tax down`. */
  readonly name: string;
  /** The operationId of the operation with the defect. Undefined if several operations have the defect. */
  readonly operationId: OperationId | undefined;
  /** The handlers that replace handlers of the shop. */
  readonly handlers?: { readonly [Id in OperationId]?: WrongHandler<Id> };
  /** Creates a proxy function that changes requests and responses. Called for each start of the shop, because the function may have state. */
  readonly tamper?: () => Tamper;
}
