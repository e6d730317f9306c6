import { createRandom, createUuid, type Random } from '../util/random.ts';

/**
 * The latest time that a clock can show, in ms since 1970.
 * The latest `Date` is ten years later, so an application can still compute later times.
 */
const LATEST_MS = 8_640_000_000_000_000 - 3_650 * 86_400_000;

/** Rounds a time in ms since 1970 down to an integer, and limits it to the times that a clock can show. */
function clampTime(clockMs: number): number {
  return Math.min(Math.max(Math.trunc(clockMs) || 0, 0), LATEST_MS);
}

/**
 * The latest time to which a client can set a clock, in ms since 1970.
 * It is ten years before the year 10000, because an ISO 8601 year has only four digits.
 */
const LATEST_SET_MS = Date.UTC(9989, 11, 31);

/**
 * Creates the clock of this machine, in ms since 1970.
 * `nowMs`, `elapsedMs`: functions that replace the system clock and the monotonic clock.
 */
export function createMachineClock(options: {
  readonly nowMs?: (() => number) | undefined;
  readonly elapsedMs?: (() => number) | undefined;
}) {
  const { nowMs: systemMs = Date.now, elapsedMs = () => performance.now() } = options;
  let offsetMs = 0;
  return {
    /** Returns the system time plus the offset. */
    nowMs: () => clampTime(systemMs() + offsetMs),
    /** Returns the system time, without the offset. */
    systemMs,
    /** Returns the time of a monotonic clock, in ms. */
    elapsedMs,
    /** Sets the offset to the time of a database, unless the option `nowMs` defines the time. */
    onOffset(ms: number) {
      if (!options.nowMs) offsetMs = ms;
    },
  };
}

/** New values for a clock. A property that is undefined leaves the clock unchanged. */
interface ClockSetting {
  /** The new time, in ms since 1970. */
  readonly nowMs?: number | undefined;
  /** Whether the clock is frozen (stands still). */
  readonly isFrozen?: boolean | undefined;
}

/**
 * The exported settings of a clock.
 * `offsetMs`: the time of the clock minus the system time, in ms.
 * `frozenMs`: the time of a frozen clock, in ms since 1970.
 */
export interface ClockState {
  readonly offsetMs: number;
  readonly frozenMs?: number | undefined;
}

/**
 * Creates a clock, which first shows the system time.
 * `machineMs`: returns the system time, in ms since 1970.
 * `onSet`: called each time the clock is set.
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
    /** Sets the time, and freezes or resumes the clock. Omitted properties do not change. */
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
    /**
     * Sets the clock to the system time, and resumes a frozen clock.
     * The operation `followClock` of the control API calls this function.
     */
    follow() {
      onSet();
      frozenMs = undefined;
      offsetMs = 0;
    },
  };
}

/** The clock of a sandbox. */
export type Clock = ReturnType<typeof createClock>;

/**
 * The exported state of an id generator: the seed, and the state of the random number generator.
 * Null if the ids are random.
 */
export type IdState = { readonly seed: number; readonly random: number } | null;

/**
 * Creates a generator of ids.
 * `randomId`: returns a random id; used while there is no seed.
 * `onSeed`: called each time the seed is set or removed.
 */
export function createIdGenerator(randomId: () => string, onSeed: () => void = () => {}) {
  let seeded: { readonly seed: number; readonly random: Random } | undefined;
  return {
    /** Returns a new UUID. */
    next: () => (seeded ? createUuid(seeded.random) : randomId()),
    /** The seed; undefined if the ids are random. */
    get seed() {
      return seeded?.seed;
    },
    /**
     * Sets the seed.
     * The same seed always generates the same sequence of ids.
     * Undefined removes the seed, so that the ids are random.
     */
    setSeed(seed: number | undefined) {
      onSeed();
      seeded = seed === undefined ? undefined : { seed, random: createRandom(seed) };
    },
    /** Returns the seed and the current position in the sequence of ids. */
    export: (): IdState => (seeded ? { seed: seeded.seed, random: seeded.random.state } : null),
    /** Restores the seed and the position in the sequence of ids that `export` returned. */
    import(state: IdState) {
      seeded = state ? { seed: state.seed, random: createRandom(state.random) } : undefined;
    },
  };
}

/** The id generator of a sandbox. */
export type IdGenerator = ReturnType<typeof createIdGenerator>;
