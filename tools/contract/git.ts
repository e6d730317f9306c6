import { execFile } from 'node:child_process';

/** Thrown if git or the repository can't be used. The message gives the reason, as the end of a sentence. */
export class GitError extends Error {
  override readonly name = 'GitError';
}

/** Runs a git command in a folder. Resolves to its output, or undefined if git exits with an error. */
export type Git = (...args: readonly string[]) => Promise<string | undefined>;

/** The maximum size of the output of git, in bytes. It is larger than any document. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** Returns a function that runs git in a folder. Throws `GitError` if git is not installed, or if the folder is not in a repository. */
export async function createGit(folder: string): Promise<Git> {
  const { code, errors } = await run(folder, ['rev-parse', '--is-inside-work-tree']);
  if (code === 'ENOENT') throw new GitError('git is not installed');
  if (code !== undefined) throw new GitError(describeRepositoryError(folder, errors));
  return async (...args) => {
    const result = await run(folder, args);
    return result.code === undefined ? result.output : undefined;
  };
}

/**
 * Returns the reason why git can't read a repository. If the folder is in a repository, the reason is the message of git, for example that the folder belongs
 * to another user.
 */
function describeRepositoryError(folder: string, errors: string): string {
  if (/not a git repository/i.test(errors)) return `${folder} is not in a git repository`;
  return `git cannot read the repository of ${folder} (${errors.trim().split('\n')[0] ?? 'no reason given'})`;
}

interface GitResult {
  /** The exit code or the error code; undefined if git succeeded. */
  readonly code: string | number | undefined;
  readonly output: string;
  readonly errors: string;
}

function run(folder: string, args: readonly string[]): Promise<GitResult> {
  return new Promise((resolve) => {
    // A git hook has these variables. They would select the repository of the hook instead of the repository of the folder.
    const { GIT_DIR: _, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...environment } = process.env;
    // Makes git print its messages in English, because the code searches for English text.
    const options = { cwd: folder, env: { ...environment, LC_ALL: 'C' }, maxBuffer: MAX_OUTPUT_BYTES };
    execFile('git', [...args], options, (error, output, errors) => {
      resolve({ code: error === null ? undefined : (error.code ?? 'unknown'), output, errors });
    });
  });
}
