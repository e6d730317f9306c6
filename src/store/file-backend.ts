import { lstat, mkdir, readlink, realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Adapter, Low } from 'lowdb';
import type { Backend } from './backend.ts';
import type { SchemaCheck } from './check-state.ts';
import { DataFault, MEND_DATA, readState } from './data-file.ts';
import { type DurableFile, openDurableFile } from './durable-file.ts';
import type { JsonText } from './json-text.ts';
import type { State } from './state.ts';

/** What a file backend is opened with. */
export interface FileBackendParts {
  readonly path: string;
  /** What a file that isn't there yet is filled with. */
  readonly defaults: State;
  readonly check: SchemaCheck;
  readonly texts: JsonText;
}

/** A backend over a JSON file, the state that the file holds, and the file's absolute path, symbolic links followed. */
export interface OpenedFile {
  readonly backend: Backend;
  readonly initial: State;
  readonly path: string;
}

/**
 * Opens the data file; one that isn't there is made, with its folder. Throws `DataFault` where the file can't be used; it is not touched then.
 */
export async function openFileBackend(parts: FileBackendParts): Promise<OpenedFile> {
  const path = await settled(resolve(parts.path));
  // The file is read before anything is done beside it: a fault leaves all as it was.
  const kept = readState(path, parts.check, MEND_DATA)?.state;
  let file: DurableFile | undefined;
  try {
    file = openDurableFile(path);
    const database = new Low<State>(onFile(file, parts.texts), kept ?? parts.defaults);
    if (!kept) await database.write();
    return { backend: onLowdb(database, file), initial: database.data, path };
  } catch (cause) {
    await file?.close();
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new DataFault(`${path} can't be written (${code ?? message}): choose another place with --data FILE`, {
      cause,
    });
  }
}

/** lowdb's extension point. Nothing is read through it: what is in memory is what the file has. */
function onFile(file: DurableFile, texts: JsonText): Adapter<State> {
  return {
    read: async () => null,
    write: (state) => file.replace(texts.of(state)),
  };
}

function onLowdb(database: Low<State>, file: DurableFile): Backend {
  return {
    async commit(next) {
      const before = database.data;
      database.data = next;
      try {
        await database.write();
      } catch (error) {
        // lowdb itself keeps what it failed to write.
        database.data = before;
        throw error;
      }
    },
    close: () => file.close(),
  };
}

/** The file itself, where the path leads to it over symbolic links: a rename onto a link would replace the link. Makes its folder. */
async function settled(path: string): Promise<string> {
  try {
    await mkdir(dirname(path), { recursive: true });
    return await realpath(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return beyondLink(path);
    throw new DataFault(`${path} can't be used (${code ?? message}): choose another place with --data FILE`, { cause });
  }
}

/** The file that isn't there yet: where a link leads that leads to nothing, else the path itself. */
async function beyondLink(path: string): Promise<string> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isSymbolicLink() ? settled(resolve(dirname(path), await readlink(path))) : path;
}
