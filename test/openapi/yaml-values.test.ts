import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { parseText } from '../../src/openapi/document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { withPaths, writeDocument } from './documents.ts';

describe('A merge key in YAML', () => {
  it.each<[title: string, yaml: string, expected: unknown]>([
    ['adds the entries of a mapping', 'a: &a { x: 1 }\nb: { <<: *a, y: 2 }', { x: 1, y: 2 }],
    ['keeps the own entries, also before them', 'a: &a { x: 1, y: 1 }\nb: { x: 2, <<: *a, y: 2 }', { x: 2, y: 2 }],
    [
      'prefers the first mapping of a list',
      'a: &a { x: 1 }\nc: &c { x: 2, z: 3 }\nb: { <<: [*a, *c] }',
      { x: 1, z: 3 },
    ],
    ['can be nested', 'a: &a { x: 1 }\nc: &c { <<: *a, y: 2 }\nb: { <<: *c }', { x: 1, y: 2 }],
    ['can have a mapping without an anchor', 'b:\n  <<: { x: 1 }\n  y: 2', { x: 1, y: 2 }],
    ['is a name like any other in quotes', 'b: { "<<": 1 }', { '<<': 1 }],
  ])('%s', (_, yaml, expected) => {
    expect((parseText('a.yaml', yaml) as { readonly b: unknown }).b).toEqual(expected);
  });

  it('merges responses, schemas, parameters and operations of a document', async () => {
    const path = await writeDocument(`openapi: 3.0.3
info: { title: t, version: "1" }
x-errors: &errors
  "400": { description: bad, content: { application/json: { example: { error: bad } } } }
x-parameter: &parameter { in: query, schema: { type: integer } }
paths:
  /a:
    get: &get
      parameters: [{ name: n, <<: *parameter }]
      responses: { <<: *errors, "200": { description: ok, content: { application/json: { example: a } } } }
    post: { <<: *get, operationId: other }
`);
    const { ask } = await startStorefront({ contract: path, mock: true });
    expect((await ask('GET', '/a', undefined, { Prefer: 'code=400' })).body).toEqual({ error: 'bad' });
    expect((await ask('POST', '/a?n=5')).body).toBe('a');
    expect((await ask('POST', '/a?n=x')).status).toBe(400);
  });

  it('is refused with its position if its value is not a mapping', async () => {
    const path = await writeDocument(
      `${withPaths('/a: { get: { responses: { "204": { description: d } } } }')}x: { <<: 5 }\n`,
    );
    await expect(loadContract({ path, strict: false })).rejects.toThrow(
      /openapi\.yaml:5:\d+ is not valid YAML: cannot merge/,
    );
  });
});

const INEXACT = '9007199254740993';

describe.each(['yaml', 'json'])('An integer in a %s document that JavaScript cannot represent', (format) => {
  /** Writes a document in which each number of this value has its text. */
  async function write(schema: string, media = ''): Promise<string> {
    const text = `{"openapi":"3.0.3","info":{"title":"t","version":"1"},"paths":{"/a":{"get":{"responses":{"200":{"description":"d",
"content":{"application/json":{"schema":${schema}${media}}}}}}}}}`;
    return writeDocument(format === 'json' ? text : `# YAML\n${text}`, `openapi.${format}`);
  }

  it('is not used as an example, and is reported with its position', async () => {
    const path = await write(
      `{"type":"object","required":["id"],"properties":{"id":{"type":"integer","enum":[1,${INEXACT},${INEXACT}],"default":-${INEXACT}}}}`,
      `,"examples":{"big":{"value":{"id":${INEXACT}}},"small":{"value":{"id":1}}}`,
    );
    const { warning = '', document } = await loadContract({ path, strict: false });
    expect(warning).toMatch(/openapi\.\w+:\d:\d+ #\/paths\/~1a\/get\/responses\/200\/content\/application~1json\//);
    expect(warning).toContain(`has the integer ${INEXACT}, which JavaScript can't represent exactly`);
    expect(warning).toContain('write it as a string');
    expect(JSON.stringify(document)).not.toContain('900719925474099');
    const { ask } = await startStorefront({ contract: path, mock: true });
    expect((await ask('GET', '/a')).body).toEqual({ id: 1 });
  });

  it('is rounded as a bound, without a warning', async () => {
    const path = await write('{"type":"integer","format":"int64","maximum":9223372036854775807,"example":5}');
    expect((await loadContract({ path, strict: false })).warning).toBeUndefined();
  });
});
