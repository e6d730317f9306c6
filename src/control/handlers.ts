import { entryHandlers } from './entry-handlers.ts';
import { faultHandlers } from './fault-handlers.ts';
import type { ControlHandlers } from './handler.ts';
import { journalHandlers } from './journal-handlers.ts';
import { requestHandlers } from './request-handlers.ts';
import { sandboxHandlers } from './sandbox-handlers.ts';
import { serverHandlers } from './server-handlers.ts';
import { snapshotHandlers } from './snapshot-handlers.ts';

/** The handlers of all operations of the control API, by operationId. */
export const controlHandlers: ControlHandlers = {
  ...serverHandlers,
  ...sandboxHandlers,
  ...entryHandlers,
  ...snapshotHandlers,
  ...faultHandlers,
  ...journalHandlers,
  ...requestHandlers,
};
