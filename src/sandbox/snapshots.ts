import { basename, join } from 'node:path';
import { createDataFileError, readStateOverrides } from '../store/data-file.ts';
import { describeDiskError, machineDisk } from '../store/disk.ts';
import type { State } from '../store/state.ts';
import type { StateValidator } from '../store/validate-state.ts';
import { HttpProblemError } from '../util/problem.ts';

/** Creates the state of a snapshot from the default data. */
type CreateSnapshot = (defaults: State) => State;

/** Options of built-in snapshots. */
interface BuiltInSnapshotsParts {
  /** The functions that create the snapshots that ship with the application, by name. */
  readonly builtIn: Readonly<Record<string, CreateSnapshot>>;
  /** The path of a folder with snapshot files `NAME.json`. Undefined if the user has not set a folder. */
  readonly folder: string | undefined;
  readonly defaults: () => State;
  /** Returns the validator for the current version of the contract. */
  readonly validator: () => StateValidator;
  /** Returns the state of a snapshot file as it is stored. `before`: the default data. */
  readonly accept: (state: State, before: State) => State;
  /** Logs a warning about a file in the folder whose name is not valid for a snapshot. */
  readonly warn: (message: string) => void;
}

/** Matches the file name of a snapshot: `NAME.json`. */
const NAME = /^([a-z0-9][a-z0-9._-]{0,62})\.json$/;

const RENAME_REMEDY =
  'rename the file to NAME.json, where NAME has lowercase letters, digits, dots, hyphens and underscores';

/**
 * The cached state of a snapshot, and the default data and the validator for which it was created.
 * It is not used with other default data or another validator.
 */
interface CachedSnapshot {
  readonly defaults: State;
  readonly validator: StateValidator;
  readonly state: State;
}

/**
 * Creates the built-in snapshots: the snapshots of the application, and those in a folder of the user.
 * A file in the folder contains all lists of a state, or only the lists that differ from the default data.
 * Throws a `UserError` if a file is invalid.
 */
export function createBuiltInSnapshots({ builtIn, folder, defaults, validator, accept, warn }: BuiltInSnapshotsParts) {
  const creators = new Map(Object.entries(builtIn));
  const cache = new Map<string, CachedSnapshot>();
  for (const path of listFiles(folder)) {
    const name = NAME.exec(basename(path))?.[1];
    if (name === undefined) warn(`${path} is not a snapshot: ${RENAME_REMEDY}`);
    else {
      const now = { defaults: defaults(), validator: validator() };
      const overrides = readStateOverrides({ path, disk: machineDisk, check: now.validator.validate }, now.defaults);
      const create: CreateSnapshot = (current) => accept({ ...current, ...overrides } as State, current);
      creators.set(name, (current) => requireValid(name, create(current), validator()));
      cache.set(name, { ...now, state: create(now.defaults) });
    }
  }
  return {
    names: [...creators.keys()].sort() as readonly string[],
    /**
     * Returns the state of a snapshot.
     * Returns undefined if the snapshot does not exist.
     * Throws an `HttpProblemError` if the state is no longer valid, and `UserError` if the default data can't be
     * read.
     */
    state(name: string): State | undefined {
      const now = { defaults: defaults(), validator: validator() };
      const cached = cache.get(name);
      // Uses the cached state, because the validation of a large state is slow.
      if (cached && cached.validator === now.validator && isSame(cached.defaults, now.defaults)) return cached.state;
      const state = creators.get(name)?.(now.defaults);
      if (state) cache.set(name, { ...now, state });
      return state;
    },
  };
}

/** The built-in snapshots, which exist in all sandboxes. */
export type BuiltInSnapshots = ReturnType<typeof createBuiltInSnapshots>;

/** Returns the paths of the files in the folder. Throws a `UserError` if the folder can't be read. */
function listFiles(folder: string | undefined): readonly string[] {
  if (folder === undefined) return [];
  try {
    return machineDisk.list(folder).map((file) => join(folder, file));
  } catch (cause) {
    throw createDataFileError(
      `the folder of snapshots ${folder} can't be read (${describeDiskError(cause)}): use another folder with --snapshots`,
      { cause },
    );
  }
}

/**
 * Returns `state` if it is valid.
 * Otherwise throws an `HttpProblemError`: the default data or the contract may have changed after the start of the
 * server.
 */
function requireValid(name: string, state: State, validator: StateValidator): State {
  const [issue] = validator.validate(structuredClone(state));
  if (!issue) return state;
  const detail = `Snapshot ${name} is not valid with the current default data and contract: ${issue.pointer} ${issue.message}`;
  throw new HttpProblemError({ code: 'invalid-state', detail });
}

/** Returns whether two states contain the same list objects. Does not compare the entries of the lists. */
export function isSame(state: State, other: State): boolean {
  return Object.keys(state).every((list) => state[list] === other[list]);
}
