import type { Route } from '../openapi/routes.ts';
import type { FastCheckModule } from './explore.ts';
import type { Selection } from './selection.ts';
import type { Session } from './session.ts';
import type { RequestGenerator } from './valid-requests.ts';

/**
 * The input of every check that `storefront check` runs: the session that sends requests to the server, and the
 * settings.
 */
export interface CheckContext extends Pick<Selection, 'mayWrite'> {
  readonly session: Session;
  readonly fc: FastCheckModule;
  readonly requests: RequestGenerator;
  readonly seed: number;
  /**
   * The number of random requests to each operation.
   * If a behaviour model describes the contract, the check also sends this many random request sequences.
   */
  readonly runs: number;
  /**
   * The operations to which the check may send requests.
   * They can include operations that the user has not selected.
   */
  readonly allowedRoutes: readonly Route[];
  /** Creates the data that valid requests need to succeed. */
  readonly prepare: () => Promise<void>;
  /** Adds a sentence to the report, for example about input that could not be checked. */
  readonly note: (message: string) => void;
}
