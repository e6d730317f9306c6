import type { AnyAnswer } from '../../../src/index.ts';
import type { Shop } from '../../../src/shop/operations/handler.ts';
import type { Input, OperationId } from '../../../src/shop/types.ts';
import type { Tamper } from './proxy.ts';

/** A handler that may answer what the contract doesn't have. */
export type WrongHandler<Id extends OperationId> = (input: Input<Id>, shop: Shop) => AnyAnswer | Promise<AnyAnswer>;

/** One way in which a shop breaks the contract, and how the real one is made to. */
export interface Defect {
  /** What the shop does wrong, as words that go on "a shop that …". */
  readonly name: string;
  /** The operation that does it; undefined where it isn't one alone. */
  readonly operationId: OperationId | undefined;
  /** Handlers in the place of the shop's. */
  readonly handlers?: { readonly [Id in OperationId]?: WrongHandler<Id> };
  /** What stands between client and shop; made anew for each start, since it may remember. */
  readonly tamper?: () => Tamper;
}
