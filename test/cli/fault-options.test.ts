import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/cli/options.ts';

/** Parses the command line `storefront faults add …`. */
function read(...args: readonly string[]) {
  return readCommandLine({ args: ['faults', 'add', ...args], environment: {}, isTerminal: false, version: '1' });
}

describe('storefront faults add', () => {
  it.each([
    ['--body', '{"a":[1]}', { body: { a: [1] } }],
    ['--body', '"text"', { body: 'text' }],
    ['--body', 'null', { body: null }],
    ['--body', 'false', { body: false }],
    ['--body', '""', { body: '' }],
    ['--header', 'Retry-After: 5', { headers: { 'Retry-After': '5' } }],
  ])('sends the value of %s %s in the fault', (option, value, body) => {
    const request = read('--status', '503', option, value);
    expect(request).toMatchObject({ kind: 'control', options: { method: 'POST', body: { status: 503, ...body } } });
  });

  it('sends the headers of several --header options', () => {
    const request = read('--status', '429', '--header', 'Retry-After: 5', '--header', 'X-RateLimit-Remaining:0');
    expect(request).toMatchObject({
      options: { body: { headers: { 'Retry-After': '5', 'X-RateLimit-Remaining': '0' } } },
    });
  });

  it.each([
    ['--body', '{', /Use JSON/],
    ['--header', 'Retry-After', /Use a header such as/],
    ['--where', '[]', /Use a JSON object/],
  ])('refuses the invalid value in %s %s', (option, value, reason) => {
    expect(read('--status', '503', option, value)).toMatchObject({
      kind: 'refuse',
      reason: expect.stringMatching(reason),
    });
  });
});
