import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCompleter } from '../../src/mock/complete-value.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { anySchema, type JsonSchema } from '../support/fixtures/schema-arbitraries.ts';

/** Creates a function that completes values for component schemas, and checks that the results are valid. */
async function createCompleterOf(schemas: Readonly<Record<string, JsonSchema>>) {
  const contract = await loadContract({ path: await writeDocument({ schemas }), strict: false });
  const completeValue = createCompleter(contract);
  return (name: string, value: unknown, seed = 1) => {
    const schema = `/components/schemas/${name}`;
    const result = completeValue(schema, value, seed);
    expect(contract.getErrors(schema, result.value), JSON.stringify(result)).toEqual([]);
    return result;
  };
}

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Pet: {
    type: 'object',
    required: ['id', 'name', 'weight', 'owner'],
    properties: {
      id: { type: 'integer' },
      name: { type: 'string' },
      weight: { type: 'integer', minimum: 1 },
      status: { type: 'string', enum: ['here', 'gone'], default: 'here' },
      owner: reference('Owner'),
      tags: { type: 'array', items: { type: 'string', minLength: 2 }, uniqueItems: true },
      secret: { type: 'string', writeOnly: true },
      born: { type: 'string', format: 'date' },
    },
  },
  Owner: { type: 'object', required: ['email'], properties: { email: { type: 'string', format: 'email' } } },
  Pets: {
    type: 'object',
    required: ['data', 'total'],
    properties: { data: { type: 'array', items: reference('Pet') }, total: { type: 'integer' } },
  },
  Animal: { oneOf: [reference('Cat'), reference('Dog')], discriminator: { propertyName: 'kind' } },
  Cat: {
    type: 'object',
    required: ['kind', 'lives'],
    properties: { kind: { type: 'string' }, lives: { type: 'integer', maximum: 9 } },
  },
  Dog: {
    type: 'object',
    required: ['kind', 'barks', 'born'],
    properties: { kind: { type: 'string' }, barks: { type: 'boolean' }, born: { type: 'string', format: 'date' } },
  },
  Contact: {
    anyOf: [
      { type: 'object', required: ['phone'], properties: { phone: { type: 'string' } } },
      { type: 'object', required: ['fax', 'name'], properties: { fax: { type: 'integer' }, name: { type: 'string' } } },
    ],
  },
  // Each alternative matches an object without the type of its lock.
  Door: {
    oneOf: ['key', 'code'].map((type) => ({
      type: 'object',
      required: ['lock'],
      properties: {
        lock: { type: 'object', properties: { type: { type: 'string', enum: [type] }, [type]: { type: 'string' } } },
      },
    })),
  },
  Payment: {
    type: 'object',
    properties: { method: { type: 'string' }, card: { type: 'string' }, note: { type: 'string' } },
    if: { properties: { method: { const: 'card' } }, required: ['method'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['card'] },
  },
  Open: {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'integer' } },
    additionalProperties: { type: 'integer' },
  },
  Derived: {
    allOf: [reference('Owner'), { type: 'object', required: ['age'], properties: { age: { type: 'integer' } } }],
  },
  Tree: {
    type: 'object',
    required: ['name', 'children'],
    properties: { name: { type: 'string' }, children: { type: 'array', items: reference('Tree') } },
  },
  Filled: { type: 'object', minProperties: 2, properties: { a: { type: 'integer' }, b: { type: 'integer' } } },
  Endless: { type: 'object', required: ['next'], properties: { next: reference('Endless') } },
};

let completer: ReturnType<typeof createCompleterOf> | undefined;

/** Returns a function that completes values of `SCHEMAS`. The tests share it, because it keeps nothing between two values. */
function getCompleter(): ReturnType<typeof createCompleterOf> {
  completer ??= createCompleterOf(SCHEMAS);
  return completer;
}

const PET = { id: 7, name: 'Rex', weight: 5, owner: { email: 'a@example.com' } };

describe('completeValue', () => {
  it('returns a complete value itself', async () => {
    const completeValue = await getCompleter();
    const { value, generated } = completeValue('Pet', PET);
    expect(value).toBe(PET);
    expect(generated).toEqual([]);
  });

  it.each<[string, string, unknown, unknown, readonly string[]]>([
    [
      'generates required properties',
      'Pet',
      { id: 7, name: 'Rex', owner: {} },
      { id: 7, name: 'Rex', weight: expect.any(Number), owner: { email: expect.stringContaining('@') } },
      ['/owner/email', '/weight'],
    ],
    [
      'generates required properties of entries',
      'Pets',
      { data: [{ ...PET, weight: undefined }], total: 1 },
      { data: [{ ...PET, weight: expect.any(Number) }], total: 1 },
      ['/data/*/weight'],
    ],
    ['omits writeOnly and undocumented properties', 'Pet', { ...PET, secret: 's', other: 1 }, PET, []],
    [
      'omits undocumented properties of a derived schema',
      'Derived',
      { email: 'a@example.com', age: 3, other: 1 },
      { email: 'a@example.com', age: 3 },
      [],
    ],
    [
      'chooses the alternative by values of inner objects',
      'Door',
      { lock: { type: 'code', code: '1234' } },
      { lock: { type: 'code', code: '1234' } },
      [],
    ],
    ['keeps additional properties that the schema allows', 'Open', { a: 1, b: 2 }, { a: 1, b: 2 }, []],
    ['omits additional properties that are invalid', 'Open', { a: 1, b: 'x' }, { a: 1 }, []],
    [
      'replaces an invalid required property',
      'Pet',
      { ...PET, weight: 0 },
      { ...PET, weight: expect.any(Number) },
      ['/weight'],
    ],
    [
      'replaces a required property of another type',
      'Pet',
      { ...PET, weight: '5' },
      { ...PET, weight: expect.any(Number) },
      ['/weight'],
    ],
    ['omits an invalid optional property', 'Pet', { ...PET, born: 'yesterday', status: 'lost' }, PET, []],
    ['omits repeated entries', 'Pet', { ...PET, tags: ['old', 'new', 'old'] }, { ...PET, tags: ['old', 'new'] }, []],
    [
      'replaces an invalid entry',
      'Pet',
      { ...PET, tags: ['old', 'x'] },
      { ...PET, tags: ['old', expect.any(String)] },
      ['/tags/*'],
    ],
    [
      'uses the alternative of the discriminator',
      'Animal',
      { kind: 'Dog', barks: true },
      { kind: 'Dog', barks: true, born: expect.any(String) },
      ['/born'],
    ],
    [
      'repairs the alternative of the discriminator',
      'Animal',
      { kind: 'Dog', barks: true, born: 'x' },
      { kind: 'Dog', barks: true, born: expect.any(String) },
      ['/born'],
    ],
    [
      'uses the alternative with the properties of the value',
      'Contact',
      { fax: 5 },
      { fax: 5, name: expect.any(String) },
      ['/name'],
    ],
    [
      'generates what a condition requires',
      'Payment',
      { method: 'card', note: 'n' },
      { method: 'card', note: 'n', card: expect.any(String) },
      ['/card'],
    ],
    ['generates nothing for a condition that is not met', 'Payment', { method: 'cash' }, { method: 'cash' }, []],
    [
      'completes recursive values',
      'Tree',
      { name: 'a', children: [{ name: 'b' }] },
      { name: 'a', children: [{ name: 'b', children: expect.any(Array) }] },
      ['/children/*/children'],
    ],
    ['adds optional properties up to the minimum number', 'Filled', { a: 1 }, { a: 1, b: expect.any(Number) }, ['/b']],
    ['generates a missing value', 'Owner', undefined, { email: expect.any(String) }, ['']],
    ['replaces a value of another type', 'Owner', 'x', { email: expect.any(String) }, ['']],
  ])('%s', async (_, name, value, expected, generated) => {
    const completeValue = await getCompleter();
    const result = completeValue(name, value);
    expect(result.value).toEqual(expected);
    expect(result.generated.toSorted()).toEqual(generated);
  });

  it('generates the same value for an object with an id, alone and at any place of a list', async () => {
    const completeValue = await getCompleter();
    const [first, second] = [7, 8].map((id) => ({ id, name: 'Rex', owner: {} }));
    const alone = completeValue('Pet', second).value;
    expect(completeValue('Pet', second).value).toEqual(alone);
    expect(completeValue('Pets', { data: [first, second], total: 2 }).value).toMatchObject({
      data: [{ id: 7 }, alone],
    });
    expect(completeValue('Pets', { data: [second], total: 1 }).value).toMatchObject({ data: [alone] });
    expect(completeValue('Pet', second, 2).value).not.toEqual(alone);
  });

  it('keeps the value of a schema that requires endless nesting', async () => {
    const contract = await loadContract({ path: await writeDocument({ schemas: SCHEMAS }), strict: false });
    const value = { next: {} };
    expect(createCompleter(contract)('/components/schemas/Endless', value, 1).value).toEqual(value);
  });

  it('returns a valid value for any schema and any value', async () => {
    const anyValue = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom('id', 'name', 'kind', 'one', 'tags'), fc.jsonValue()),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(anySchema, anyValue), { minLength: 1, maxLength: 10 }), async (pairs) => {
        const completeValue = await createCompleterOf(
          Object.fromEntries(pairs.map(([schema], index) => [`S${index}`, schema])),
        );
        for (const [index, [, value]] of pairs.entries()) completeValue(`S${index}`, value);
      }),
      { numRuns: 20 },
    );
  });
});
