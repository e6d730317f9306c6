/** The latest time of a clock, in ms since 1970. It is ten years before the latest valid `Date`, so that an application can compute later times. */
const LATEST_MS = 8_640_000_000_000_000 - 3_650 * 86_400_000;

/** Converts a time in ms since 1970 to an integer in the range of a clock. A time outside of the range becomes the earliest or the latest time. */
export function clampTime(clockMs: number): number {
  return Math.min(Math.max(Math.trunc(clockMs) || 0, 0), LATEST_MS);
}

/** Matches an RFC 3339 time with a leap second: `2016-12-31T23:59:60Z`. */
const LEAP_SECOND = /^(.{16}):60/;

/** Parses an RFC 3339 time, or a number of ms since 1970. Returns ms since 1970, or NaN for an invalid time. A leap second becomes the next second. */
export function parseTime(time: string | number): number {
  if (typeof time === 'number') return time;
  const leapMs = LEAP_SECOND.test(time) ? 1000 : 0;
  return Date.parse(time.replace(LEAP_SECOND, '$1:59')) + leapMs;
}

/** The latest time to which a client can set a clock, in ms since 1970. Later times could reach the year 10000, but an ISO 8601 year has four digits. */
const LATEST_SET_MS = Date.UTC(9989, 11, 31);

/** A change of a clock. A property that is undefined does not change. */
interface ClockSetting {
  /** The new time, in ms since 1970. */
  readonly nowMs?: number | undefined;
  /** Whether the clock stands still at this time. */
  readonly isFrozen?: boolean | undefined;
}

/**
 * The exported settings of a clock. `offsetMs`: the time of the clock minus the machine's time, in ms. `frozenMs`: the time of a frozen clock, in ms since
 * 1970.
 */
export interface ClockState {
  readonly offsetMs: number;
  readonly frozenMs?: number | undefined;
}

/**
 * Creates a clock, which first shows the machine's time. `machineMs`: returns the machine's time, in ms since 1970. `onSet`: called each time the clock is set.
 */
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
    /** Sets the time, and freezes or resumes the clock. By default, the time and the frozen state do not change. */
    set,
    /** Moves the clock forward by `ms`, or back if `ms` is negative. */
    advance: (ms: number) => set({ nowMs: nowMs() + ms }),
    /** Returns the settings of the clock. */
    export: (): ClockState => (frozenMs === undefined ? { offsetMs } : { offsetMs, frozenMs }),
    /** Restores settings that `export` returned. */
    import(state: ClockState) {
      offsetMs = state.offsetMs;
      frozenMs = state.frozenMs;
    },
    /** Sets the clock to the machine's time, and resumes a frozen clock. The operation `followClock` of the control API calls this function. */
    follow() {
      onSet();
      frozenMs = undefined;
      offsetMs = 0;
    },
  };
}

/** The clock of a sandbox. */
export type Clock = ReturnType<typeof createClock>;
