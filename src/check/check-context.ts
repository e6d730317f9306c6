import type { Route } from '../openapi/routes.ts';
import type { FastCheckModule } from './explore.ts';
import type { Selection } from './selection.ts';
import type { Session } from './session.ts';
import type { RequestGenerator } from './valid-requests.ts';

/** The session with a server, and the settings that all checks of the server share. */
export interface CheckContext extends Pick<Selection, 'mayWrite'> {
  readonly session: Session;
  readonly fc: FastCheckModule;
  readonly requests: RequestGenerator;
  readonly seed: number;
  /** The number of random requests to each operation. With a behaviour model, it is also the number of random request sequences. */
  readonly runs: number;
  /** The operations to which the check may send requests, including operations that it does not check. */
  readonly allowedRoutes: readonly Route[];
  /** Creates the data that valid requests need to succeed. */
  readonly prepare: () => Promise<void>;
  /** Adds a sentence to the report, for example about input that could not be checked. */
  readonly note: (message: string) => void;
}
