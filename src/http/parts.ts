import type { Application, Implementation } from '../application.ts';
import type { ControlAccess } from '../control/access.ts';
import type { ControlParts } from '../control/handler.ts';
import type { CompletedBody } from '../mock/compare-contracts.ts';
import type { Mock } from '../mock/mock.ts';
import type { Contract } from '../openapi/contract.ts';
import type { VerifyMode } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { Sandboxes } from '../sandbox/registry.ts';
import type { Store } from '../store/store.ts';
import type { AccessPolicy } from './access-policy.ts';
import type { ResentRequests } from './pipeline/resent-requests.ts';
import type { Api } from './pipeline/values.ts';
import type { Log } from './request-log.ts';
import type { ResponseCache } from './response-cache.ts';

/** What the server passes to the app. Another version of the contract has another app. */
export interface AppParts {
  readonly application: Application;
  readonly contract: Contract;
  /** Returns the implementation of an operation; undefined if the operation is mocked. */
  readonly getImplementation: (route: Route) => Implementation | undefined;
  /** Whether the application implements an operation: its responses may have only the properties that the contract has. */
  readonly isImplemented: (route: Route) => boolean;
  /** Adds the fields that the contract has gained since the handlers of the application were written, and removes those that it has lost. */
  readonly complete: (route: Route, body: unknown) => CompletedBody;
  /** A store that takes no change by which its state would contradict the contract; `ownOperationId`: the operation of a user's own handler. */
  readonly guard: (store: Store, ownOperationId?: string) => Store;
  readonly mock: Mock;
  readonly control: ControlParts;
  /** The contract of the control API, which refuses what it does not know. */
  readonly controlContract: Contract;
  readonly controlAccess: ControlAccess;
  readonly access: AccessPolicy;
  readonly sandboxes: Sandboxes;
  readonly ready: ResponseCache;
  readonly log: Log;
  /** What happens to a response that violates the contract: it is logged, replaced by an error of the server, or sent without verification. */
  readonly verify: VerifyMode;
  /** Returns how long the server delays a response, in ms; undefined if it delays none. */
  readonly delayMs: (() => number) | undefined;
  /** Ends what waits once the server stops. */
  readonly stopping: AbortSignal;
  /** The folder of the images; undefined if there are none. */
  readonly images: string | undefined;
  /** The folder of a built front end, which then stands at /. */
  readonly static: string | undefined;
  /** The version of this package. */
  readonly version: string;
  /** The name of the data file, without its folder; undefined where the state is in memory only. */
  readonly dataFile: string | undefined;
}

/** What the steps of the pipeline use. */
export interface PipelineParts extends AppParts {
  readonly apis: { readonly contract: Api; readonly control: Api };
  /** The first segment that the paths of the contract share: an unknown path below it is unknown to the API, any other may be that of a file. */
  readonly basePath: string | undefined;
  readonly resends: ResentRequests;
}
