import type { Route } from '../openapi/routes.ts';
import type { Chance } from './explore.ts';
import type { Session } from './session.ts';
import type { Bases } from './valid-requests.ts';

/** What all judges of a server have at hand. */
export interface Judging {
  readonly session: Session;
  readonly fc: Chance;
  readonly bases: Bases;
  readonly seed: number;
  /** How many generated requests each operation gets, and how many sequences are played. */
  readonly runs: number;
  /** Whether requests are sent that may change something. */
  readonly mayWrite: boolean;
  /** The operations that may be asked, judged or not. */
  readonly asked: readonly Route[];
  /** Has the server be in a state in which requests that hold are done. */
  readonly prepare: () => Promise<void>;
  /** Takes in what could not be judged, a sentence. */
  readonly note: (said: string) => void;
}
