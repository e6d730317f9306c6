import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGenerator } from '../../src/mock/generate.ts';
import { createMock } from '../../src/mock/mock.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import type { Document } from '../../src/openapi/document.ts';
import { addJsonFormats } from '../../src/openapi/formats.ts';
import { createRandom } from '../../src/util/random.ts';
import { operation, otherDocument } from '../support/fixtures/other-document.ts';
import { anySchema, type JsonSchema } from '../support/fixtures/schema-arbitraries.ts';

const ajv = addJsonFormats(new Ajv2020({ strict: false, allErrors: true, multipleOfPrecision: 8 }));

/** Tells what is wrong with a value by a schema, which may refer to others of the document. */
function judgeOf(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>> = {}): (value: unknown) => string {
  const validate = ajv.compile({ ...schema, components: { schemas } });
  return (value) => (validate(value) ? '' : ajv.errorsText(validate.errors));
}

/** Makes values of schemas as the mock answers them. */
async function mockOf<Name extends string>(schemas: Readonly<Record<Name, JsonSchema>>) {
  const paths = Object.keys(schemas).map((name) => {
    return [`/${name}`, { get: operation(name, { $ref: `#/components/schemas/${name}` }) }];
  });
  const path = await otherDocument({ schemas, paths: Object.fromEntries(paths) });
  const contract = await loadContract({ path, strict: false });
  const mock = createMock(contract);
  return (name: Name, seed: number): unknown => {
    const route = contract.routes.find(({ operationId }) => operationId === name);
    if (!route) throw new Error(`there is no schema ${name}`);
    return mock.answer(route, { path: {}, query: {}, body: undefined }, { dynamic: true, seed }, '').body;
  };
}

/** A value as it is made in one pass. */
function madeOf(schema: JsonSchema, seed: number, making: { isBare?: boolean; usesExamples?: boolean } = {}): unknown {
  const generate = createGenerator({ openapi: '3.1.0' } as Document);
  return generate(schema, { random: createRandom(seed), usesExamples: false, isBare: false, query: {}, ...making });
}

const anySeed = fc.integer({ min: 0, max: 2 ** 31 });

describe('a value of a schema', () => {
  it('holds by it, whatever the schema', async () => {
    const anyDocument = fc.array(anySchema, { minLength: 1, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(anyDocument, anySeed, async (schemas, seed) => {
        const names = schemas.map((schema, place) => [`S${place}`, schema] as const);
        const value = await mockOf(Object.fromEntries(names));
        for (const [name, schema] of names) expect(judgeOf(schema)(value(name, seed)), JSON.stringify(schema)).toBe('');
      }),
      { numRuns: 10 },
    );
  });

  it('is the same for the same seed', () => {
    fc.assert(
      fc.property(anySchema, anySeed, (schema, seed) => {
        expect(JSON.stringify(madeOf(schema, seed))).toBe(JSON.stringify(madeOf(schema, seed)));
      }),
      { numRuns: 100 },
    );
  });

  it('is another one for another seed', () => {
    const schema = { type: 'object', required: ['id'], properties: { id: { type: 'string', format: 'uuid' } } };
    const values = Array.from({ length: 200 }, (_, seed) => JSON.stringify(madeOf(schema, seed)));
    expect(new Set(values).size).toBe(200);
  });

  it('is the same whatever was made before it', async () => {
    const first = await mockOf({ Id: { type: 'string', format: 'uuid' } });
    const second = await mockOf({ Id: { type: 'string', format: 'uuid' } });
    first('Id', 1);
    expect(first('Id', 2)).toBe(second('Id', 2));
  });

  it.each<[string, JsonSchema]>([
    ['prices in cents of a currency', { type: 'number', minimum: 0, maximum: 1_000, multipleOf: 0.01 }],
    ['a step that passes the lower bound', { type: 'integer', minimum: 8, maximum: 14, multipleOf: 7 }],
    ['an exclusive bound that is a multiple', { type: 'integer', exclusiveMinimum: 7, maximum: 14, multipleOf: 7 }],
    ['exclusive bounds close together', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1e-9 }],
    ['a narrow range', { type: 'number', exclusiveMinimum: 0.001, exclusiveMaximum: 0.009 }],
    [
      'different ones of a narrow range',
      { type: 'array', items: { type: 'number', minimum: 0, maximum: 0.02 }, minItems: 5, uniqueItems: true },
    ],
    ['a step past the usual numbers', { type: 'integer', multipleOf: 3, minimum: -4, maximum: 1 }],
    ['a large step', { type: 'integer', multipleOf: 1_000_000 }],
    ['a tiny step', { type: 'number', multipleOf: 1e-7, minimum: 0, maximum: 1 }],
    ['no choice', { type: 'number', minimum: 2.5, maximum: 2.5 }],
    ['an upper bound below zero', { type: 'integer', maximum: -5_000 }],
    ['large whole numbers', { type: 'integer', format: 'int64', minimum: 9_007_199_254_740_000 }],
    ['a format with lengths', { type: 'string', format: 'email', minLength: 30, maxLength: 40 }],
    ['a short address', { type: 'string', format: 'uri', maxLength: 20 }],
    ['a pattern of a length', { type: 'string', pattern: '^[a-z]*$', minLength: 100, maxLength: 100 }],
    ['a pattern of a few lengths', { type: 'string', pattern: '^[a-z]+$', minLength: 12, maxLength: 14 }],
    ['a pattern of letters of any alphabet', { type: 'string', pattern: '^\\p{Lu}\\p{Ll}+$' }],
    ['one pattern and another', { allOf: [{ type: 'string', pattern: '^a' }, { pattern: 'z$' }] }],
    [
      'all of a list of choices',
      { type: 'array', items: { enum: [1, 2, 3, 4, 5, 6, 7, 8] }, minItems: 8, uniqueItems: true },
    ],
    ['both truths', { type: 'array', items: { type: 'boolean' }, minItems: 2, uniqueItems: true }],
    ['choices that two lists share', { allOf: [{ enum: ['a', 'b', 'c'] }, { enum: ['c', 'd'] }] }],
    ['choices of objects', { allOf: [{ enum: [{ a: 1 }, { a: 2 }] }, { enum: [{ a: 2 }] }] }],
    ['a choice within a bound', { type: 'integer', enum: [1, 5, 9], minimum: 6 }],
    ['steps of two', { allOf: [{ type: 'integer', multipleOf: 4 }, { multipleOf: 6 }] }],
    ['a name that the properties lack', { type: 'object', required: ['a'], properties: {} }],
    [
      'a name like one of a prototype',
      { type: 'object', required: ['constructor', 'toString'], properties: { toString: { type: 'integer' } } },
    ],
    [
      'as many properties as are named',
      { type: 'object', properties: { a: {}, b: {}, c: {} }, minProperties: 3, additionalProperties: false },
    ],
    [
      'few properties of many',
      { type: 'object', properties: { a: {}, b: {}, c: {} }, maxProperties: 1, required: ['c'] },
    ],
    ['names of a pattern', { type: 'object', propertyNames: { pattern: '^[a-z]{3}$' }, minProperties: 3 }],
    ['a list without entries', { type: 'array', maxItems: 0, items: { type: 'string' } }],
    ['a list that may have none of its kind', { type: 'array', items: false }],
    [
      'alternatives that overlap',
      {
        oneOf: [
          { type: 'integer', minimum: 0 },
          { type: 'number', maximum: 10 },
        ],
      },
    ],
    ['what is not there', { type: 'integer', minimum: 0, maximum: 3, not: { enum: [0, 1, 2] } }],
    ['nothing but null', { type: ['null'] }],
    ['null or null', { oneOf: [{ type: 'null' }] }],
  ])('holds by one that is a trap: %s', async (_, schema) => {
    const value = await mockOf({ Trap: schema });
    const troubles = judgeOf(schema);
    for (let seed = 1; seed <= 5; seed++) expect(troubles(value('Trap', seed))).toBe('');
  });

  it('is made of the example or default that a schema gives, where examples are wished for', () => {
    const properties = { a: { type: 'integer', example: 5 }, b: { type: 'string', default: 'x' } };
    expect(madeOf({ type: 'object', properties }, 1, { usesExamples: true })).toEqual({ a: 5, b: 'x' });
  });

  it('has only what must be there, where it is bare', () => {
    const properties = { a: { type: 'integer' }, b: { type: 'array', items: {} }, c: { type: 'string' } };
    const bare = madeOf({ type: 'object', required: ['b'], properties }, 1, { isBare: true });
    expect(bare).toEqual({ b: [] });
  });

  it('leaves out what only requests have', () => {
    const properties = { a: { type: 'integer' }, secret: { type: 'string', writeOnly: true } };
    for (let seed = 1; seed <= 20; seed++)
      expect(madeOf({ type: 'object', properties }, seed)).not.toHaveProperty('secret');
  });

  it('looks like what its name says', () => {
    const properties = {
      firstName: { type: 'string' },
      email: { type: 'string' },
      priceCents: { type: 'integer' },
      createdAt: { type: 'string', format: 'date-time' },
    };
    const schema = { type: 'object', required: Object.keys(properties), properties };
    for (let seed = 1; seed <= 50; seed++) {
      const made = madeOf(schema, seed) as Record<keyof typeof properties, string & number>;
      expect(made.firstName).toMatch(/^[A-Z][a-z]+$/);
      expect(made.email).toMatch(/^[a-z.]+@example\.com$/);
      expect(made.priceCents).toBeGreaterThan(100);
      expect(made.priceCents).toBeLessThan(100_000);
      expect(made.createdAt).toMatch(/^2025-/);
    }
  });
});

describe('a value of schemas that refer to one another', () => {
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

  it.each(Object.keys(schemas))('ends, and holds: %s', async (name) => {
    const value = await mockOf(schemas);
    const troubles = judgeOf(reference(name), schemas);
    for (let seed = 1; seed <= 10; seed++) {
      const made = value(name, seed);
      expect(troubles(made)).toBe('');
      expect(JSON.stringify(made).length).toBeLessThan(20_000);
    }
  });

  it('tells by the discriminator which one it is', async () => {
    const value = await mockOf(schemas);
    for (let seed = 1; seed <= 20; seed++) {
      const pet = value('Pet', seed) as { kind: string };
      expect(pet.kind).toBe('lives' in pet ? 'cat' : 'dog');
    }
  });

  it('that cannot end is refused with its place', async () => {
    const endless = { type: 'object', required: ['next'], properties: { next: reference('Endless') } };
    const value = await mockOf({ Endless: endless });
    expect(() => value('Endless', 1)).toThrow('no valid value was found for the schema at #/paths/~1Endless');
  });
});
