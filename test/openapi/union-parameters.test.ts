import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { findRoute, schemas, withPaths, writeDocument } from './documents.ts';

/** Returns the detail of the violations of GET /a with a query, or `valid`. `parameter`: the keywords of the parameter q. */
async function validate(parameter: string, query: string, location = 'query'): Promise<string> {
  const path = await writeDocument(
    withPaths(
      `/a: { get: { parameters: [{ name: q, in: ${location}, ${parameter} }], responses: { "204": { description: d } } } }`,
    ).replace('3.0.3', '3.1.0') + schemas('D: { type: string, format: date }, E: { type: string, enum: [a, b] }'),
  );
  const contract = await loadContract({ path, strict: false });
  const values = new URLSearchParams(query).getAll('q');
  const sent = { q: values.length > 1 ? values : (values[0] ?? '') };
  const result = contract.validateRequest(findRoute(contract, 'GET', '/a'), {
    path: '/a',
    query: location === 'query' ? sent : {},
    headers: location === 'header' ? sent : {},
    body: undefined,
  });
  return result.kind === 'violations' ? result.detail : 'valid';
}

describe('a parameter with alternatives accepts each of them', () => {
  it.each<[schema: string, valid: readonly string[], invalid: string, remedy: string]>([
    ['{ oneOf: [{ type: integer }, { type: string }] }', ['q=5', 'q=x'], 'q=1&q=2', 'send it once'],
    ['{ anyOf: [{ type: integer }, { type: string }] }', ['q=5', 'q=x'], 'q=1&q=2', 'send it once'],
    ['{ type: [integer, boolean] }', ['q=5', 'q=true'], 'q=x', 'use an integer or true or false'],
    ['{ type: [integer, "null"], minimum: 3 }', ['q=5', 'q='], 'q=x', 'use an integer of at least 3 or null'],
    ['{ oneOf: [{ type: boolean }, { enum: [auto] }] }', ['q=true', 'q=auto'], 'q=x', 'use true or false or "auto"'],
    [
      '{ oneOf: [{ type: integer, maximum: 3 }, { $ref: "#/components/schemas/D" }] }',
      ['q=2', 'q=2025-06-01'],
      'q=4',
      'use an integer of at most 3 or a valid date such as 2025-06-01',
    ],
    [
      '{ anyOf: [{ type: integer, maximum: 3 }, { type: number, minimum: 10 }] }',
      ['q=3', 'q=10.5'],
      'q=5',
      'use an integer of at most 3 or a number of at least 10',
    ],
    [
      '{ oneOf: [{ type: integer }, { type: array, items: { type: integer } }] }',
      ['q=1', 'q=1&q=2'],
      'q=x',
      'use an integer or an array',
    ],
    [
      '{ oneOf: [{ type: boolean }, { type: array, items: { type: integer } }] }',
      ['q=true', 'q=1', 'q=1&q=2'],
      'q=x',
      'use true or false or an array',
    ],
    [
      '{ type: array, items: { oneOf: [{ type: integer }, { type: string, maxLength: 2 }] } }',
      ['q=1&q=xy'],
      'q=xyz',
      '',
    ],
  ])('%s', async (schema, valid, invalid, remedy) => {
    for (const query of valid) expect(await validate(`schema: ${schema}`, query), query).toBe('valid');
    expect(await validate(`schema: ${schema}`, invalid)).toContain(remedy);
    expect(await validate(`schema: ${schema}`, invalid)).not.toBe('valid');
  });

  it('also with the entries of an array in one text', async () => {
    const parameter =
      'explode: false, schema: { oneOf: [{ type: integer }, { type: array, items: { type: integer } }] }';
    for (const query of ['q=1', 'q=1,2']) expect(await validate(parameter, query), query).toBe('valid');
    expect(await validate(parameter, 'q=1,x')).not.toBe('valid');
  });

  it('also if an alternative and the entries of another have the same enum', async () => {
    const parameter =
      'schema: { oneOf: [{ $ref: "#/components/schemas/E" }, { type: array, items: { $ref: "#/components/schemas/E" } }] }';
    for (const query of ['q=a', 'q=a&q=b']) expect(await validate(parameter, query), query).toBe('valid');
    expect(await validate(parameter, 'q=x')).toContain('query parameter q is "x": use "a" or "b" or an array');
  });

  it('also in a header', async () => {
    const parameter = 'schema: { oneOf: [{ type: integer }, { type: string, format: date }] }';
    for (const value of ['q=1', 'q=2025-06-01'])
      expect(await validate(parameter, value, 'header'), value).toBe('valid');
    expect(await validate(parameter, 'q=x', 'header')).toBe(
      'header q is "x": use an integer or a valid date such as 2025-06-01',
    );
  });
});
