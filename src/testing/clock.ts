import { type ControlServer, sendControlRequest } from '../client/client.ts';
import type { ControlResponse } from '../control/operation.ts';

/** The time of a clock, and whether it is frozen. */
export type Clock = ControlResponse<'getClock'>;

/** A time: an ISO 8601 string, a number of ms since 1970, or a `Date`. */
export type Moment = string | number | Date;

/** The clock of a sandbox. Methods resolve to the time after the change, and reject with a `ControlError`. */
export interface TestClock {
  /** Returns the current time of the clock. */
  read(): Promise<Clock>;
  /** Sets the time. A frozen clock stays frozen. */
  set(now: Moment): Promise<Clock>;
  /** Freezes the clock at a time. Default: the current time of the clock. */
  freeze(now?: Moment): Promise<Clock>;
  /** Unfreezes the clock. It continues from its current time. */
  run(): Promise<Clock>;
  /** Moves the clock forward by `ms`, or back if `ms` is negative. */
  advance(ms: number): Promise<Clock>;
  /** Unfreezes the clock and sets it to the system time. */
  follow(): Promise<Clock>;
}

/** Creates an object that controls the clock of the sandbox `id`. */
export function createTestClock(server: ControlServer, id: string): TestClock {
  const path = `${id}/clock`;
  const put = (body: { now?: string | number; frozen?: boolean }) =>
    sendControlRequest<'setClock'>(server, { method: 'PUT', path, body });
  const read = () => sendControlRequest<'getClock'>(server, { method: 'GET', path });
  return {
    read,
    set: (now) => put({ now: toJsonTime(now) }),
    freeze: (now) => put({ ...(now === undefined ? {} : { now: toJsonTime(now) }), frozen: true }),
    run: () => put({ frozen: false }),
    advance: (ms) =>
      sendControlRequest<'advanceClock'>(server, { method: 'POST', path: `${path}/advance`, body: { ms } }),
    async follow() {
      await sendControlRequest<'followClock'>(server, { method: 'DELETE', path });
      return read();
    },
  };
}

function toJsonTime(time: Moment): string | number {
  return typeof time === 'object' ? time.toISOString() : time;
}
