// Follows the section "Use it" of the README in an empty folder: installs the packed tarball, Vite and Playwright in a front-end project, checks
// the types of the Playwright example, and runs the tests of both, and of the pages of the package (console/, pages/), in the Chromium of the system. Ends with
// the exit code of the tests.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..', '..');
const PACKAGES = [
  'vite@8.3.8',
  '@playwright/test@1.65.1',
  'axe-core@4.14.1',
  'typescript@5.9.3',
  '@types/node@20.19.43',
];

/**
 * What is run, by default `tests`: the tests of the front end, and those of the pages. `replicas` runs those of the front end with two servers, `performance`
 * measures the console, and `pictures` makes the pictures of the documentation.
 */
const [first = 'tests', ...others] = process.argv.slice(2);
const SUITES = [first, ...others].flatMap((suite) => (suite === 'tests' ? ['tests', 'pages'] : [suite]));
const PICTURES = join(root, 'docs', 'images');

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
    for (const file of ['browser.config.js', 'foreign.spec.js', 'console', 'pages', 'performance', 'pictures'])
      cpSync(join(here, file), join(folder, file), { recursive: true });
    step('npm', ['install', '--save-dev', '--no-audit', '--no-fund', `./${tarball}`, ...PACKAGES]);
    step('npx', ['--no-install', 'tsc', '--project', 'kit']);
    step('npx', ['--no-install', 'tsc', '--project', 'kit', '--module', 'esnext', '--moduleResolution', 'bundler']);
    return runSuites(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the suites one after another. Returns the first exit code that is not 0. */
function runSuites(folder) {
  const playwright = ['--no-install', 'playwright', 'test', '--config', 'browser.config.js'];
  for (const suite of SUITES) {
    const env = { ...process.env, CHROMIUM, ROOT: root, SUITE: suite, ...(suite === 'pictures' && { PICTURES }) };
    const { status } = spawnSync('npx', playwright, { cwd: folder, stdio: 'inherit', env });
    if (status !== 0) return status ?? 1;
  }
  return 0;
}
