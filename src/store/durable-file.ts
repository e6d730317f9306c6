import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { DataFileError } from './data-file.ts';
import { getSignature, syncFolder, tryOrUndefined } from './disk.ts';
import { type Content, type FileDurability, isMount, tryOut, written } from './new-file.ts';
import {
  createSiblingNames,
  drop,
  type Held,
  linkCurrentFile,
  type Place,
  type SiblingNames,
  sweep,
  unlinkReplacedFile,
} from './replaced-file.ts';

const MOUNTED =
  'is mounted by itself, so changes could not be stored: mount its folder instead (docker run -v ./data:/app/data, with --data data/db.json), or keep the state in memory with --durability memory';

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
  /** Whether it holds what was to be taken back after an error, and could not be: it is to be replaced again. */
  isAhead(): boolean;
  /**
   * Puts `bytes` in the place of what the file holds. On an error the file holds what it held, and the next call begins anew. Where it held what
   * isn't known, that is kept beside it as `NAME.conflict-TIME`, and told.
   */
  replace(bytes: Buffer): Promise<void>;
  /** Resolves once what the file holds is on the disk, whoever wrote it. */
  sync(): Promise<void>;
}

/** A durable file that is open. */
interface Open {
  readonly parts: DurableFileParts;
  readonly names: SiblingNames;
  known: Content;
  isAhead: boolean;
}

/**
 * The file at `path`, ready to be replaced; its mode and owner are kept. Sweeps away what a killed program left beside it, and says now what
 * could later be in the way of replacing it. Throws `DataFileError` where it could never be replaced; nothing was done then.
 *
 * Replacing it is: a new file is written beside it and synced; the old one is held; the new one is renamed over it; the folder is synced, without
 * which a power cut can undo the rename. Where that fails the old file is renamed back. Only then is the old one let go, and not if it holds more
 * than is known: what was written into it meanwhile is an edit.
 */
export function openDurableFile(parts: DurableFileParts): DurableFile {
  const open: Open = {
    parts,
    // No process id: two containers that share a folder may each be process 1.
    names: createSiblingNames(parts.path, randomBytes(6).toString('hex')),
    known: parts.content ?? { bytes: Buffer.alloc(0), signature: '' },
    isAhead: false,
  };
  if (isMount(parts, open.names.new)) throw new DataFileError(`${parts.path} ${MOUNTED}`);
  sweep(parts);
  tryOut(parts, open.names.new);
  return {
    known: () => open.known,
    know(content) {
      open.known = content;
    },
    isAhead: () => open.isAhead,
    replace: (bytes) => replace(open, bytes),
    sync: () => syncWhole(parts),
  };
}

async function replace(open: Open, bytes: Buffer): Promise<void> {
  const { parts, names, known } = open;
  const next = await written(parts, names.new, bytes);
  const held = put(open, names.new, next, known);
  try {
    await syncNames(parts);
  } catch (error) {
    await takeBack(open, next, held).catch(() => {
      // It holds what nobody was told that it does; until it is replaced that counts for nobody's edit.
      open.known = next;
      open.isAhead = true;
      parts.warn(`${parts.path} holds a change that was answered with an error, and could not be taken back yet`);
    });
    throw error;
  }
  open.known = next;
  if (held) unlinkReplacedFile(parts, held, known.bytes);
  // What could not be taken back has left its old file behind.
  if (open.isAhead) sweep(parts);
  open.isAhead = false;
}

/** Renames a file that holds `next` over the one that is known to hold `current`, which is held then; undefined where there was none. */
function put({ parts, names }: Open, from: string, next: Content, current: Content): Held | undefined {
  const { path, disk } = parts;
  let held: Held | undefined;
  try {
    held = linkCurrentFile(parts, names.old(current.signature));
    // Nothing stands between these two, since what somebody renames into the file's place there is lost.
    disk.rename(from, path);
  } catch (error) {
    // A file system over a network may report the failure of what it did.
    if (tryOrUndefined(() => getSignature(disk, path)) === next.signature) return held;
    if (held) drop(disk, held);
    tryOrUndefined(() => disk.remove(names.new));
    throw error;
  }
  return held;
}

async function syncNames({ path, disk, durability }: DurableFileParts): Promise<void> {
  if (durability === 'disk') await syncFolder(disk, dirname(path));
}

async function syncWhole(parts: DurableFileParts): Promise<void> {
  const { path, disk, durability } = parts;
  if (durability !== 'disk' || !disk.stats(path)?.isFile()) return;
  const file = disk.open(path);
  try {
    await disk.sync(file);
  } finally {
    disk.close(file);
  }
  await syncNames(parts);
}

/** Has the old file be the file again, unless somebody has put another in its place meanwhile. Throws where that can't be. */
async function takeBack(open: Open, next: Content, held: Held | undefined): Promise<void> {
  const { parts, known } = open;
  const signature = tryOrUndefined(() => getSignature(parts.disk, parts.path));
  if (signature !== undefined && signature !== next.signature) {
    if (held) unlinkReplacedFile(parts, held, known.bytes);
    return;
  }
  const taken = held ? await putBack(open, next, held) : putAway(open, next);
  if (taken) unlinkReplacedFile(parts, taken, next.bytes);
  await syncNames(parts).catch(() => {
    // The disk has just failed to do so. What it has kept of the two files isn't known, but that neither is torn.
  });
}

/** Puts the file that is held in the place of the one that replaced it; one that has no name any more is written anew. */
async function putBack(open: Open, next: Content, held: Held): Promise<Held | undefined> {
  if ('name' in held) return put(open, held.name, open.known, next);
  try {
    open.known = await written(open.parts, open.names.new, open.known.bytes);
    return put(open, open.names.new, open.known, next);
  } finally {
    unlinkReplacedFile(open.parts, held, open.known.bytes);
  }
}

/** Takes the file away that was put where none was. */
function putAway({ parts, names }: Open, { signature }: Content): Held {
  const name = names.old(signature);
  parts.disk.rename(parts.path, name);
  return { name };
}
