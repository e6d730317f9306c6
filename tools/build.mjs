// Builds dist/ from src/. `--if-stale` does nothing where dist/ was built from just these sources, so that `npm start` is quick
// and never runs stale code. Without the development packages (npm ci --omit=dev) it says so and leaves things as they are.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'dist', '.built-from');
const program = join(root, 'dist', 'main.js');

/** A hash of all that the build is made of: what stands in the files, not when they were saved. */
function sources() {
  const hash = createHash('sha256');
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|json)$/.test(name))
    .map((name) => join('src', name));
  for (const name of [...files.sort(), 'package-lock.json', 'tsconfig.json', 'tsdown.config.ts', 'tools/build.mjs']) {
    if (existsSync(join(root, name))) hash.update(`${name}\0`).update(readFileSync(join(root, name)));
  }
  return hash.digest('hex');
}

function isFresh() {
  return existsSync(program) && existsSync(stamp) && readFileSync(stamp, 'utf8') === sources();
}

/** Builds; whether it could. */
function build() {
  const bundler = join(root, 'node_modules', 'tsdown', 'dist', 'run.mjs');
  if (!existsSync(bundler)) {
    process.stderr.write(
      'storefront: cannot build dist/, because the development packages are not installed. Run npm ci first. To use storefront in another project\n' +
        'without them, run npm ci && npm pack here, and npm install PATH/storefront-*.tgz there.\n',
    );
    return false;
  }
  const builtFrom = sources();
  const { status, stdout, stderr } = spawnSync(process.execPath, [bundler], { cwd: root, encoding: 'utf8' });
  if (status === 0) writeFileSync(stamp, builtFrom);
  else process.stderr.write(stdout + stderr);
  return status === 0;
}

const ifStale = process.argv.includes('--if-stale');
if (!(ifStale && isFresh()) && !build() && (ifStale || existsSync(join(root, 'node_modules', 'tsdown'))))
  process.exitCode = 1;
