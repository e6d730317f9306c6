// Runs before and after packing. `prepack` builds dist/ and removes the script `prepare` from package.json. Installing from a git URL needs the script.
// The tarball lacks the file that the script runs, and npm would warn about it at each install. `postpack` restores the script, even if an earlier pack
// was interrupted.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const build = fileURLToPath(new URL('build.mjs', import.meta.url));
const manifest = fileURLToPath(new URL('../package.json', import.meta.url));
const START = '  "scripts": {\n';
const PREPARE = '    "prepare": "node tools/build.mjs --prepare",\n';

const text = readFileSync(manifest, 'utf8');
const without = text.replace(PREPARE, '');
if (process.argv[2] === 'postpack') writeFileSync(manifest, without.replace(START, START + PREPARE));
else {
  // With --if-stale, the build fails if it is needed and the development packages are missing. Without this, the package could lack dist/ and not run.
  const { status } = spawnSync(process.execPath, [build, '--if-stale'], { stdio: 'inherit' });
  if (status === 0) writeFileSync(manifest, without);
  else process.exitCode = 1;
}
