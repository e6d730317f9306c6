import type { Contract } from '../openapi/contract.ts';
import type { Route } from '../openapi/routes.ts';
import type { CheckContext } from './check-context.ts';
import type { Pool } from './pool.ts';
import type { Rule } from './session.ts';

/** How a correct server of one contract behaves beyond the schemas. The application that implements the contract provides it. */
export interface BehaviourModel {
  /** What it models, such as "the shop". */
  readonly subject: string;
  /** The rules for all responses. */
  readonly rules: readonly Rule[];
  /** A path that every server of the contract has: a storefront tells by it that it has sandboxes. */
  readonly probePath: string;
  /** The id of the operation that restores the default data. */
  readonly resetOperationId: string;
  /** Returns whether a contract is the one that the model describes. */
  applies(contract: Contract): boolean;
  /** Prepares the checks of a server. `isFresh`: whether the server has its default data. */
  open(context: Omit<CheckContext, 'prepare'>, pool: Pool, isFresh: boolean): Promise<OpenedModel>;
}

/** The checks of a model for one server. */
export interface OpenedModel {
  /** Creates the data that requests need, as far as requests may change it and it is missing. */
  prepare(): Promise<void>;
  /** Checks what only the descriptions of the contract say of a path, given by its operations. */
  checkPath(context: CheckContext, routes: readonly Route[]): Promise<void>;
  /** The parts of the check, which do not depend on each other. */
  readonly parts: readonly ModelPart[];
  /** Evaluates what is known only after all parts. */
  finish(): void;
}

/** A part of the check of a model. */
export interface ModelPart {
  readonly name: string;
  readonly check: (context: CheckContext) => Promise<void>;
}
