// Runs before and after packing. `prepack` builds, and takes the script `prepare` out of package.json: git URLs need it, but the tarball lacks the
// file that it runs, and npm warns of it at each install. `postpack` puts it back, also after an earlier pack that was interrupted.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const build = fileURLToPath(new URL('build.mjs', import.meta.url));
const manifest = fileURLToPath(new URL('../package.json', import.meta.url));
const START = '  "scripts": {\n';
const PREPARE = '    "prepare": "node tools/build.mjs",\n';

const text = readFileSync(manifest, 'utf8');
const without = text.replace(PREPARE, '');
if (process.argv[2] === 'postpack') writeFileSync(manifest, without.replace(START, START + PREPARE));
else {
  // With --if-stale the build fails where it is needed and the development packages are missing: a package without dist/ would install, and not run.
  const { status } = spawnSync(process.execPath, [build, '--if-stale'], { stdio: 'inherit' });
  if (status === 0) writeFileSync(manifest, without);
  else process.exitCode = 1;
}
