import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/cli/options.ts';

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

function read(args: readonly string[]) {
  return readCommandLine({ args, environment: {}, isTerminal: false, version: '1.2.3' });
}
