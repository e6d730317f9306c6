import { execFile } from 'node:child_process';

/** Why git can't be asked, a sentence. */
export class GitError extends Error {
  override readonly name = 'GitFault';
}

/** Asks git in a folder: what it prints, or undefined where it says no. */
export type Git = (...args: readonly string[]) => Promise<string | undefined>;

/** The most that git may print, in bytes: more than any document. */
const LONGEST_OUTPUT = 256 * 1024 * 1024;

/** Git as it answers in a folder; `GitFault` where there is no git, or no repository around the folder. */
export async function createGit(folder: string): Promise<Git> {
  const { code, errors } = await run(folder, ['rev-parse', '--is-inside-work-tree']);
  if (code === 'ENOENT') throw new GitError('git is not installed');
  if (code !== undefined) throw new GitError(describeRepositoryError(folder, errors));
  return async (...args) => {
    const result = await run(folder, args);
    return result.code === undefined ? result.output : undefined;
  };
}

/** Git's own words where it has a reason of its own, such as a folder that is somebody else's. */
function describeRepositoryError(folder: string, errors: string): string {
  if (/not a git repository/i.test(errors)) return `${folder} is not in a git repository`;
  return `git cannot read the repository of ${folder} (${errors.trim().split('\n')[0] ?? 'no reason given'})`;
}

interface GitResult {
  /** Undefined where all went well. */
  readonly code: string | number | undefined;
  readonly output: string;
  readonly errors: string;
}

function run(folder: string, args: readonly string[]): Promise<GitResult> {
  return new Promise((resolve) => {
    // A hook of git has the repository in its environment, which would come before the folder's.
    const { GIT_DIR: _, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...environment } = process.env;
    // Its sentences are looked into, so they have to be in one language.
    const options = { cwd: folder, env: { ...environment, LC_ALL: 'C' }, maxBuffer: LONGEST_OUTPUT };
    execFile('git', [...args], options, (error, output, errors) => {
      resolve({ code: error === null ? undefined : (error.code ?? 'unknown'), output, errors });
    });
  });
}
