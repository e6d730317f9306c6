import { type Adapter, Low } from 'lowdb';
import { type Backend, StateTooLargeError } from './backend.ts';
import { DataFileError, readState } from './data-file.ts';
import { type Disk, describeDiskError, getSignature, tryOrUndefined } from './disk.ts';
import { type DurableFile, openDurableFile } from './durable-file.ts';
import { createEditWatcher, type Edit } from './edits.ts';
import { failureLog, type Tell } from './failure-log.ts';
import type { Lock } from './lock.ts';
import type { FileDurability } from './new-file.ts';
import type { State } from './state.ts';
import type { JsonText } from './text-cache.ts';
import type { ValidateEntry } from './validate-state.ts';

/** What a file backend is opened with. */
export interface FileBackendParts {
  /** The file itself, in a folder that is there. */
  readonly path: string;
  /** The lock on it, which this process has; let go when the backend is closed. */
  readonly lock: Lock;
  readonly disk: Disk;
  readonly durability: FileDurability;
  /** What a file that isn't there yet is filled with. */
  readonly defaults: State;
  readonly check: ValidateEntry;
  readonly checkedBy?: (() => unknown) | undefined;
  readonly texts: JsonText;
  readonly tell: Tell;
  /** Has what is made of a state be ready before it is shown. */
  readonly prepare?: (state: State) => void;
}

/** A backend over a JSON file, and the state that the file holds. */
export interface OpenedFile {
  readonly backend: Backend;
  readonly initial: State;
}

/** Opens the data file; one that isn't there is made. Throws `DataFileError` where the file can't be used; it is not touched then. */
export async function openFileBackend(parts: FileBackendParts): Promise<OpenedFile> {
  const { path, disk, durability, tell } = parts;
  // Where it can't be looked at, reading it says why.
  const signature = tryOrUndefined(() => getSignature(disk, path)) ?? '';
  // The file is read before anything is done beside it: a fault leaves all as it was.
  const kept = readState({ ...parts, remedy: remedyFor(path), causeOfTearing: POWER_CUT });
  const content = kept && { bytes: Buffer.from(kept.text), signature };
  const file = openDurableFile({ path, disk, durability, content, warn: tell.warn });
  const database = new Low<State>(onFile(file, parts.texts), kept?.state ?? parts.defaults);
  if (kept) {
    // What stands there may never have been synced, and is shown from now on.
    await file.sync().catch((cause) => tell.warn(`${path} can't be synced (${describeDiskError(cause)})`));
  } else {
    await database.write().catch((cause) => {
      throw new DataFileError(
        `${path} can't be written (${describeDiskError(cause)}): choose another place with --data FILE`,
        {
          cause,
        },
      );
    });
  }
  return { backend: onLowdb(database, file, parts), initial: database.data };
}

const POWER_CUT = 'A power cut under --durability os can leave a file like this';

/** What to do about a data file that can't be used. */
function remedyFor(path: string): string {
  return `It was left as it is: mend it, or run \`storefront repair --data ${quoted(path)}\`, which keeps a copy beside it and restores the default data`;
}

/** A path as a shell takes it. */
function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** lowdb's extension point. Nothing is read through it: what is in memory is what the file has. */
function onFile(file: DurableFile, texts: JsonText): Adapter<State> {
  return {
    read: async () => null,
    write: (state) => file.replace(texts.of(state)),
  };
}

function onLowdb(database: Low<State>, file: DurableFile, parts: FileBackendParts): Backend {
  const { path, lock, tell } = parts;
  const look = createEditWatcher({ ...parts, warn: tell.warn });
  const failures = failureLog(tell);

  /** Takes over an edit, once it is on the disk as all is that is shown. */
  async function takeOver({ content, state }: Edit): Promise<State | undefined> {
    if (state) {
      await file.sync();
      parts.prepare?.(state);
    }
    file.know(content);
    if (!state) return undefined;
    database.data = state;
    tell.info(`${path} was edited: what it holds now is served`);
    return state;
  }

  return {
    async commit(next) {
      const before = database.data;
      database.data = next;
      try {
        await lock.renew();
        await database.write();
        failures.worked(`${path} is written again`);
      } catch (cause) {
        // lowdb itself keeps what it failed to write.
        database.data = before;
        if (cause instanceof StateTooLargeError) throw cause;
        const reason = cause instanceof DataFileError ? cause : new Error(describeDiskError(cause), { cause });
        failures.failed(`${path} can't be written (${reason.message}): changes are answered 503 until it can`, reason);
        throw reason;
      }
    },
    async edited() {
      try {
        if (file.isAhead()) await database.write();
        const edit = await look(file.known());
        return edit && (await takeOver(edit));
      } catch (error) {
        // What can't be looked at now is looked at again; a disk that fails tells those who change something.
        if (!isDiskTrouble(error)) tell.warn(`${path} can't be looked at: ${(error as Error).stack}`);
        return undefined;
      }
    },
    close: () => lock.release(),
  };
}

function isDiskTrouble(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).code === 'string';
}
