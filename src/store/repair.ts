import type { SchemaCheck } from './check-state.ts';
import { DataFault, defaultData, readState } from './data-file.ts';
import { type Disk, machineDisk, signatureOf, tried, troubleOf } from './disk.ts';
import { type Content, openDurableFile } from './durable-file.ts';
import { locked } from './open-state.ts';
import { settledPath } from './place.ts';
import { asideName } from './replaced.ts';

/** What is repaired, and with what. */
export interface RepairParts {
  /** The data file. */
  readonly data: string;
  /** The file with the default data. */
  readonly defaultData: string;
  readonly check: SchemaCheck;
  readonly warn: (message: string) => void;
}

/**
 * Has a data file that can't be used hold the default data, and keeps what it held beside it; a file that can be used is left alone. Gives back
 * what was done, a sentence. Throws `DataFault` where it can't be done; nothing is lost then.
 */
export async function repairDataFile({ data, defaultData: defaultPath, check, warn }: RepairParts): Promise<string> {
  const disk = machineDisk;
  const { text } = defaultData({ path: defaultPath, disk, check })();
  const path = await settledPath(disk, data);
  const release = await locked(path, () => undefined);
  try {
    if (holds(disk, path, check)) return `${path} is as it should be: nothing was changed`;
    const file = openDurableFile({ path, disk, durability: 'disk', content: undefined, warn });
    const aside = keepAside(disk, path);
    try {
      if (aside?.content) file.know(aside.content);
      await file.replace(Buffer.from(text));
    } catch (error) {
      aside?.undo();
      throw error;
    }
    return `${path} holds the default data now${aside ? `; what it held is in ${aside.name}` : ''}`;
  } catch (cause) {
    if (cause instanceof DataFault) throw cause;
    throw new DataFault(`${path} can't be repaired (${troubleOf(cause)})`, { cause });
  } finally {
    await release();
  }
}

function holds(disk: Disk, path: string, check: SchemaCheck): boolean {
  try {
    return readState({ path, disk, check, remedy: '' }) !== undefined;
  } catch (error) {
    if (error instanceof DataFault) return false;
    throw error;
  }
}

/** What stood at `path` under another name: a file that can be read stays there too, to be replaced at one go with its mode and owner kept. */
interface Aside {
  readonly name: string;
  readonly content: Content | undefined;
  undo(): void;
}

/** Gives a file or folder at `path` another name; undefined where there is none. Throws `DataFault` for anything else: it may be a device. */
function keepAside(disk: Disk, path: string): Aside | undefined {
  const stats = disk.stats(path);
  if (!stats) return undefined;
  if (!stats.isFile() && !stats.isDirectory()) throw new DataFault(`${path} is not a file: choose another with --data`);
  const name = asideName(disk, path, 'broken', path);
  const content = tried(() => {
    const read = { bytes: disk.read(path), signature: signatureOf(disk, path) };
    disk.link(path, name);
    return read;
  });
  if (content) return { name, content, undo: () => disk.remove(name) };
  disk.rename(path, name);
  return { name, content, undo: () => disk.rename(name, path) };
}
