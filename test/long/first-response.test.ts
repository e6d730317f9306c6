import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startProgram } from '../support/harness/start-program.ts';

/** Writes the names of the modules of Node that the program has loaded to a file when it ends. */
const recordModules = `
  import { writeFileSync } from 'node:fs';
  process.on('exit', () => writeFileSync('modules.txt', process.moduleLoadList.join('\\n')));
`;

it('the first responses do not load fetch, which takes about 20 ms', async (test) => {
  const environment = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(recordModules)}` };
  const program = await startProgram(test, ['--port', '0'], { environment });
  const url = await program.url();
  for (const path of ['/api/orders', '/api/unknown', '/_control/sandboxes'])
    expect((await fetch(url + path)).status).toBe(path === '/api/unknown' ? 404 : 200);
  program.child.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
  const modules = await readFile(join(program.folder, 'modules.txt'), 'utf8');
  expect(modules).toContain('NativeModule http');
  expect(modules).not.toContain('undici');
});
