import type { Route } from '../openapi/routes.ts';
import type { FastCheckModule } from './explore.ts';
import type { Session } from './session.ts';
import type { RequestGenerator } from './valid-requests.ts';

/** What all judges of a server have at hand. */
export interface CheckContext {
  readonly session: Session;
  readonly fc: FastCheckModule;
  readonly requests: RequestGenerator;
  readonly seed: number;
  /** How many generated requests each operation gets, and how many sequences are played. */
  readonly runs: number;
  /** Whether requests are sent that may change something. */
  readonly mayWrite: boolean;
  /** The operations that may be asked, judged or not. */
  readonly allowedRoutes: readonly Route[];
  /** Has the server be in a state in which requests that hold are done. */
  readonly prepare: () => Promise<void>;
  /** Takes in what could not be judged, a sentence. */
  readonly note: (message: string) => void;
}
