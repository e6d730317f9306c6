import type { FaultDefinition } from '../control/operation.ts';

/**
 * The exported faults of a sandbox, without their request counters.
 * `lastNumber`: the number in the id of the latest fault, such as 3 for `f3`.
 */
export interface ExportedFaults {
  readonly lastNumber: number;
  readonly rules: readonly {
    readonly id: string;
    readonly definition: FaultDefinition;
    /** When the duration of the fault ends, in ms since 1970 by the system clock. Null if the fault has no duration. */
    readonly endsAtMs: number | null;
  }[];
}

/**
 * The exported values that requests change, by the id of the fault: the request counters, and the state of the random
 * number generator (`random`).
 */
export type FaultCounts = Readonly<
  Record<string, readonly [matched: number, applied: number, random: number, isTooSlow: boolean]>
>;
