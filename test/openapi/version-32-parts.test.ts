import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { create32, writeDocument } from './documents.ts';

describe('$self of OpenAPI 3.2', () => {
  const FILES = {
    'openapi.yaml': `openapi: 3.2.0
$self: https://example.com/api/openapi
info: { title: t, version: "1" }
paths:
  /own: { post: { requestBody: { $ref: 'https://example.com/api/openapi#/components/requestBodies/Own' }, responses: { "204": { description: d } } } }
  /foo: { post: { requestBody: { $ref: 'shared/foo#/components/requestBodies/Foo' }, responses: { "204": { description: d } } } }
components:
  requestBodies: { Own: { content: { application/json: { schema: { type: integer } } } } }
`,
    'shared/foo.yaml': `openapi: 3.2.0
$self: https://example.com/api/shared/foo
info: { title: t, version: "1" }
components:
  requestBodies: { Foo: { content: { application/json: { schema: { $ref: ../schemas/foo } } } } }
  schemas:
    Foo: { $id: 'https://example.com/api/schemas/foo', properties: { bar: { $ref: bar } } }
    Bar: { $id: 'https://example.com/api/schemas/bar', type: string }
`,
  };

  it('is the base of the references in a document', async () => {
    const contract = join(await folderWith(FILES), 'openapi.yaml');
    const { ask } = await startStorefront({ contract });
    expect([(await ask('POST', '/own', 1)).status, (await ask('POST', '/own', 'x')).status]).toEqual([204, 400]);
    expect([(await ask('POST', '/foo', { bar: 'x' })).status, (await ask('POST', '/foo', { bar: 1 })).status]).toEqual([
      204, 400,
    ]);
  });

  it('does not make the server load other URLs', async () => {
    const text = FILES['openapi.yaml'].replace('shared/foo#', 'https://example.org/foo#');
    const path = await writeDocument(text);
    await expect(loadContract({ path, strict: false })).rejects.toThrow(
      'which is not loaded, because the server makes no requests',
    );
  });
});

describe('security schemes of OpenAPI 3.2', () => {
  const SECURITY = create32(
    `
  /device: { get: { security: [{ device: [read] }], responses: { "204": { summary: d } } } }
  /key: { get: { security: [{ '#/components/securitySchemes/key': [] }], responses: { "204": { summary: d } } } }
  /other: { get: { security: [{ 'other.yaml#/x': [] }], responses: { "204": { summary: d } } } }`,
    `components:
  securitySchemes:
    device:
      type: oauth2
      deprecated: true
      oauth2MetadataUrl: https://example.com/.well-known/oauth-authorization-server
      flows: { deviceAuthorization: { deviceAuthorizationUrl: 'https://example.com/device', tokenUrl: 'https://example.com/token', scopes: { read: r } } }
    key: { type: apiKey, in: header, name: X-Key }`,
  );

  it('are required, also by reference', async () => {
    const { ask } = await startStorefront({ contract: await writeDocument(SECURITY) });
    const get = async (path: string, headers = {}) => (await ask('GET', path, undefined, headers)).status;
    expect([await get('/device'), await get('/device', { authorization: 'Bearer x' })]).toEqual([401, 204]);
    expect([await get('/key'), await get('/key', { 'x-key': 'x' })]).toEqual([401, 204]);
  });

  it('that do not exist are named', async () => {
    const path = await writeDocument(SECURITY);
    expect((await loadContract({ path, strict: false })).warning).toBe(
      `${path}:7:50 #/paths/~1other/get/security/0/other.yaml#~1x is ignored, because the security scheme does not exist: write its name in components/securitySchemes`,
    );
  });
});

describe('a discriminator with a default mapping', () => {
  const PETS = create32(
    `
  /pets:
    post:
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
      responses: { "200": { description: d, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } } }`,
    `components:
  schemas:
    Pet:
      oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }, { $ref: '#/components/schemas/Other' }]
      discriminator: { propertyName: type, mapping: { dog: '#/components/schemas/Dog' }, defaultMapping: Other }
    Cat: { type: object, required: [type], properties: { type: { type: string }, lives: { type: integer } } }
    Dog: { type: object, required: [type], properties: { type: { type: string }, tail: { type: integer } } }
    Other: { type: object, properties: { type: { type: string }, name: { type: string } } }`,
  );

  it.each([
    [{ type: 'Cat', lives: 9 }, 200],
    [{ type: 'dog', tail: 1 }, 200],
    [{ type: 'dog', tail: 'x' }, 400],
    [{ name: 'Nemo' }, 200],
    [{ type: 'fish', name: 'Nemo' }, 200],
    [{ name: 5 }, 400],
  ])('validates %j: %i', async (body, status) => {
    const { ask } = await startStorefront({ contract: await writeDocument(PETS) });
    expect((await ask('POST', '/pets', body)).status).toBe(status);
  });
});

describe('XML node types of OpenAPI 3.2', () => {
  const BOOKS = create32(
    `
  /books:
    post:
      requestBody: { required: true, content: { application/xml: { schema: { $ref: '#/components/schemas/book' } } } }
      responses: { "200": { description: d, content: { application/xml: { schema: { $ref: '#/components/schemas/book' } } } } }
  /empty:
    get: { responses: { "200": { description: d, content: { application/xml: { schema: { $ref: '#/components/schemas/none' } } } } } }`,
    `components:
  schemas:
    book:
      type: object
      required: [id, title]
      properties:
        id: { type: integer, xml: { nodeType: attribute } }
        title: { type: string, xml: { nodeType: text }, example: 'A & B' }
        tags: { type: array, items: { type: string, xml: { name: tag } }, xml: { nodeType: element }, example: [a] }
    cdata: { type: object, properties: { text: { type: string, xml: { nodeType: cdata }, example: '<b>' } } }
    none: { type: object, xml: { nodeType: none }, properties: { inner: { $ref: '#/components/schemas/cdata' } } }`,
  );

  it('are read and written', async () => {
    const handlers = {
      postBooks: ({ body }: { body: object }) => ({
        status: 200,
        body: { ...body, title: `${(body as { title: string }).title}!` },
      }),
    };
    const { url } = await startStorefront({ contract: await writeDocument(BOOKS), handlers });
    const send = async (body: string) => {
      const response = await fetch(`${url}/books`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/xml' },
      });
      return [response.status, (await response.text()).replace(/^<\?xml.*\n/, '')];
    };
    expect(await send('<book id="7">A &amp; B<tags><tag>x</tag><tag>y</tag></tags></book>')).toEqual([
      200,
      '<book id="7"><tags><tag>x</tag><tag>y</tag></tags>A &amp; B!</book>',
    ]);
    expect((await send('<book id="x">A</book>'))[0]).toBe(400);
    expect(await (await fetch(`${url}/empty`)).text()).toContain('<none><inner><![CDATA[<b>]]></inner></none>');
  });

  it('that are ignored are named', async () => {
    const path = await writeDocument(BOOKS);
    expect((await loadContract({ path, strict: false })).warning).toMatch(
      /:21:\d+ #\/components\/schemas\/none\/xml\/nodeType is ignored, because an object always has an element of its own in XML$/,
    );
  });
});

describe('other parts of OpenAPI 3.2', () => {
  it('that describe the document need no warning', async () => {
    const path = await writeDocument(
      create32(
        `
  /a: { get: { tags: [books], responses: { "204": { summary: Nothing } } } }`,
        `
servers: [{ url: /v1, name: production }]
jsonSchemaDialect: https://spec.openapis.org/oas/3.2/dialect/2025-09-17
tags: [{ name: books, summary: Books, parent: shop, kind: nav }, { name: shop }]`,
      ),
    );
    expect((await loadContract({ path, strict: false })).warning).toBeUndefined();
    const { ask } = await startStorefront({ contract: path });
    expect((await ask('GET', '/v1/a')).status).toBe(204);
  });

  it('that contradict the document are named', async () => {
    const path = await writeDocument(
      create32(
        `
  /a:
    get:
      parameters: [{ name: q, in: querystring, content: { text/plain: { schema: { type: string } } } }, { name: n, in: query, schema: {} }]
      responses: { "204": { description: d } }`,
        `
jsonSchemaDialect: http://json-schema.org/draft-07/schema
tags: [{ name: a, parent: b }, { name: c, parent: d }, { name: d, parent: c }]`,
      ),
    );
    const { warning } = await loadContract({ path, strict: false });
    expect(warning).toMatch(/#\/jsonSchemaDialect is ignored: schemas are read as JSON Schema 2020-12; /);
    expect(warning).toMatch(/#\/tags\/0\/parent is ignored, because the tag b does not exist; /);
    expect(warning).toMatch(/#\/tags\/1\/parent leads back to the tag itself: remove it; and 2 more/);
  });
});

describe('invalid parts of OpenAPI 3.2', () => {
  const A = '{ get: { responses: { "204": { description: d } } } }';

  it.each<readonly [part: string, text: string, warning: RegExp]>([
    [
      'an item schema',
      create32(`
  /a: { get: { responses: { "200": { description: d, content: { application/jsonl: {
    itemSchema: 5 } } } } } }`),
      /:6:\d+ #\/paths\/~1a\/get\/responses\/200\/content\/application~1jsonl\/itemSchema is ignored, because it is not a schema/,
    ],
    [
      'a stream in a request',
      create32(`
  /a: { post: { requestBody: { content: { application/jsonl: { itemSchema: {} } } }, responses: { "204": { description: d } } } }`),
      /#\/paths\/~1a\/post\/requestBody has an itemSchema for application\/jsonl that is ignored: the server accepts any/,
    ],
    [
      'equal names of servers',
      create32(
        `\n  /a: ${A}`,
        'servers: [{ url: /v1, name: main }, { url: /v2 }, { url: /v3 }, { url: /v4, name: main }]',
      ),
      /:\d+:\d+ #\/servers\/3\/name is the name of an earlier server, too: use another name$/,
    ],
    [
      'an encoding of items',
      create32(`
  /a: { get: { responses: { "200": { description: d, content: { multipart/mixed: {
    itemEncoding: [] } } } } } }`),
      /:6:\d+ #\/.*\/itemEncoding is ignored, because it is not an object/,
    ],
    [
      'headers of items',
      create32(`
  /a: { get: { responses: { "200": { description: d, content: { multipart/mixed: { itemSchema: {},
    itemEncoding: { contentType: text/plain, headers: {} } } } } } } }`),
      /:6:\d+ #\/.*\/itemEncoding\/headers is ignored: only contentType has an effect$/,
    ],
    [
      'an encoding of lines',
      create32(`
  /a: { get: { responses: { "200": { description: d, content: { application/jsonl: { itemSchema: {},
    itemEncoding: { contentType: text/plain } } } } } } }`),
      /:6:\d+ #\/.*\/itemEncoding is ignored: only items of multipart\/mixed are encoded$/,
    ],
    [
      'other operations',
      create32(`
  /a: { additionalOperations: [] }`),
      /#\/paths\/~1a\/additionalOperations is ignored, because it is not an object: use methods such as LINK as its keys/,
    ],
    ...['not a uri', '5', 'https://example.com/a#b', '"%zz"', '"http://[x"'].map(
      (self) =>
        [
          `$self: ${self}`,
          create32(`\n  /a: ${A}`, `$self: ${self}`),
          /:\d+:\d+ #\/\$self is not the URI of the document: use a URI or a path without a fragment/,
        ] as const,
    ),
  ])('such as %s are named with their lines', async (_, text, warning) => {
    const path = await writeDocument(text);
    expect((await loadContract({ path, strict: false })).warning).toMatch(warning);
  });
});

describe('a document of OpenAPI 3.1 that refers to a file of OpenAPI 3.2', () => {
  const FILES = {
    'openapi.yaml': `openapi: 3.1.0
info: { title: t, version: "1" }
paths: { /a: { $ref: 'parts.yaml#/paths/~1a' } }
`,
    'parts.yaml': `openapi: 3.2.0
info: { title: t, version: "1" }
paths:
  /a:
    query: { responses: { "204": { description: d } } }
    get:
      responses: { "200": { description: d, content: { application/jsonl: { itemSchema: { $ref: '#/components/schemas/N' } } } } }
components: { schemas: { N: { type: object, required: [n], properties: { n: { type: integer, example: 7 } } } } }
`,
  };

  it('has the streams of this file, and a warning about its operations that only OpenAPI 3.2 has', async () => {
    const folder = await folderWith(FILES);
    const { ask, log } = await startStorefront({ contract: join(folder, 'openapi.yaml') });
    expect((await ask('GET', '/a')).text).toMatch(/^(?:\{"n":7\}\n)+$/);
    expect((await ask('QUERY', '/a')).status).toBe(405);
    expect(log.map(({ msg }) => msg).join()).toMatch(
      /parts\.yaml:5:\d+ #\/paths\/~1a\/query is ignored, because the document has the version 3\.1\.0: write openapi: 3\.2\.0 in the main file/,
    );
  });
});
