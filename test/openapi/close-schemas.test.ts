import { describe, expect, it } from 'vitest';
import { closeSchemas } from '../../src/openapi/close-schemas.ts';

/** Closes a schema in a document that also has the schema `Base`. */
function closeSchema(schema: unknown): unknown {
  const Base = { type: 'object', required: ['a'], properties: { a: { type: 'string' } } };
  const document = {
    openapi: '3.0.3',
    info: { title: 't', version: '1' },
    paths: {},
    components: { schemas: { Base, schema } },
  };
  const { components } = closeSchemas(document as never) as unknown as { components: { schemas: { schema: unknown } } };
  return components.schemas.schema;
}

const BASE = { $ref: '#/components/schemas/Base' };
const A = { type: 'string' };
const B = { type: 'integer' };

describe('closeSchemas', () => {
  it.each<[string, unknown, unknown]>([
    [
      'an object',
      { type: 'object', properties: { a: A } },
      { type: 'object', properties: { a: A }, additionalProperties: false },
    ],
    ['an object without a type', { properties: { a: A } }, { properties: { a: A }, additionalProperties: false }],
    [
      'an object in an array',
      { type: 'array', items: { type: 'object', properties: {} } },
      { type: 'array', items: { type: 'object', properties: {}, additionalProperties: false } },
    ],
    [
      'a property with the name of a keyword',
      { type: 'object', properties: { default: { type: 'object', properties: {} } } },
      {
        type: 'object',
        properties: { default: { type: 'object', properties: {}, additionalProperties: false } },
        additionalProperties: false,
      },
    ],
    [
      'an allOf of objects',
      { allOf: [BASE, { properties: { b: B } }] },
      { type: 'object', properties: { a: A, b: B }, required: ['a'], additionalProperties: false },
    ],
    [
      'an allOf with properties beside it',
      { required: ['b'], properties: { b: B }, allOf: [BASE] },
      { type: 'object', properties: { a: A, b: B }, required: ['a', 'b'], additionalProperties: false },
    ],
    [
      'an allOf whose parts share a property',
      { allOf: [BASE, { properties: { a: { enum: ['x'] } } }] },
      {
        type: 'object',
        properties: { a: { allOf: [A, { enum: ['x'] }] } },
        required: ['a'],
        additionalProperties: false,
      },
    ],
  ])('adds additionalProperties: false to %s', (_, schema, expected) => {
    expect(closeSchema(schema)).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ['an object with additionalProperties', { type: 'object', properties: { a: A }, additionalProperties: A }],
    ['an object without properties', { type: 'object' }],
    ['an allOf of strings', { allOf: [{ type: 'string' }, { minLength: 2 }] }],
    ['values that look like schemas', { type: 'string', example: { type: 'object', properties: {} } }],
  ])('does not change %s', (_, schema) => {
    expect(closeSchema(schema)).toEqual(schema);
  });
});
