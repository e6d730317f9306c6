import { describe, expect, it } from 'vitest';
import { createOperation } from '../support/fixtures/other-document.ts';
import { checkApi } from '../support/harness/check-api.ts';

const PATHS = { label: '/days/{days}', matrix: '/tables/{days}' };

function createPaths() {
  const schema = { type: 'array', items: { type: 'integer', minimum: 1, maximum: 31 }, minItems: 1, maxItems: 4 };
  const operations = Object.entries(PATHS).map(([style, path]) => {
    const parameters = [{ name: 'days', in: 'path', required: true, style, explode: true, schema }];
    const refused = { 400: { description: 'd' }, 404: { description: 'd' } };
    const responses = { 200: { description: 'd', content: { 'application/json': { schema } } }, ...refused };
    return [path, { get: createOperation(style, schema, { parameters, responses }) }];
  });
  return Object.fromEntries(operations);
}

/** Reads the integers in `/days/.1.2` or `/tables/;days=1;days=2`. Returns undefined for another form. */
function readDays(path: string): readonly number[] | undefined {
  const [, , text = ''] = path.split('/');
  const prefix = path.startsWith('/days') ? '.' : ';days=';
  const [first, ...texts] = text.split(prefix);
  const areNumbers = texts.every((one) => /^(0|-?[1-9]\d*)$/.test(one));
  return first === '' && areNumbers && texts.length > 0 ? texts.map(Number) : undefined;
}

function isValid(days: readonly number[]): boolean {
  return days.every((day) => day >= 1 && day <= 31);
}

describe('A check of path parameters with the styles label and matrix', () => {
  it('passes if the server follows RFC 6570', async () => {
    const { findings, unchecked } = await checkApi({ paths: createPaths() }, ({ path }) => {
      const days = readDays(path);
      return days && isValid(days) && days.length <= 4 ? { status: 200, body: days } : { status: 400 };
    });
    expect(findings).toEqual([]);
    expect(unchecked).toEqual([]);
  });

  it('finds that the server accepts too many entries', async () => {
    const { findings } = await checkApi({ paths: createPaths() }, ({ path }) => {
      const days = readDays(path);
      return days && isValid(days) ? { status: 200, body: days.slice(0, 4) } : { status: 400 };
    });
    expect(findings.map(({ operationId, title }) => `${operationId} ${title}`)).toEqual(
      Object.keys(PATHS).map((style) => `${style} refuses invalid requests: path /days maxItems`),
    );
  });
});
