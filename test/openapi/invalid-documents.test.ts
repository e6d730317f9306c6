import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { A, schemas, withPaths, withSchema, writeDocument } from './documents.ts';

/** Returns line and column of the mark in a text. */
function findMark(text: string): string {
  const lines = text.slice(0, text.indexOf('»')).split('\n');
  return `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** The JSON Pointer of the schema of GET /a. */
const SCHEMA = '#/paths/~1a/get/responses/200/content/application~1json/schema';

const repeat = (name: string) =>
  `{ allOf: [{ $ref: "#/components/schemas/${name}" }, { $ref: "#/components/schemas/${name}" }] }`;

/** Schemas that contain the schema before them twice. */
const DOUBLED = Array.from(
  { length: 40 },
  (_, index) => `S${index + 1}: ${index === 8 ? '»' : ''}${repeat(`S${index}`)}`,
).join(', ');

describe('loadContract refuses, with position and reason,', () => {
  it.each<[title: string, text: string, pointer: string, message: string]>([
    [
      'a reference to a schema that does not exist',
      withSchema('{ properties: { a: { $ref: »"#/components/schemas/A" } } }'),
      `${SCHEMA}/properties/a/$ref`,
      'refers to "#/components/schemas/A", which does not exist',
    ],
    [
      'a reference to a schema that is null',
      withSchema(`{ $ref: »"#/components/schemas/A" }`, schemas('A: null')),
      `${SCHEMA}/$ref`,
      'refers to "#/components/schemas/A", which is not an object',
    ],
    [
      'a reference in a component to a schema that does not exist',
      withSchema(A, schemas('A: { properties: { b: { $ref: »"#/components/schemas/B" } } }')),
      '#/components/schemas/A/properties/b/$ref',
      'refers to "#/components/schemas/B", which does not exist',
    ],
    [
      'a reference to a parameter that does not exist',
      withPaths('/a: { get: { parameters: [{ $ref: »"#/components/parameters/Q" }], responses: {} } }'),
      '#/paths/~1a/get/parameters/0/$ref',
      'refers to "#/components/parameters/Q", which does not exist',
    ],
    [
      'a schema that contains too many schemas through anyOf',
      withSchema(
        '{ $ref: "#/components/schemas/S40" }',
        schemas(
          `S0: { type: string }, ${DOUBLED.replaceAll('allOf', 'anyOf').replace('»', '').replace('S14: ', 'S14: »')}`,
        ),
      ),
      '#/components/schemas/S14',
      'contains 32767 schemas through allOf, anyOf, oneOf, not and if, but at most 20000 are supported: remove repeated schemas',
    ],
    [
      'a schema that contains too many schemas through allOf',
      withSchema('{ $ref: "#/components/schemas/S40" }', schemas(`S0: { type: object }, ${DOUBLED}`)),
      '#/components/schemas/S9',
      'contains 1023 schemas through allOf, but at most 1000 are supported: remove repeated schemas',
    ],
    [
      'a reference to another server',
      withSchema('{ $ref: »"https://example.com/openapi.yaml#/A" }'),
      `${SCHEMA}/$ref`,
      'refers to "https://example.com/openapi.yaml#/A", which is not loaded, because the server makes no requests: save a copy beside this file, and refer to the copy',
    ],
    [
      'a reference to an absolute path',
      withSchema('{ $ref: »"/etc/pet.yaml#/A" }'),
      `${SCHEMA}/$ref`,
      'refers to "/etc/pet.yaml#/A", which is an absolute path: use a path relative to this file',
    ],
    [
      'a reference to an anchor that does not exist',
      withSchema('{ $ref: »"#Pet" }'),
      `${SCHEMA}/$ref`,
      'refers to "#Pet", which does not exist',
    ],
    [
      'a reference to itself',
      withPaths('/a: {}') + schemas('A: { $ref: »"#/components/schemas/A" }'),
      '#/components/schemas/A/$ref',
      'refers to "#/components/schemas/A", which refers back to itself',
    ],
    [
      'references to each other',
      withPaths('/a: {}') + schemas(`A: { $ref: »"#/components/schemas/B" }, B: ${A}`),
      '#/components/schemas/A/$ref',
      'refers to "#/components/schemas/B", which refers back to itself',
    ],
    [
      'a path without a slash',
      withPaths('a: »{ get: { responses: { "204": { description: d } } } }'),
      '#/paths/a',
      'is not a path: it must start with a slash',
    ],
    [
      'a path that is a string',
      withPaths('/a: »get'),
      '#/paths/~1a',
      'is not an object: use methods such as get as its keys',
    ],
    ['paths that are an array', withPaths('»- /a'), '#/paths', 'is not an object: use paths such as /pets as its keys'],
    [
      'an operation that is a string',
      withPaths('/a: { get: »all }'),
      '#/paths/~1a/get',
      'is not an operation: it must be an object',
    ],
    [
      'an operation whose responses have no status',
      withPaths('/a: { get: »{ responses: { ok: { description: d } } } }'),
      '#/paths/~1a/get',
      'documents no response: add at least one status below responses',
    ],
    [
      'a response that is a string',
      withPaths('/a: { get: { responses: { "200": »fine } } }'),
      '#/paths/~1a/get/responses/200',
      'is not a response: it must be an object',
    ],
    [
      'parameters that are not an array',
      withPaths('/a: { get: { parameters: »{ q: string }, responses: { "204": { description: d } } } }'),
      '#/paths/~1a/get/parameters',
      'is not an array',
    ],
    [
      'a request body that is a string',
      withPaths('/a: { put: { requestBody: »any, responses: { "204": { description: d } } } }'),
      '#/paths/~1a/put/requestBody',
      'is not a request body: it must be an object',
    ],
  ])('%s', async (_, marked, pointer, message) => {
    const path = await writeDocument(marked.replace('»', ''));
    await expect(loadContract({ path, strict: false })).rejects.toThrow(
      `${path}:${findMark(marked)} ${pointer} ${message}`,
    );
  });

  it.each([
    ['an unclosed bracket', withPaths('/a: { get: { responses: {', '/b: {}'), '6:1 '],
    ['a duplicate path', withPaths('/a: {}', '/a: {}'), '5:3'],
    ['an alias without an anchor', withPaths('/a: *nothing'), '4:'],
    ['a tab in the indentation', withPaths('/a:', '\tget: {}'), '5:'],
  ])('%s, which is a YAML syntax error', async (_, text, place) => {
    const path = await writeDocument(text);
    const refused = expect(loadContract({ path, strict: false })).rejects;
    await refused.toThrow(`${path}:${place}`);
    await refused.toThrow(' is not valid YAML: ');
  });

  it('a surplus comma, which is a JSON syntax error', async () => {
    const path = await writeDocument(
      '{\n "openapi": "3.0.3",\n "info": {},\n "paths": { "/a": {},, }\n}',
      'openapi.json',
    );
    await expect(loadContract({ path, strict: false })).rejects.toThrow(`${path}:4:22 is not `);
  });

  it('an alias that refers to its own anchor', async () => {
    const path = await writeDocument(`${withPaths('/a: {}')}x-loop: &loop { again: *loop }\n`);
    await expect(loadContract({ path, strict: false })).rejects.toThrow(
      `${path} has an alias that refers to its own anchor: remove the cycle`,
    );
  });

  it('aliases with too many values', async () => {
    const lists = Array.from(
      { length: 9 },
      (_, index) => `x-${index + 1}: &a${index + 1} [${`*a${index},`.repeat(9)}]\n`,
    );
    const path = await writeDocument(`${withPaths('/a: {}')}x-0: &a0 x\n${lists.join('')}`);
    await expect(loadContract({ path, strict: false })).rejects.toThrow(
      / has \d+ values after its aliases are resolved: use at most /,
    );
  });

  it('a version that is a number, or not supported', async () => {
    const versions = {
      'openapi: 3.0': 'has the incomplete version 3: write "openapi: 3.0.3"',
      'openapi: "3.1"': 'has the incomplete version "3.1": write "openapi: 3.1.1"',
      'openapi: 3.10.0':
        'is not an OpenAPI 3.0, 3.1 or 3.2 document, but has the version "3.10.0": convert it to OpenAPI 3.1, and write "openapi: 3.1.1"',
      'openapi: "2.0"':
        'is not an OpenAPI 3.0, 3.1 or 3.2 document, but has the version "2.0": convert it to OpenAPI 3.1, and write "openapi: 3.1.1"',
      'version: 1':
        'is not an OpenAPI 3.0, 3.1 or 3.2 document: it must have a version such as "openapi: 3.0.3" at the top level',
    };
    for (const [version, message] of Object.entries(versions)) {
      const path = await writeDocument(withPaths('/a: {}').replace('openapi: 3.0.3', version));
      await expect(loadContract({ path, strict: false }), version).rejects.toThrow(`${path} ${message}`);
    }
  });

  it.each(['[]', 'null', '"text"', '5'])('%s instead of an object', async (text) => {
    const path = await writeDocument(text);
    await expect(loadContract({ path, strict: false })).rejects.toThrow(
      `${path} is not an OpenAPI 3.0, 3.1 or 3.2 document`,
    );
  });

  it('several errors, of which it lists three and counts the rest', async () => {
    const path = await writeDocument(withPaths('a: {}', 'b: {}', 'c: {}', 'd: {}', 'e: {}'));
    const refused = expect(loadContract({ path, strict: false })).rejects;
    await refused.toThrow(`${path}:6:6 #/paths/c is not a path`);
    await refused.toThrow(/; and 2 more$/);
  });
});
