import { describe, expect, it } from 'vitest';
import { createMock } from '../../src/mock/mock.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { A, schemas, withPaths, withSchema, writeDocument } from './documents.ts';

describe('loadContract accepts', () => {
  /** Returns the body of a dynamic response to GET /a. */
  async function getDynamicBody(text: string): Promise<unknown> {
    const contract = await loadContract({ path: await writeDocument(text), strict: false });
    const found = contract.route('GET', '/a');
    if (found.kind !== 'operation') throw new Error('/a is not there');
    const answer = createMock(contract).createResponse(
      found.route,
      { path: {}, query: {}, body: undefined },
      { dynamic: true },
      '',
    );
    expect(contract.verifyResponse(found.route, answer, { closed: false })).toEqual([]);
    return answer.body;
  }

  it.each<[title: string, schema: string, expected: unknown]>([
    ['an unknown type', '{ type: file }', expect.anything()],
    ['a misspelt type', '{ type: object, required: [a], properties: { a: { type: strng } } }', expect.anything()],
    [
      'required: true in a property',
      '{ type: object, required: [a], properties: { a: { type: integer, required: true } } }',
      { a: expect.any(Number) },
    ],
    [
      'required that is a string',
      '{ type: object, required: a, properties: { a: { type: integer } } }',
      expect.any(Object),
    ],
    ['a property without a schema', '{ type: object, required: [a], properties: { a: } }', { a: expect.anything() }],
    ['items without a schema', '{ type: array, minItems: 1, items: }', [expect.anything()]],
    ['an allOf with null', '{ type: object, allOf: [null] }', expect.any(Object)],
    ['properties that are an array', '{ type: object, properties: [a] }', expect.any(Object)],
    ['a bound that is a string', '{ type: string, minLength: "3" }', expect.any(String)],
    ['a pattern that is a number', '{ type: string, pattern: 5 }', expect.any(String)],
    ['an invalid pattern', '{ type: string, pattern: "[" }', expect.any(String)],
    [
      'a pattern that is invalid in Unicode mode',
      "{ type: string, pattern: '^[\\w-.]{3}$' }",
      expect.stringMatching(/^[\w-.]{3}$/),
    ],
    ['an enum with duplicates', '{ type: string, enum: [a, a] }', 'a'],
    ['an empty enum', '{ type: string, enum: [] }', expect.any(String)],
    ['an empty allOf', '{ type: string, allOf: [] }', expect.any(String)],
    ['items that are an array', '{ type: array, items: [{ type: string }] }', expect.any(Array)],
    ['an $id', '{ type: string, $id: "urn:q" }', expect.any(String)],
    [
      '$schema, id and $comment',
      '{ type: string, $schema: "http://json-schema.org/draft-04/schema#", id: q, $comment: c }',
      expect.any(String),
    ],
    [
      'an $id around a reference',
      `{ type: object, $id: "urn:q", required: [a], properties: { a: ${A} } }`,
      { a: expect.any(Number) },
    ],
    [
      'a description beside a reference',
      '{ $ref: "#/components/schemas/A", description: What it is }',
      expect.any(Number),
    ],
    [
      'keywords beside a reference, which OpenAPI 3.0 ignores',
      '{ $ref: "#/components/schemas/A", type: string, maxLength: 2 }',
      expect.any(Number),
    ],
    [
      'nullable beside a reference',
      '{ $ref: "#/components/schemas/A", nullable: true }',
      expect.toSatisfy((value) => value === null || Number.isInteger(value)),
    ],
    ['an unknown format', '{ type: string, format: colour }', expect.any(String)],
  ])('%s', async (_, schema, expected) => {
    expect(await getDynamicBody(withSchema(schema, schemas('A: { type: integer }')))).toEqual(expected);
  });

  it('a document without paths', async () => {
    const contract = await loadContract({
      path: await writeDocument('openapi: 3.0.3\ninfo: { title: t, version: "1" }\n'),
      strict: false,
    });
    expect(contract.routes).toEqual([]);
  });

  it('unquoted statuses, an extension among the paths, and a path that is null', async () => {
    const path = await writeDocument(
      withPaths('/a: { get: { responses: { 204: { description: d } } } }', 'x-note: none', '/b:'),
    );
    const { routes } = await loadContract({ path, strict: false });
    expect(routes.map(({ path, successStatus }) => [path, successStatus])).toEqual([['/a', 204]]);
  });

  it('an operation of OpenAPI 3.1 without responses', async () => {
    const text = 'openapi: 3.1.0\ninfo: { title: t, version: "1" }\npaths: { /a: { get: { operationId: a } } }\n';
    expect(await getDynamicBody(text)).toBeUndefined();
  });

  it.each(['responses: {}', 'responses:', 'summary: s'])('an operation with %s, with a warning', async (content) => {
    const path = await writeDocument(withPaths(`/a: { get: { ${content} } }`));
    const { warning } = await loadContract({ path, strict: false });
    expect(warning).toContain('#/paths/~1a/get documents no response: add at least one status below responses');
    await expect(loadContract({ path, strict: true })).rejects.toThrow('documents no response');
    const misspelled = await writeDocument(withPaths('/a: { get: { answers: {} } }'));
    await expect(loadContract({ path: misspelled, strict: false })).rejects.toThrow('documents no response');
    const { ask } = await startStorefront({ contract: path });
    expect(await ask('GET', '/a')).toMatchObject({ status: 200, body: undefined });
  });

  it('an operation whose only status is 101, which no response can have', async () => {
    const path = await writeDocument(withPaths('/a: { get: { responses: { "101": { description: A WebSocket } } } }'));
    const { routes } = await loadContract({ path, strict: false });
    expect(routes.map(({ successStatus }) => successStatus)).toEqual([200]);
  });

  it('a request body that no value is valid for', async () => {
    const body = 'requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/None" } } } }';
    const text = `openapi: 3.1.0
info: { title: t, version: "1" }
paths: { /a: { put: { ${body}, responses: { "204": { description: d } } } } }
components: { schemas: { None: false } }`;
    const path = await writeDocument(text);
    const { ask } = await startStorefront({ contract: path });
    expect((await ask('PUT', '/a', { x: 1 })).status).toBe(400);
  });

  it('path templates with a duplicate, an empty or an unclosed parameter', async () => {
    const done = '{ get: { responses: { "204": { description: d } } } }';
    const path = await writeDocument(
      withPaths(`/twice/{x}/{x}: ${done}`, `/none/{}: ${done}`, `/half/{id: ${done}`, `/a: ${done}`),
    );
    const contract = await loadContract({ path, strict: false });
    expect(contract.route('GET', '/a').kind).toBe('operation');
    expect(contract.route('GET', '/twice/1/2').kind).toBe('operation');
  });

  it('an anchor with two aliases', async () => {
    const text = `x-shared: &shared { type: integer }\n${withSchema('{ type: object, required: [a, b], properties: { a: *shared, b: *shared } }')}`;
    expect(await getDynamicBody(text)).toEqual({ a: expect.any(Number), b: expect.any(Number) });
  });
});
