// Follows the chapter "In your project" of the README in an empty folder: installs the packed tarball, Vite and Playwright in a front-end project, checks
// the types of the Playwright example, and runs the tests of both in the Chromium of the system. Ends with the exit code of the tests.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..', '..');
const PACKAGES = ['vite@8.3.8', '@playwright/test@1.65.1', 'typescript@5.9.3', '@types/node@20.19.43'];

const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome']
  .map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim())
  .find((path) => path !== '');

if (CHROMIUM) process.exitCode = runIn(mkdtempSync(join(tmpdir(), 'storefront-app-')));
else {
  process.stderr.write(
    'The browser tests require Chromium, which is not installed. Install it: apt-get install chromium\n',
  );
  process.exitCode = 1;
}

/** Sets up the project in a folder, runs its tests, and returns their exit code. */
function runIn(folder) {
  const step = (command, args, cwd = folder) => execFileSync(command, args, { cwd, stdio: 'inherit' });
  try {
    step('npm', ['pack', '--silent', '--pack-destination', folder], root);
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
    cpSync(join(here, 'app'), folder, { recursive: true });
    cpSync(join(here, '..', 'examples', 'playwright'), join(folder, 'kit'), { recursive: true });
    for (const file of ['browser.config.js', 'foreign.spec.js']) cpSync(join(here, file), join(folder, file));
    step('npm', ['install', '--save-dev', '--no-audit', '--no-fund', `./${tarball}`, ...PACKAGES]);
    step('npx', ['--no-install', 'tsc', '--project', 'kit']);
    step('npx', ['--no-install', 'tsc', '--project', 'kit', '--module', 'esnext', '--moduleResolution', 'bundler']);
    const playwright = ['--no-install', 'playwright', 'test', '--config', 'browser.config.js'];
    return (
      spawnSync('npx', playwright, { cwd: folder, stdio: 'inherit', env: { ...process.env, CHROMIUM } }).status ?? 1
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
