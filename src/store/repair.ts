import { DataFileError, defaultData, readState } from './data-file.ts';
import { resolveDataPath } from './data-path.ts';
import { type Disk, describeDiskError, getSignature, machineDisk, tryOrUndefined } from './disk.ts';
import { openDurableFile } from './durable-file.ts';
import { lockFile } from './lock.ts';
import type { Content } from './new-file.ts';
import { createConflictName } from './replaced-file.ts';
import type { ValidateEntry } from './validate-state.ts';

/** What is repaired, and with what. */
export interface RepairParts {
  /** The data file. */
  readonly data: string;
  /** The file with the default data. */
  readonly defaultData: string;
  readonly check: ValidateEntry;
  readonly warn: (message: string) => void;
  /** The machine's own unless given. */
  readonly disk?: Disk;
}

/**
 * Has a data file that can't be used hold the default data, and keeps what it held beside it; a file that can be used is left alone. Gives back
 * what was done, a sentence. Throws `DataFileError` where it can't be done; nothing is lost then.
 */
export async function repairDataFile(parts: RepairParts): Promise<string> {
  const { data, defaultData: defaultPath, check, warn, disk = machineDisk } = parts;
  const { text } = defaultData({ path: defaultPath, disk, check })();
  const path = await resolveDataPath(disk, data);
  const lock = await lockFile(path, () => undefined);
  try {
    if (holds(disk, path, check)) return `${path} is as it should be: nothing was changed`;
    const file = openDurableFile({ path, disk, durability: 'disk', content: undefined, warn });
    const aside = setAside(disk, path);
    if (aside?.content) file.know(aside.content);
    await file.replace(Buffer.from(text)).catch((cause) => {
      throw undone(disk, path, aside, cause);
    });
    return `${path} holds the default data now${aside ? `; what it held is in ${aside.name}` : ''}`;
  } catch (cause) {
    if (cause instanceof DataFileError) throw cause;
    throw new DataFileError(`${path} can't be repaired (${describeDiskError(cause)})`, { cause });
  } finally {
    await lock.release();
  }
}

function holds(disk: Disk, path: string, check: ValidateEntry): boolean {
  try {
    return readState({ path, disk, check, remedy: '' }) !== undefined;
  } catch (error) {
    if (error instanceof DataFileError) return false;
    throw error;
  }
}

/** What stood at `path` under another name; with its content where it is a file that can be read, and that stays there too, to be replaced at one go. */
interface Aside {
  readonly name: string;
  readonly content: Content | undefined;
}

/** Takes back what was done before a repair failed, where nothing can be lost by that; gives back why it failed. */
function undone(disk: Disk, path: string, aside: Aside | undefined, cause: unknown): DataFileError {
  const there = tryOrUndefined(() => getSignature(disk, path));
  if (aside?.content && there === aside.content.signature) tryOrUndefined(() => disk.remove(aside.name));
  else if (aside && there === '') tryOrUndefined(() => disk.rename(aside.name, path));
  const kept = aside && tryOrUndefined(() => disk.stats(aside.name)) ? `; what it held is in ${aside.name}` : '';
  return new DataFileError(`${path} can't be repaired (${describeDiskError(cause)})${kept}`, { cause });
}

/** Gives a file or folder at `path` another name; undefined where there is none. Throws `DataFileError` for anything else: it may be a device. */
function setAside(disk: Disk, path: string): Aside | undefined {
  const stats = disk.stats(path);
  if (!stats) return undefined;
  if (!stats.isFile() && !stats.isDirectory())
    throw new DataFileError(`${path} is not a file: choose another with --data`);
  const name = createConflictName(disk, path, 'broken', path);
  const content = tryOrUndefined(() => {
    const read = { bytes: disk.read(path), signature: getSignature(disk, path) };
    disk.link(path, name);
    return read;
  });
  if (!content) disk.rename(path, name);
  return { name, content };
}
