import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/options.ts';
import { defaultText } from '../support/default-data.ts';
import { startProgram } from '../support/start-program.ts';

/** How long a test with a process of its own may take, in ms. */
const PATIENCE_MS = 30_000;

describe('storefront repair', () => {
  it.each([
    [['repair'], { data: 'db.json' }],
    [['repair', '--data', 'a.json'], { data: 'a.json' }],
    [['--data', 'a.json', 'repair'], { data: 'a.json' }],
    [['--data', 'a.json', 'repair', '--data', 'b.json'], { data: 'b.json' }],
    [['repair', '--data', 'a.json', '--default-data', 'c.json'], { data: 'a.json', defaultData: 'c.json' }],
    [['--default-data', 'c.json', 'repair'], { data: 'db.json', defaultData: 'c.json' }],
  ])('is asked for by %j', (args, options) => {
    const request = read(args);
    expect(request).toMatchObject({ kind: 'repair', options });
  });

  it.each([
    [['repair', '--nonsense'], '--nonsense'],
    [['repair', '--strict'], '--strict'],
    [['repair', 'extra'], 'argument'],
    [['repair', '--data', ''], '--data'],
    [['repair', '--data'], '--data'],
  ])('is refused with one line: %j', (args, said) => {
    expect(read(args)).toEqual({ kind: 'refuse', reason: expect.stringMatching(`^[^\n]*${said}[^\n]*$`) });
  });

  it.each(['--help', '-h'])('tells what it does: %s', (flag) => {
    const request = read(['repair', flag]);
    expect(request).toEqual({
      kind: 'print',
      text: expect.stringMatching(/^Usage: storefront repair [\s\S]*--data <file>[\s\S]*--default-data/),
    });
  });

  it('stands in the help of the program', () => {
    expect(read(['--help'])).toEqual({ kind: 'print', text: expect.stringMatching(/^ {2}repair\b/m) });
  });
});

describe('the program storefront repair', { timeout: PATIENCE_MS }, () => {
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

function read(args: readonly string[]) {
  return readCommandLine({ args, environment: {}, isTerminal: false, version: '1.2.3' });
}
