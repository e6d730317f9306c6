import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGenerator } from '../../src/mock/generate.ts';
import { createMock } from '../../src/mock/mock.ts';
import { extendAjv } from '../../src/openapi/ajv.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import type { Document } from '../../src/openapi/document.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { anySchema, type JsonSchema } from '../support/fixtures/schema-arbitraries.ts';

const ajv = extendAjv(new Ajv2020({ strict: false, allErrors: true, multipleOfPrecision: 8 }));

/** Creates a function that returns the errors of a value against a schema, which may refer to other schemas. */
function createValidator(
  schema: JsonSchema,
  schemas: Readonly<Record<string, JsonSchema>> = {},
): (value: unknown) => string {
  const validate = ajv.compile({ ...schema, components: { schemas } });
  return (value) => (validate(value) ? '' : ajv.errorsText(validate.errors));
}

/** Creates a function that returns the mock's dynamic responses for schemas. */
async function createMockOf<Name extends string>(schemas: Readonly<Record<Name, JsonSchema>>) {
  const paths = Object.keys(schemas).map((name) => {
    return [`/${name}`, { get: createOperation(name, { $ref: `#/components/schemas/${name}` }) }];
  });
  const path = await writeDocument({ schemas, paths: Object.fromEntries(paths) });
  const contract = await loadContract({ path, strict: false });
  const mock = createMock(contract);
  return (name: Name, seed: number): unknown => {
    const route = contract.routes.find(({ operationId }) => operationId === name);
    if (!route) throw new Error(`no schema ${name}`);
    return mock.createResponse(route, { path: {}, query: {}, body: undefined }, { dynamic: true, seed }, '').body;
  };
}

/** Generates a value in one attempt. */
function generateOnce(
  schema: JsonSchema,
  seed: number,
  making: { omitsOptional?: boolean; usesExamples?: boolean } = {},
): unknown {
  const generate = createGenerator({ openapi: '3.1.0' } as Document);
  return generate(schema, { seed, usesExamples: false, omitsOptional: false, query: {}, ...making });
}

it.each([
  [{ type: 'string', format: 'date', pattern: '^2019-' }, /^2019-\d\d-\d\d$/],
  [{ type: 'string', format: 'date', pattern: '^\\d{4}-02-\\d{2}$' }, /^\d{4}-02-[012]\d$/],
  [{ type: 'string', format: 'date-time', pattern: '^2031-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$' }, /^2031-.*Z$/],
  [{ type: 'string', format: 'date', pattern: '-31$' }, /-31$/],
  [{ type: 'string', format: 'date-time', pattern: '\\+\\d{2}:\\d{2}$' }, /\+\d\d:\d\d$/],
  [{ type: 'string', format: 'date-time', pattern: 'T23:59:59' }, /T23:59:59/],
  [{ type: 'string', format: 'date-time', pattern: '-30T12:00:00\\.000Z$' }, /-30T12:00:00\.000Z$/],
])('a generated date matches its format and its pattern: %j', async (schema, expected) => {
  const getValue = await createMockOf({ date: schema });
  for (const seed of [1, 2, 3]) {
    const value = String(getValue('date', seed));
    expect(value).toMatch(expected);
    expect(Number.isNaN(Date.parse(value)), value).toBe(false);
  }
});

it.each([
  ['int8', -128, 127],
  ['uint8', 0, 255],
  ['uint16', 0, 65_535],
  ['uint32', 0, 2 ** 32 - 1],
])('a generated integer has the range of its format %s', (format, least, most) => {
  for (let seed = 0; seed < 50; seed++) {
    const value = generateOnce({ type: 'integer', format }, seed);
    expect(value).toBeGreaterThanOrEqual(least);
    expect(value).toBeLessThanOrEqual(most);
  }
});

it.each<JsonSchema>([
  { type: 'integer', minimum: 5e12, multipleOf: 7 },
  { type: 'integer', minimum: 4e15, multipleOf: 1_000 },
  { type: 'integer', maximum: -3e12, multipleOf: 10 },
  { type: 'integer', format: 'int64', maximum: -9_223_372_036_854_775_000 },
  { type: 'number', format: 'int32', multipleOf: 1 },
])('a generated number is valid far from 0 and in the format of an integer: %j', (schema) => {
  const { multipleOf, ...format } = schema as { readonly multipleOf?: number };
  const validate = createValidator(schema);
  for (let seed = 0; seed < 20; seed++)
    expect(validate(generateOnce('format' in schema && multipleOf === 1 ? format : schema, seed))).toBe('');
});

it.each<JsonSchema>([
  { type: 'array', uniqueItems: true, minItems: 3, items: { type: ['boolean', 'null'] } },
  { type: 'array', uniqueItems: true, minItems: 3, items: { oneOf: [{ const: 1 }, { const: 'x' }, { type: 'null' }] } },
  { type: 'array', uniqueItems: true, minItems: 30, items: { type: 'string', maxLength: 1 } },
  { type: 'array', uniqueItems: true, minItems: 300, items: { type: 'string' } },
  { type: 'array', uniqueItems: true, minItems: 500, items: { type: 'integer' } },
  { type: 'array', uniqueItems: true, minItems: 50, items: { type: 'integer', minimum: 1, maximum: 50 } },
  { type: 'array', uniqueItems: true, minItems: 4, items: { enum: ['a', 'b', 'c', 'd'] } },
])('a generated list has as many different entries as it needs: %j', async (schema) => {
  const getValue = await createMockOf({ list: schema });
  const validate = createValidator(schema);
  for (const seed of [1, 2, 3]) expect(validate(getValue('list', seed))).toBe('');
});

const anySeed = fc.integer({ min: 0, max: 2 ** 31 });

describe('a generated value', () => {
  it('is valid for any schema', async () => {
    const anyDocument = fc.array(anySchema, { minLength: 1, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(anyDocument, anySeed, async (schemas, seed) => {
        const names = schemas.map((schema, place) => [`S${place}`, schema] as const);
        const value = await createMockOf(Object.fromEntries(names));
        for (const [name, schema] of names)
          expect(createValidator(schema)(value(name, seed)), JSON.stringify(schema)).toBe('');
      }),
      { numRuns: 10 },
    );
  });

  it('is the same for the same seed', () => {
    fc.assert(
      fc.property(anySchema, anySeed, (schema, seed) => {
        expect(JSON.stringify(generateOnce(schema, seed))).toBe(JSON.stringify(generateOnce(schema, seed)));
      }),
      { numRuns: 100 },
    );
  });

  it('differs for another seed', () => {
    const schema = { type: 'object', required: ['id'], properties: { id: { type: 'string', format: 'uuid' } } };
    const values = Array.from({ length: 200 }, (_, seed) => JSON.stringify(generateOnce(schema, seed)));
    expect(new Set(values).size).toBe(200);
  });

  it('does not depend on values generated before', async () => {
    const first = await createMockOf({ Id: { type: 'string', format: 'uuid' } });
    const second = await createMockOf({ Id: { type: 'string', format: 'uuid' } });
    first('Id', 1);
    expect(first('Id', 2)).toBe(second('Id', 2));
  });

  it.each<[string, JsonSchema]>([
    ['prices in cents of a currency', { type: 'number', minimum: 0, maximum: 1_000, multipleOf: 0.01 }],
    ['a multiple above the lower bound', { type: 'integer', minimum: 8, maximum: 14, multipleOf: 7 }],
    ['an exclusive bound that is a multiple', { type: 'integer', exclusiveMinimum: 7, maximum: 14, multipleOf: 7 }],
    ['exclusive bounds close together', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1e-9 }],
    ['a narrow range', { type: 'number', exclusiveMinimum: 0.001, exclusiveMaximum: 0.009 }],
    [
      'unique numbers in a narrow range',
      { type: 'array', items: { type: 'number', minimum: 0, maximum: 0.02 }, minItems: 5, uniqueItems: true },
    ],
    ['a multiple outside realistic numbers', { type: 'integer', multipleOf: 3, minimum: -4, maximum: 1 }],
    ['a large multiple', { type: 'integer', multipleOf: 1_000_000 }],
    ['a tiny multiple', { type: 'number', multipleOf: 1e-7, minimum: 0, maximum: 1 }],
    ['a single valid number', { type: 'number', minimum: 2.5, maximum: 2.5 }],
    ['an upper bound below zero', { type: 'integer', maximum: -5_000 }],
    ['large integers', { type: 'integer', format: 'int64', minimum: 9_007_199_254_740_000 }],
    ['a format with lengths', { type: 'string', format: 'email', minLength: 30, maxLength: 40 }],
    ['a short address', { type: 'string', format: 'uri', maxLength: 20 }],
    ['a pattern of a length', { type: 'string', pattern: '^[a-z]*$', minLength: 100, maxLength: 100 }],
    ['a pattern of a few lengths', { type: 'string', pattern: '^[a-z]+$', minLength: 12, maxLength: 14 }],
    ['a pattern of letters of any alphabet', { type: 'string', pattern: '^\\p{Lu}\\p{Ll}+$' }],
    ['two patterns', { allOf: [{ type: 'string', pattern: '^a' }, { pattern: 'z$' }] }],
    [
      'as many unique entries as enum values',
      { type: 'array', items: { enum: [1, 2, 3, 4, 5, 6, 7, 8] }, minItems: 8, uniqueItems: true },
    ],
    [
      'more entries than different ids',
      {
        type: 'array',
        items: { type: 'object', required: ['id'], properties: { id: { type: 'boolean' } } },
        minItems: 3,
      },
    ],
    ['both booleans as unique entries', { type: 'array', items: { type: 'boolean' }, minItems: 2, uniqueItems: true }],
    ['an intersection of enums', { allOf: [{ enum: ['a', 'b', 'c'] }, { enum: ['c', 'd'] }] }],
    ['enums of objects', { allOf: [{ enum: [{ a: 1 }, { a: 2 }] }, { enum: [{ a: 2 }] }] }],
    ['an enum and a bound', { type: 'integer', enum: [1, 5, 9], minimum: 6 }],
    ['two multiples', { allOf: [{ type: 'integer', multipleOf: 4 }, { multipleOf: 6 }] }],
    ['a required property without a schema', { type: 'object', required: ['a'], properties: {} }],
    [
      'required properties named like those of a prototype',
      { type: 'object', required: ['constructor', 'toString'], properties: { toString: { type: 'integer' } } },
    ],
    [
      'as many required properties as there are names',
      { type: 'object', properties: { a: {}, b: {}, c: {} }, minProperties: 3, additionalProperties: false },
    ],
    [
      'a maximum of one property',
      { type: 'object', properties: { a: {}, b: {}, c: {} }, maxProperties: 1, required: ['c'] },
    ],
    ['a pattern for property names', { type: 'object', propertyNames: { pattern: '^[a-z]{3}$' }, minProperties: 3 }],
    ['a maximum of no entries', { type: 'array', maxItems: 0, items: { type: 'string' } }],
    ['items that are never valid', { type: 'array', items: false }],
    [
      'alternatives that overlap',
      {
        oneOf: [
          { type: 'integer', minimum: 0 },
          { type: 'number', maximum: 10 },
        ],
      },
    ],
    ['excluded values', { type: 'integer', minimum: 0, maximum: 3, not: { enum: [0, 1, 2] } }],
    ['null as the only type', { type: ['null'] }],
    ['null as the only alternative', { oneOf: [{ type: 'null' }] }],
  ])('is valid for a schema with %s', async (_, schema) => {
    const value = await createMockOf({ Tricky: schema });
    const validate = createValidator(schema);
    for (let seed = 1; seed <= 5; seed++) expect(validate(value('Tricky', seed))).toBe('');
  });

  it('is the example or default of the schema if examples are used', () => {
    const properties = { a: { type: 'integer', example: 5 }, b: { type: 'string', default: 'x' } };
    expect(generateOnce({ type: 'object', properties }, 1, { usesExamples: true })).toEqual({ a: 5, b: 'x' });
  });

  it('has only required properties and entries if it is minimal', () => {
    const properties = { a: { type: 'integer' }, b: { type: 'array', items: {} }, c: { type: 'string' } };
    const bare = generateOnce({ type: 'object', required: ['b'], properties }, 1, { omitsOptional: true });
    expect(bare).toEqual({ b: [] });
  });

  it('has no writeOnly properties', () => {
    const properties = { a: { type: 'integer' }, secret: { type: 'string', writeOnly: true } };
    for (let seed = 1; seed <= 20; seed++)
      expect(generateOnce({ type: 'object', properties }, seed)).not.toHaveProperty('secret');
  });

  it('names a person in the same way in all properties', () => {
    const text = { type: 'string' };
    const properties = {
      fullName: text,
      email: { ...text, format: 'email' },
      firstName: text,
      last_name: text,
      username: text,
    };
    const schema = { type: 'object', properties, required: Object.keys(properties), title: 'User' };
    const path = { type: 'object', properties: { user: schema }, required: ['user'] };
    for (let seed = 0; seed < 10; seed++) {
      const { user } = generateOnce(path, seed) as { readonly user: Readonly<Record<string, string>> };
      const [first = '', last = ''] = String(user.fullName).split(' ');
      expect(user).toMatchObject({ firstName: first, last_name: last });
      expect(user.email).toBe(`${first}.${last}@example.com`.toLowerCase());
      expect(user.username).toContain(first.toLowerCase());
    }
  });

  it('is realistic for the name of its property', () => {
    const properties = {
      firstName: { type: 'string' },
      email: { type: 'string' },
      priceCents: { type: 'integer' },
      createdAt: { type: 'string', format: 'date-time' },
    };
    const schema = { type: 'object', required: Object.keys(properties), properties };
    for (let seed = 1; seed <= 50; seed++) {
      const result = generateOnce(schema, seed) as Record<keyof typeof properties, string & number>;
      expect(result.firstName).toMatch(/^[A-Z][a-z]+$/);
      expect(result.email).toMatch(/^[a-z.]+@example\.com$/);
      expect(result.priceCents).toBeGreaterThan(100);
      expect(result.priceCents).toBeLessThan(100_000);
      expect(result.createdAt).toMatch(/^2024-/);
    }
  });
});

describe('a value generated from recursive schemas', () => {
  const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const schemas: Record<string, JsonSchema> = {
    Tree: {
      type: 'object',
      required: ['children'],
      properties: { children: { type: 'array', items: reference('Tree') } },
    },
    Linked: {
      type: 'object',
      required: ['next'],
      properties: { next: { anyOf: [reference('Linked'), { type: 'null' }] } },
    },
    Hen: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, egg: reference('Egg') } },
    Egg: { type: 'object', required: ['hen'], properties: { hen: reference('Hen') } },
    Wide: {
      type: 'object',
      properties: Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, reference('Wide')])),
    },
    Expression: {
      oneOf: [{ type: 'integer' }, { type: 'array', minItems: 2, maxItems: 2, items: reference('Expression') }],
    },
    Pet: {
      oneOf: [reference('Cat'), reference('Dog')],
      discriminator: {
        propertyName: 'kind',
        mapping: { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog' },
      },
    },
    Cat: {
      type: 'object',
      required: ['kind', 'lives'],
      properties: { kind: { type: 'string' }, lives: { enum: [9] } },
      additionalProperties: false,
    },
    Dog: {
      type: 'object',
      required: ['kind', 'friend'],
      properties: { kind: { type: 'string' }, friend: reference('Pet') },
      additionalProperties: false,
    },
    Derived: {
      allOf: [reference('Base'), { type: 'object', required: ['own'], properties: { own: reference('Base') } }],
    },
    Base: { type: 'object', required: ['id'], properties: { id: { type: 'string', format: 'uuid' } } },
  };

  it.each(Object.keys(schemas))('is finite and valid: %s', async (name) => {
    const value = await createMockOf(schemas);
    const validate = createValidator(reference(name), schemas);
    for (let seed = 1; seed <= 10; seed++) {
      const result = value(name, seed);
      expect(validate(result)).toBe('');
      expect(JSON.stringify(result).length).toBeLessThan(20_000);
    }
  });

  it('has the discriminator value of its alternative', async () => {
    const value = await createMockOf(schemas);
    for (let seed = 1; seed <= 20; seed++) {
      const pet = value('Pet', seed) as { kind: string };
      expect(pet.kind).toBe('lives' in pet ? 'cat' : 'dog');
    }
  });

  it('fails with the JSON Pointer of a schema that requires endless nesting', async () => {
    const endless = { type: 'object', required: ['next'], properties: { next: reference('Endless') } };
    const value = await createMockOf({ Endless: endless });
    expect(() => value('Endless', 1)).toThrow('no valid value could be generated for the schema at #/paths/~1Endless');
  });
});

it('a generated request body with a list has other numbers than a page of this list', async () => {
  const properties = { pages: { type: 'integer' }, total: { type: 'integer' }, tags: { type: 'array', items: {} } };
  const schema = { type: 'object', required: Object.keys(properties), properties };
  const generate = createGenerator({} as Document, 'readOnly');
  const bodies = [1, 2, 3, 4, 5].map((seed) =>
    generate(schema, { seed, query: {}, usesExamples: false, omitsOptional: true }),
  );
  for (const name of ['pages', 'total'])
    expect(new Set(bodies.map((body) => (body as Record<string, unknown>)[name])).size).toBeGreaterThan(2);
});
