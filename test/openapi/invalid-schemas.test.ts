import { expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { A, schemas, withSchema, writeDocument } from './documents.ts';

/** The JSON Pointer of the schema of GET /a. */
const SCHEMA = '#/paths/~1a/get/responses/200/content/application~1json/schema';

const NO_SCHEMA = 'is ignored, because it is not a schema: use an object';
const NO_LIST = 'is ignored, because it is not a list of schemas: use a list of objects';
const NO_NAMES = 'is ignored, because it is not an object with a schema for each name: use such an object';
const NO_NAMED_SCHEMA = 'is not a schema: add a schema';

/** Each document has the mark » before the invalid value. */
it.each<[text: string, pointer: string, message: string]>([
  [withSchema('»5'), SCHEMA, NO_SCHEMA],
  [withSchema('»[]'), SCHEMA, NO_SCHEMA],
  [withSchema('»null'), SCHEMA, NO_SCHEMA],
  [withSchema('{ type: array, items: »"x" }'), `${SCHEMA}/items`, NO_SCHEMA],
  [withSchema('{ not: »5 }'), `${SCHEMA}/not`, NO_SCHEMA],
  [withSchema('{ if: »[] }'), `${SCHEMA}/if`, NO_SCHEMA],
  [withSchema('{ type: array, contains: »x }'), `${SCHEMA}/contains`, NO_SCHEMA],
  [withSchema('{ unevaluatedProperties: »1 }'), `${SCHEMA}/unevaluatedProperties`, NO_SCHEMA],
  [withSchema('{ anyOf: »[5] }'), `${SCHEMA}/anyOf`, NO_LIST],
  [withSchema('{ prefixItems: »{} }'), `${SCHEMA}/prefixItems`, NO_LIST],
  [withSchema('{ type: object, properties: »[] }'), `${SCHEMA}/properties`, NO_NAMES],
  [withSchema('{ patternProperties: »5 }'), `${SCHEMA}/patternProperties`, NO_NAMES],
  [withSchema('{ properties: { b: »5 } }'), `${SCHEMA}/properties/b`, NO_NAMED_SCHEMA],
  [withSchema('{ patternProperties: { b: »[] } }'), `${SCHEMA}/patternProperties/b`, NO_NAMED_SCHEMA],
  [withSchema('{ $defs: { b: »x } }'), `${SCHEMA}/$defs/b`, NO_NAMED_SCHEMA],
  [withSchema(A, schemas('A: {}, B: »5')), '#/components/schemas/B', NO_NAMED_SCHEMA],
])('loadContract warns of a schema that is none, with its position: %j', async (marked, pointer, message) => {
  for (const version of ['3.0.3', '3.1.0', '3.2.0']) {
    const path = await writeDocument(marked.replace('»', '').replace('3.0.3', version));
    const { warning } = await loadContract({ path, strict: false });
    const lines = marked.slice(0, marked.indexOf('»')).split('\n');
    const position = `${path}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
    expect(warning, version).toBe(`${position} ${pointer} ${message}`);
  }
});

it('loadContract refuses a parameter whose schema is none, with its position', async () => {
  const parameters = 'parameters: [{ name: b, in: query, schema: x }]';
  const path = await writeDocument(withSchema('{}').replace('get:', `get:\n      ${parameters}`));
  await expect(loadContract({ path, strict: false })).rejects.toThrow(
    `${path}:6:50 #/paths/~1a/get/parameters/0/schema is not a schema: use an object`,
  );
});
