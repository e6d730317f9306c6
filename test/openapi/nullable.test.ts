import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { findRoute, schemas, writeDocument } from './documents.ts';

const HOME = '{ $ref: "#/components/schemas/Home" }';

/** Returns whether the schema of a request body of OpenAPI 3.0 allows each of the values. */
async function validateAll(schema: string, values: readonly unknown[]): Promise<readonly boolean[]> {
  const content = `{ application/json: { schema: ${schema} } }`;
  const path = await writeDocument(`openapi: 3.0.3
info: { title: t, version: "1" }
paths: { /a: { post: { requestBody: { content: ${content} }, responses: { "204": { description: d } } } } }
${schemas('Home: { type: object, required: [city], properties: { city: { type: string } } }, Mood: { type: string, enum: [good, bad] }')}`);
  const contract = await loadContract({ path, strict: false });
  const route = findRoute(contract, 'POST', '/a');
  const request = { path: '/a', query: {}, headers: {}, contentType: 'application/json' };
  return values.map((body) => contract.validateRequest(route, { ...request, body }).kind === 'call');
}

describe('nullable: true allows null, and no other value,', () => {
  const home = { city: 'Rome' };
  it.each<[keywords: string, valid: unknown, invalid: unknown]>([
    [`allOf: [${HOME}]`, home, {}],
    [`type: object, allOf: [${HOME}]`, home, {}],
    [`type: object, oneOf: [${HOME}]`, home, {}],
    [`type: object, anyOf: [${HOME}]`, home, {}],
    [`type: object, properties: { n: { type: integer } }, allOf: [${HOME}]`, home, { ...home, n: 'x' }],
    [`properties: { n: { type: integer } }, allOf: [${HOME}]`, home, { ...home, n: 'x' }],
    [`type: object, allOf: [${HOME}], oneOf: [{ required: [a] }, { required: [b] }]`, { ...home, a: 1 }, home],
    [`type: object, not: { required: [a] }`, {}, { a: 1 }],
    ['type: string, allOf: [{ $ref: "#/components/schemas/Mood" }]', 'good', 'other'],
    ['type: string, enum: [a]', 'a', 'b'],
    ['enum: [1, 2]', 1, 3],
    ['type: string, minLength: 2', 'ab', 'a'],
    ['type: array, items: { type: integer }', [1], ['x']],
    ['$ref: "#/components/schemas/Home"', home, {}],
  ])('beside %s', async (keywords, valid, invalid) => {
    expect(await validateAll(`{ nullable: true, ${keywords} }`, [null, valid, invalid])).toEqual([true, true, false]);
    const inside = `{ type: object, properties: { p: { type: array, items: { nullable: true, ${keywords} } } } }`;
    expect(await validateAll(inside, [{ p: [null, valid] }, { p: [invalid] }, null])).toEqual([true, false, false]);
    const without = `{ nullable: false, ${keywords} }`;
    expect(await validateAll(without, [null, valid])).toEqual([false, true]);
  });
});
