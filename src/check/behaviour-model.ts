import type { Contract } from '../openapi/contract.ts';
import type { Route } from '../openapi/routes.ts';
import type { CheckContext } from './check-context.ts';
import type { Pool } from './pool.ts';
import type { Rule } from './session.ts';

/**
 * The expected behaviour of a server, including rules that schemas can't express.
 * For example, a created resource must appear in the list of resources.
 * `storefront check` compares a server with this model.
 */
export interface BehaviourModel {
  /** The name of the application in messages, such as "the shop". */
  readonly subject: string;
  /** Rules that every response must follow. */
  readonly rules: readonly Rule[];
  /**
   * The path of a GET operation.
   * The check requests this path to detect whether the server supports sandboxes (isolated states of the server).
   */
  readonly probePath: string;
  /** The id of the operation that restores the default data. */
  readonly resetOperationId: string;
  /** Returns whether this model describes the API of `contract`. */
  applies(contract: Contract): boolean;
  /**
   * Prepares the comparison of a server with the model.
   * `pool`: values from responses, for use in later requests.
   * `isFresh`: whether the server still has its default data.
   */
  open(context: Omit<CheckContext, 'prepare'>, pool: Pool, isFresh: boolean): Promise<OpenedModel>;
}

/** The checks that compare one server with a behaviour model. */
export interface OpenedModel {
  /**
   * Creates the data that valid requests need.
   * Does nothing if the data exists, or if the check may not change data.
   */
  prepare(): Promise<void>;
  /**
   * Checks one path against rules that schemas can't express.
   * For example, HEAD must return the same status as GET.
   * `routes`: the operations of the path.
   */
  checkPath(context: CheckContext, routes: readonly Route[]): Promise<void>;
  /** Parts of the check that can run in any order. */
  readonly parts: readonly ModelPart[];
  /**
   * Called once, after all `parts` have run.
   * Adds findings and notes that depend on all parts: for example, that a documented status never occurred.
   */
  finish(): void;
}

/**
 * A part of the comparison of a server with a behaviour model.
 * `name`: a description of the part, for progress messages.
 */
export interface ModelPart {
  readonly name: string;
  /** Whether the check is complete without this part, if the time limit is reached. Default: false. */
  readonly isOptional?: boolean;
  readonly check: (context: CheckContext) => Promise<void>;
}
