/** What every entry of the kit exports beside its own. */

export { ControlError, type ControlViolation } from '../client/client.ts';
export type {
  Fault,
  FaultWish,
  JournalEntry,
  RequestsWanted,
  Verdict,
  Where,
} from '../control/operation.ts';
export type * from '../shop/api-types.ts';
export type { Clock, Moment, TestClock } from './clock.ts';
export {
  type JournalPart,
  type ServerAccess,
  type Snapshot,
  sandboxAt,
  type TestSandbox,
} from './sandbox.ts';
export { type RequestsExpected, VerificationError } from './verification-error.ts';
