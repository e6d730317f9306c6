import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPathMatcher } from '../../src/openapi/routes.ts';

const asIs = (text: string) => text;

describe('createPathMatcher', () => {
  it.each([
    ['/pets/{id}', '/pets/7', ['7']],
    ['/pets/{id}', '/pets/', undefined],
    ['/pets/{id}', '/pets/7/toys', undefined],
    ['/pets', '/pets', []],
    ['/a/{b}-{h}.json', '/a/x-y-z.json', ['x-y', 'z']],
    ['/a/{b}-{h}.json', '/a/-.json', undefined],
    ['/a/{b}-{h}.json', '/a/--.json', undefined],
    ['/a/{b}-{h}.json', '/a/---.json', ['-', '-']],
    ['/a/{b}{c}', '/a/xyz', ['xy', 'z']],
    ['/a/{b}{c}', '/a/x', undefined],
  ])('matches the template %s with the path %s to %j', (template, path, values) => {
    expect(createPathMatcher(template, asIs)(path)).toEqual(values);
  });

  it('finds the same values as a regular expression', () => {
    const part = fc.constantFrom('{p}', '-', '.', 'a', '-a', '/');
    const templates = fc.array(part, { maxLength: 8 }).map((parts) => `/${parts.join('')}`);
    const paths = fc
      .array(fc.constantFrom('-', '.', 'a', 'b', '/'), { maxLength: 12 })
      .map((parts) => `/${parts.join('')}`);
    fc.assert(
      fc.property(templates, paths, (template, path) => {
        const pattern = template.replaceAll('.', '\\.').replaceAll('{p}', '([^/]+)');
        const values = new RegExp(`^${pattern}$`).exec(path)?.slice(1);
        expect(createPathMatcher(template, asIs)(path)).toEqual(values);
      }),
      { numRuns: 2_000 },
    );
  });

  it('matches a segment of 60,000 separators in linear time', () => {
    const match = createPathMatcher('/a/{b}-{c}.{d}-{e}.json', asIs);
    for (const text of ['-', '.', '-.', 'a-b.c'])
      for (const end of ['', '!', '.json']) match(`/a/${text.repeat(60_000)}${end}`);
    expect(match(`/a/${'-'.repeat(60_000)}x.y-z.json`)).toEqual(['-'.repeat(59_999), 'x', 'y', 'z']);
  });
});
