import { basename, join } from 'node:path';
import { DataFileError, readStateOverrides } from '../store/data-file.ts';
import { describeDiskError, machineDisk } from '../store/disk.ts';
import type { State } from '../store/state.ts';
import type { StateValidator } from '../store/validate-state.ts';

/** A snapshot was valid at the start and no longer is: `message` says why. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
}

/** Creates a snapshot from the default data. */
type CreateSnapshot = (defaults: State) => State;

/** Where built-in snapshots come from. */
export interface BuiltInSnapshotsParts {
  /** The snapshots of the application. */
  readonly builtIn: Readonly<Record<string, CreateSnapshot>>;
  /** A folder with files `NAME.json`; undefined if there is none. */
  readonly folder: string | undefined;
  readonly defaults: () => State;
  /** Returns the validator of the contract that is served now. */
  readonly validator: () => StateValidator;
  /** Warns of files whose names are not names of snapshots. */
  readonly warn: (message: string) => void;
}

/** The name of a snapshot's file. */
const NAME = /^([a-z0-9][a-z0-9._-]{0,62})\.json$/;

const RENAME = 'rename it to NAME.json, where NAME has lowercase letters, digits, dots, hyphens and underscores';

/** A snapshot's state, with the default data and the validator that it was created with. */
interface CachedSnapshot {
  readonly defaults: State;
  readonly validator: StateValidator;
  readonly state: State;
}

/**
 * Creates the snapshots of the application, and those of a folder, whose files have whole states or what differs from the default data. Throws
 * `DataFileError`.
 */
export function createBuiltInSnapshots(parts: BuiltInSnapshotsParts) {
  const { builtIn, folder, defaults, validator, warn } = parts;
  const creators = new Map(Object.entries(builtIn));
  const cache = new Map<string, CachedSnapshot>();
  for (const path of listFiles(folder)) {
    const name = NAME.exec(basename(path))?.[1];
    if (name === undefined) warn(`${path} is not a snapshot: ${RENAME}`);
    else {
      const { create, cached } = readSnapshotFile(name, path, parts);
      creators.set(name, create);
      cache.set(name, cached);
    }
  }
  return {
    names: [...creators.keys()].sort() as readonly string[],
    /** Returns the state of a snapshot; undefined if there is none. Throws `SnapshotError` if it is no longer valid, `DataFileError` if the default data can't be read. */
    state(name: string): State | undefined {
      const now = { defaults: defaults(), validator: validator() };
      const cached = cache.get(name);
      // A state is validated once: a large one takes long.
      if (cached && cached.validator === now.validator && isSame(cached.defaults, now.defaults)) return cached.state;
      const state = creators.get(name)?.(now.defaults);
      if (state) cache.set(name, { ...now, state });
      return state;
    },
  };
}

/** The snapshots that all sandboxes have. */
export type BuiltInSnapshots = ReturnType<typeof createBuiltInSnapshots>;

/** Reads and validates a snapshot from a file. */
function readSnapshotFile(name: string, path: string, { defaults, validator }: BuiltInSnapshotsParts) {
  const now = { defaults: defaults(), validator: validator() };
  const { validate: check } = now.validator;
  const overrides = readStateOverrides({ path, disk: machineDisk, check }, now.defaults);
  const create: CreateSnapshot = (current) => ({ ...current, ...overrides }) as State;
  return {
    create: (current: State) => validated(name, create(current), validator()),
    cached: { ...now, state: create(now.defaults) },
  };
}

/** Returns the paths of the files in a folder. */
function listFiles(folder: string | undefined): readonly string[] {
  if (folder === undefined) return [];
  try {
    return machineDisk.list(folder).map((file) => join(folder, file));
  } catch (cause) {
    throw new DataFileError(
      `the folder of snapshots ${folder} can't be read (${describeDiskError(cause)}): use another folder with --snapshots`,
      { cause },
    );
  }
}

/** Returns a state that is still valid: the default data or the contract may have changed since the start. */
function validated(name: string, state: State, validator: StateValidator): State {
  const [issue] = validator.validate(structuredClone(state));
  if (!issue) return state;
  throw new SnapshotError(
    `Snapshot ${name} is no longer valid with the current default data and contract: ${issue.pointer} ${issue.message}`,
  );
}

/** Whether two states have the same lists. */
export function isSame(state: State, other: State): boolean {
  return Object.keys(state).every((list) => state[list] === other[list]);
}
