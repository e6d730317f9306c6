import type { Clock, TestClock } from './clock.ts';

/** The part of Playwright's `Clock` that the test kit uses (https://playwright.dev/docs/clock). */
export interface BrowserClock {
  setFixedTime(time: number): Promise<void>;
  setSystemTime(time: number): Promise<void>;
  fastForward(ms: number): Promise<void>;
}

/**
 * Returns a clock that sets the sandbox and the pages of a browser context together. Timers of pages keep running. `advance` fires due timers at most
 * once, in pages that were loaded after the clock was first set.
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
      // Timers that fire must see the new time: a frozen clock is set first. A running clock gets there by `fastForward`, and is corrected afterwards.
      if (clock.frozen) await setPages(clock);
      if (ms > 0) await pageClock.fastForward(ms);
      return clock.frozen ? clock : setPages(clock);
    },
    follow: async () => setPages(await sandboxClock.follow()),
  };
}
