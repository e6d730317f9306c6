import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultText } from '../support/fixtures/default-data.ts';
import { startProgram } from '../support/harness/start-program.ts';

describe('storefront repair', () => {
  const CASES: readonly [string, string[], number, RegExp, RegExp][] = [
    [
      'repairs db.json in the current folder by default',
      ['repair'],
      0,
      /^\S+db\.json contains the default data now\. Its previous .*\n$/,
      /^$/,
    ],
    [
      'repairs the file of --data after the command',
      ['repair', '--data', 'db.json'],
      0,
      /^\S+db\.json contains the default data now\. Its previous .*\n$/,
      /^$/,
    ],
    [
      'repairs the file of --data before the command',
      ['--data', 'good.json', 'repair'],
      0,
      /^\S+good\.json is valid\. .*\n$/,
      /^$/,
    ],
    [
      'ends with 1 and one line for damaged default data',
      ['repair', '--default-data', 'db.json'],
      1,
      /^$/,
      /^storefront: \S+db\.json:1 is not JSON.*\n$/,
    ],
    [
      'ends with 2 and one line for an option of the server',
      ['repair', '--strict'],
      2,
      /^$/,
      /^storefront: .*--strict.*\n$/,
    ],
  ];

  it.for(CASES)('%s', async ([_title, args, code, stdout, stderr], test) => {
    const prepare = async (folder: string) => {
      await writeFile(join(folder, 'db.json'), '{');
      await writeFile(join(folder, 'good.json'), defaultText);
    };
    const program = await startProgram(test, args, { prepare });
    expect(await program.ended).toEqual({ code, signal: null });
    expect(program.stdout()).toMatch(stdout);
    expect(program.stderr()).toMatch(stderr);
  });
});
