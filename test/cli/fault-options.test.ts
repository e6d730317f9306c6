import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/cli/options.ts';

/** What the command line `storefront faults add …` asks for. */
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
  ])('sends %s %s in the fault', (option, value, body) => {
    const request = read('--status', '503', option, value);
    expect(request).toMatchObject({ kind: 'steer', options: { method: 'POST', body: { status: 503, ...body } } });
  });

  it('adds up the headers of several options', () => {
    const request = read('--status', '429', '--header', 'Retry-After: 5', '--header', 'X-RateLimit-Remaining:0');
    expect(request).toMatchObject({
      options: { body: { headers: { 'Retry-After': '5', 'X-RateLimit-Remaining': '0' } } },
    });
  });

  it.each([
    ['--body', '{', /Give JSON/],
    ['--header', 'Retry-After', /Give a header such as/],
    ['--where', '[]', /Give an object of JSON/],
  ])('refuses %s %s', (option, value, reason) => {
    expect(read('--status', '503', option, value)).toMatchObject({
      kind: 'refuse',
      reason: expect.stringMatching(reason),
    });
  });
});
