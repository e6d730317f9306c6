import type { Contract } from '../openapi/contract.ts';
import type { Route } from '../openapi/routes.ts';
import type { CheckContext } from './check-context.ts';
import type { Pool } from './pool.ts';
import type { Rule } from './session.ts';

/**
 * Describes how a correct server of one contract behaves, including behaviour that schemas can't express: for example, that a created resource appears in its
 * list. `storefront check` compares a server with this model.
 */
export interface BehaviourModel {
  /** The name of the application in messages, such as "the shop". */
  readonly subject: string;
  /** Rules that every response must follow. */
  readonly rules: readonly Rule[];
  /** The path of a GET operation. The check sends requests to this path to detect whether the server supports sandboxes. */
  readonly probePath: string;
  /** The id of the operation that restores the default data. */
  readonly resetOperationId: string;
  /** Returns whether the model describes this contract. */
  applies(contract: Contract): boolean;
  /**
   * Prepares the comparison of a server with the model. `pool`: values from responses, for use in later requests. `isFresh`: whether the server still has its
   * default data.
   */
  open(context: Omit<CheckContext, 'prepare'>, pool: Pool, isFresh: boolean): Promise<OpenedModel>;
}

/** The checks that compare one server with a behaviour model. */
export interface OpenedModel {
  /** Creates the data that valid requests need, if the server lacks this data and the check may change data. */
  prepare(): Promise<void>;
  /** Checks rules that the contract states for a path in its text, but not in its schemas. `routes`: the operations of the path. */
  checkPath(context: CheckContext, routes: readonly Route[]): Promise<void>;
  /** Parts of the check that can run in any order. */
  readonly parts: readonly ModelPart[];
  /** Adds the findings and notes that depend on the results of all parts. Called after the last part. */
  finish(): void;
}

/** A part of the comparison of a server with a behaviour model. `name`: a description of the part, for progress messages. */
export interface ModelPart {
  readonly name: string;
  readonly check: (context: CheckContext) => Promise<void>;
}
