import type { ControlResponse } from '../../control/operation.ts';
import type { ControlApi } from '../api/control-api.ts';
import type { Session } from '../api/session.ts';
import type { Notices, Observable } from './observable.ts';
import type { OwnChanges } from './own-changes.ts';
import type { RequestList } from './request-list.ts';
import type { Router } from './router.ts';

/** The description of the server that serves the page. */
export type Server = ControlResponse<'getServer'>;

/**
 * The connection to the server.
 * The state `removed` means that the sandbox does not exist any more, and `lost` that the page tries to connect again.
 * `count`: how often the page has connected since it was opened.
 */
export interface Connection {
  readonly state: 'connecting' | 'open' | 'lost' | 'removed';
  readonly count: number;
}

/** The objects that all components of the console share. */
export interface Console {
  readonly api: ControlApi;
  readonly session: Session;
  readonly router: Router;
  readonly requests: RequestList;
  readonly ownChanges: OwnChanges;
  readonly notices: Notices;
  readonly connection: Observable<Connection>;
  readonly server: Observable<Server | undefined>;
}
