import { type ControlServer, sendControlRequest } from '../client/client.ts';
import type { ControlAnswer } from '../control/operation.ts';

/** What a clock shows. */
export type Clock = ControlAnswer<'getClock'>;

/** A moment: as ISO 8601 has it, in ms since 1970, or as a `Date`. */
export type Moment = string | number | Date;

/** The clock of a sandbox. */
export interface TestClock {
  /** What time it is there. */
  read(): Promise<Clock>;
  /** Sets it; it runs on, or stands still, as before. */
  set(now: Moment): Promise<Clock>;
  /** Has it stand still, at a moment where one is given. */
  freeze(now?: Moment): Promise<Clock>;
  /** Has it run from where it is. */
  run(): Promise<Clock>;
  /** Puts it forward by so many ms, back where they are negative. */
  advance(ms: number): Promise<Clock>;
  /** Has it be the machine's again. */
  follow(): Promise<Clock>;
}

/** The clock of the sandbox `id`. */
export function createTestClock(place: ControlServer, id: string): TestClock {
  const path = `${id}/clock`;
  const put = (body: { now?: string | number; frozen?: boolean }) =>
    sendControlRequest<'setClock'>(place, { method: 'PUT', path, body });
  const read = () => sendControlRequest<'getClock'>(place, { method: 'GET', path });
  return {
    read,
    set: (now) => put({ now: sendable(now) }),
    freeze: (now) => put({ ...(now === undefined ? {} : { now: sendable(now) }), frozen: true }),
    run: () => put({ frozen: false }),
    advance: (ms) =>
      sendControlRequest<'advanceClock'>(place, { method: 'POST', path: `${path}/advance`, body: { ms } }),
    async follow() {
      await sendControlRequest<'followClock'>(place, { method: 'DELETE', path });
      return read();
    },
  };
}

function sendable(now: Moment): string | number {
  return typeof now === 'object' ? now.toISOString() : now;
}
