import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtCheckout, checkout } from '../support/harness/checkout.ts';
import { runCommand, startCommand } from '../support/harness/commands.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

describe('npm ci in a clone', () => {
  it('succeeds without the development packages, and says how to build or to install the tarball', async () => {
    const cwd = await checkout(await tempFolder(), { installed: false });
    const { exitCode, output } = await runCommand('npm', ['ci', '--omit=dev', '--prefer-offline', '--no-audit'], {
      cwd,
    });
    expect(output).toContain('Run npm ci --include=dev');
    expect(exitCode).toBe(0);
  });
});

describe('npm pack in a clone', () => {
  it('fails without the development packages, because the package would have no program', async () => {
    const cwd = await checkout(await tempFolder(), { installed: false });
    const { exitCode, output } = await runCommand('npm', ['pack'], { cwd });
    expect(output).toContain('Run npm ci --include=dev');
    expect(exitCode).not.toBe(0);
    expect((await readdir(cwd)).filter((name) => name.endsWith('.tgz'))).toEqual([]);
  });
});

describe('npm start', { timeout: 200_000 }, () => {
  it('builds the program if there is no build, and starts it', async () => {
    const cwd = await checkout(await tempFolder(), { installed: true });
    const shop = startCommand('npm', START, { cwd });
    await shop.said(STARTED);
    expect((await stat(join(cwd, 'dist/main.js'))).isFile()).toBe(true);
  });

  it('builds changed sources before it starts the program, and again after the change was reverted', async () => {
    const cwd = await builtCheckout(await tempFolder());
    const main = join(cwd, 'src/cli/main.ts');
    const before = await readFile(main, 'utf8');
    await writeFile(main, `${before}\nprocess.stdout.write('changed since\\n');\n`);
    const shop = startCommand('npm', START, { cwd });
    await shop.said(/changed since/);
    await writeFile(main, before);
    const { exitCode, output } = await runCommand('npm', ['start', '--', '--version'], { cwd });
    expect(output).not.toContain('changed since');
    expect(exitCode).toBe(0);
  });

  it('does not build unchanged sources again', async () => {
    const cwd = await builtCheckout(await tempFolder());
    const before = await stat(join(cwd, 'dist/main.js'));
    const told = await runCommand('npm', ['start', '--', '--version'], { cwd });
    expect(told.exitCode).toBe(0);
    const after = await stat(join(cwd, 'dist/main.js'));
    expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
  });

  it('fails without starting the program if the build fails', async () => {
    const cwd = await builtCheckout(await tempFolder());
    await writeFile(join(cwd, 'src/cli/main.ts'), 'this is no TypeScript');
    const { exitCode, output } = await runCommand('npm', START, { cwd });
    expect(exitCode).not.toBe(0);
    expect(output).not.toMatch(STARTED);
  });
});

const START = ['start', '--', '--port', '0', '--log', 'off', '--data', 'of-this-test.json'];
const STARTED = /storefront \S+ listening at http:/;
