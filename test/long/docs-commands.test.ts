import { describe, expect, it } from 'vitest';
import { readPages } from '../support/docs/pages.ts';
import { isAsShown, runPage } from '../support/docs/run-page.ts';

// The tests with PostgreSQL run the commands that need a database.
const pages = readPages().filter(
  ({ blocks }) =>
    blocks.some(({ language }) => language === 'console') && !blocks.some(({ text }) => text.includes('--database')),
);

describe('commands in the documentation', () => {
  it.each(pages)('$path shows the output that its commands have', async (page) => {
    expect(await runPage(page)).toEqual([]);
  });

  it.each([
    ['{"a":1}', '{ "a": 1 }', true],
    ['{"a":1}', '{"a":2}', false],
    ['{"id":"f3","a":1}', '{"id":"...","a":1}', true],
    ['{"id":"f3","a":1}', '{"id":"...","a":2}', false],
    ['[]', '', false],
  ])('an output %j is as shown by %j: %j', (actual, shown, expected) => {
    expect(isAsShown(actual, shown)).toBe(expected);
  });
});
