import { faultHandlers } from './fault-handlers.ts';
import type { ControlHandlers } from './handler.ts';
import { journalHandlers } from './journal-handlers.ts';
import { sandboxHandlers } from './sandbox-handlers.ts';
import { snapshotHandlers } from './snapshot-handlers.ts';

/** The handlers of all operations of the control API. */
export const controlHandlers: ControlHandlers = {
  ...sandboxHandlers,
  ...snapshotHandlers,
  ...faultHandlers,
  ...journalHandlers,
};
