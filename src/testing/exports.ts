/** The exports that all entry points of the test kit have in common. */

export { ControlError } from '../client/client.ts';
export type { ControlViolation, Fault, JournalEntry, Verification, Where } from '../control/operation.ts';
export type * from '../shop/api-types.ts';
export type { Clock, Moment, TestClock } from './clock.ts';
export type {
  Delivery,
  FaultDefinition,
  JournalFilter,
  OperationName,
  RequestExpectation,
  RequestFilter,
} from './sandbox.ts';
export { type SandboxAccess, type Snapshot, sandboxAt, type TestSandbox, VerificationError } from './sandbox.ts';
