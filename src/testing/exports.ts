/** The exports of every entry of the test kit. */

export { ControlError, type ControlViolation } from '../client/client.ts';
export type { Fault, FaultDefinition, JournalEntry, RequestFilter, Verification, Where } from '../control/operation.ts';
export type * from '../shop/api-types.ts';
export type { Clock, Moment, TestClock } from './clock.ts';
export { type JournalFilter, type SandboxAccess, type Snapshot, sandboxAt, type TestSandbox } from './sandbox.ts';
export { type RequestExpectation, VerificationError } from './verification-error.ts';
