import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { withPaths, writeDocument } from './documents.ts';

const GET = 'get: { responses: { "204": { description: d } } }';

/** Returns the warning about a document with these lines below its paths, without the path of its file. */
async function getWarning(...lines: readonly string[]): Promise<string | undefined> {
  const path = await writeDocument(withPaths(...lines));
  const { warning } = await loadContract({ path, strict: false });
  return warning?.replaceAll(`${path}:`, '');
}

describe('loadContract warns, with position and reason, of', () => {
  it.each<[title: string, lines: readonly string[], warning: string]>([
    [
      'a path with a query',
      [`"/a?type=b": { ${GET} }`],
      '4:23 #/paths/~1a?type=b/get is never reached, because the path has a query or a fragment: make it a parameter',
    ],
    [
      'a path with a parameter as in Express',
      [`/a/:id: { ${GET}, ${GET.replace('get', 'put')} }`, `/a/{id}:cancel: { ${GET} }`, `/b:search: { ${GET} }`],
      '4:11 #/paths/~1a~1:id is reached only with the text :id in the path, because :id is not a parameter: write {id}',
    ],
    [
      'a path parameter that the path lacks',
      [
        `/a: { get: { parameters: [{ name: id, in: path, required: true, schema: { type: string } }], responses: { "204": { description: d } } } }`,
      ],
      '4:29 #/paths/~1a/get/parameters/0 is ignored, because the path /a has no {id}: add it to the path',
    ],
    [
      'a pattern with slashes',
      [
        '/a: { get: { parameters: [{ name: q, in: query, schema: { type: string, pattern: "/^[a-z]+$/" } },',
        '  { name: r, in: query, schema: { type: string, pattern: "^/[a-z]+/$" } }], responses: { "204": { description: d } } } }',
      ],
      '4:84 #/paths/~1a/get/parameters/0/schema/pattern matches no text, because the slashes are a part of the pattern: remove the slashes',
    ],
    [
      'a pattern that no text of the format matches',
      [
        '/a: { get: { parameters: [{ name: q, in: query, schema: { type: string, format: date-time, pattern: "^[a-z0-9_]+$" } },',
        '  { name: r, in: query, schema: { type: string, format: date-time, pattern: "^[TZ0-9:.-]+$" } },',
        '  { name: s, in: query, schema: { type: string, format: date, pattern: "^2" } }], responses: { "204": { description: d } } } }',
      ],
      '4:103 #/paths/~1a/get/parameters/0/schema/pattern is ignored because no date-time matches it: correct the pattern or remove the format',
    ],
    [
      'limits that no value keeps',
      [
        '/a: { get: { parameters: [{ name: q, in: query, schema: { type: integer, minimum: 5, maximum: 3 } },',
        '  { name: r, in: query, schema: { type: string, format: uuid, maxLength: 8 } }], responses: { "204": { description: d } } } }',
      ],
      '4:97 #/paths/~1a/get/parameters/0/schema/maximum is ignored because it is less than minimum: correct one of them; 5:76 #/paths/~1a/get/parameters/1/schema/maxLength is ignored because no uuid is so short: increase it to at least 36',
    ],
    [
      'a value of an enum with another type',
      [
        '/a: { get: { parameters: [{ name: q, in: query, schema: { type: string, enum: [501, cricket] } },',
        '  { name: r, in: query, schema: { type: integer, enum: ["1", 2] } },',
        '  { name: s, in: query, schema: { enum: [1, a] } }], responses: { "204": { description: d } } } }',
      ],
      '4:81 #/paths/~1a/get/parameters/0/schema/enum has 501 although the type is string, and is read as "501": put it in quotes; 5:58 #/paths/~1a/get/parameters/1/schema/enum has "1" although the type is integer, and is read as 1: remove the quotes',
    ],
    [
      'the name of a format or of another language as a type',
      [
        '/a: { get: { parameters: [{ name: q, in: query, schema: { type: uuid } },',
        '  { name: r, in: query, schema: { type: Integer } }, { name: s, in: query, schema: { type: any } }],',
        '  responses: { "204": { description: d } } } }',
      ],
      '4:67 #/paths/~1a/get/parameters/0/schema/type is the unknown uuid, and is read as type: string, format: uuid: correct the type; 5:43 #/paths/~1a/get/parameters/1/schema/type is the unknown Integer, and is read as type: integer: correct the type; 5:94 #/paths/~1a/get/parameters/2/schema/type is ignored because its value is not valid for this keyword: correct the value',
    ],
    [
      'a path of the control API',
      [`/a: { ${GET} }`, `/_control/b: { ${GET} }`],
      '5:23 #/paths/~1_control~1b/get is never reached, because the server uses the paths below /_control and /_sandbox itself: use another path',
    ],
    [
      'a schema that is a part of itself',
      [
        '/a: { get: { responses: { "200": { description: d, content: { application/json: { schema: {',
        '  allOf: [{ $ref: "#/paths/~1a/get/responses/200/content/application~1json/schema" }] } } } } } } }',
      ],
      '5:13 #/paths/~1a/get/responses/200/content/application~1json/schema/allOf/0 is ignored, because this entry of allOf leads back to the schema itself: remove the entry',
    ],
    [
      'an alternative that leads back to its schema',
      [
        '/a: { get: { responses: { "200": { description: d, content: { application/json: { schema: {',
        '  anyOf: [{ type: string }, { oneOf: [{ $ref: "#/paths/~1a/get/responses/200/content/application~1json/schema" }, { type: integer }] }] } } } } } } }',
      ],
      '5:41 #/paths/~1a/get/responses/200/content/application~1json/schema/anyOf/1/oneOf/0 is ignored, because this entry of oneOf leads back to the schema itself: remove the entry',
    ],
    [
      'two paths with the same form',
      [`/a/{id}: { ${GET} }`, `/a/{name}: { ${GET} }`],
      '5:21 #/paths/~1a~1{name}/get is never reached, because /a/{id} matches the same requests: remove one of the two paths',
    ],
  ])('%s', async (_, lines, warning) => {
    expect(await getWarning(...lines)).toBe(warning);
  });

  it('a login to which the security of the document does not apply', async () => {
    const own = GET.replace('get: {', 'post: { security: [{ key: [] }],');
    const post = GET.replace('get', 'post');
    const paths = withPaths(`/login: { ${post} }`, `/register: { ${own} }`, `/a: { ${post} }`);
    const scheme = 'components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }';
    const path = await writeDocument(`${paths}security: [{ key: [] }]\n${scheme}\n`);
    const { warning } = await loadContract({ path, strict: false });
    expect(warning?.replaceAll(`${path}:`, '')).toBe(
      '4:19 #/paths/~1login/post requires no credentials here, because clients have none before they log in: add security: [] to the operation',
    );
  });

  it('a document without operations, and of unknown properties', async () => {
    const path = await writeDocument('openapi: 3.1.0\ninfo: { title: t, version: "1" }\npath: {}\ncomponents: {}\n');
    const { warning } = await loadContract({ path, strict: false });
    expect(warning).toBe(
      [
        `${path}:3:7 #/path is ignored because it is unknown: did you mean "paths"?`,
        `${path}:1:1 # has no operations, so each request gets a 404: add paths with operations`,
      ].join('; '),
    );
  });

  it('nothing if two paths with the same form have different methods', async () => {
    expect(await getWarning(`/a/{id}: { ${GET} }`, `/a/{name}: { ${GET.replace('get', 'put')} }`)).toBeUndefined();
  });
});
