import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { findRoute, withPaths, writeDocument } from './documents.ts';

/** Returns the detail of the violations of GET /a with an `Accept-Language` header, or `valid`. `schema`: the schema of the parameter. */
async function validate(schema: string, sent: string): Promise<string> {
  const path = await writeDocument(
    withPaths(
      `/a: { get: { parameters: [{ name: Accept-Language, in: header, ${schema} }, { name: X-Page, in: header, schema: { type: integer } }], responses: { "204": { description: d } } } }`,
    ),
  );
  const contract = await loadContract({ path, strict: false });
  const result = contract.validateRequest(findRoute(contract, 'GET', '/a'), {
    path: '/a',
    query: {},
    headers: { 'accept-language': sent, 'x-page': sent === '' ? 'x' : undefined },
    body: undefined,
  });
  return result.kind === 'violations' ? result.detail : 'valid';
}

const EN_AR = 'schema: { type: string, enum: [en, ar] }';

describe('A parameter Accept-Language', () => {
  it.each([
    [EN_AR, 'en'],
    [EN_AR, 'en-US,en;q=0.9'],
    [EN_AR, 'de-DE,de;q=0.9,en-US;q=0.8'],
    [EN_AR, 'ar-EG'],
    [EN_AR, '*'],
    [EN_AR, 'de, *;q=0.5'],
    ['schema: { type: string, enum: [zh-Hant] }', 'zh-Hant-TW'],
    ['schema: { type: string, pattern: "^[a-z]{2}$" }', 'fr-CH, fr;q=0.9'],
    ['schema: { type: string, enum: ["en-US,en;q=0.9"] }', 'en-US,en;q=0.9'],
    ['schema: { type: array, items: { type: string, enum: [en, ar] } }', 'en-US,en;q=0.9'],
  ])('with %s accepts %s', async (schema, sent) => {
    expect(await validate(schema, sent)).toBe('valid');
  });

  it.each([
    [EN_AR, 'fr'],
    [EN_AR, 'fr-FR,fr;q=0.9,en;q=0'],
    [EN_AR, 'e'],
    [EN_AR, 'enormous'],
    ['schema: { type: string, enum: [en-US] }', 'en'],
  ])('with %s rejects %s', async (schema, sent) => {
    expect(await validate(schema, sent)).toMatch(/^header accept-language is ".*": use /);
  });

  it('rejects a very long value without a long computation', async () => {
    expect(await validate(EN_AR, 'a-'.repeat(30_000))).toMatch(/^header accept-language is /);
  });

  it('does not hide errors of other parameters', async () => {
    expect(await validate(EN_AR, '')).toMatch(/header x-page is "x": use an integer/);
  });
});
