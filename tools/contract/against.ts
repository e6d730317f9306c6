import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { createGit, DEEPEN, findCommit, type Git, isShallow } from '../../src/diff/git.ts';
import { UserError } from '../../src/util/issue.ts';
import { sortVersionTags } from './version-tags.ts';

/** An earlier version of a document. */
export interface EarlierVersion {
  /** The source of the document: "v1.2.0:openapi.yaml", or the path of a file. */
  readonly name: string;
  readonly text: string;
}

/**
 * Returns the earlier version to compare the document at `path` with. `against`: a file or a git revision. Without `against`, returns the version in the newest
 * version tag (`v1.2.3` or `1.2.3`) that contains the document. If no tag contains it, returns the version before the last commit that changed the document.
 * Throws `UserError` if there is no earlier version.
 */
export async function readEarlierVersion(path: string, against?: string): Promise<EarlierVersion> {
  if (against !== undefined && isFile(against)) return { name: against, text: readText(against) };
  if (!isFile(path)) throw new UserError(`${path} does not exist: enter the path of the document to compare`);
  const [folder, file] = [dirname(resolve(path)), basename(path)];
  const git = openGit(folder, path, against);
  if (against !== undefined) return readRevision(git, file, against);
  return readNewestTag(git, file) ?? readBeforeLastChange(git, file);
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UserError(`Cannot read ${path} (${(cause as NodeJS.ErrnoException).code})`, { cause });
  }
}

function openGit(folder: string, path: string, against: string | undefined): Git {
  try {
    return createGit(folder, process.env);
  } catch (cause) {
    if (!(cause instanceof UserError)) throw cause;
    const version = against === undefined ? `an earlier version of ${path}` : `${against}, which is not a file`;
    throw new UserError(`Cannot find ${version}: ${cause.message}. Name a file with --against FILE.`, {
      cause,
    });
  }
}

/** Reads the document in a git revision. */
function readRevision(git: Git, file: string, reference: string): EarlierVersion {
  if (findCommit(git, reference) === undefined) {
    const remedy = isShallow(git)
      ? ` This clone is shallow: ${DEEPEN}.`
      : ' Enter a path, a tag, a branch or a commit.';
    throw new UserError(`${reference} is neither a file nor a revision in git.${remedy}`);
  }
  const text = git('show', `${reference}:./${file}`);
  if (text === undefined) throw new UserError(`${reference} has no ${file}: enter a revision that has it`);
  return { name: `${reference}:${file}`, text };
}

/** Reads the document from the newest version tag that contains it; undefined if no version tag contains it. */
function readNewestTag(git: Git, file: string): EarlierVersion | undefined {
  const tags = git('tag', '--list')?.split('\n') ?? [];
  for (const tag of sortVersionTags(tags)) {
    const text = git('show', `refs/tags/${tag}:./${file}`);
    if (text !== undefined) return { name: `${tag}:${file}`, text };
  }
  return undefined;
}

function readBeforeLastChange(git: Git, file: string): EarlierVersion {
  // A shallow clone lacks tags, and its oldest commit seems to add every file.
  if (isShallow(git)) {
    throw new UserError(
      `Cannot find an earlier version of ${file}, because this clone is shallow: ${DEEPEN}, or name a file with --against FILE`,
    );
  }
  const commit = git('log', '-1', '--format=%h', '--', file)?.trim();
  if (!commit) throw new UserError(`${file} is not committed yet: name a file to compare with: --against FILE`);
  const text = git('show', `${commit}^:./${file}`);
  if (text === undefined) {
    throw new UserError(
      `${file} has no earlier version: commit ${commit} added it, and there is no version tag. Name a version with --against FILE|REF.`,
    );
  }
  return { name: `${commit}^:${file}`, text };
}
