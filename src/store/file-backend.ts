import { type Adapter, Low } from 'lowdb';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { type Backend, StateTooLargeError } from './backend.ts';
import { DataFileError, readState } from './data-file.ts';
import { describeDiskError, getSignature } from './disk.ts';
import { DurableFile } from './durable-file.ts';
import { createEditWatcher, type Edit, type EditWatcherOptions } from './edits.ts';
import { createFailureLog, type Logger } from './failure-log.ts';
import type { Lock } from './lock.ts';
import type { FileDurability } from './new-file.ts';
import type { State } from './state.ts';
import type { TextCache } from './text-cache.ts';

/** Options of a file backend. `path` has its symbolic links resolved, and its folder exists. */
export interface FileBackendOptions extends EditWatcherOptions {
  /** The lock of this process on the file. Closing the backend releases it. */
  readonly lock: Lock;
  readonly durability: FileDurability;
  /** The content of a new file. */
  readonly defaults: State;
  readonly texts: TextCache;
  readonly log: Logger;
  /** Prepares what is derived from a state, such as search indexes, before the state is served. */
  readonly prepare?: (state: State) => void;
}

const POWER_CUT = 'A power cut with --durability os can cause this';

/** Opens the data file; creates it if it does not exist. Throws `DataFileError`, without any change, if the file can't be used. */
export async function openFileBackend(options: FileBackendOptions) {
  const { path, disk } = options;
  // If the file can't be examined, reading it reports why.
  const signature = tryOrUndefined(() => getSignature(disk, path)) ?? '';
  // Reading comes first, so that an invalid file and its folder stay as they are.
  const stored = readState({ ...options, remedy: getRemedy(path), causeOfTearing: POWER_CUT });
  const content = stored && { bytes: Buffer.from(stored.text), signature };
  const file = new DurableFile({ ...options, content });
  const database = new Low(createAdapter(file, stored?.state ?? null, options), options.defaults);
  await database.read();
  if (!stored) {
    await database.write().catch((cause) => {
      const reason = describeDiskError(cause);
      throw new DataFileError(`${path} can't be written (${reason}). Choose another file with --data FILE.`, { cause });
    });
  }
  return { backend: createFileBackend(database, file, options), initial: database.data };
}

function getRemedy(path: string): string {
  return `The file was not changed. Fix it, or run \`storefront repair --data ${quoteForShell(path)}\`, which saves a copy beside it and restores the default data`;
}

function quoteForShell(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Creates the lowdb adapter of a data file that contains `stored`; null if the file does not exist yet. */
function createAdapter(
  file: DurableFile,
  stored: State | null,
  { path, texts, log }: FileBackendOptions,
): Adapter<State> {
  let unread = stored;
  return {
    async read() {
      const state = unread;
      // The adapter outlives this state.
      unread = null;
      // The content may never have been synced, and it is served from now on.
      if (state) await file.sync().catch((cause) => log.warn(`${path} can't be synced (${describeDiskError(cause)}).`));
      return state;
    },
    write: (state) => file.replace(texts.get(state)),
  };
}

function createFileBackend(database: Low<State>, file: DurableFile, options: FileBackendOptions): Backend {
  const { path, lock, log, prepare } = options;
  const findEdit = createEditWatcher(options);
  const failures = createFailureLog(log);

  /** Loads an edit once it is durable, like every state that is served. */
  async function loadEdit({ content, state }: Edit): Promise<State | undefined> {
    if (state) {
      await file.sync();
      prepare?.(state);
      database.data = state;
      log.info(`${path} was edited: the server uses the new content.`);
    }
    file.known = content;
    return state;
  }

  return {
    async commit(next) {
      const previous = database.data;
      database.data = next;
      try {
        await lock.renew();
        await database.write();
        failures.worked(`${path} can be written again.`);
      } catch (cause) {
        // lowdb keeps data that it failed to write.
        database.data = previous;
        if (cause instanceof StateTooLargeError) throw cause;
        const reason = cause instanceof DataFileError ? cause : new Error(describeDiskError(cause), { cause });
        const message = `${path} can't be written (${reason.message}). Changes return 503 until it can be written.`;
        failures.failed(message, reason);
        throw reason;
      }
    },
    async findEdit() {
      try {
        if (file.isAhead) await database.write();
        const edit = await findEdit(file.known);
        return edit && (await loadEdit(edit));
      } catch (error) {
        // The file is examined again later; commits report an error of the disk.
        const isDiskError = typeof (error as NodeJS.ErrnoException).code === 'string';
        if (!isDiskError) log.warn(`${path} can't be examined: ${(error as Error).stack}`);
        return undefined;
      }
    },
    close: () => lock.release(),
  };
}
