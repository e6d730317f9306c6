import { faultHandlers } from './fault-handlers.ts';
import type { ControlHandlers } from './handler.ts';
import { getFollowedRequests, journalHandlers } from './journal-handlers.ts';
import type { ControlId } from './operation.ts';
import { sandboxHandlers } from './sandbox-handlers.ts';
import { snapshotHandlers } from './snapshot-handlers.ts';

/** The handlers of all operations of the control API. */
export const controlHandlers: ControlHandlers = {
  ...sandboxHandlers,
  ...snapshotHandlers,
  ...faultHandlers,
  ...journalHandlers,
};

/** The functions that return the journal and the filter of an event stream, by operationId. */
export const eventStreamHandlers: { readonly [Id in ControlId]?: typeof getFollowedRequests } = {
  listRequests: getFollowedRequests,
};
