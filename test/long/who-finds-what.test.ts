import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { projectFile } from '../support/fixtures/default-data.ts';
import { getDefect, whoFindsWhat } from '../support/oracles/who-finds-what.ts';

describe('the table of who finds what in docs/check.md', () => {
  const page = readFileSync(projectFile('docs/check.md'), 'utf8');
  const [, after = ''] = page.split('<!-- who finds what -->');
  const shown = (after.split('<!-- end -->')[0] ?? '').trim();
  const names = shown
    .split('\n')
    .slice(2)
    .map((line) => line.split('|')[1]?.trim() ?? '');

  it('has at least twenty defects, of each part of the shop', () => {
    expect(names.length).toBeGreaterThanOrEqual(24);
    const operations = new Set(names.map((name) => getDefect(name).operationId));
    expect(operations.size).toBeGreaterThanOrEqual(8);
  });

  it('shows what is measured', { timeout: 900_000 }, async () => {
    expect((await whoFindsWhat(names)).split('\n')).toEqual(shown.split('\n'));
  });
});
