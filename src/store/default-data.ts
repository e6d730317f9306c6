import { memoizeByObject } from '../util/memoize-by-object.ts';
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
import type { State } from './state.ts';

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
}

/**
 * Returns the name of the default data for error messages: the path of its file, or "The default data of the contract".
 */
export function getDefaultDataName(defaultData: DefaultData): string {
  return typeof defaultData === 'string' ? defaultData : 'The default data of the contract';
}

/**
 * Creates a function that returns the validated default data.
 * If the default data has changed since the last call, the function reads it again.
 */
export function createDefaultDataReader({ defaultData, complete, ...options }: DefaultDataOptions): () => StateText {
  const name = getDefaultDataName(defaultData);
  if (typeof defaultData !== 'string') return createSeedReader(defaultData, name, options);
  const read = createFileReader(defaultData, options);
  if (!complete) return read;
  const readCompleted = createSeedReader(() => complete(read().state), name, options);
  return () => {
    const content = read();
    // Most files are complete, and a second state of a long list needs as much memory as the first.
    return hasSameEntries(complete(content.state), content.state) ? content : readCompleted();
  };
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

function createFileReader(path: string, { disk, check, keepsText }: ReaderOptions): () => StateText {
  const remedy = 'Fix it, or use another file with --default-data FILE';
  let cached: { readonly signature: string | undefined; readonly content: StateText } | undefined;
  return () => {
    // If the signature can't be read, `readState` throws the reason.
    const signature = tryOrUndefined(() => toSignature(disk.stats(path)));
    if (cached && cached.signature === signature && signature !== undefined) return cached.content;
    const content = readState({ path, disk, check, remedy });
    if (!content)
      throw createDataFileError(`${path} does not exist. Restore it, or use another file with --default-data FILE.`);
    cached = { signature, content: keepsText ? content : { ...content, text: undefined } };
    return cached.content;
  };
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
