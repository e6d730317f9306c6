import { faultHandlers } from './fault-handlers.ts';
import type { ControlHandlers, ControlParts } from './handler.ts';
import { type FollowedRequests, followedRequests, journalHandlers } from './journal-handlers.ts';
import type { ControlId, ControlInput } from './operation.ts';
import { sandboxHandlers } from './sandbox-handlers.ts';
import { snapshotHandlers } from './snapshot-handlers.ts';

/** The handler of each operation of the control API. */
export const controlHandlers: ControlHandlers<ControlId> = {
  ...sandboxHandlers,
  ...snapshotHandlers,
  ...faultHandlers,
  ...journalHandlers,
};

/** The operations that can respond with an event stream. */
export const controlFollowed: {
  readonly [Id in ControlId]?: (input: ControlInput<Id>, parts: ControlParts) => FollowedRequests;
} = { listRequests: followedRequests };
