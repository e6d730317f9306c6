import { join } from 'node:path';
import { flawsOf, type SchemaCheck } from '../store/check-state.ts';
import { DataFault, readChange } from '../store/data-file.ts';
import { type Disk, machineDisk, troubleOf } from '../store/disk.ts';
import type { State } from '../store/state.ts';
import { comingAlong } from './ready-made.ts';

/** The snapshots that all sandboxes have. */
export interface ReadyMade {
  readonly names: readonly string[];
  /** The state of a name; undefined where there is none. Throws a `SnapshotFault` where it holds no more, a `DataFault` where the default data can't be had. */
  state(name: string): State | undefined;
}

/** A snapshot that was right at the start and is no more: `message` says why. */
export class SnapshotFault extends Error {
  override readonly name = 'SnapshotFault';
}

/** Where ready-made snapshots come from. */
export interface ReadyMadeParts {
  /** A folder with files `NAME.json`; undefined where there is none. */
  readonly folder: string | undefined;
  readonly defaults: () => State;
  /** How a state is checked now. */
  readonly check: () => SchemaCheck;
  /** Told of files that hold no snapshot, going by their names. */
  readonly warn?: ((message: string) => void) | undefined;
  readonly disk?: Disk;
}

/** A name of a snapshot. */
const NAME = /^([a-z0-9][a-z0-9._-]{0,62})\.json$/;

const NAMED = 'name it NAME.json, with small letters, digits, dots, hyphens and underscores';

/** The snapshots that come along, and those in a folder, which hold whole states or what differs from the default data. Throws `DataFault`. */
export function readyMade({ folder, defaults, check, warn, disk = machineDisk }: ReadyMadeParts): ReadyMade {
  const made = new Map<string, (defaults: State) => State>(Object.entries(comingAlong));
  for (const file of folder === undefined ? [] : filesIn(disk, folder)) {
    const name = NAME.exec(file)?.[1];
    if (name === undefined) {
      warn?.(`${join(folder ?? '', file)} is no snapshot: ${NAMED}`);
      continue;
    }
    const change = readChange({ path: join(folder ?? '', file), disk, check: check(), defaults: defaults() });
    made.set(name, (now) => seen(name, { ...now, ...change }, check()));
  }
  const kept = new Map<string, { readonly from: State; readonly state: State }>();
  return {
    names: [...made.keys()].sort(),
    state(name) {
      const from = defaults();
      const last = kept.get(name);
      if (last && isSame(last.from, from)) return last.state;
      const state = made.get(name)?.(from);
      if (state) kept.set(name, { from, state });
      return state;
    },
  };
}

function filesIn(disk: Disk, folder: string): readonly string[] {
  try {
    return disk.list(folder);
  } catch (cause) {
    throw new DataFault(
      `the folder of snapshots ${folder} can't be read (${troubleOf(cause)}): give another with --snapshots`,
      { cause },
    );
  }
}

/** A state that still holds, now that the default data or the contract may be others than at the start. */
function seen(name: string, state: State, check: SchemaCheck): State {
  const [flaw] = flawsOf(structuredClone(state), check);
  if (!flaw) return state;
  throw new SnapshotFault(
    `the snapshot ${name} does not go with the default data any more: ${flaw.pointer} ${flaw.trouble}`,
  );
}

/** Whether two states have the same lists. */
function isSame(one: State, other: State): boolean {
  return (Object.keys(one) as (keyof State)[]).every((list) => one[list] === other[list]);
}
