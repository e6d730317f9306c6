import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { projectFile } from '../support/fixtures/default-data.ts';
import { runProgramIn } from '../support/harness/run-program.ts';

/** Creates a folder, and returns a function that runs `storefront skill install` in it. */
async function createProject() {
  const folder = await mkdtemp(join(tmpdir(), 'storefront-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const install = (...args: readonly string[]) => runProgramIn(folder, ['skill', 'install', ...args]);
  return { folder, install };
}

it('The skill is copied to the folders in which agents look', async () => {
  const { folder, install } = await createProject();
  const file = join('.claude', 'skills', 'storefront', 'SKILL.md');
  expect(await install()).toEqual({ code: 0, stderr: '', stdout: `Wrote ${file}\n` });
  const text = await readFile(projectFile('skills/storefront/SKILL.md'), 'utf8');
  expect(await readFile(join(folder, file), 'utf8')).toBe(text);
  await mkdir(join(folder, '.agents'));
  expect((await install()).stdout.split('\n')).toHaveLength(3);
  expect((await install('--dir', 'other', '--json')).stdout).toContain('"ok":true');
  expect(await readFile(join(folder, 'other', 'storefront', 'SKILL.md'), 'utf8')).toBe(text);
});

it('A changed copy of the skill is kept', async () => {
  const { folder, install } = await createProject();
  await install();
  const file = join(folder, '.claude', 'skills', 'storefront', 'SKILL.md');
  await writeFile(file, 'own text');
  expect(await install()).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') });
  expect(await readFile(file, 'utf8')).toBe('own text');
  expect((await install('--force')).code).toBe(0);
});

it.each([
  ['has a file', (path: string) => writeFile(path, '')],
  ['has a folder', (path: string) => mkdir(join(path, 'storefront', 'SKILL.md'), { recursive: true })],
])('The error of a skill that cannot be written names the file, if the place of its folder %s', async (_, create) => {
  const { folder, install } = await createProject();
  await create(join(folder, 'taken'));
  for (const force of [[], ['--force']]) {
    const { code, stdout } = await install('--dir', 'taken', '--json', ...force);
    expect([code, JSON.parse(stdout).error]).toEqual([
      1,
      expect.objectContaining({
        code: 'command_failed',
        message: expect.stringMatching(/^Cannot write the skill to taken.storefront.SKILL\.md .*--dir/),
      }),
    ]);
  }
});

it.skipIf(process.platform !== 'linux')('A folder that the file system refuses is an error', async () => {
  const { install } = await createProject();
  expect(await install('--dir', '/proc/skills/own')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Cannot write the skill to /proc/skills/own/storefront/SKILL.md (ENOENT'),
  });
});

it('The skill has the metadata that agents need', async () => {
  const text = await readFile(projectFile('skills/storefront/SKILL.md'), 'utf8');
  const [, name, description = ''] = /^---\nname: ([a-z-]+)\ndescription: (.+)\n---\n/.exec(text) ?? [];
  expect(name).toBe('storefront');
  expect(description.length).toBeLessThanOrEqual(1024);
});
