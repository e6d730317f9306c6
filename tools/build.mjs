// Builds dist/ from src/: the program, the compiled contracts, the console and the API reference. With `--if-stale`, builds only if the
// sources have changed since the last build, so that `npm start` is fast and never runs old code. If the development packages are not installed
// (npm ci --omit=dev, or NODE_ENV=production), prints a message and changes nothing. This is an error, except for `npm ci` itself, which runs `--prepare`.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'dist', '.built-from');
const program = join(root, 'dist', 'main.js');

/** Returns a hash of the contents of all files that the build depends on. */
function hashSources() {
  const hash = createHash('sha256');
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|json|yaml|html|css|svg)$/.test(name))
    .map((name) => join('src', name));
  const others = [
    'openapi.yaml',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'tsdown.config.ts',
    'vite.config.ts',
    'vite.reference.config.ts',
    'tools/build.mjs',
    'tools/compile.ts',
    'tools/page-build.ts',
    'tools/licenses.ts',
    'tools/sanitize-rapidoc.ts',
  ];
  for (const name of [...files.sort(), ...others]) {
    if (existsSync(join(root, name))) hash.update(`${name}\0`).update(readFileSync(join(root, name)));
  }
  return hash.digest('hex');
}

function isFresh() {
  return existsSync(program) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hashSources();
}

/** Builds dist/. Returns whether the build succeeded. */
function build() {
  const bundler = join(root, 'node_modules', 'tsdown', 'dist', 'run.mjs');
  if (!existsSync(bundler)) {
    process.stderr.write(
      'storefront: cannot build dist/, because the development packages are not installed. Run npm ci --include=dev: without this option, npm ci leaves\n' +
        'them out if NODE_ENV is production. To use storefront in another project without them, run npm ci --include=dev && npm pack here, and\n' +
        'npm install PATH/storefront-*.tgz there.\n',
    );
    return false;
  }
  process.stderr.write('storefront: building dist/. This takes half a minute.\n');
  const sourceHash = hashSources();
  const vite = join('node_modules', 'vite', 'bin', 'vite.js');
  // The first step empties dist/.
  const isBuilt =
    run([bundler]) &&
    run(['--import', 'tsx', join('tools', 'compile.ts'), join('dist', 'compiled')]) &&
    run([vite, 'build', '--logLevel', 'warn']) &&
    run([vite, 'build', '--logLevel', 'warn', '--config', 'vite.reference.config.ts']);
  if (!isBuilt) return false;
  writeFileSync(stamp, sourceHash);
  return true;
}

/** Runs Node with arguments in the root of the project. Prints the output if it fails. Returns whether it succeeded. */
function run(args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) process.stderr.write(stdout + stderr);
  return status === 0;
}

const isPrepare = process.argv.includes('--prepare');
const isUpToDate = (isPrepare || process.argv.includes('--if-stale')) && isFresh();
if (!isUpToDate && !build() && !(isPrepare && !existsSync(join(root, 'node_modules', 'tsdown')))) process.exitCode = 1;
