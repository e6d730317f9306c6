import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectFile } from '../fixtures/default-data.ts';
import { runCommand } from './commands.ts';

/**
 * Copies the files of the project to a folder, as `git clone` would, but including files that are not committed yet. With `installed`, also creates a
 * symbolic link to the installed packages. Returns the path of the folder.
 */
export async function checkout(folder: string, { installed }: { installed: boolean }): Promise<string> {
  const root = projectFile('');
  const listed = await runCommand(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'],
    {
      cwd: root,
    },
  );
  const deleted = await runCommand('git', ['ls-files', '-z', '--deleted'], { cwd: root });
  const gone = new Set(deleted.output.split('\0'));
  for (const path of listed.output.split('\0').filter((path) => path !== '' && !gone.has(path))) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(join(root, path), join(folder, path));
  }
  if (installed) await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/**
 * Copies the files of the project and its build to a folder, and builds dist/ there only if the build is not up to date. Returns the path of the folder.
 * Throws an error if the build fails.
 */
export async function builtCheckout(folder: string): Promise<string> {
  await checkout(folder, { installed: true });
  await cp(projectFile('dist'), join(folder, 'dist'), { recursive: true });
  const { exitCode, output } = await runCommand('node', ['tools/build.mjs', '--if-stale'], { cwd: folder });
  if (exitCode !== 0) throw new Error(`the build failed: ${output}`);
  return folder;
}

/** Creates a temporary folder that several tests share. Returns the path of the folder, and a function that removes it. */
export async function lastingFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'storefront-long-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
