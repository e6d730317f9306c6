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

/** The part of Playwright's `Clock` that the test kit uses (https://playwright.dev/docs/clock). */
export interface BrowserClock {
  setFixedTime(time: number): Promise<void>;
  setSystemTime(time: number): Promise<void>;
  fastForward(ms: number): Promise<void>;
}

/**
 * Returns a clock that sets the time of a sandbox and of the pages in a browser context.
 * The timers of the pages keep running.
 * `advance` also runs each timer that becomes due, once.
 * Works only in pages that are loaded after the first change of the clock.
 */
export function withPages(sandboxClock: TestClock, pageClock: BrowserClock): TestClock {
  const setPages = async (clock: Clock) => {
    await (clock.frozen ? pageClock.setFixedTime(clock.nowMs) : pageClock.setSystemTime(clock.nowMs));
    return clock;
  };
  return {
    read: () => sandboxClock.read(),
    set: async (now) => setPages(await sandboxClock.set(now)),
    freeze: async (now) => setPages(await sandboxClock.freeze(now)),
    run: async () => setPages(await sandboxClock.run()),
    async advance(ms) {
      const clock = await sandboxClock.advance(ms);
      // Timers must read the new time, so a frozen page clock is set before `fastForward`.
      // A running page clock is set after `fastForward`, which has advanced it.
      if (clock.frozen) await setPages(clock);
      if (ms > 0) await pageClock.fastForward(ms);
      return clock.frozen ? clock : setPages(clock);
    },
    follow: async () => setPages(await sandboxClock.follow()),
  };
}
