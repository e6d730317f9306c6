/** What time it is in a sandbox. */
export interface Clock {
  /** The time, in ms since 1970. */
  nowMs(): number;
  /** Whether it stands still. */
  readonly isFrozen: boolean;
  /** Sets it, in ms since 1970, and has it stand still or run; what isn't given stays. */
  set(wanted: { readonly nowMs?: number | undefined; readonly isFrozen?: boolean | undefined }): void;
  /** Puts it forward, or back where `ms` is negative. */
  advance(ms: number): void;
  /** Has it be the machine's again. */
  follow(): void;
}

/** The last moment that is told, in ms since 1970: the last that a Date has, less the days of the slowest delivery that the contract has. */
const LAST_MS = 8_640_000_000_000_000 - 3_650 * 86_400_000;

/** A moment as the contract has moments, whatever a clock says: whole, and within what a Date has. */
export function clampTime(clockMs: number): number {
  return Math.min(Math.max(Math.trunc(clockMs) || 0, 0), LAST_MS);
}

/** A `:60` in the place of the seconds. */
const LEAP_SECOND = /^(.{16}):60/;

/** Converts an RFC 3339 time, or one in ms since 1970, to ms. A leap second, which no Date has, is the second after it. */
export function parseTime(time: string | number): number {
  if (typeof time === 'number') return time;
  const isLeap = LEAP_SECOND.test(time);
  return Date.parse(time.replace(LEAP_SECOND, '$1:59')) + (isLeap ? 1000 : 0);
}

/** The latest moment that a clock is set to, in ms since 1970: years of four digits are all that ISO 8601 has without agreement. */
const LATEST_SET_MS = Date.UTC(9989, 11, 31);

/** A clock that is the machine's until it is set. It never shows what is no moment. `onSet` is called with each change of its setting. */
export function createClock(machineMs: () => number, onSet: () => void = () => {}): Clock {
  let frozenMs: number | undefined;
  let offsetMs = 0;
  const nowMs = () => clampTime(frozenMs ?? machineMs() + offsetMs);
  const put = (wantedMs: number, isFrozen: boolean) => {
    onSet();
    const atMs = Math.min(clampTime(wantedMs), LATEST_SET_MS);
    frozenMs = isFrozen ? atMs : undefined;
    offsetMs = atMs - machineMs();
  };
  return {
    nowMs,
    get isFrozen() {
      return frozenMs !== undefined;
    },
    set: (wanted) => put(wanted.nowMs ?? nowMs(), wanted.isFrozen ?? frozenMs !== undefined),
    advance: (ms) => put(nowMs() + ms, frozenMs !== undefined),
    follow() {
      onSet();
      frozenMs = undefined;
      offsetMs = 0;
    },
  };
}
