import type { Contract } from '../openapi/contract.ts';
import type { Route } from '../openapi/routes.ts';
import type { CheckContext } from './check-context.ts';
import type { Pool } from './pool.ts';
import type { Rule } from './session.ts';

/**
 * A model of the behaviour of a correct server of one contract. It includes behaviour that schemas can't express. The application that implements the
 * contract provides the model.
 */
export interface BehaviourModel {
  /** The name of the application in messages, such as "the shop". */
  readonly subject: string;
  /** Rules that every response must follow. */
  readonly rules: readonly Rule[];
  /** The path of the GET requests that detect whether the server has sandboxes. */
  readonly probePath: string;
  /** The id of the operation that restores the default data. */
  readonly resetOperationId: string;
  /** Returns whether the model describes a contract. */
  applies(contract: Contract): boolean;
  /** Prepares the check of a server. `isFresh`: whether the server has its default data. */
  open(context: Omit<CheckContext, 'prepare'>, pool: Pool, isFresh: boolean): Promise<OpenedModel>;
}

/** The checks that compare one server with a model. */
export interface OpenedModel {
  /** Creates missing data that valid requests need, if the check may change data. */
  prepare(): Promise<void>;
  /** Checks the rules of a path that the contract describes only in its text. `routes` are the operations of the path. */
  checkPath(context: CheckContext, routes: readonly Route[]): Promise<void>;
  /** Parts of the check that can run in any order. */
  readonly parts: readonly ModelPart[];
  /** Adds the findings and notes that need the results of all parts. */
  finish(): void;
}

/** A part of the check that compares a server with a model. */
export interface ModelPart {
  readonly name: string;
  readonly check: (context: CheckContext) => Promise<void>;
}
