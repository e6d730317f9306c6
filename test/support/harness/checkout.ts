import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectFile } from '../fixtures/default-data.ts';
import { runCommand } from './commands.ts';

/**
 * Creates a folder with the project's files as in a clone, including those that are not committed yet. `installed`: with the packages
 * of the project, through a link.
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

/** Creates a checkout with a built dist/. */
export async function builtCheckout(folder: string): Promise<string> {
  await checkout(folder, { installed: true });
  const { exitCode, output } = await runCommand('node', ['tools/build.mjs'], { cwd: folder });
  if (exitCode !== 0) throw new Error(`the build failed: ${output}`);
  return folder;
}

/** Creates a folder for all tests of a file, with a function to remove it. */
export async function lastingFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'storefront-long-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
