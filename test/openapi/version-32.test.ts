import { describe, expect, it, vi } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { runAtOnce } from '../../src/util/slices.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { create32, findRoute, writeDocument } from './documents.ts';

const MEDIA_TYPES = create32(
  `
  /pets:
    get:
      operationId: listPets
      responses:
        "200":
          description: d
          content:
            application/json: { $ref: '#/components/mediaTypes/Pets' }
            application/jsonl: { $ref: '#/components/mediaTypes/PetStream' }
    post:
      operationId: addPet
      requestBody:
        content:
          application/json: { $ref: '#/components/mediaTypes/Pet' }
      responses: { "201": { description: d } }`,
  `
components:
  mediaTypes:
    Pet: { schema: { $ref: '#/components/schemas/Pet' } }
    Pets: { schema: { type: array, items: { $ref: '#/components/schemas/Pet' } }, example: [{ name: Rex }] }
    PetStream: { itemSchema: { $ref: '#/components/schemas/Pet' } }
  schemas:
    Pet: { type: object, required: [name], properties: { name: { type: string } } }`,
);

describe('media types of OpenAPI 3.2', () => {
  it('in components are used where references point to them', async () => {
    const { ask } = await startStorefront({ contract: await writeDocument(MEDIA_TYPES) });
    expect((await ask('GET', '/pets')).body).toEqual([{ name: 'Rex' }]);
    expect((await ask('POST', '/pets', { name: 5 })).status).toBe(400);
  });

  it('have the place of the schema of their items', async () => {
    const contract = await loadContract({ path: await writeDocument(MEDIA_TYPES), strict: false });
    const [response] = findRoute(contract, 'GET', '/pets').responses;
    expect(response?.media['application/jsonl']).toMatchObject({
      schema: undefined,
      examples: [],
      itemSchema: '/components/mediaTypes/PetStream/itemSchema',
    });
  });
});

const METHODS = create32(`
  /books:
    query:
      requestBody:
        required: true
        content: { application/json: { schema: { type: object, required: [title], properties: { title: { type: string } } } } }
      responses: { "200": { summary: Found books, content: { application/json: { example: [{ title: Emma }] } } } }
    additionalOperations:
      LINK:
        parameters: [{ name: to, in: query, required: true, schema: { type: integer } }]
        responses: { "204": { description: d } }
      POST: { responses: { "204": { description: d } } }
      unlink: { responses: { "204": { description: d } } }
      BREW: { responses: { "204": { description: d } } }`);

describe('operations of OpenAPI 3.2', () => {
  it('with QUERY and other methods are routed and validated', async () => {
    const { ask } = await startStorefront({ contract: await writeDocument(METHODS) });
    expect((await ask('QUERY', '/books', { title: 'Emma' })).body).toEqual([{ title: 'Emma' }]);
    expect((await ask('QUERY', '/books', {})).status).toBe(400);
    expect((await ask('LINK', '/books?to=1')).status).toBe(204);
    expect((await ask('LINK', '/books?to=x')).status).toBe(400);
    const refused = await ask('GET', '/books');
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'QUERY, LINK']);
  });

  it('that no request can reach are named with their lines', async () => {
    const path = await writeDocument(METHODS);
    const { warning, routes } = await loadContract({ path, strict: false });
    expect(routes.map(({ operationId }) => operationId)).toEqual(['queryBooks', 'linkBooks']);
    expect(warning).toBe(
      `${path}:15:13 #/paths/~1books/additionalOperations/POST is ignored, because POST has a key of its own: move the operation to post; ` +
        `${path}:16:15 #/paths/~1books/additionalOperations/unlink is never reached, because methods are case-sensitive: write UNLINK; ` +
        `${path}:17:13 #/paths/~1books/additionalOperations/BREW is never reached, because Node.js refuses requests with the method BREW: use a method such as LINK or REPORT`,
    );
  });

  it('are ignored in OpenAPI 3.1', async () => {
    const path = await writeDocument(METHODS.replace('3.2.0', '3.1.0'));
    expect((await loadContract({ path, strict: false })).routes).toEqual([]);
  });
});

const QUERY_STRINGS = create32(`
  /books:
    get:
      parameters:
        - name: filter
          in: querystring
          content:
            application/x-www-form-urlencoded:
              schema:
                type: object
                required: [q]
                properties:
                  q: { type: string }
                  limit: { type: integer }
                  tags: { type: array, items: { type: string } }
                  price: { type: object, properties: { max: { type: number } } }
      responses: { "200": { description: d, content: { application/json: { schema: { type: array } } } } }
  /points:
    get:
      parameters:
        - name: area
          in: querystring
          required: true
          content:
            application/json:
              schema: { type: object, required: [from], properties: { from: { type: array, items: { type: number } } } }
          examples: { small: { serializedValue: '%7B%22from%22%3A%5B1%5D%7D' } }
      responses: { "204": { description: d } }
  /texts:
    get:
      parameters:
        - { name: path, in: querystring, content: { text/plain: { schema: { type: string, pattern: '^[$]' } } } }
      responses: { "204": { description: d } }`);

describe('a parameter that is the query string', () => {
  it.each([
    ['/books?q=a+b&limit=5&tags=x&tags=y&price=%7B%22max%22%3A1.5%7D', 200],
    ['/books?limit=5', 400],
    ['/books?q=a&limit=five', 400],
    ['/books?q=a&price=%7B%22max%22%3A%22x%22%7D', 400],
    ['/points?%7B%22from%22%3A%5B1%2C2%5D%7D', 204],
    ['/points?%7B%22from%22%3A%22x%22%7D', 400],
    ['/points?from=1', 400],
    ['/points', 400],
    ['/texts?%24.a%5B1%3A1%5D=2', 204],
    ['/texts?a', 400],
    ['/texts', 204],
  ])('of GET %s is validated by its schema: %i', async (target, status) => {
    const { ask } = await startStorefront({ contract: await writeDocument(QUERY_STRINGS) });
    expect((await ask('GET', target)).status).toBe(status);
  });

  it.each([
    ['/books?__code=200&q=a', 200],
    ['/points?%7B%22from%22%3A%5B1%5D%7D&__code=204', 204],
    ['/points?__code=204&%7B%22from%22%3A%5B1%5D%7D', 204],
    ['/points?__code=204', 400],
    ['/points?__codes=204&%7B%22from%22%3A%5B1%5D%7D', 400],
    ['/texts?__code=204', 204],
  ])('does not contain the preferences of GET %s: %i', async (target, status) => {
    const { ask } = await startStorefront({ contract: await writeDocument(QUERY_STRINGS) });
    expect((await ask('GET', target)).status).toBe(status);
  });

  it('that is not a form is one value of the query for handlers', async () => {
    const handlers = {
      getPoints: ({ query }: { query: object }) => ({ status: 204, headers: { 'X-Query': JSON.stringify(query) } }),
    };
    const { ask } = await startStorefront({ contract: await writeDocument(QUERY_STRINGS), handlers });
    const { headers } = await ask('GET', '/points?%7B%22from%22%3A%5B1%5D%7D');
    expect(headers.get('x-query')).toBe('{"area":"{\\"from\\":[1]}"}');
  });

  it('has examples that are read as the query string', async () => {
    const contract = await loadContract({ path: await writeDocument(QUERY_STRINGS), strict: false });
    expect(findRoute(contract, 'GET', '/points').parameters[0]?.examples).toMatchObject([{ value: { from: [1] } }]);
  });

  it('is refused in OpenAPI 3.1, and without content', async () => {
    const old = await writeDocument(QUERY_STRINGS.replace('3.2.0', '3.1.0'));
    await expect(loadContract({ path: old, strict: false })).rejects.toThrow(
      'has the invalid location "querystring": write openapi: 3.2.0, or use one of path, query, header, cookie',
    );
    const bare = await writeDocument(
      create32(`
  /a: { get: { parameters: [{ name: q, in: querystring, schema: {} }], responses: { "204": { description: d } } } }`),
    );
    await expect(loadContract({ path: bare, strict: false })).rejects.toThrow('has no content: add content');
  });
});

const COOKIES = create32(`
  /a:
    get:
      parameters:
        - { name: color, in: cookie, style: cookie, schema: { type: array, items: { type: string }, maxItems: 2 } }
        - { name: point, in: cookie, style: cookie, schema: { type: object, required: [x], properties: { x: { type: integer }, y: { type: integer } } } }
        - { name: text, in: cookie, style: cookie, schema: { type: string, enum: ['%41'] } }
      responses: { "204": { description: d } }`);

describe('cookies with the style of OpenAPI 3.2', () => {
  it.each([
    ['color=red; color=blue; x=1; y=2; text=%41', 204],
    ['color=red', 204],
    ['color=a; color=b; color=c', 400],
    ['y=2', 400],
    ['x=one', 400],
    ['text=A', 400],
  ])('%s are validated by their schemas: %i', async (cookie, status) => {
    const { ask } = await startStorefront({ contract: await writeDocument(COOKIES) });
    expect((await ask('GET', '/a', undefined, { cookie })).status).toBe(status);
  });
});

const EXAMPLES = create32(`
  /books:
    get:
      parameters:
        - { name: flag, in: query, schema: { type: boolean }, examples: { on: { serializedValue: flag=true } } }
        - { name: sort, in: header, schema: { type: array, items: { type: string } }, examples: { two: { dataValue: [a, b], serializedValue: 'a,b' } } }
      responses:
        "200":
          description: d
          headers: { X-Left: { schema: { type: integer }, examples: { some: { serializedValue: "7" } } } }
          content:
            application/json:
              schema: { type: object, properties: { n: { type: integer } } }
              examples:
                data: { dataValue: { n: 1 } }
                text: { serializedValue: '{ "n": 2 }' }
            text/csv:
              schema: { type: array, items: { type: string } }
              examples: { rows: { dataValue: [a, b], serializedValue: "a\\nb\\n" } }
  /wrong:
    get:
      responses:
        "200": { description: d, content: { application/json: { schema: { type: integer }, examples: { bad: { dataValue: x } } } } }`);

describe('examples of OpenAPI 3.2', () => {
  it('are sent as data and as serialized texts', async () => {
    const { ask } = await startStorefront({ contract: await writeDocument(EXAMPLES) });
    const first = await ask('GET', '/books');
    expect([first.body, first.headers.get('x-left')]).toEqual([{ n: 1 }, '7']);
    expect((await ask('GET', '/books', undefined, { prefer: 'example=text' })).body).toEqual({ n: 2 });
    expect((await ask('GET', '/books', undefined, { accept: 'text/csv' })).text).toBe('a\nb\n');
  });

  it('of parameters have the values of their serialized texts', async () => {
    const contract = await loadContract({ path: await writeDocument(EXAMPLES), strict: false });
    const { parameters } = findRoute(contract, 'GET', '/books');
    expect(parameters.map(({ examples }) => examples[0]?.value)).toEqual([true, ['a', 'b']]);
  });

  it('are named if they violate their schemas', async () => {
    const path = await writeDocument(EXAMPLES);
    const issues = runAtOnce((await loadContract({ path, strict: false })).findInvalidExamples());
    expect(issues.map(({ pointer }) => pointer)).toEqual([
      '/paths/~1wrong/get/responses/200/content/application~1json/examples/bad/dataValue',
    ]);
  });

  it('are named with their lines at the start if their serialized texts are not valid JSON or violate their schemas', async () => {
    const document = create32(`
  /texts:
    get:
      responses:
        "200":
          description: d
          content:
            application/json:
              schema: { type: integer }
              examples: { cut: { serializedValue: '{"n":' }, both: { dataValue: 1, serializedValue: '[1' }, text: { serializedValue: '"x"' }, good: { serializedValue: '7' } }
            application/problem+json: { examples: { any: { serializedValue: 'n' } } }
            text/plain: { examples: { any: { serializedValue: '{' } } }`);
    const { log } = await startStorefront({ contract: await writeDocument(document) });
    const path = '/paths/~1texts/get/responses/200/content/application~1json/examples';
    await vi.waitFor(() => {
      const warnings = log.flatMap(({ msg = '' }) => (msg.includes('uses the example as it is written') ? [msg] : []));
      expect(warnings).toEqual([
        expect.stringMatching(
          new RegExp(`:\\d+:\\d+ #${path}/cut/serializedValue is not valid JSON \\(.+\\): correct`),
        ),
        expect.stringMatching(new RegExp(`#${path}/both/serializedValue is not valid JSON`)),
        expect.stringMatching(/application~1problem\+json\/examples\/any\/serializedValue is not valid JSON/),
        expect.stringMatching(new RegExp(`#${path}/text/serializedValue is "x": use an integer`)),
      ]);
    }, 60_000);
  });
});
