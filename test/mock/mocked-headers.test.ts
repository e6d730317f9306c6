import { describe, expect, it } from 'vitest';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const THING = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
};

interface Response {
  readonly status?: number;
  readonly headers: object;
  readonly media?: object;
}

/** Starts a server with one mocked operation at `/things/{kind}`, and sends a request to it. */
async function askMock(method: string, { status = 200, headers, media = { schema: THING } }: Response, prefer = '') {
  const responses = { [status]: { description: 'd', headers, content: { 'application/json': media } } };
  const kind = { name: 'kind', in: 'path', required: true, schema: { type: 'string' } };
  const operation = { operationId: 'doThing', parameters: [kind], responses };
  const contract = await writeDocument({ paths: { '/things/{kind}': { [method.toLowerCase()]: operation } } });
  const { ask } = await startStorefront({ contract, mock: true });
  return ask(method, '/things/red%20one', undefined, prefer === '' ? {} : { Prefer: prefer });
}

/** Expects that the value of a header is a text or matches a pattern. */
function expectValue(value: string | null, expected: string | RegExp): void {
  if (typeof expected === 'string') expect(value).toBe(expected);
  else expect(value).toMatch(expected);
}

const TEXT = { type: 'string' };

describe('a documented header of a mocked response', () => {
  it.each<readonly [what: string, header: object, expected: string | RegExp]>([
    ['its example', { example: 'a', schema: TEXT }, 'a'],
    ['its first named example', { examples: { one: { value: 'b' } }, schema: TEXT }, 'b'],
    ['the example of its schema', { schema: { type: 'integer', example: 100 } }, '100'],
    ['the first example of its schema', { schema: { type: 'integer', examples: [7, 8] } }, '7'],
    ['the default of its schema', { schema: { type: 'integer', default: 1 } }, '1'],
    ['the only value of its schema', { schema: { type: 'string', enum: ['gold'] } }, 'gold'],
    ['a generated value', { schema: { type: 'string', format: 'uuid' } }, /^[\da-f-]{36}$/],
    ['a generated value in its range', { schema: { type: 'integer', minimum: 3, maximum: 4 } }, /^[34]$/],
    ['a list', { schema: { type: 'array', items: { type: 'integer' }, example: [1, 2] } }, '1,2'],
    ['an object in the style simple', { schema: TEXT, example: { r: 1, s: 2 } }, 'r,1,s,2'],
    ['an object inside of an object as JSON', { schema: TEXT, example: { n: { a: 1 } } }, 'n,{"a":1}'],
    ['an exploded object', { explode: true, schema: TEXT, example: { r: 1, s: 2 } }, 'r=1,s=2'],
    ['the example of its content', { content: { 'application/json': { example: { a: 1 } } } }, '{"a":1}'],
  ])('has %s', async (_, header, expected) => {
    const { headers } = await askMock('GET', { headers: { 'X-One': header } });
    expectValue(headers.get('x-one'), expected);
  });

  it.each<readonly [name: string, schema: object, expected: string | RegExp, method: string, status: number]>([
    ['ETag', TEXT, /^"[\da-f]+"$/, 'GET', 200],
    ['Location', TEXT, /^\/things\/red%20one\/\d+$/, 'POST', 201],
    ['Location', { type: 'string', format: 'uri-reference' }, '/things/red%20one', 'PUT', 202],
    ['location', { type: 'string', format: 'uri' }, /^https:\/\/example\.com\//, 'GET', 302],
    ['Link', TEXT, '</things/red%20one>; rel="self"', 'GET', 200],
    ['Last-Modified', TEXT, /GMT$/, 'GET', 200],
    ['Last-Modified', { type: 'string', format: 'date-time' }, /^\d{4}-\d\d-\d\dT/, 'GET', 200],
    ['Retry-After', { type: 'integer' }, '1', 'GET', 202],
    ['Retry-After', { type: 'integer' }, '1', 'GET', 429],
    ['Retry-After', { type: 'integer', minimum: 20, maximum: 90 }, '30', 'GET', 429],
    ['Set-Cookie', TEXT, 'session=mock; Path=/', 'GET', 200],
    ['Set-Cookie', { type: 'string', example: 'sid=1' }, 'sid=1', 'GET', 200],
    ['Cache-Control', TEXT, 'no-store', 'GET', 200],
    ['Cache-Control', { type: 'string', default: 'max-age=9' }, 'max-age=9', 'GET', 200],
    ['Content-Disposition', TEXT, 'attachment', 'GET', 200],
    ['Allow', TEXT, 'GET', 'GET', 200],
    ['WWW-Authenticate', TEXT, 'Bearer', 'GET', 401],
  ])('can be interpreted by clients if it is %s with the schema %j', async (name, schema, expected, method, status) => {
    const reply = await askMock(method, { status, headers: { [name]: { schema } } }, `code=${status}`);
    expect(reply.status).toBe(status);
    expectValue(reply.headers.get(name), expected);
  });

  it('is absent if its examples belong to other examples of the body', async () => {
    const media = {
      schema: THING,
      examples: { one: { value: { id: 1, name: 'a' } }, two: { value: { id: 2, name: 'b' } } },
    };
    const headers = {
      'X-Two': { schema: TEXT, examples: { two: { value: 'yes' } } },
      'X-Both': { schema: TEXT, examples: { one: { value: '1' }, two: { value: '2' } } },
      'X-Own': { schema: TEXT, examples: { eu: { value: 'eu-1' } } },
    };
    const one = await askMock('GET', { headers, media });
    expect(['x-two', 'x-both', 'x-own'].map((name) => one.headers.get(name))).toEqual([null, '1', 'eu-1']);
    const two = await askMock('GET', { headers, media }, 'example=two');
    expect(['x-two', 'x-both', 'x-own'].map((name) => two.headers.get(name))).toEqual(['yes', '2', 'eu-1']);
  });

  it('is left out if its name is not valid or no value fits, and does not break the response', async () => {
    const NOTHING = { type: 'string', allOf: [{ minLength: 5 }, { maxLength: 1 }] };
    const headers = { 'X Bad': { example: 'a' }, 'X-None': { schema: NOTHING } };
    const reply = await askMock('GET', { headers });
    expect([reply.status, reply.headers.get('x-none')]).toEqual([200, null]);
  });

  it('is also sent with a stored entry of a mocked operation', async () => {
    const pet = { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } };
    const parameters = [{ name: 'petId', in: 'path', required: true, schema: { type: 'integer' } }];
    const responses = {
      200: { description: 'd', headers: { 'X-Plan': { schema: { type: 'string', enum: ['gold'] } } }, content: pet },
    };
    const contract = await writeDocument({
      paths: {
        '/pets': {
          get: {
            operationId: 'listPets',
            responses: {
              200: {
                description: 'd',
                content: {
                  'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Pet' } } },
                },
              },
            },
          },
          post: {
            operationId: 'addPet',
            requestBody: { content: pet },
            responses: { 201: { description: 'd', content: pet } },
          },
        },
        '/pets/{petId}': {
          get: { operationId: 'getPet', parameters, responses: { 200: { description: 'd', content: pet } } },
        },
        '/pets/{petId}/feed': { post: { operationId: 'feedPet', parameters, responses } },
      },
      schemas: { Pet: THING },
    });
    const { ask } = await startStorefront({ contract });
    const { body } = await ask('POST', '/pets', { id: 1, name: 'Rex' });
    const reply = await ask('POST', `/pets/${body.id}/feed`);
    expect([reply.body, reply.headers.get('x-plan')]).toEqual([body, 'gold']);
  });
});

describe('a page of another origin', () => {
  it('can read the headers that the operation documents, of each response and method', async () => {
    const item = { 'application/json': { schema: { type: 'object', properties: { id: { type: 'integer' } } } } };
    const headers = { 'X-Page': { schema: { type: 'integer' } }, ETag: { schema: TEXT } };
    const operation = (operationId: string, status: number) => ({
      operationId,
      responses: {
        [status]: { description: 'd', headers, content: item },
        400: { description: 'd', headers: { 'X-Reason': { schema: TEXT } } },
      },
    });
    const paths = {
      '/items': {
        get: operation('listItems', 200),
        post: { ...operation('addItem', 201), requestBody: { content: item } },
      },
    };
    const { ask } = await startStorefront({ contract: await writeDocument({ paths }) });
    const origin = { Origin: 'http://localhost:5173' };
    for (const [method, path, body, more] of [
      ['GET', '/items', undefined, {}],
      ['GET', '/items', undefined, {}],
      ['HEAD', '/items', undefined, {}],
      ['POST', '/items', {}, {}],
      ['POST', '/items', [], {}],
      ['GET', '/items', undefined, { Prefer: 'code=400' }],
    ] as const) {
      const reply = await ask(method, path, body, { ...origin, ...more });
      const exposed = reply.headers.get('access-control-expose-headers')?.split(',');
      expect(exposed, `${method} ${reply.status}`).toEqual(
        expect.arrayContaining(['Location', 'X-Page', 'ETag', 'X-Reason']),
      );
    }
  });
});
