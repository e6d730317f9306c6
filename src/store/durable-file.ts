import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { anew, type Disk, type Signature, signatureOf, syncFolder, tried, troubleOf, writeAll } from './disk.ts';
import { drop, type Held, hold, letGo, namesBeside, type Place, PRIVATE_MODE, sweep } from './replaced.ts';

/** What an acknowledged change survives: `disk` a power cut, `os`, with which nothing is synced, the end of the process alone. */
export type FileDurability = 'disk' | 'os';

/** What a file holds. */
export interface Content {
  readonly bytes: Buffer;
  readonly signature: Signature;
}

/** What a durable file is opened with. */
export interface DurableFileParts extends Place {
  readonly durability: FileDurability;
  /** What the file holds; undefined where there is none yet. */
  readonly content: Content | undefined;
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

/** The part of a file's mode that says who may do what with it. */
const PERMISSIONS = 0o7777n;

/**
 * The file at `path`, ready to be replaced; its mode and owner are kept. Sweeps away what a killed program left beside it, and says now what
 * could later be in the way of replacing it.
 *
 * Replacing it is: a new file is written beside it and synced; the old one is held; the new one is renamed over it; the folder is synced, without
 * which a power cut can undo the rename. Where that fails the old file is renamed back. Only then is the old one let go, and not if it holds more
 * than is known: what was written into it meanwhile is an edit.
 */
export function openDurableFile(parts: DurableFileParts): DurableFile {
  const { path, disk, durability } = parts;
  // No process id: two containers that share a folder may each be process 1.
  const names = namesBeside(path, randomBytes(6).toString('hex'));
  let known = parts.content ?? { bytes: Buffer.alloc(0), signature: '' };

  async function replace(bytes: Buffer): Promise<void> {
    const next = await written(bytes);
    const held = put(names.new, next, known);
    try {
      await syncNames();
    } catch (error) {
      await takeBack(next, held).catch(() => {
        // The file holds what nobody was told that it does: the next change replaces it, and until then it counts for nobody's edit.
        known = next;
      });
      throw error;
    }
    const last = known;
    known = next;
    if (held) letGo(parts, held, last.bytes);
  }

  /** Writes the file that is to be renamed over the old one. */
  async function written(bytes: Buffer): Promise<Content> {
    if (bytes.length > LARGEST_FILE_BYTES) throw new Error(`it would hold more than ${LARGEST_FILE_BYTES / 1e6} MB`);
    try {
      const old = disk.stats(path);
      const file = anew(disk, names.new, () => disk.create(names.new, old ? PRIVATE_MODE : NEW_FILE_MODE));
      try {
        if (old) keepOwnerAndMode(disk, file, old);
        writeAll(disk, file, bytes);
        // After a failed sync the descriptor is worth nothing, and so is the file: the next call writes another.
        if (durability === 'disk') await disk.sync(file);
      } finally {
        disk.close(file);
      }
      return { bytes, signature: signatureOf(disk, names.new) };
    } catch (error) {
      tried(() => disk.remove(names.new));
      throw error;
    }
  }

  /** Renames a file that holds `next` over the one that is known to hold `current`, which is held then; undefined where there was none. */
  function put(from: string, next: Content, current: Content): Held | undefined {
    let held: Held | undefined;
    try {
      held = hold(parts, names.old(current.signature));
      // Nothing stands between these two, since what somebody renames into the file's place there is lost.
      disk.rename(from, path);
    } catch (error) {
      // A file system over a network may report the failure of what it did.
      if (isThere(next)) return held;
      if (held) drop(disk, held);
      tried(() => disk.remove(names.new));
      throw error;
    }
    return held;
  }

  function isThere({ signature }: Content): boolean {
    return tried(() => signatureOf(disk, path)) === signature;
  }

  async function syncNames(): Promise<void> {
    if (durability === 'disk') await syncFolder(disk, dirname(path));
  }

  /** Has the old file be the file again, unless somebody has put another in its place meanwhile. Throws where that can't be. */
  async function takeBack(next: Content, held: Held | undefined): Promise<void> {
    const signature = tried(() => signatureOf(disk, path));
    if (signature !== undefined && signature !== next.signature) {
      if (held) letGo(parts, held, known.bytes);
      return;
    }
    const taken = held ? await putBack(next, held) : putAway(next);
    if (taken) letGo(parts, taken, next.bytes);
    await syncNames().catch(() => {
      // The disk has just failed to do so. What it has kept of the two files isn't known, but that neither is torn.
    });
  }

  /** Puts the file that is held in the place of the one that replaced it; one that has no name any more is written anew. */
  async function putBack(next: Content, held: Held): Promise<Held | undefined> {
    if ('name' in held) return put(held.name, known, next);
    try {
      known = await written(known.bytes);
      return put(names.new, known, next);
    } finally {
      letGo(parts, held, known.bytes);
    }
  }

  /** Takes the file away that was put where none was. */
  function putAway({ signature }: Content): Held {
    const name = names.old(signature);
    disk.rename(path, name);
    return { name };
  }

  sweep(parts);
  tryOut(parts, names.new);
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
    (uid === old.uid && gid === old.gid) ||
    tried(() => {
      disk.setOwner(file, Number(old.uid), Number(old.gid));
      return true;
    });
  // After the owner, since a change of that takes some bits of the mode away.
  disk.setMode(file, Number(old.mode & PERMISSIONS));
  return isKept === true;
}

/** Begins to replace the file, to say at once what would be in the way. */
function tryOut({ path, disk, warn }: Place, name: string): void {
  try {
    const stats = disk.stats(path);
    if (!stats) return;
    if (stats.nlink > 1n) {
      warn(`${path} has ${stats.nlink} names (hard links): a change leaves the others what it holds now`);
    }
    const file = disk.create(name, PRIVATE_MODE);
    try {
      if (!keepOwnerAndMode(disk, file, stats)) {
        warn(`${path} belongs to user ${stats.uid} and group ${stats.gid}: a change makes it this process's own`);
      }
    } finally {
      disk.close(file);
    }
  } catch (error) {
    warn(`${path} can't be written now (${troubleOf(error)}): changes are answered 503 until it can`);
  }
  tried(() => disk.remove(name));
}
