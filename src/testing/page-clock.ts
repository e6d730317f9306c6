import type { Clock, TestClock } from './clock.ts';

/** What of Playwright's clock is used (https://playwright.dev/docs/clock). */
export interface BrowserClock {
  setFixedTime(time: number): Promise<void>;
  setSystemTime(time: number): Promise<void>;
  fastForward(ms: number): Promise<void>;
}

/**
 * A clock of a sandbox that takes the clocks of pages along: what the server says the time is, they show. Timers of pages go on; `advance` has those
 * fire that are due by then, each once, in pages that were loaded after the clock was first set.
 */
export function withPages(server: TestClock, pages: BrowserClock): TestClock {
  const show = async ({ nowMs, frozen }: Clock) => {
    await (frozen ? pages.setFixedTime(nowMs) : pages.setSystemTime(nowMs));
  };
  const both = async (clock: Clock) => {
    await show(clock);
    return clock;
  };
  return {
    read: () => server.read(),
    set: async (now) => both(await server.set(now)),
    freeze: async (now) => both(await server.freeze(now)),
    run: async () => both(await server.run()),
    async advance(ms) {
      const clock = await server.advance(ms);
      // A clock that stands still shows the new moment to the timers that fire; one that runs gets there by itself, and is set right afterwards.
      if (clock.frozen) await show(clock);
      if (ms > 0) await pages.fastForward(ms);
      if (!clock.frozen) await show(clock);
      return clock;
    },
    follow: async () => both(await server.follow()),
  };
}
