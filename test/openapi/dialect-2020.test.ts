import { describe, expect, it } from 'vitest';
import { createMock } from '../../src/mock/mock.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { findRoute, schemas, withSchema, writeDocument } from './documents.ts';

const SCHEMA = '/paths/~1a/get/responses/200/content/application~1json/schema';

/** Loads a document whose response has a schema. */
async function load(schema: string, more = '') {
  return loadContract({ path: await writeDocument(withSchema(schema, more, '3.1.0')), strict: false });
}

const B = schemas('B: { type: object, required: [b], properties: { b: { type: integer } } }');

describe('a document with keywords of JSON Schema 2020-12', () => {
  it.each<[title: string, schema: string, valid: readonly unknown[], invalid: readonly unknown[]]>([
    [
      'prefixItems',
      '{ type: array, prefixItems: [{ type: number }, { type: string }], items: { type: boolean } }',
      [[], [1], [1, 'a'], [1, 'a', true]],
      [['a'], [1, 2], [1, 'a', 'b']],
    ],
    [
      'items: false after prefixItems',
      '{ type: array, prefixItems: [{ type: number }], items: false, minItems: 1 }',
      [[1]],
      [[], [1, 2]],
    ],
    [
      'an array of items, as in earlier drafts',
      '{ type: array, items: [{ type: number }], additionalItems: false, minItems: 1 }',
      [[1]],
      [['a'], [1, 2]],
    ],
    [
      'unevaluatedProperties',
      '{ allOf: [{ $ref: "#/components/schemas/B" }], properties: { a: { type: string } }, unevaluatedProperties: false }',
      [{ b: 1 }, { a: 'x', b: 1 }],
      [{ b: 1, c: 1 }, { a: 'x' }],
    ],
    [
      'unevaluatedItems',
      '{ type: array, prefixItems: [{ type: number }], unevaluatedItems: false }',
      [[], [1]],
      [['a'], [1, 1]],
    ],
    [
      'dependentSchemas',
      '{ type: object, properties: { a: {} }, dependentSchemas: { a: { required: [b] } } }',
      [{}, { a: 1, b: 1 }],
      [{ a: 1 }],
    ],
    [
      'dependentRequired',
      '{ type: object, properties: { a: {} }, dependentRequired: { a: [b] } }',
      [{}, { a: 1, b: 1 }],
      [{ a: 1 }],
    ],
    [
      'minContains and maxContains',
      '{ type: array, contains: { const: 7 }, minContains: 2, maxContains: 3 }',
      [
        [7, 7],
        [7, 1, 7, 7],
      ],
      [[7], [7, 7, 7, 7]],
    ],
    [
      'if, then and else',
      '{ type: object, properties: { a: {} }, if: { required: [a] }, then: { required: [b] }, else: { required: [c] } }',
      [{ a: 1, b: 1 }, { c: 1 }],
      [{ a: 1 }, {}],
    ],
    [
      'keywords beside a reference',
      '{ $ref: "#/components/schemas/B", required: [a], properties: { a: { const: x } } }',
      [{ a: 'x', b: 1 }],
      [{ b: 1 }, { a: 'x' }, { a: 'y', b: 1 }],
    ],
    ['contentMediaType', '{ type: string, contentMediaType: image/png, contentEncoding: base64 }', ['AAAA'], [1]],
  ])('validates and mocks %s', async (_, schema, valid, invalid) => {
    const contract = await load(schema, B);
    expect(valid.filter((value) => !contract.isValid(SCHEMA, value))).toEqual([]);
    expect(invalid.filter((value) => contract.isValid(SCHEMA, value))).toEqual([]);
    const { body } = createMock(contract).createResponse(
      findRoute(contract, 'GET', '/a'),
      { path: {}, query: {}, body: undefined },
      { dynamic: true },
      '',
    );
    expect(contract.isValid(SCHEMA, body), JSON.stringify(body)).toBe(true);
  });

  it.each<[title: string, schema: string, valid: unknown, invalid: unknown]>([
    [
      'properties that a condition allows',
      '{ type: object, properties: { a: {} }, if: { required: [a] }, then: { properties: { b: {} } } }',
      { a: 1, b: 1 },
      { a: 1, c: 1 },
    ],
    [
      'properties that unevaluatedProperties allows',
      '{ type: object, properties: { a: {} }, unevaluatedProperties: { type: integer } }',
      { a: 1, c: 1 },
      { a: 1, c: 'x' },
    ],
    [
      'the properties of an alternative',
      '{ type: object, properties: { a: {} }, oneOf: [{ $ref: "#/components/schemas/B" }, { properties: { c: {} }, required: [c] }] }',
      { a: 1, b: 1 },
      { a: 1, b: 1, d: 1 },
    ],
  ])('reports unknown properties, but not %s', async (_, schema, valid, invalid) => {
    const contract = await load('{}', B.replace('schemas: {', `schemas: { A: ${schema},`));
    expect(contract.validateData('A', valid)).toEqual([]);
    expect(contract.validateData('A', invalid)).not.toEqual([]);
  });
});

describe('extensions and data of a document', () => {
  it.each([
    ['a reference in an extension', '{ type: integer, x-link: { $ref: "#/nowhere" } }'],
    ['an unknown type in an extension', '{ type: integer, x-go: { type: int64, required: yes } }'],
    ['a schema id in an extension', '{ type: integer, x-a: { $id: q }, x-b: { $id: q } }'],
    ['a reference in an example', '{ type: integer, example: { $ref: "./nowhere.json" } }'],
    ['a reference in a default value', '{ type: integer, default: { $ref: "#/nowhere" } }'],
    ['a reference in an enum', '{ enum: [1, { $ref: "#/nowhere" }] }'],
    ['a reference in a const', '{ anyOf: [{ const: { $ref: "#/nowhere" } }, { type: integer }] }'],
  ])('are not followed: %s', async (_, schema) => {
    const contract = await load(schema);
    expect([contract.warning, contract.isValid(SCHEMA, 1), contract.isValid(SCHEMA, 'x')]).toEqual([
      undefined,
      true,
      false,
    ]);
  });
});
