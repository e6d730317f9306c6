import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { tryOrUndefined } from '../util/try-or-undefined.ts';

/**
 * Decides which files a document can include with `$ref`.
 * The text of these files becomes part of the document, which clients can read without a token.
 * Allowed are files below the folder of the document or below its Git repository, except hidden files such as `.env`,
 * and the files and folders of the option `allowRefs`.
 * The target of a symbolic link counts, and not the place of the link.
 */
export class FileAccess {
  readonly #path: string;
  readonly #allowRefs: readonly string[];
  #roots: readonly string[] | undefined;

  /** `path`: the path of the main file of the document. */
  constructor(path: string, allowRefs: readonly string[] = []) {
    this.#path = resolve(path);
    this.#allowRefs = allowRefs;
  }

  /**
   * Returns the reason why a document can't include the file at `path`, as a clause.
   * Returns undefined if it can, or if the file does not exist.
   */
  findRefusal(path: string): string | undefined {
    const target = tryOrUndefined(() => realpathSync(path));
    if (target === undefined || this.#allowRefs.some((allowed) => isInside(toRealPath(allowed), target)))
      return undefined;
    const remedy = `allow it with the option allowRefs (--allow-refs ${target})`;
    const [folder = ''] = this.#getRoots();
    if (!this.#getRoots().some((root) => isInside(root, target)))
      return `which is outside ${folder}: move it there, or ${remedy}`;
    // A link with another name can lead to a hidden file, and a hidden link to another file.
    const isHiddenFile = isHidden(relative(dirname(this.#path), path)) || this.#isHiddenTarget(target);
    return isHiddenFile ? `which is a hidden file: rename it, or ${remedy}` : undefined;
  }

  /**
   * Returns whether a file is hidden, or is in a hidden folder below the folder of the document.
   * Seen from the folder of the document or from that of its target, because a hidden folder around the document does
   * not hide its files.
   */
  #isHiddenTarget(target: string): boolean {
    return this.#getFolders().every((folder) => isHidden(relative(folder, target)));
  }

  /**
   * Returns the folders whose files are allowed.
   * The document can be a link, and the files can be beside the link or beside its target.
   */
  #getRoots(): readonly string[] {
    this.#roots ??= this.#getFolders().map((folder) => findRepository(folder) ?? folder);
    return this.#roots;
  }

  /** Returns the folders of the document and of its target, which differ if the document is a link. */
  #getFolders(): readonly string[] {
    return [toRealPath(dirname(this.#path)), dirname(toRealPath(this.#path))];
  }
}

function toRealPath(path: string): string {
  return tryOrUndefined(() => realpathSync(path)) ?? resolve(path);
}

/**
 * Returns the Git repository that contains a folder: the nearest folder with an entry `.git`.
 * Returns undefined if there is none.
 */
function findRepository(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findRepository(parent);
}

/** Returns whether a path is a folder, or is below the folder. */
function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Returns whether a relative path has a segment that begins with a dot, such as `.env` or `.git`. */
function isHidden(path: string): boolean {
  return path.split(sep).some((segment) => segment.startsWith('.') && segment !== '..');
}
