import type { ControlRequest } from '../client/client.ts';
import type { ControlId, ControlResponse } from '../control/operation.ts';

/** The time of a clock, and whether the clock is frozen. */
export type Clock = ControlResponse<'getClock'>;

/** A time: an ISO 8601 string, a number of ms since 1970, or a `Date`. */
export type Moment = string | number | Date;

/**
 * The clock of a sandbox.
 * All methods return the time of the clock and whether it is frozen.
 * They reject with a `ControlError` if the request to the server fails.
 */
export interface TestClock {
  /** Returns the time of the clock. */
  read(): Promise<Clock>;
  /** Sets the time of the clock. A frozen clock stays frozen. */
  set(now: Moment): Promise<Clock>;
  /** Freezes the clock at the given time. Default: its current time. */
  freeze(now?: Moment): Promise<Clock>;
  /** Unfreezes the clock. It continues from its current time. */
  run(): Promise<Clock>;
  /** Moves the clock forward by `ms`, or back if `ms` is negative. */
  advance(ms: number): Promise<Clock>;
  /** Unfreezes the clock and sets it to the system time. */
  follow(): Promise<Clock>;
}

/**
 * Sends a request to the control API of a sandbox.
 * `path`: the part of the path after `/_control/sandboxes/ID`.
 * `Id`: the operationId, which determines the response type.
 */
export type SendRequest = <Id extends ControlId>(
  method: ControlRequest['method'],
  path: string,
  body?: unknown,
) => Promise<ControlResponse<Id>>;

/**
 * Creates an object that controls the clock of a sandbox.
 * `send`: sends requests to the control API of this sandbox.
 */
export function createTestClock(send: SendRequest): TestClock {
  const put = (body: { now?: string | number; frozen?: boolean }) => send<'setClock'>('PUT', '/clock', body);
  const read = () => send<'getClock'>('GET', '/clock');
  return {
    read,
    set: (now) => put({ now: toJsonTime(now) }),
    freeze: (now) => put({ ...(now === undefined ? {} : { now: toJsonTime(now) }), frozen: true }),
    run: () => put({ frozen: false }),
    advance: (ms) => send<'advanceClock'>('POST', '/clock/advance', { ms }),
    async follow() {
      await send<'followClock'>('DELETE', '/clock');
      return read();
    },
  };
}

function toJsonTime(time: Moment): string | number {
  return typeof time === 'object' ? time.toISOString() : time;
}
