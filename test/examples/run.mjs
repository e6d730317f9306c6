// Runs the examples of the package and its test kit: packs the package, copies each example to an empty folder, installs the tarball and the dependencies
// of the example, and runs its tests. `node test/examples/run.mjs jest` runs one example. Ends with 1 if one fails.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..', '..');
const selected = process.argv.slice(2);
const examples = selected.length > 0 ? selected : ['vitest', 'jest', 'node', 'clients', 'server-rendered'];

const folder = mkdtempSync(join(tmpdir(), 'storefront-examples-'));
try {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root, stdio: 'inherit' });
  const tarball = join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz')),
  );
  if (!examples.map((name) => runExample(name, tarball)).every(Boolean)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Installs an example and runs its tests; returns whether they pass. */
function runExample(name, tarball) {
  process.stdout.write(`\n== ${name}\n`);
  const cwd = join(folder, name);
  cpSync(join(here, name), cwd, { recursive: true });
  const npm = (...args) => spawnSync('npm', args, { cwd, stdio: 'inherit' }).status === 0;
  return npm('install', '--no-audit', '--no-fund', '--save-dev', tarball) && npm('test');
}
