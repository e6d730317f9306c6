import type { AnyResponse } from '../../../src/index.ts';
import type { Shop } from '../../../src/shop/operations/handler.ts';
import type { Input, OperationId } from '../../../src/shop/types.ts';
import type { Tamper } from './proxy.ts';

/** A handler whose response may break the contract. */
export type WrongHandler<Id extends OperationId> = (input: Input<Id>, shop: Shop) => AnyResponse | Promise<AnyResponse>;

/** A way in which a shop breaks the contract, with the changes that cause it in the real shop. */
export interface Defect {
  /** The defect, in words that continue "a shop that …". */
  readonly name: string;
  /** The operation with the defect; undefined if there is more than one. */
  readonly operationId: OperationId | undefined;
  /** Handlers that replace those of the shop. */
  readonly handlers?: { readonly [Id in OperationId]?: WrongHandler<Id> };
  /** Creates the proxy between client and shop; called for each start, because it may have state. */
  readonly tamper?: () => Tamper;
}
