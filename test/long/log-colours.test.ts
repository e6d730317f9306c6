import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultText } from '../support/fixtures/default-data.ts';
import { type Program, startProgram } from '../support/harness/start-program.ts';

const COLOR = '\x1b[';

describe('the log of storefront in a pipe', () => {
  it.for([
    ['pretty', {}, false],
    ['pretty', { FORCE_COLOR: '1' }, true],
    ['pretty', { NO_COLOR: '1' }, false],
    ['off', {}, false],
    ['off', { FORCE_COLOR: '1' }, true],
  ] as const)('is colored only with FORCE_COLOR: --log %s, %j', async ([style, environment, isColored], test) => {
    const prepare = (folder: string) => writeFile(join(folder, 'default.json'), defaultText);
    const args = ['--port', '0', '--log', style, '--default-data', 'default.json'];
    const program = await startProgram(test, args, { environment, prepare });
    await provokeError(program);
    program.child.kill('SIGTERM');
    await program.ended;
    const text = style === 'off' ? program.stderr() : program.stdout();
    expect(text).toContain('default.json:1 is not JSON');
    expect(text.includes(COLOR)).toBe(isColored);
  });
});

/** Makes the program log an error. */
async function provokeError(program: Program): Promise<void> {
  const url = await program.url();
  await writeFile(join(program.folder, 'default.json'), '{');
  expect((await fetch(`${url}/api/reset`, { method: 'POST' })).status).toBe(503);
}
