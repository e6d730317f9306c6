import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { type Disk, type Signature, signatureOf, syncFolder, tried, troubleOf, writeAll } from './disk.ts';
import { keepUnlessKnown, namesBeside, sweep } from './leftovers.ts';

/** What an acknowledged change survives: `disk` a power cut, `os`, with which nothing is synced, the end of the process alone. */
export type FileDurability = 'disk' | 'os';

/** What a file holds. */
export interface Content {
  readonly bytes: Buffer;
  readonly signature: Signature;
}

/** What a durable file is opened with. */
export interface DurableFileParts {
  readonly path: string;
  readonly disk: Disk;
  readonly durability: FileDurability;
  /** What the file holds; undefined where there is none yet. */
  readonly content: Content | undefined;
  /** Told what the user should know. */
  readonly warn: (message: string) => void;
}

/** A file that is only ever replaced whole, and in which what somebody else writes is not lost. */
export interface DurableFile {
  /** What the file held when this program last wrote or took over what it holds. */
  known(): Content;
  /** Has what somebody else wrote be known. */
  know(content: Content): void;
  /**
   * Puts `bytes` in the place of what the file holds. On an error the file holds what it held, and the next call begins anew. Where it held what
   * isn't known, that is kept beside it as `NAME.conflict-TIME`, and told.
   */
  replace(bytes: Buffer): Promise<void>;
}

/** The most that a data file may hold, in bytes: it is read whole at the start, and written whole with each change. */
export const LARGEST_FILE_BYTES = 90_000_000;

/** Read and write for the owner, read for others, less the umask: the mode of a file that wasn't there before. */
const NEW_FILE_MODE = 0o644;

/** The mode of a file until it gets that of the one which it is to replace. */
const PRIVATE_MODE = 0o600;

/** The part of a file's mode that says who may do what with it. */
const PERMISSIONS = 0o7777n;

/** What a file system says that has no hard links, or no more for this file or user. */
const NO_LINKS: readonly unknown[] = ['EPERM', 'EACCES', 'EMLINK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

/**
 * The file at `path`, ready to be replaced; its mode and owner are kept. Sweeps away what a killed program left beside it, and says now what
 * could later be in the way of replacing it.
 *
 * Replacing it is: a new file is written beside it and synced; the old one gets a second name; the new one is renamed over it; the folder is
 * synced, without which a power cut can undo the rename. Where that fails the old file is renamed back. Only then is the old one let go, and not
 * if it holds more than is known: what was written into it meanwhile is an edit.
 */
export function openDurableFile({ path, disk, durability, content, warn }: DurableFileParts): DurableFile {
  const folder = dirname(path);
  // No process id: two containers that share a folder may each be process 1.
  const names = namesBeside(path, randomBytes(6).toString('hex'));
  let known = content ?? { bytes: Buffer.alloc(0), signature: '' };

  async function replace(bytes: Buffer): Promise<void> {
    const next = { bytes, signature: await writeNew(bytes) };
    const held = renameOver(names.old(known.signature));
    try {
      if (durability === 'disk') await syncFolder(disk, folder);
    } catch (error) {
      await takeBack(next, held);
      throw error;
    }
    const last = known;
    known = next;
    if (held !== undefined) keepUnlessKnown({ disk, path, held, known: last.bytes, warn });
  }

  /** Writes the file that is to be renamed over the old one; gives back its signature. */
  async function writeNew(bytes: Buffer): Promise<Signature> {
    if (bytes.length > LARGEST_FILE_BYTES) throw new Error(`it would hold more than ${LARGEST_FILE_BYTES / 1e6} MB`);
    try {
      const old = disk.stats(path);
      const file = disk.create(names.new, old ? PRIVATE_MODE : NEW_FILE_MODE);
      try {
        if (old) keepOwnerAndMode(disk, file, old);
        writeAll(disk, file, bytes);
        if (durability === 'disk') await disk.sync(file);
      } finally {
        disk.close(file);
      }
      return signatureOf(disk, names.new);
    } catch (error) {
      tried(() => disk.remove(names.new));
      throw error;
    }
  }

  /** Has the new file be the file; gives back the name under which the old one is held then, if there was one. */
  function renameOver(name: string): string | undefined {
    let held: string | undefined;
    try {
      held = hold(disk, path, name);
      // Nothing stands between these two, since what somebody renames into the file's place there is lost.
      disk.rename(names.new, path);
      return held;
    } catch (error) {
      for (const leftover of [names.new, name]) tried(() => disk.remove(leftover));
      throw error;
    }
  }

  /** Has the old file be the file again, unless somebody has put another in its place meanwhile. */
  async function takeBack(next: Content, held: string | undefined): Promise<void> {
    try {
      if (signatureOf(disk, path) !== next.signature) {
        if (held !== undefined) keepUnlessKnown({ disk, path, held, known: known.bytes, warn });
        return;
      }
      if (held === undefined) disk.remove(path);
      else disk.rename(held, path);
    } catch {
      // The file holds what nobody was told that it does; the next change replaces it, and until then it counts for nobody's edit.
      known = next;
      return;
    }
    await syncFolder(disk, folder).catch(() => {
      // The disk has just failed to do so. What it has kept of the two files is not known, but that none is torn.
    });
  }

  sweep(disk, path, warn);
  tryOut({ disk, path, warn, name: names.new });
  return {
    known: () => known,
    know(content) {
      known = content;
    },
    replace,
  };
}

/** Whether the owner of `old` could be given to an open file; its mode can always be. */
function keepOwnerAndMode(disk: Disk, file: number, old: { uid: bigint; gid: bigint; mode: bigint }): boolean {
  const { uid, gid } = disk.statsOfOpen(file);
  const isKept =
    (uid === old.uid && gid === old.gid) || tried(() => disk.setOwner(file, Number(old.uid), Number(old.gid)));
  // After the owner, since a change of that takes some bits of the mode away.
  disk.setMode(file, Number(old.mode & PERMISSIONS));
  return isKept;
}

/** Gives the file a second name, so that it doesn't end when it is replaced; where the file system can't, a copy gets it. Undefined where there is no file. */
function hold(disk: Disk, path: string, name: string): string | undefined {
  try {
    disk.link(path, name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (!NO_LINKS.includes(code)) throw error;
    const bytes = disk.read(path);
    const file = disk.create(name, PRIVATE_MODE);
    try {
      writeAll(disk, file, bytes);
    } finally {
      disk.close(file);
    }
  }
  return name;
}

/** Begins to replace the file, to say at once what would be in the way. */
function tryOut({ disk, path, warn, name }: Pick<DurableFileParts, 'disk' | 'path' | 'warn'> & { name: string }): void {
  const stats = disk.stats(path);
  if (!stats) return;
  if (stats.nlink > 1n) {
    warn(`${path} has ${stats.nlink} names (hard links): a change leaves the others what it holds now`);
  }
  try {
    const file = disk.create(name, PRIVATE_MODE);
    const isOwnerKept = keepOwnerAndMode(disk, file, stats);
    disk.close(file);
    if (!isOwnerKept) {
      warn(`${path} belongs to user ${stats.uid} and group ${stats.gid}: a change makes it this process's own`);
    }
  } catch (error) {
    warn(`${path} can't be written now (${troubleOf(error)}): changes are answered 503 until it can`);
  }
  tried(() => disk.remove(name));
}
