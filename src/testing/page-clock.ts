import type { Clock, TestClock } from './clock.ts';

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
