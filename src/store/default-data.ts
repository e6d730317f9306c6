import { memoizeByObject } from '../util/memoize-by-object.ts';
import { runInSlices } from '../util/slices.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import {
  createDataFileError,
  print,
  readState,
  requireFileSize,
  requireValid,
  type StateFile,
  type StateText,
} from './data-file.ts';
import { toSignature } from './disk.ts';
import { readStateInSteps } from './read-in-steps.ts';
import type { State } from './state.ts';
import type { StateValidator } from './validate-state.ts';

/**
 * The default data of a store: the path of a JSON file, or a function that returns a state.
 * The function returns the same object until the default data changes.
 */
type DefaultData = string | (() => State);

/** Where the default data of a store comes from. */
export interface DefaultDataSource {
  readonly defaultData: DefaultData;
  /**
   * Adds the lists that the contract defines and the file with the default data lacks.
   * Returns the same object for the same input until the contract changes.
   */
  readonly complete?: ((lists: State) => State) | undefined;
}

/** The source of the default data, the disk, and the function that validates the data. */
interface DefaultDataOptions extends DefaultDataSource, Omit<StateFile, 'path'> {
  /** Whether the text of the default data is needed. It needs as much memory as the default data. */
  readonly keepsText: boolean;
  /** Validates the data as `check` does, but yields often. */
  readonly checkDefaultsInSteps?: StateValidator['validateDefaultsInSteps'];
}

/** Reads the validated default data. */
interface DefaultDataReader {
  /** Returns the default data. If it has changed since the last call, reads it again. */
  readonly read: () => StateText;
  /**
   * Reads a file that has changed in slices, between which the server handles other requests, so that `read` need not
   * read it.
   * Returns undefined if there is nothing to do.
   */
  readonly prepare: () => Promise<void> | undefined;
}

const NOTHING_TO_PREPARE = () => undefined;

/**
 * Returns the name of the default data for error messages: the path of its file, or "The default data of the contract".
 */
export function getDefaultDataName(defaultData: DefaultData): string {
  return typeof defaultData === 'string' ? defaultData : 'The default data of the contract';
}

/** Creates a reader of the default data. */
export function createDefaultDataReader({ defaultData, complete, ...options }: DefaultDataOptions): DefaultDataReader {
  const name = getDefaultDataName(defaultData);
  if (typeof defaultData !== 'string')
    return { read: createSeedReader(defaultData, name, options), prepare: NOTHING_TO_PREPARE };
  const { read, prepare } = createFileReader(defaultData, options);
  if (!complete) return { read, prepare };
  const readCompleted = createSeedReader(() => complete(read().state), name, options);
  const readComplete = () => {
    const content = read();
    // Most files are complete, and a second state of a long list needs as much memory as the first.
    return hasSameEntries(complete(content.state), content.state) ? content : readCompleted();
  };
  return { read: readComplete, prepare };
}

/** Returns whether two states have the same lists with the same objects. */
function hasSameEntries(state: State, other: State): boolean {
  const names = Object.keys(state);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => {
      const [list, others] = [state[name] ?? [], (Object.hasOwn(other, name) && other[name]) || []];
      return list.length === others.length && list.every((entry, index) => entry === others[index]);
    })
  );
}

type ReaderOptions = Omit<DefaultDataOptions, keyof DefaultDataSource>;

function createFileReader(
  path: string,
  { disk, check, checkDefaultsInSteps: checkInSteps, keepsText }: ReaderOptions,
): DefaultDataReader {
  const remedy = 'Fix it, or use another file with --default-data FILE';
  let cached: { readonly signature: string | undefined; readonly content: StateText } | undefined;
  const getSignature = () => tryOrUndefined(() => toSignature(disk.stats(path)));
  const prepare = () => {
    const signature = getSignature();
    if (!checkInSteps || signature === undefined || cached?.signature === signature) return undefined;
    const reading = runInSlices(readStateInSteps({ path, disk, checkInSteps, remedy }));
    return reading.then(
      (content) => {
        if (content) cached = { signature, content: { ...content, text: keepsText ? content.bytes : undefined } };
      },
      () => {
        // `read` throws the reason.
      },
    );
  };
  const read = () => {
    // If the signature can't be read, `readState` throws the reason.
    const signature = getSignature();
    if (cached && cached.signature === signature && signature !== undefined) return cached.content;
    const content = readState({ path, disk, check, remedy });
    if (!content)
      throw createDataFileError(`${path} does not exist. Restore it, or use another file with --default-data FILE.`);
    cached = { signature, content: keepsText ? content : { ...content, text: undefined } };
    return cached.content;
  };
  return { read, prepare };
}

function createSeedReader(create: () => State, name: string, { check, keepsText }: ReaderOptions): () => StateText {
  const toText = memoizeByObject((created: State): StateText => {
    // The validation adds default values to its argument, so it gets a copy.
    const state = structuredClone(created);
    requireValid(name, check(state));
    const printedBytes = requireFileSize(name, state);
    return { state, text: keepsText ? Buffer.from(print(state)) : undefined, printedBytes };
  });
  return () => toText(create());
}
