// Starts the built server once, sends a request, and writes V8's code cache of each loaded file to dist/. The next start does not compile the functions that
// were used. src/entry/load-bundle.ts reads the caches.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'storefront-code-cache-'));
for (const name of Object.keys(process.env).filter((name) => name.startsWith('STOREFRONT_'))) delete process.env[name];
process.argv.push('--port', '0', '--data', join(folder, 'db.json'));
const { formatCache, scripts } = await import('../dist/load-bundle.js');
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const url = await new Promise((resolve) => {
  process.stdout.write = (text) => {
    const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
    if (found !== undefined) resolve(found);
    return true;
  };
  import('../dist/main.js');
});
try {
  await (await fetch(`${url}/api/products`)).arrayBuffer();
  // The build looks for the cache of the first script, so that one is written last.
  for (const [cachePath, script] of [...scripts].reverse()) {
    writeFileSync(`${cachePath}.${process.pid}`, formatCache(script));
    renameSync(`${cachePath}.${process.pid}`, cachePath);
  }
} catch (error) {
  // The program handles uncaught errors, and would continue.
  process.stderr.write(
    `storefront: the code cache can't be written, so the server starts more slowly: ${error.message}\n`,
  );
  process.exitCode = 1;
} finally {
  // The server stops as if the signal had arrived.
  process.emit('SIGTERM');
}
