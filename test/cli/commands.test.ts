import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/cli/options.ts';

const read = (args: readonly string[]) => readCommandLine({ args, environment: {}, isTerminal: false, version: '1' });

const COMMANDS =
  'repair, migrate, check, explain, diff, skill, mcp, start, status, stop, restart, logs, reset, flush, snapshot, restore, clock, ids, state, sandboxes, faults, journal, webhook, coverage'.split(
    ', ',
  );

function getHelp(command: readonly string[]): string {
  const help = read([...command, '--help']);
  if (help.kind !== 'print') throw new Error(`${command.join(' ')} --help prints nothing`);
  return help.text;
}

function findExamples(help: string): string[] {
  return (help.split('Examples:\n')[1] ?? '').split('\n').flatMap((line) => line.match(/^ {2}storefront.*/)?.[0] ?? []);
}

describe('an unknown command', () => {
  it.each([
    ['dev', 'To start the server, run storefront without a command'],
    ['serve', 'To start the server, run storefront without a command'],
    ['something-else', 'To start the server, run storefront without a command'],
    ['rest', 'Did you mean reset?'],
    ['chek', 'Did you mean check?'],
    ['Faults', 'Did you mean faults?'],
    ['sandbox', 'Did you mean sandboxes?'],
  ])('%s is refused with its name, a hint and the list of commands', (name, hint) => {
    const reason = `Unknown command "${name}". ${hint}`;
    expect(read([name])).toEqual({ kind: 'refuse', reason: expect.stringContaining(reason) });
    expect(read(['--port', '4000', name])).toEqual({ kind: 'refuse', reason: expect.stringContaining(reason) });
    expect(read([name])).toEqual({ kind: 'refuse', reason: expect.stringContaining(COMMANDS.join(', ')) });
  });
});

describe('--help', () => {
  it('lists every command', () => {
    for (const command of COMMANDS) expect(getHelp([])).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
  });

  it.each([[], ...COMMANDS.map((command) => [command])])('of storefront %s lists the exit codes', (...command) => {
    const [, list = ''] = /^Exit codes:\n((?: {2}\d {2}.+\n)+)/m.exec(getHelp(command)) ?? [];
    const codes = [...list.matchAll(/^ {2}(\d)/gm)].map(([, code]) => code);
    expect(codes).toEqual(['check', 'diff'].includes(command[0] ?? '') ? ['0', '1', '2', '3'] : ['0', '1', '2']);
  });

  it.each([[], ...COMMANDS.map((command) => [command])])(
    'of storefront %s ends with examples that are valid command lines',
    (...command) => {
      const examples = findExamples(getHelp(command));
      expect(examples).not.toEqual([]);
      for (const example of examples) {
        const [line = ''] = example.trim().split(' > ');
        const args = line
          .split(' ')
          .slice(1)
          .filter((word) => !['--static', 'dist', 'put', 'state.json'].includes(word));
        expect({ example, kind: read(args).kind }).not.toEqual({ example, kind: 'refuse' });
      }
    },
  );
});
