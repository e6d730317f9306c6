import { basename, dirname, join } from 'node:path';
import { type Disk, type Signature, signatureOf, tried } from './disk.ts';

/** What stands beside a file while it is replaced: the new one, and the old one under a name that says what it was known to hold. */
export interface NamesBeside {
  readonly new: string;
  old(signature: Signature): string;
}

/** The names beside the file at `path` of one program, told from those of others by its mark. */
export function namesBeside(path: string, mark: string): NamesBeside {
  const start = join(dirname(path), prefixOf(path));
  return { new: `${start}new-${mark}`, old: (signature) => `${start}old-${mark}-${signature}` };
}

function prefixOf(path: string): string {
  return `.${basename(path)}.storefront-`;
}

/** A file that was replaced, and what it was known to hold before. */
export interface Replaced {
  readonly disk: Disk;
  /** The file that it was. */
  readonly path: string;
  /** Its name now. */
  readonly held: string;
  readonly known: Buffer;
  readonly warn: (message: string) => void;
}

/** Removes a file that was replaced, unless it holds something else than it was known to: that is somebody's edit, and kept. */
export function keepUnlessKnown({ disk, path, held, known, warn }: Replaced): void {
  const isKnown = tried(() => {
    // What is no file is not read: a pipe would be waited for.
    if (!disk.stats(held)?.isFile() || !disk.read(held).equals(known)) throw new Error('edited');
  });
  if (isKnown) tried(() => disk.remove(held));
  else keepAside(disk, path, held, warn);
}

/**
 * Removes what a killed program left beside the file at `path`, but keeps a replaced file that it had no time to look at, and that somebody had
 * written into.
 */
export function sweep(disk: Disk, path: string, warn: (message: string) => void): void {
  const prefix = prefixOf(path);
  tried(() => {
    for (const name of disk.list(dirname(path)).filter((name) => name.startsWith(prefix))) {
      const leftover = join(dirname(path), name);
      tried(() => {
        if (isWorthKeeping(disk, path, leftover, name.slice(prefix.length))) keepAside(disk, path, leftover, warn);
        else disk.remove(leftover);
      });
    }
  });
}

function isWorthKeeping(disk: Disk, path: string, leftover: string, name: string): boolean {
  const [, known] = /^old-[^-]*-(.*)$/.exec(name) ?? [];
  if (known === undefined) return false;
  const signature = signatureOf(disk, leftover);
  // It may be the file itself under its second name.
  return signature !== known && signature !== signatureOf(disk, path);
}

/** Gives an edit that was replaced a name for people. */
function keepAside(disk: Disk, path: string, held: string, warn: (message: string) => void): void {
  let aside = held;
  const isKept = tried(() => {
    aside = asideName(disk, path, 'conflict', held);
    disk.rename(held, aside);
  });
  warn(`${path} held an edit that was not taken over: it is kept in ${isKept ? aside : held}`);
}

/** `PATH.WHAT-TIME`, a name that nothing has yet; the time is when the file to be kept under it was last written, to the second. */
export function asideName(disk: Disk, path: string, what: string, kept: string): string {
  const time = disk.stats(kept)?.mtime.toISOString().slice(0, 19).replaceAll(':', '-');
  for (let number = 1; ; number++) {
    const name = `${path}.${what}-${time}${number === 1 ? '' : `-${number}`}`;
    if (!disk.stats(name)) return name;
  }
}
