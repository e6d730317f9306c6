import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const names = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);

/** Schemas that require the next schema twice. */
const DOUBLED = Object.fromEntries(
  names(60).map((name, index) => {
    const next = index === 59 ? { type: 'string' } : reference(`p${index + 1}`);
    return [name, { type: 'object', required: ['a', 'b'], properties: { a: next, b: next } }];
  }),
);

/** A recursive schema with two alternatives for each level. A value of 90 levels would need 2^90 comparisons. */
const TREE = {
  oneOf: [
    { type: 'object', properties: { child: reference('tree') } },
    { type: 'object', properties: { child: reference('tree'), name: { type: 'string' } } },
  ],
};

/** Starts a mock with one operation, whose response and request body have a schema. */
async function startMock(schema: object) {
  const requestBody = { content: { 'application/json': { schema } } };
  const paths = { '/a': { get: createOperation('get', schema), post: createOperation('send', {}, { requestBody }) } };
  const contract = await writeDocument({ paths, schemas: { ...DOUBLED, tree: TREE } });
  return startStorefront({ contract, mock: true, errorsExpected: true });
}

describe('a schema that requires too much', () => {
  it.each<[title: string, schema: object]>([
    ['1,000,000,000 entries', { type: 'array', minItems: 1e9, items: { type: 'integer' } }],
    ['1,000,000,000 matching entries', { type: 'array', contains: { const: 1 }, minContains: 1e9 }],
    ['1,000,000,000 characters', { type: 'string', minLength: 1e9 }],
    ['1,000,000,000 characters by its pattern', { type: 'string', pattern: '^x{1000000000}$' }],
    ['1,000,000,000 characters and a short pattern', { type: 'string', pattern: '^x', minLength: 1e9 }],
    ['1,000,000,000 properties', { type: 'object', minProperties: 1e9, additionalProperties: { type: 'string' } }],
    ['200,000 properties by name', { type: 'object', required: names(200_000) }],
    ['twice as many values at each level', reference('p0')],
  ])('causes an error with its place: %s', async (_title, schema) => {
    const { ask } = await startMock(schema);
    for (const prefer of ['dynamic=true', 'dynamic=true, seed=2']) {
      const { status, body } = await ask('GET', '/a', undefined, { prefer });
      expect(status).toBe(500);
      expect(body.detail).toBe(
        'no valid value could be generated for the schema at #/paths/~1a/get/responses/200/content/application~1json/schema, because it requires too many values or too long strings: add an example',
      );
    }
    expect((await ask('GET', '/_control/health')).status).toBe(200);
  });

  it('refuses a value for which too many alternatives must be compared', async () => {
    const { ask } = await startMock(reference('tree'));
    const { status, body } = await ask('POST', '/a', `${'{"child":'.repeat(90)}1${'}'.repeat(90)}`);
    expect(status).toBe(400);
    expect(body.detail).toContain('with the alternatives of the schema takes too long: use a smaller value');
  });
});

describe('a generated value', () => {
  it.each<[schema: object, expected: RegExp]>([
    [{ type: 'string', pattern: '^[\\u4e00-\\u9fa5]{2,4}$' }, /^"[\u4e00-\u9fa5]{2,4}"$/],
    [{ type: 'string', pattern: '^[a-z]+(-[a-z]+)*$', minLength: 30, maxLength: 30 }, /^"[a-z-]{30}"$/],
    [{ type: 'string', pattern: '^(?=.*\\d)(?=.*[a-z])(?=.*[A-Z]).{8,12}$' }, /^".{8,12}"$/],
    [{ type: 'string', pattern: '^(\\w+\\s?)*$', minLength: 50, maxLength: 60 }, /^"[\w\s]{50,60}"$/],
    [{ type: 'integer', format: 'int32', minimum: 2_147_483_647 }, /^2147483647$/],
    [{ type: 'integer', format: 'int32', maximum: -2_147_483_648 }, /^-2147483648$/],
  ])('is found for %j', async (schema, expected) => {
    const { ask } = await startMock(schema);
    const { status, text } = await ask('GET', '/a');
    expect([status, text]).toEqual([200, expect.stringMatching(expected)]);
  });
});

describe('loadContract refuses', () => {
  it.each(['-a', 'é', 'a'])('aliases of the anchor %s that multiply', async (name) => {
    const path = await writeDocument({});
    const levels = Array.from({ length: 12 }, (_, index) => {
      const aliases = Array.from({ length: 10 }, () => `*${name}${index}`).join(', ');
      return `x-${index + 1}: &${name}${index + 1} [${aliases} ]`;
    });
    await writeFile(path, ['openapi: 3.0.3', 'paths: {}', `x-0: &${name}0 [1]`, ...levels].join('\n'));
    await expect(loadContract({ path, strict: false })).rejects.toThrow(
      /has \d+ values after its aliases are resolved/,
    );
  });

  it('a reference that leads through more than 100 others', async () => {
    const chain = names(200).map((name, index) => [name, index === 199 ? {} : reference(`p${index + 1}`)]);
    const path = await writeDocument({ schemas: Object.fromEntries(chain) });
    await expect(loadContract({ path, strict: false })).rejects.toThrow('leads through more than 100 references');
  });
});
