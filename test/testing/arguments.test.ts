import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/cli/options.ts';
import { type ChildOptions, toArguments } from '../../src/testing/test-storefront.ts';

/** Parses the arguments in an environment with other values. */
function read(options: ChildOptions) {
  return readCommandLine({
    args: toArguments(options),
    environment: { PORT: '4000' },
    isTerminal: true,
    version: '1',
  });
}

const DEFAULTS = { port: 0, durability: 'memory', log: 'off' };

describe('toArguments', () => {
  it.each<{ options: ChildOptions; expected: object }>([
    { options: {}, expected: DEFAULTS },
    { options: { strict: false, host: undefined }, expected: DEFAULTS },
    { options: { data: '-a b.json' }, expected: { port: 0, data: '-a b.json', durability: 'disk', log: 'off' } },
    { options: { data: 'a.json', durability: 'disk' }, expected: { data: 'a.json', durability: 'disk' } },
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
      expected: {
        port: 4711,
        mock: ['createOrder', 'listOrders'],
        controlToken: '--secret',
        allowHost: ['shop', 'web'],
      },
    },
    { options: { mock: true }, expected: { ...DEFAULTS, mock: true } },
  ])('returns arguments that are parsed to the same options: $options', ({ options, expected }) => {
    const entries = Object.entries(options).filter(([, value]) => value !== undefined && value !== false);
    expect(read(options)).toMatchObject({ kind: 'serve', options: { ...Object.fromEntries(entries), ...expected } });
  });
});
