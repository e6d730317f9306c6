import type { Route } from '../openapi/routes.ts';
import type { FastCheckModule } from './explore.ts';
import type { Selection } from './selection.ts';
import type { Session } from './session.ts';
import type { RequestGenerator } from './valid-requests.ts';

/** The means that all checks of a server share. */
export interface CheckContext extends Pick<Selection, 'mayWrite'> {
  readonly session: Session;
  readonly fc: FastCheckModule;
  readonly requests: RequestGenerator;
  readonly seed: number;
  /** The number of generated requests for each operation, and of sequences. */
  readonly runs: number;
  /** The operations to which requests may be sent, checked or not. */
  readonly allowedRoutes: readonly Route[];
  /** Brings the server into a state in which valid requests succeed. */
  readonly prepare: () => Promise<void>;
  /** Records what could not be checked, a sentence. */
  readonly note: (message: string) => void;
}
