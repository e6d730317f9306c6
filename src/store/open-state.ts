import { memoryBackend } from './backend.ts';
import type { SchemaCheck } from './check-state.ts';
import { DataFault, defaultData, statsOf } from './data-file.ts';
import { openFileBackend } from './file-backend.ts';
import { jsonText } from './json-text.ts';
import { createStore, type Store } from './store.ts';

/** Where the state comes from and where it is kept. */
export interface StatePlaces {
  /** The data file; undefined for a state in memory. */
  readonly data: string | undefined;
  /** The file with the default data. */
  readonly defaultData: string;
  readonly check: SchemaCheck;
  /** The time, in ms since 1970. */
  readonly nowMs: () => number;
  /** Told what the user should know but what doesn't stop the start. */
  readonly warn: (message: string) => void;
}

/** The store over the data file, and the path of that file; over memory, with the default data, where there is no file. Throws `DataFault`. */
export async function openState(places: StatePlaces): Promise<{ store: Store; path: string | undefined }> {
  const { defaultData: defaultPath, check, nowMs, warn } = places;
  const texts = jsonText();
  const readDefaults = defaultData(defaultPath, check);
  const defaults = () => {
    const { state: read, text } = readDefaults();
    // A state of its own each time: a reset is committed even where the state is the default one already, since the file may not be.
    const state = { ...read };
    texts.keep(state, text);
    return state;
  };
  if (places.data === undefined) {
    return { store: createStore({ backend: memoryBackend(), initial: defaults(), defaults, nowMs }), path: undefined };
  }
  if (isSameFile(places.data, defaultPath)) {
    throw new DataFault(
      `${places.data} is the default data too, which a reset restores: choose another file with --data`,
    );
  }
  const { backend, initial, path } = await openFileBackend({ path: places.data, defaults: defaults(), check, texts });
  if (isNewer(defaultPath, path)) warn(`${defaultPath} is newer than ${path}: POST /api/reset takes it over`);
  return { store: createStore({ backend, initial, defaults, nowMs }), path };
}

function isSameFile(path: string, other: string): boolean {
  const [one, two] = [statsOf(path), statsOf(other)];
  return one !== undefined && one.ino === two?.ino && one.dev === two.dev;
}

function isNewer(path: string, than: string): boolean {
  return (statsOf(path)?.mtimeMs ?? 0) > (statsOf(than)?.mtimeMs ?? 0);
}
