import { describe, expect, it } from 'vitest';
import { closeSchemas } from '../../src/openapi/close-schemas.ts';

/** What closing makes of a schema, in a document that has `Base` beside it. */
function closedSchema(schema: unknown): unknown {
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

describe('a closed document', () => {
  it.each<[string, unknown, unknown]>([
    [
      'an object',
      { type: 'object', properties: { a: A } },
      { type: 'object', properties: { a: A }, additionalProperties: false },
    ],
    [
      'an object whose type is left out',
      { properties: { a: A } },
      { properties: { a: A }, additionalProperties: false },
    ],
    [
      'an object within',
      { type: 'array', items: { type: 'object', properties: {} } },
      { type: 'array', items: { type: 'object', properties: {}, additionalProperties: false } },
    ],
    [
      'properties with the names of keywords',
      { type: 'object', properties: { default: { type: 'object', properties: {} } } },
      {
        type: 'object',
        properties: { default: { type: 'object', properties: {}, additionalProperties: false } },
        additionalProperties: false,
      },
    ],
    [
      'an allOf',
      { allOf: [BASE, { properties: { b: B } }] },
      { type: 'object', properties: { a: A, b: B }, required: ['a'], additionalProperties: false },
    ],
    [
      'an allOf with properties beside it',
      { required: ['b'], properties: { b: B }, allOf: [BASE] },
      { type: 'object', properties: { a: A, b: B }, required: ['a', 'b'], additionalProperties: false },
    ],
    [
      'a name in two parts of an allOf',
      { allOf: [BASE, { properties: { a: { enum: ['x'] } } }] },
      {
        type: 'object',
        properties: { a: { allOf: [A, { enum: ['x'] }] } },
        required: ['a'],
        additionalProperties: false,
      },
    ],
  ])('takes no other properties: %s', (_, schema, expected) => {
    expect(closedSchema(schema)).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ['an object that says what else it takes', { type: 'object', properties: { a: A }, additionalProperties: A }],
    ['an object without properties', { type: 'object' }],
    ['an allOf of other things', { allOf: [{ type: 'string' }, { minLength: 2 }] }],
    ['values that look like schemas', { type: 'string', example: { type: 'object', properties: {} } }],
  ])('leaves alone %s', (_, schema) => {
    expect(closedSchema(schema)).toEqual(schema);
  });
});
