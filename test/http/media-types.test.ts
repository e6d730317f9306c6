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
    ['image/png', 'application/json'],
  ])('has for Accept: %s the type %s', async (accept, expected) => {
    const versions = [1, 2].map((version) => `application/vnd.pet+json;version=${version}`);
    const ask = await startPets(['application/xml', 'application/json', ...versions], options);
    expect((await ask(accept)).headers.get('content-type')).toBe(expected);
  });

  it('has the XML that the schema describes', async () => {
    const ask = await startPets(['application/json', 'application/xml'], options);
    expect((await ask('application/xml')).text).toBe(PET_XML);
  });

  it.each([
    ['text/event-stream', (json: string) => `data: ${json}\n\n`],
    ['application/x-ndjson', (json: string) => `${json}\n`],
    ['application/jsonl', (json: string) => `${json}\n`],
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
  expect((await ask('GET', '/events')).text).toBe('data: {"a":1}\n\ndata: "b\\nc"\n\n');
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
