import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { createFileExclusively, type Disk } from './disk.ts';
import { type FileContext, saveEditedContent, saveEditedFile, saveReplacedLink } from './edit-conflicts.ts';
import { type Content, hashFile } from './file-content.ts';

/**
 * A reference to a replaced file. `name`: the name of a hard link to the file. `descriptor`: a file descriptor, on file systems without hard links.
 * `target`: the target of a symbolic link, if another program had replaced the data file by a symbolic link.
 */
export type ReplacedFile = { readonly name: string } | { readonly descriptor: number } | { readonly target: string };

/** The error codes of file systems without hard links, and of a file with the maximum number of hard links. */
const NO_HARD_LINKS: readonly unknown[] = ['EPERM', 'EACCES', 'EMLINK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

/** Creates a hard link to the file at `path`, or another reference if a hard link is not possible. Returns undefined if the file does not exist. */
export function linkFile({ path, disk }: FileContext, name: string): ReplacedFile | undefined {
  try {
    // On some systems, `link` creates a hard link to the target of a symbolic link.
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

/** Deletes a replaced file if it has the expected content. Otherwise saves the file, because another program has edited it. */
export async function deleteOrSave(context: FileContext, file: ReplacedFile, expected: Content): Promise<void> {
  const { disk } = context;
  if ('target' in file) return saveReplacedLink(context, file.target);
  try {
    if ('descriptor' in file) {
      if ((await hashFile(disk, file.descriptor)) !== expected.hash)
        saveEditedContent(context, disk.read(file.descriptor));
    } else if (!(await hasContent(disk, file.name, expected))) return saveEditedFile(context, file.name);
  } catch {
    // The file can't be read now. If it has a name, the next start reads it.
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

/** Deletes the hard link to a replaced file, or closes its descriptor. Ignores errors. */
export function releaseFile(disk: Disk, file: ReplacedFile): void {
  tryOrUndefined(() => {
    if ('name' in file) disk.remove(file.name);
    if ('descriptor' in file) disk.close(file.descriptor);
  });
}
