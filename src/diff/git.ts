import { spawnSync } from 'node:child_process';
import { UserError } from '../util/issue.ts';

/** Runs a git command in a folder. Returns its output, or undefined if git exits with an error. */
export type Git = (...args: readonly string[]) => string | undefined;

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The maximum size of the output of git, in bytes. It is larger than any document. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/**
 * Returns a function that runs git in a folder.
 * Throws a `UserError` if git is not installed, or if the folder is not in a repository.
 * Its message gives the reason, as the end of a sentence.
 */
export function createGit(folder: string, environment: Environment): Git {
  // A git hook has these variables. They would select the repository of the hook instead of the one of the folder.
  const { GIT_DIR: _, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...others } = environment;
  // Makes git print its messages in English, because the code searches for English text.
  const env = { ...others, LC_ALL: 'C' };
  const run = (args: readonly string[]) =>
    spawnSync('git', args, { cwd: folder, env, maxBuffer: MAX_OUTPUT_BYTES, encoding: 'utf8' });
  const { error, status, stderr } = run(['rev-parse', '--is-inside-work-tree']);
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') throw new UserError('git is not installed');
  if (status !== 0) throw new UserError(describeRepositoryError(folder, stderr ?? ''));
  return (...args) => {
    const result = run(args);
    return result.status === 0 ? result.stdout : undefined;
  };
}

/**
 * Returns the reason why git can't read a repository.
 * If the folder is in a repository, the reason is the message of git, for example that the folder belongs to another
 * user.
 */
function describeRepositoryError(folder: string, errors: string): string {
  if (/not a git repository/i.test(errors)) return `${folder} is not in a git repository`;
  return `git cannot read the repository of ${folder} (${errors.trim().split('\n')[0] ?? 'no reason given'})`;
}

/** Returns the id of the commit that a revision names; undefined if there is none. */
export function findCommit(git: Git, revision: string): string | undefined {
  // Git would read a revision that starts with a hyphen as an option.
  if (revision === '' || revision.startsWith('-')) return undefined;
  return git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`)?.trim();
}

/** What to do about a shallow clone, which lacks older revisions. */
export const DEEPEN =
  "run git fetch --unshallow --tags origin '+refs/heads/*:refs/remotes/origin/*' (in CI, check out with the whole history)";

/** Returns whether a clone lacks older revisions. */
export function isShallow(git: Git): boolean {
  return git('rev-parse', '--is-shallow-repository')?.trim() === 'true';
}
