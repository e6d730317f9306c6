/** The latest time of a clock, in ms since 1970: ten years before the latest `Date`, so that a later delivery time is still a valid `Date`. */
const LATEST_MS = 8_640_000_000_000_000 - 3_650 * 86_400_000;

/** Returns a time in ms since 1970 as an integer in the range of a clock. */
export function clampTime(clockMs: number): number {
  return Math.min(Math.max(Math.trunc(clockMs) || 0, 0), LATEST_MS);
}

/** An RFC 3339 time with the leap second 60. */
const LEAP_SECOND = /^(.{16}):60/;

/** Parses an RFC 3339 time, or a number of ms since 1970. Returns ms since 1970, or NaN for an invalid time. A leap second becomes the next second. */
export function parseTime(time: string | number): number {
  if (typeof time === 'number') return time;
  const leapMs = LEAP_SECOND.test(time) ? 1000 : 0;
  return Date.parse(time.replace(LEAP_SECOND, '$1:59')) + leapMs;
}

/** The latest time to which a client can set a clock, in ms since 1970. An ISO 8601 year has four digits. */
const LATEST_SET_MS = Date.UTC(9989, 11, 31);

/** The new time of a clock, and whether to freeze it. */
interface ClockSetting {
  /** In ms since 1970. */
  readonly nowMs?: number | undefined;
  readonly isFrozen?: boolean | undefined;
}

/** Creates a clock that shows the machine's time. `onSet` is called each time a client sets the clock. */
export function createClock(machineMs: () => number, onSet: () => void = () => {}) {
  let frozenMs: number | undefined;
  let offsetMs = 0;
  const nowMs = () => clampTime(frozenMs ?? machineMs() + offsetMs);
  const set = ({ nowMs: timeMs = nowMs(), isFrozen = frozenMs !== undefined }: ClockSetting) => {
    onSet();
    const newMs = Math.min(clampTime(timeMs), LATEST_SET_MS);
    frozenMs = isFrozen ? newMs : undefined;
    offsetMs = newMs - machineMs();
  };
  return {
    /** Returns the time in ms since 1970. */
    nowMs,
    /** Whether the clock is frozen. */
    get isFrozen() {
      return frozenMs !== undefined;
    },
    /** Sets the time, and freezes or resumes the clock. By default, neither changes. */
    set,
    /** Moves the clock forward, or back if `ms` is negative. */
    advance: (ms: number) => set({ nowMs: nowMs() + ms }),
    /** Sets the clock to the machine's time and resumes it. The control API calls this `followClock`. */
    follow() {
      onSet();
      frozenMs = undefined;
      offsetMs = 0;
    },
  };
}

/** The clock of a sandbox. */
export type Clock = ReturnType<typeof createClock>;
