import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/cli/options.ts';
import { type ChildOptions, toArguments } from '../../src/testing/arguments.ts';

/** What the command makes of its arguments, under an environment that would have it otherwise. */
function read(options: ChildOptions) {
  return readCommandLine({
    args: toArguments(options),
    environment: { PORT: '4000' },
    isTerminal: true,
    version: '1',
  });
}

const USUAL = { port: 0, durability: 'memory', log: 'off' };

describe('the arguments of a child', () => {
  it.each<{ options: ChildOptions; kept: object }>([
    { options: {}, kept: USUAL },
    { options: { strict: false, host: undefined }, kept: USUAL },
    { options: { data: '-a b.json' }, kept: { port: 0, data: '-a b.json', durability: 'disk', log: 'off' } },
    { options: { data: 'a.json', durability: 'os' }, kept: { data: 'a.json', durability: 'os' } },
    {
      options: {
        port: 4711,
        host: '127.0.0.1',
        defaultData: 'default.json',
        static: tmpdir(),
        strict: true,
        contract: 'other.yaml',
        mock: ['createOrder', 'listOrders'],
        verify: 'strict',
        snapshots: tmpdir(),
        controlToken: '--secret',
        allowHost: ['shop', 'web'],
        allowOrigin: ['https://a.test', 'https://b.test'],
        sandboxes: 'declared',
        handlers: 'handlers.mjs',
      },
      kept: { port: 4711, mock: ['createOrder', 'listOrders'], controlToken: '--secret', allowHost: ['shop', 'web'] },
    },
    { options: { mock: true }, kept: { ...USUAL, mock: true } },
  ])('say to the command what these options say: $options', ({ options, kept }) => {
    const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== false);
    expect(read(options)).toMatchObject({ kind: 'run', options: { ...Object.fromEntries(given), ...kept } });
  });
});
