import { basename, dirname, join } from 'node:path';
import {
  createFileExclusively,
  type Disk,
  getSignature,
  isSymbolicLink,
  type Signature,
  tryOrUndefined,
  writeAll,
} from './disk.ts';

/** A file that is replaced now and then. */
export interface Place {
  readonly path: string;
  readonly disk: Disk;
  /** Told what the user should know. */
  readonly warn: (message: string) => void;
}

/** What stands beside a file while it is replaced: the new one, and the old one under a name that says what it was known to hold. */
export interface SiblingNames {
  readonly new: string;
  old(signature: Signature): string;
}

/**
 * A replaced file, so that it doesn't end with that: by its second name or, where the file system has no hard links, by a descriptor. A symbolic
 * link, which somebody put in the place of the file, is kept by what it leads to.
 */
export type Held = { readonly name: string } | { readonly descriptor: number } | { readonly target: string };

/** The mode of a copy that is made for nobody but the owner. */
const PRIVATE_MODE = 0o600;

/** What a file system says that has no hard links, or no more for this file or user. */
const NO_LINKS: readonly unknown[] = ['EPERM', 'EACCES', 'EMLINK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

/** The names beside the file at `path` of one program, told from those of others by its mark. */
export function createSiblingNames(path: string, mark: string): SiblingNames {
  const start = join(dirname(path), prefixOf(path));
  return { new: `${start}new-${mark}`, old: (signature) => `${start}old-${mark}-${signature}` };
}

function prefixOf(path: string): string {
  return `.${basename(path)}.storefront-`;
}

/** Holds the file, if there is one, under the given name where it can have a second one. */
export function linkCurrentFile({ path, disk }: Place, name: string): Held | undefined {
  try {
    // Some systems would link the file that it leads to.
    if (isSymbolicLink(disk, path)) return { target: disk.readLink(path) };
    createFileExclusively(disk, name, () => disk.link(path, name));
    return { name };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (NO_LINKS.includes(code)) return { descriptor: disk.open(path) };
    throw error;
  }
}

/** Holds a file no longer, whatever it holds: it was not replaced. */
export function drop(disk: Disk, held: Held): void {
  tryOrUndefined(() => {
    if ('name' in held) disk.remove(held.name);
    if ('descriptor' in held) disk.close(held.descriptor);
  });
}

/** Holds a replaced file no longer, unless it holds something else than it was known to: that is somebody's edit, and kept. */
export function unlinkReplacedFile(place: Place, held: Held, known: Buffer): void {
  const { disk } = place;
  if ('target' in held) {
    keepLink(place, held.target);
    return;
  }
  const bytes = tryOrUndefined(() => contentOf(disk, held));
  // What can't be read now is looked at by the next start.
  if (bytes === undefined && 'name' in held) return;
  const isEdited = bytes !== undefined && !(bytes instanceof Buffer && bytes.equals(known));
  if (isEdited && 'name' in held) keepAside(place, held.name);
  else {
    if (isEdited) keepCopy(place, bytes);
    drop(disk, held);
  }
}

/** What a held file holds; `other` where it is no file, which is not read: a pipe would be waited for, and a symbolic link leads to another file. */
function contentOf(disk: Disk, held: Exclude<Held, { target: string }>): Buffer | 'other' {
  if ('descriptor' in held) return disk.read(held.descriptor);
  return disk.linkStats(held.name)?.isFile() ? disk.read(held.name) : 'other';
}

/**
 * Removes what a killed program left beside a file, but keeps a replaced file that it had no time to look at, and that somebody had written into.
 */
export function sweep(place: Place): void {
  const { path, disk } = place;
  const prefix = prefixOf(path);
  const names = tryOrUndefined(() => disk.list(dirname(path))) ?? [];
  for (const name of names.filter((name) => name.startsWith(prefix))) {
    const leftover = join(dirname(path), name);
    const known = /^old-[^-]*-(.*)$/.exec(name.slice(prefix.length))?.[1];
    tryOrUndefined(() => {
      if (known !== undefined && isEdited(disk, path, leftover, known)) keepAside(place, leftover);
      else disk.remove(leftover);
    });
  }
}

function isEdited(disk: Disk, path: string, leftover: string, known: Signature): boolean {
  const signature = getSignature(disk, leftover);
  // It may be the file itself under its second name.
  return signature !== known && signature !== getSignature(disk, path);
}

/** Gives an edit that was replaced a name for people. */
function keepAside({ path, disk, warn }: Place, held: string): void {
  const kept = tryOrUndefined(() => {
    const name = createConflictName(disk, path, 'conflict', held);
    disk.rename(held, name);
    return name;
  });
  warn(`${path} held an edit that was not taken over: it is kept in ${kept ?? held}`);
}

/** Writes an edit whose file has no name any more into a file for people. */
function keepCopy({ path, disk, warn }: Place, bytes: Buffer | 'other'): void {
  const kept = tryOrUndefined(() => {
    const name = createConflictName(disk, path, 'conflict', path);
    const file = disk.create(name, PRIVATE_MODE);
    try {
      if (bytes !== 'other') writeAll(disk, file, bytes);
    } finally {
      disk.close(file);
    }
    return name;
  });
  const what = kept === undefined ? 'it is lost, since it could not be written anywhere' : `it is kept in ${kept}`;
  warn(`${path} held an edit that was not taken over: ${what}`);
}

/** Makes a symbolic link that was replaced anew, under a name for people. */
function keepLink({ path, disk, warn }: Place, target: string): void {
  const kept = tryOrUndefined(() => {
    const name = createConflictName(disk, path, 'conflict', path);
    disk.makeLink(target, name);
    return name;
  });
  warn(
    `${path} was a symbolic link to ${target}, and is a file now${kept === undefined ? '' : `: the link is kept in ${kept}`}`,
  );
}

/** A name that nothing has yet for a file to be kept under, `PATH.WHAT-TIME`; the time is when the file was last written, to the second. */
export function createConflictName(disk: Disk, path: string, what: string, kept: string): string {
  const time = disk.linkStats(kept)?.mtime.toISOString().slice(0, 19).replaceAll(':', '-');
  for (let number = 1; ; number++) {
    const name = `${path}.${what}-${time}${number === 1 ? '' : `-${number}`}`;
    if (!disk.linkStats(name)) return name;
  }
}
