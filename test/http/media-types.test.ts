import { describe, expect, it } from 'vitest';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const PET = {
  type: 'object',
  xml: { name: 'pet', prefix: 'p', namespace: 'https://pets.test' },
  properties: {
    id: { type: 'integer', xml: { attribute: true } },
    name: { type: 'string' },
    tags: { type: 'array', xml: { wrapped: true }, items: { type: 'string', xml: { name: 'tag' } } },
    photos: { type: 'array', items: { type: 'string', xml: { name: 'photo' } } },
  },
};

const EXAMPLE = { id: 1, name: 'a<b', tags: ['a', 'b'], photos: ['x', 'y'] };

const PET_XML =
  '<?xml version="1.0" encoding="UTF-8"?>\n<p:pet xmlns:p="https://pets.test" id="1"><name>a&lt;b</name>' +
  '<tags><tag>a</tag><tag>b</tag></tags><photo>x</photo><photo>y</photo></p:pet>';

/** Starts a server with the operation `getPet`, whose response has these media types. Returns a function that sends a request with an `Accept` header. */
async function startPets(types: readonly string[], more: object = {}) {
  const media = { schema: { $ref: '#/components/schemas/Pet' }, example: EXAMPLE };
  const content = Object.fromEntries(types.map((type) => [type, media]));
  const get = { operationId: 'getPet', responses: { 200: { description: 'd', content } } };
  const contract = await writeDocument({ paths: { '/pet': { get } }, schemas: { Pet: PET } });
  const { ask } = await startStorefront({ contract, ...more });
  return (accept?: string) => ask('GET', '/pet', undefined, accept === undefined ? {} : { Accept: accept });
}

const servers: readonly (readonly [string, object])[] = [
  ['a mocked response', { mock: true }],
  ['the response of a handler', { handlers: { getPet: () => ({ body: EXAMPLE }) } }],
];

describe.each(servers)('%s with several media types', (_, options) => {
  it.each<readonly [accept: string | undefined, expected: string]>([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['text/html, */*;q=0.8', 'application/json'],
    ['application/xml', 'application/xml'],
    ['application/json;q=0.5, application/xml', 'application/xml'],
    ['application/*, application/json;q=0.1', 'application/vnd.pet+json;version=1'],
    ['application/xml;charset=utf-8', 'application/xml'],
    ['application/vnd.pet+json; version="2" ; q=0.5', 'application/vnd.pet+json;version=2'],
    ['application/vnd.pet+json;version=1', 'application/vnd.pet+json;version=1'],
    ['application/vnd.pet+json;version=3, application/xml;q=0.1', 'application/xml'],
    ['application/json;q=0, */*;q=0.1', 'application/vnd.pet+json;version=1'],
    ['en', 'application/json'],
  ])('has for Accept: %s the type %s', async (accept, expected) => {
    const versions = [1, 2].map((version) => `application/vnd.pet+json;version=${version}`);
    const ask = await startPets(['application/xml', 'application/json', ...versions], options);
    expect((await ask(accept)).headers.get('content-type')).toBe(expected);
  });

  it.each(['image/png', 'application/xml;q=0, text/*', 'application/*;q=0, image/*', '*/*;q=0.0'])(
    'is refused with Accept: %s',
    async (accept) => {
      const ask = await startPets(['application/xml', 'application/json'], options);
      const { status, headers, body } = await ask(accept);
      expect([status, headers.get('content-type')]).toEqual([406, 'application/problem+json']);
      expect(body?.detail).toContain(`the header Accept is "${accept}"`);
      expect(body?.detail).toContain('use application/xml or application/json');
      expect(headers.get('vary')).toContain('Accept');
    },
  );

  it('depends on Accept', async () => {
    for (const types of [
      ['application/json', 'application/xml'],
      ['application/json', 'application/vnd.pet+json'],
    ]) {
      const ask = await startPets(types, options);
      const { headers } = await ask(types[1]);
      expect([headers.get('content-type'), headers.get('vary')]).toEqual([types[1], 'Origin, Accept']);
    }
  });

  it.each(['image/png', '*/*;q=0'])('is sent with its only type for Accept: %s', async (accept) => {
    const ask = await startPets(['application/json'], options);
    const { status, headers } = await ask(accept);
    expect([status, headers.get('content-type'), headers.get('vary')]).toEqual([200, 'application/json', 'Origin']);
  });

  it('has the XML that the schema describes', async () => {
    const ask = await startPets(['application/json', 'application/xml'], options);
    expect((await ask('application/xml')).text).toBe(PET_XML);
  });

  it.each([
    ['text/event-stream', (json: string) => `data: ${json}\n\n`],
    ['application/x-ndjson', (json: string) => `${json}\n`],
    ['application/jsonl', (json: string) => `${json}\n`],
    ['application/stream+json', (json: string) => `${json}\n`],
    ['application/json-seq', (json: string) => `\u001e${json}\n`],
  ])('has the lines of %s', async (type, frame) => {
    const ask = await startPets([type], options);
    expect((await ask()).text).toBe(frame(JSON.stringify(EXAMPLE)));
  });
});

it('a stream has an event for each entry of a list', async () => {
  const content = { 'text/event-stream': { schema: { type: 'array', items: {} }, example: [{ a: 1 }, 'b\nc'] } };
  const get = { operationId: 'watch', responses: { 200: { description: 'd', content } } };
  const { ask } = await startStorefront({
    contract: await writeDocument({ paths: { '/events': { get } } }),
    mock: true,
  });
  expect((await ask('GET', '/events')).text).toBe('data: {"a":1}\n\ndata: b\ndata: c\n\n');
});

it('the response of a stored entry is XML if the request accepts only XML', async () => {
  const schema = { $ref: '#/components/schemas/Pet' };
  const one = { 'application/json': { schema }, 'application/xml': { schema } };
  const list = { type: 'array', items: schema, xml: { name: 'pets' } };
  const many = { 'application/json': { schema: list }, 'application/xml': { schema: list } };
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
  const body = { required: true, content: { 'application/json': { schema } } };
  const paths = {
    '/pets': {
      get: { operationId: 'listPets', responses: { 200: { description: 'd', content: many } } },
      post: { operationId: 'addPet', requestBody: body, responses: { 201: { description: 'd', content: one } } },
    },
    '/pets/{id}': {
      get: { operationId: 'getPet', parameters: [id], responses: { 200: { description: 'd', content: one } } },
    },
  };
  const { ask } = await startStorefront({ contract: await writeDocument({ paths, schemas: { Pet: PET } }) });
  await ask('POST', '/pets', EXAMPLE);
  const json = await ask('GET', '/pets/1');
  const xml = await ask('GET', '/pets/1', undefined, { Accept: 'application/xml' });
  expect([json.body, json.headers.get('vary')]).toEqual([EXAMPLE, expect.stringContaining('Accept')]);
  expect(xml.text).toBe(PET_XML);
  const listed = await ask('GET', '/pets', undefined, { Accept: 'application/xml' });
  expect(listed.text).toMatch(/<pets><p:pet .*<\/p:pet><\/pets>$/);
});

it.each([
  ['text/csv', 406],
  ['application/json', 200],
  ['application/problem+json', 200],
])('the response of a resource with JSON and CSV, for Accept: %s, has the status %s', async (accept, status) => {
  const list = { schema: { type: 'array', items: { $ref: '#/components/schemas/Pet' } } };
  const schema = { $ref: '#/components/schemas/Pet' };
  const content = { 'application/json': list, 'text/csv': list };
  const problem = { description: 'd', content: { 'application/problem+json': {} } };
  const paths = {
    '/pets': {
      get: { operationId: 'listPets', responses: { 200: { description: 'd', content }, 400: problem } },
      post: {
        operationId: 'addPet',
        requestBody: { content: { 'application/json': { schema } } },
        responses: { 201: { description: 'd', content: { 'application/json': { schema } } } },
      },
    },
    '/pets/{id}': {
      get: {
        operationId: 'getPet',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: { 200: { description: 'd', content: { 'application/json': { schema } } } },
      },
    },
  };
  const { ask } = await startStorefront({ contract: await writeDocument({ paths, schemas: { Pet: PET } }) });
  const response = await ask('GET', '/pets', undefined, { Accept: accept });
  expect(response.status).toBe(status);
  if (status === 406) expect(response.body.detail).toMatch(/: use application\/json$/);
});

describe('a resource whose response also has types for which a value has no form', () => {
  const schema = { $ref: '#/components/schemas/Pet' };
  const text = { schema: { type: 'string' }, example: '--- a/pet' };
  const content = {
    'application/json': { schema },
    'text/x-diff': text,
    'application/vnd.pets.full': { schema },
    'application/pdf': {},
    'application/cbor': { schema },
  };
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
  const json = { description: 'd', content: { 'application/json': { schema } } };
  const get = {
    operationId: 'getPet',
    parameters: [id],
    responses: { 200: { description: 'd', content }, 404: { description: 'd' } },
  };
  const post = {
    operationId: 'addPet',
    requestBody: { content: { 'application/json': { schema } } },
    responses: { 201: json },
  };
  const paths = { '/pets': { post }, '/pets/{id}': { get, put: { ...post, operationId: 'setPet', parameters: [id] } } };

  it.each([
    ['text/x-diff', 200, 'text/x-diff', 'operation'],
    ['application/vnd.pets.full', 200, 'application/vnd.pets.full', 'operation'],
    ['application/pdf', 200, 'application/pdf', 'operation'],
    ['text/x-diff, application/json;q=0.5', 200, 'application/json', null],
    ['*/*', 200, 'application/json', null],
    ['application/cbor', 406, 'application/problem+json', null],
  ])('has a generated body in this type, for Accept: %s', async (accept, status, type, mocked) => {
    const { ask } = await startStorefront({ contract: await writeDocument({ paths, schemas: { Pet: PET } }) });
    await ask('PUT', '/pets/1', EXAMPLE);
    const { status: own, headers, text: body } = await ask('GET', '/pets/1', undefined, { Accept: accept });
    expect([own, headers.get('content-type'), headers.get('x-mocked')]).toEqual([status, type, mocked]);
    if (type === 'text/x-diff') expect(body).toBe(text.example);
    if (status === 200) expect((await ask('GET', '/pets/2', undefined, { Accept: accept })).status).toBe(404);
  });
});

it('a request that is refused because of Accept changes nothing and does not use its idempotency key', async () => {
  const content = { 'application/json': {}, 'application/xml': {} };
  const post = { operationId: 'add', responses: { 201: { description: 'd', content } } };
  let count = 0;
  const add = () => ({ status: 201, body: { count: ++count } });
  const contract = await writeDocument({ paths: { '/pets': { post } } });
  const { ask } = await startStorefront({ contract, handlers: { add } });
  const send = (accept: string) => ask('POST', '/pets', undefined, { Accept: accept, 'Idempotency-Key': 'a' });
  expect((await send('image/png')).status).toBe(406);
  expect((await send('application/json')).body).toEqual({ count: 1 });
});
