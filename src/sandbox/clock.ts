/** The latest time of a clock in ms since 1970: the latest `Date`, less ten years, so that times computed from it are valid. */
const LATEST_MS = 8_640_000_000_000_000 - 3_650 * 86_400_000;

/** Returns a time as an integer within the range of `Date`, in ms since 1970. */
export function clampTime(clockMs: number): number {
  return Math.min(Math.max(Math.trunc(clockMs) || 0, 0), LATEST_MS);
}

/** A leap second: 60 in the place of the seconds. */
const LEAP_SECOND = /^(.{16}):60/;

/** Parses an RFC 3339 time, or one in ms since 1970. Returns ms since 1970, or NaN for an invalid time. `Date` has no leap second: it is the next second. */
export function parseTime(time: string | number): number {
  if (typeof time === 'number') return time;
  const leapMs = LEAP_SECOND.test(time) ? 1000 : 0;
  return Date.parse(time.replace(LEAP_SECOND, '$1:59')) + leapMs;
}

/** The latest time that a clock can be set to, in ms since 1970: ISO 8601 years have four digits. */
const LATEST_SET_MS = Date.UTC(9989, 11, 31);

/** The properties of a clock to set. */
interface ClockSetting {
  /** In ms since 1970. */
  readonly nowMs?: number | undefined;
  readonly isFrozen?: boolean | undefined;
}

/** Creates a clock that shows the machine's time until it is set. `onSet` is called each time a client sets it. */
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
    /** Sets the time, and freezes or resumes the clock. Omitted properties keep their values. */
    set,
    /** Moves the clock forward, or back if `ms` is negative. */
    advance: (ms: number) => set({ nowMs: nowMs() + ms }),
    /** Returns the clock to the machine's time. */
    follow() {
      onSet();
      frozenMs = undefined;
      offsetMs = 0;
    },
  };
}

/** The clock of a sandbox. */
export type Clock = ReturnType<typeof createClock>;
