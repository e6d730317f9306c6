import { join } from 'node:path';
import { builtInSnapshots } from '../shop/snapshots.ts';
import { DataFileError, readChange } from '../store/data-file.ts';
import { type Disk, describeDiskError, machineDisk } from '../store/disk.ts';
import type { State } from '../store/state.ts';
import { type ValidateEntry, validateState } from '../store/validate-state.ts';

/** The snapshots that all sandboxes have. */
export interface BuiltInSnapshots {
  readonly names: readonly string[];
  /** The state of a name; undefined where there is none. Throws a `SnapshotError` where it holds no more, a `DataFileError` where the default data can't be had. */
  state(name: string): State | undefined;
}

/** A snapshot that was right at the start and is no more: `message` says why. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
}

/** Where built-in snapshots come from. */
export interface BuiltInSnapshotsParts {
  /** A folder with files `NAME.json`; undefined where there is none. */
  readonly folder: string | undefined;
  readonly defaults: () => State;
  /** How a state is checked now. */
  readonly check: () => ValidateEntry;
  /** Told of files that hold no snapshot, going by their names. */
  readonly warn?: ((message: string) => void) | undefined;
  readonly disk?: Disk;
}

/** A name of a snapshot. */
const NAME = /^([a-z0-9][a-z0-9._-]{0,62})\.json$/;

const NAMED = 'name it NAME.json, with small letters, digits, dots, hyphens and underscores';

/** The snapshots that come along, and those in a folder, which hold whole states or what differs from the default data. Throws `DataFileError`. */
export function createBuiltInSnapshots({
  folder,
  defaults,
  check,
  warn,
  disk = machineDisk,
}: BuiltInSnapshotsParts): BuiltInSnapshots {
  const made = new Map<string, (defaults: State) => State>(Object.entries(builtInSnapshots));
  const kept = new Map<string, { readonly from: State; readonly by: ValidateEntry; readonly state: State }>();
  for (const file of folder === undefined ? [] : filesIn(disk, folder)) {
    const name = NAME.exec(file)?.[1];
    if (name === undefined) {
      warn?.(`${join(folder ?? '', file)} is no snapshot: ${NAMED}`);
      continue;
    }
    const [from, by] = [defaults(), check()];
    const change = readChange({ path: join(folder ?? '', file), disk, check: by, defaults: from });
    kept.set(name, { from, by, state: { ...from, ...change } });
    made.set(name, (now) => seen(name, { ...now, ...change }, check()));
  }
  return {
    names: [...made.keys()].sort(),
    state(name) {
      const [from, by] = [defaults(), check()];
      const last = kept.get(name);
      // A state is checked once: a large one takes long.
      if (last && last.by === by && isSame(last.from, from)) return last.state;
      const state = made.get(name)?.(from);
      if (state) kept.set(name, { from, by, state });
      return state;
    },
  };
}

function filesIn(disk: Disk, folder: string): readonly string[] {
  try {
    return disk.list(folder);
  } catch (cause) {
    throw new DataFileError(
      `the folder of snapshots ${folder} can't be read (${describeDiskError(cause)}): give another with --snapshots`,
      { cause },
    );
  }
}

/** A state that still holds, now that the default data or the contract may be others than at the start. */
function seen(name: string, state: State, check: ValidateEntry): State {
  const [flaw] = validateState(structuredClone(state), check);
  if (!flaw) return state;
  throw new SnapshotError(
    `the snapshot ${name} does not go with the default data any more: ${flaw.pointer} ${flaw.trouble}`,
  );
}

/** Whether two states have the same lists. */
function isSame(one: State, other: State): boolean {
  return (Object.keys(one) as (keyof State)[]).every((list) => one[list] === other[list]);
}
