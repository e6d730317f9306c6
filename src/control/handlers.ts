import { faultHandlers } from './fault-handlers.ts';
import type { ControlHandlers, ControlParts } from './handler.ts';
import { type FollowedRequests, followedRequests, journalHandlers } from './journal-handlers.ts';
import type { ControlId, ControlInput } from './operation.ts';
import { sandboxHandlers } from './sandbox-handlers.ts';
import { snapshotHandlers } from './snapshot-handlers.ts';

/** Who does which operation of control; one without an entry does not compile. */
export const controlHandlers: ControlHandlers<ControlId> = {
  ...sandboxHandlers,
  ...snapshotHandlers,
  ...faultHandlers,
  ...journalHandlers,
};

/** What can be followed as it comes, of those operations of which anything can. */
export const controlFollowed: {
  readonly [Id in ControlId]?: (input: ControlInput<Id>, parts: ControlParts) => FollowedRequests;
} = { listRequests: followedRequests };
