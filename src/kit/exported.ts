/** What every entry of the kit exports beside its own. */
export type { paths } from '../contract/schema.d.ts';
export { ControlFault, type ControlViolation } from '../control/client.ts';
export type {
  Fault,
  FaultWish,
  JournalEntry,
  RequestsWanted,
  Verdict,
  Where,
} from '../control/operation.ts';
export type { State } from '../store/state.ts';
export type { Clock, Moment, TestClock } from './clock.ts';
export {
  type JournalPart,
  type ServerAccess,
  type Snapshot,
  sandboxAt,
  type TestSandbox,
} from './sandbox.ts';
export { type RequestsExpected, VerifyFault } from './verify-fault.ts';
