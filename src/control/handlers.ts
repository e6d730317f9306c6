import { faultHandlers } from './fault-handlers.ts';
import type { ControlHandlers } from './handler.ts';
import { followedRequests, journalHandlers } from './journal-handlers.ts';
import type { ControlId } from './operation.ts';
import { sandboxHandlers } from './sandbox-handlers.ts';
import { snapshotHandlers } from './snapshot-handlers.ts';

/** The handler of each operation of the control API. */
export const controlHandlers: ControlHandlers = {
  ...sandboxHandlers,
  ...snapshotHandlers,
  ...faultHandlers,
  ...journalHandlers,
};

/** The operations that can respond with an event stream. */
export const eventStreamHandlers: { readonly [Id in ControlId]?: typeof followedRequests } = {
  listRequests: followedRequests,
};
