import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/cli/options.ts';

describe('storefront repair', () => {
  it.each([
    [['repair'], { data: 'db.json' }],
    [['repair', '--data', 'a.json'], { data: 'a.json' }],
    [['--data', 'a.json', 'repair'], { data: 'a.json' }],
    [['--data', 'a.json', 'repair', '--data', 'b.json'], { data: 'b.json' }],
    [['repair', '--data', 'a.json', '--default-data', 'c.json'], { data: 'a.json', defaultData: 'c.json' }],
    [['repair', '--contract', 'a.yaml'], { data: 'db.json', contract: 'a.yaml' }],
    [['--default-data', 'c.json', 'repair'], { data: 'db.json', defaultData: 'c.json' }],
  ])('parses the files to repair from %j', (args, options) => {
    expect(read(args)).toMatchObject({ kind: 'repair', options });
  });

  it.each([
    [['repair', '--nonsense'], '--nonsense'],
    [['repair', '--strict'], '--strict'],
    [['repair', 'extra'], 'argument'],
    [['repair', '--data', ''], '--data'],
    [['repair', '--data'], '--data'],
  ])('refuses %j with a reason of one line', (args, part) => {
    expect(read(args)).toEqual({ kind: 'refuse', reason: expect.stringMatching(`^[^\n]*${part}[^\n]*$`) });
  });

  it.each(['--help', '-h'])('%s prints its usage and options', (flag) => {
    expect(read(['repair', flag])).toEqual({
      kind: 'print',
      text: expect.stringMatching(/^Usage: storefront repair [\s\S]*--data <file>[\s\S]*--default-data/),
    });
  });

  it('is listed in the help of storefront', () => {
    expect(read(['--help'])).toEqual({ kind: 'print', text: expect.stringMatching(/^ {2}repair\b/m) });
  });
});

function read(args: readonly string[]) {
  return readCommandLine({ args, environment: {}, isTerminal: false, version: '1.2.3' });
}
