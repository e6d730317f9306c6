import type { ExportedFaults, FaultCounts } from '../faults/fault.ts';
import type { ClockState, IdState } from './clock-and-ids.ts';
import type { Sandbox } from './sandbox.ts';

/**
 * The settings of a sandbox that clients change with the control API: the clock, the id generator, the faults with
 * their counters, and the mocked operations.
 */
export interface Settings {
  readonly clock: ClockState;
  readonly ids: IdState;
  readonly faults: ExportedFaults;
  readonly counts: FaultCounts;
  readonly mocked: readonly string[];
}

/** The settings of a new sandbox. */
export const INITIAL_SETTINGS: Settings = {
  clock: { offsetMs: 0 },
  ids: null,
  faults: { lastNumber: 0, rules: [] },
  counts: {},
  mocked: [],
};

/** The parts of a sandbox whose settings are exported and imported. */
export type ConfiguredSandbox = Pick<Sandbox, 'clock' | 'idGenerator' | 'faults' | 'mockedOperations'>;

/** Returns the settings of a sandbox. */
export function exportSettings({ clock, idGenerator, faults, mockedOperations }: ConfiguredSandbox): Settings {
  return {
    clock: clock.export(),
    ids: idGenerator.export(),
    faults: faults.export(),
    counts: faults.exportCounts(),
    mocked: mockedOperations.list(),
  };
}

/** Replaces settings of a sandbox. Settings that are undefined do not change. */
export function importSettings(sandbox: ConfiguredSandbox, settings: Partial<Settings>): void {
  const { clock, ids, faults, counts, mocked } = settings;
  if (clock !== undefined) sandbox.clock.import(clock);
  if (ids !== undefined) sandbox.idGenerator.import(ids);
  if (faults !== undefined) sandbox.faults.import(faults);
  if (counts !== undefined) sandbox.faults.importCounts(counts);
  if (mocked !== undefined) sandbox.mockedOperations.replace(mocked);
}

/** Restores the settings of a new sandbox: the system time, random ids, no faults and no mocked operations. */
export function clearSettings({ clock, idGenerator, faults, mockedOperations }: ConfiguredSandbox): void {
  clock.follow();
  idGenerator.setSeed(undefined);
  faults.clear();
  mockedOperations.clear();
}
