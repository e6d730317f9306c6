import { type ControlServer, sendControlRequest } from '../client/client.ts';
import type { ControlResponse } from '../control/operation.ts';

/** The time of a clock, and whether it is frozen. */
export type Clock = ControlResponse<'getClock'>;

/** A time: a text in ISO 8601, a number of ms since 1970, or a `Date`. */
export type Moment = string | number | Date;

/** The clock of a sandbox. Methods resolve to its new time, and reject with a `ControlError`. */
export interface TestClock {
  /** Returns the current time of the clock. */
  read(): Promise<Clock>;
  /** Sets the time. A frozen clock stays frozen. */
  set(now: Moment): Promise<Clock>;
  /** Stops the clock, by default at its current time. */
  freeze(now?: Moment): Promise<Clock>;
  /** Lets a frozen clock run from its current time. */
  run(): Promise<Clock>;
  /** Moves the clock forward by `ms`, or back if negative. */
  advance(ms: number): Promise<Clock>;
  /** Makes the clock follow the system clock again. */
  follow(): Promise<Clock>;
}

/** Creates the clock of the sandbox `id`. */
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
