import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { projectFile } from '../support/fixtures/default-data.ts';
import { runProgramIn } from '../support/harness/run-program.ts';

/** Returns the commands in the skill for coding agents, in their order. */
async function readCommands(): Promise<readonly string[]> {
  const text = await readFile(projectFile('skills/storefront/SKILL.md'), 'utf8');
  const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) => block.trim().split('\n'));
  return blocks.map((command) => command.replace('npx storefront ', ''));
}

it('The commands of the skill for coding agents work in their order, and print one line of JSON', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'storefront-'));
  let url = '';
  const run = (args: readonly string[]) => runProgramIn(folder, args, { STOREFRONT_URL: url });
  onTestFinished(async () => {
    await run(['stop']);
    await rm(folder, { recursive: true, force: true });
  });
  await copyFile(projectFile('openapi.yaml'), join(folder, 'openapi.yaml'));
  const commands = await readCommands();
  expect(commands.length).toBeLessThanOrEqual(25);
  for (const command of commands) {
    const [line = '', file] = command
      .replace('--port 3000', '--port 0')
      .replace('http://localhost:3000', url)
      .split(' > ');
    const args = [
      ...line.split(' ').filter((argument) => argument !== '--json'),
      ...(file === undefined ? ['--json'] : []),
    ];
    const { code, stdout, stderr } = await run(args);
    expect(`${command}: ${code} ${code === 0 ? '' : stderr + stdout}`).toBe(`${command}: 0 `);
    if (file !== undefined) await writeFile(join(folder, file), stdout);
    else {
      const { ok, data } = JSON.parse(stdout);
      expect(ok).toBe(true);
      if (args[0] === 'start') ({ url } = data);
    }
  }
  await expect(fetch(url)).rejects.toThrow();
  expect(JSON.parse((await run(['status', '--json'])).stdout).error.code).toBe('not_running');
});
