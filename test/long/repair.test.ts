import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultText } from '../support/fixtures/default-data.ts';
import { startProgram } from '../support/harness/start-program.ts';

describe('the program storefront repair', () => {
  const CASES: readonly [string, string[], number, RegExp, RegExp][] = [
    [
      'ends with 0 and one line: the file of this folder',
      ['repair'],
      0,
      /^\S+db\.json holds the default data now; .*\n$/,
      /^$/,
    ],
    [
      'ends with 0 and one line: --data',
      ['repair', '--data', 'db.json'],
      0,
      /^\S+db\.json holds the default data now; .*\n$/,
      /^$/,
    ],
    [
      'ends with 0 and one line: --data before it',
      ['--data', 'good.json', 'repair'],
      0,
      /^\S+good\.json is as it should be: .*\n$/,
      /^$/,
    ],
    [
      'ends with 1 and one line: damaged default data',
      ['repair', '--default-data', 'db.json'],
      1,
      /^$/,
      /^storefront: \S+db\.json:1 is not JSON.*\n$/,
    ],
    ['ends with 2 and one line: an unknown option', ['repair', '--strict'], 2, /^$/, /^storefront: .*--strict.*\n$/],
  ];

  it.for(CASES)('%s', async ([_what, args, code, stdout, stderr], test) => {
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
