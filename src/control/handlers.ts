import { faultHandlers } from './fault-handlers.ts';
import type { ControlHandlers } from './handler.ts';
import { journalHandlers } from './journal-handlers.ts';
import type { ControlId } from './operation.ts';
import { sandboxHandlers } from './sandbox-handlers.ts';
import { snapshotHandlers } from './snapshot-handlers.ts';

/** Who does which operation of control; one without an entry does not compile. */
export const controlHandlers: ControlHandlers<ControlId> = {
  ...sandboxHandlers,
  ...snapshotHandlers,
  ...faultHandlers,
  ...journalHandlers,
};
