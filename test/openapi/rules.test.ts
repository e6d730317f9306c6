import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';

const NUMBER = { type: 'integer' };

/** Returns what a strict contract reports for a body whose schema has rules about its properties; undefined if the body is valid. */
async function findingsFor(rules: object, body: unknown) {
  const schema = { type: 'object', properties: { a: NUMBER, b: NUMBER, c: NUMBER }, ...rules };
  const add = {
    operationId: 'add',
    requestBody: { content: { 'application/json': { schema } } },
    responses: { 200: { description: 'd' } },
  };
  const path = await writeDocument({ paths: { '/': { post: add } } });
  const contract = await loadContract({ path, strict: true });
  const [route] = contract.routes;
  if (!route) throw new Error('the contract has no operation');
  const received = contract.validateRequest(route, {
    path: '/',
    query: {},
    headers: {},
    contentType: 'application/json',
    body,
  });
  return received.kind === 'violations' ? received : undefined;
}

const ONE_OF_TWO = { anyOf: [{ required: ['a'] }, { required: ['b', 'c'] }] };
const NOT_BOTH = { not: { required: ['a', 'b'] } };
const NEITHER_WITH_C = { not: { required: ['c'], anyOf: [{ required: ['a'] }, { required: ['b'] }] } };
const NO_B_WITH_1 = { not: { required: ['b'], properties: { a: { enum: [1] } } } };
const EXPLAINED = { allOf: [{ description: 'Remove a or b: they exclude each other', ...NOT_BOTH }] };
const SLUG = { properties: { a: { type: 'string', pattern: '^[a-z]+$', minLength: 3, maxLength: 40 } } };
const SHORT_NAMES = { properties: {}, additionalProperties: NUMBER, propertyNames: { pattern: '^[a-z]$' } };

describe('an exclusive limit of a number', () => {
  it.each<readonly [limits: object, value: number, detail: string]>([
    [{ exclusiveMinimum: 0 }, 0, 'a 0 is not greater than 0: use a number greater than 0'],
    [{ exclusiveMaximum: 5 }, 5, 'a 5 is not less than 5: use a number less than 5'],
    [
      { minimum: 1, exclusiveMaximum: 5, multipleOf: 0.5 },
      5,
      'a 5 is not less than 5: use a number of at least 1 and less than 5 in steps of 0.5',
    ],
  ])('is named for a value that breaks it: %j %j', async (limits, value, detail) => {
    const findings = await findingsFor({ properties: { a: { type: 'number', ...limits } } }, { a: value });
    expect(findings?.detail).toBe(detail);
  });
});

describe('a rule about the properties of an object', () => {
  it.each<readonly [rules: object, body: object]>([
    [ONE_OF_TWO, { a: 1 }],
    [ONE_OF_TWO, { b: 1, c: 1 }],
    [NOT_BOTH, { a: 1, c: 1 }],
    [NEITHER_WITH_C, { a: 1, b: 1 }],
    [NO_B_WITH_1, { a: 2, b: 1 }],
    [NO_B_WITH_1, { a: 1, c: 1 }],
    [EXPLAINED, { b: 1 }],
    [SHORT_NAMES, { x: 1 }],
  ])('allows a body that satisfies it: %j %j', async (rules, body) => {
    expect(await findingsFor(rules, body)).toBeUndefined();
  });

  it.each<readonly [rules: object, body: object, pointer: string, rule: string, remedy: string]>([
    [ONE_OF_TWO, { b: 1 }, '', 'anyOf', 'add a, or b and c'],
    [NOT_BOTH, { a: 1, b: 1, c: 1 }, '', 'not', 'remove a or b'],
    [NEITHER_WITH_C, { b: 1, c: 1 }, '', 'not', 'use another value'],
    [NO_B_WITH_1, { a: 1, b: 1, c: 1 }, '', 'not', 'use another value'],
    [EXPLAINED, { a: 1, b: 1 }, '', 'not', 'remove a or b: they exclude each other'],
    [SHORT_NAMES, { xy: 1 }, '/xy', 'pattern', 'use a string that matches ^[a-z]$'],
    [SLUG, { a: 'x' }, '/a', 'minLength', 'use a string that matches ^[a-z]+$, of 3 to 40 characters'],
    [
      { properties: { pin: { type: 'string', format: 'password', minLength: 8 } } },
      { pin: 'short' },
      '/pin',
      'minLength',
      'use a string of at least 8 characters',
    ],
  ])('is reported with a remedy for a body that breaks it: %j %j', async (rules, body, pointer, rule, remedy) => {
    const findings = await findingsFor(rules, body);
    expect(findings?.violations).toMatchObject([{ in: 'body', pointer, rule, remedy }]);
    expect(findings?.detail).toContain(remedy);
  });

  it('names a property whose name is not allowed', async () => {
    const findings = await findingsFor(SHORT_NAMES, { xy: 1 });
    expect(findings?.detail).toBe('xy is not a valid name: use a string that matches ^[a-z]$');
  });
});
