import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { createFileExclusively, type Disk } from './disk.ts';
import { type FileContext, saveEditedContent, saveEditedFile, saveReplacedLink } from './edit-conflicts.ts';
import { type Content, hashFile } from './file-content.ts';

/**
 * A reference through which the content of a replaced data file can still be read. `name`: the name of a hard link to the file. `descriptor`: an open file
 * descriptor, if hard links are not possible. `target`: the target of the symbolic link, if the replaced file was a symbolic link.
 */
export type ReplacedFile = { readonly name: string } | { readonly descriptor: number } | { readonly target: string };

/** Error codes for a hard link that is not possible: the file system supports no hard links, or the file has too many. */
const NO_HARD_LINKS: readonly unknown[] = ['EPERM', 'EACCES', 'EMLINK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

/**
 * Creates a hard link with the name `name` to the file at `path`. If a hard link is not possible, creates another reference to the file. Returns undefined
 * if the file does not exist.
 */
export function linkFile({ path, disk }: FileContext, name: string): ReplacedFile | undefined {
  try {
    // On some systems, the hard link would lead to the target of the symbolic link.
    if (disk.linkStats(path)?.isSymbolicLink()) return { target: disk.readLink(path) };
    createFileExclusively(disk, name, () => disk.link(path, name));
    return { name };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (NO_HARD_LINKS.includes(code)) return { descriptor: disk.open(path) };
    throw error;
  }
}

/** Deletes a replaced file if it has the expected content. Otherwise, another program has edited the file: saves it as `NAME.conflict-TIME`. */
export async function deleteOrSave(context: FileContext, file: ReplacedFile, expected: Content): Promise<void> {
  const { disk } = context;
  if ('target' in file) return saveReplacedLink(context, file.target);
  try {
    if ('descriptor' in file) {
      if ((await hashFile(disk, file.descriptor)) !== expected.hash)
        saveEditedContent(context, disk.read(file.descriptor));
    } else if (!(await hasContent(disk, file.name, expected))) return saveEditedFile(context, file.name);
  } catch {
    // The file can't be read now. If it has a hard link, the next start checks it again.
    if ('name' in file) return;
  }
  releaseFile(disk, file);
}

async function hasContent(disk: Disk, name: string, { hash }: Content): Promise<boolean> {
  // Reading a pipe could block.
  if (disk.linkStats(name)?.isFile() !== true) return false;
  const descriptor = disk.open(name);
  try {
    return (await hashFile(disk, descriptor)) === hash;
  } finally {
    disk.close(descriptor);
  }
}

/** Releases the reference to a replaced file: deletes its hard link, or closes its descriptor. Ignores errors. */
export function releaseFile(disk: Disk, file: ReplacedFile): void {
  tryOrUndefined(() => {
    if ('name' in file) disk.remove(file.name);
    if ('descriptor' in file) disk.close(file.descriptor);
  });
}
