import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runProgramIn } from '../support/harness/run-program.ts';

it.each(['', 'null', '[]', '{}', '{"name":"default","pid":1,"args":5}', '{"name":"other","pid":1,"args":[]}'])(
  'A server in the background whose file has the text %j is not known',
  async (text) => {
    const folder = await mkdtemp(join(tmpdir(), 'storefront-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await mkdir(join(folder, '.storefront'));
    await writeFile(join(folder, '.storefront', 'default.json'), text);
    const { code, stdout } = await runProgramIn(folder, ['restart', '--json']);
    expect([code, JSON.parse(stdout).error]).toEqual([
      1,
      expect.objectContaining({ code: 'command_failed', message: expect.stringMatching(/^No server with the name/) }),
    ]);
  },
);
