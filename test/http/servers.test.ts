import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const V1 = [{ url: 'https://api.example.com/v1' }];

const NO_CONTENT = { responses: { 204: { description: 'd' } } };

/** A creation whose response has a `Location`. */
const CREATION = {
  operationId: 'createPet',
  responses: {
    201: { description: 'd', headers: { Location: { schema: { type: 'string' }, example: '/pets/7' } } },
  },
};

/** The paths of a document with one collection. */
const PETS = {
  '/pets': { get: { operationId: 'listPets', ...NO_CONTENT }, post: CREATION },
  '/pets/{id}': {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
    get: { operationId: 'getPet', responses: { ...NO_CONTENT.responses, 503: { description: 'd' } } },
  },
};

/** Writes a document. Returns its path. */
async function writeDocument(servers: unknown, paths: object = PETS): Promise<string> {
  const document = { openapi: '3.0.3', info: { title: 't', version: '1' }, servers, paths };
  return join(await folderWith({ 'openapi.json': JSON.stringify(document) }), 'openapi.json');
}

/** Returns the operationId for a GET request, with the base path that the router removes. */
async function route(path: string, servers: unknown, paths?: object): Promise<readonly unknown[]> {
  const contract = await loadContract({ path: await writeDocument(servers, paths), strict: false });
  const found = contract.route('GET', path);
  return [found.kind === 'operation' ? found.route.operationId : found.kind, found.basePath];
}

describe('the path of a server in the document', () => {
  it.each<[title: string, servers: readonly object[], path: string]>([
    ['with an origin', V1, '/v1/pets/1'],
    ['with a slash at the end', [{ url: 'https://api.example.com/v1/' }], '/v1/pets/1'],
    ['without an origin', [{ url: '/v1' }], '/v1/pets/1'],
    ['that is relative', [{ url: './v1' }], '/v1/pets/1'],
    ['without a scheme', [{ url: '//api.example.com/v1' }], '/v1/pets/1'],
    ['of several segments', [{ url: 'https://example.com/api/v1' }], '/api/v1/pets/1'],
    ['of the second server', [{ url: 'https://a.example.com' }, ...V1], '/v1/pets/1'],
    [
      'with a variable',
      [{ url: 'https://{host}/{v}', variables: { host: { default: 'a' }, v: { default: 'v1' } } }],
      '/v1/pets/1',
    ],
    [
      'beside one with a placeholder as its value',
      [{ url: '/{id}', variables: { id: { default: '{id}' } } }, ...V1],
      '/v1/pets/1',
    ],
    [
      'with a variable with several values',
      [{ url: '/{v}', variables: { v: { default: 'v1', enum: ['v1', 'v2'] } } }],
      '/v2/pets/1',
    ],
  ])('%s can start the path of a request', async (_, servers, path) => {
    expect(await route(path, servers)).toEqual(['getPet', path.replace('/pets/1', '')]);
    expect(await route('/pets/1', servers)).toEqual(['getPet', undefined]);
  });

  it.each<[title: string, servers: unknown]>([
    ['an unknown variable', [{ url: '/{v}' }]],
    ['no url', [{ description: 'd' }]],
    ['an invalid list', 'https://api.example.com/v1'],
  ])('is ignored with %s', async (_, servers) => {
    expect(await route('/v1/pets', servers)).toEqual(['unknown-path', undefined]);
    expect(await route('/pets', servers)).toEqual(['listPets', undefined]);
  });

  it('is that of the operation, else of the path item', async () => {
    const paths = {
      '/a': { get: { operationId: 'a', servers: [{ url: '/v2' }], ...NO_CONTENT } },
      '/b': { servers: [{ url: '/v3' }], get: { operationId: 'b', ...NO_CONTENT } },
    };
    expect(await route('/v2/a', V1, paths)).toEqual(['a', '/v2']);
    expect(await route('/v3/b', V1, paths)).toEqual(['b', '/v3']);
    expect(await route('/v1/a', V1, paths)).toEqual(['unknown-path', undefined]);
  });

  it('comes after a path of the contract that begins with it, and before a path with parameters', async () => {
    const paths = {
      '/pets': { get: { operationId: 'pets', ...NO_CONTENT } },
      '/v1/pets': { get: { operationId: 'v1Pets', ...NO_CONTENT } },
      '/owners': { get: { operationId: 'owners', ...NO_CONTENT } },
      '/{a}/{b}': { get: { operationId: 'anyPath', ...NO_CONTENT } },
    };
    expect(await route('/v1/pets', V1, paths)).toEqual(['v1Pets', undefined]);
    expect(await route('/v1/owners', V1, paths)).toEqual(['owners', '/v1']);
    expect(await route('/v1/other', V1, paths)).toEqual(['anyPath', undefined]);
  });
});

describe('a request with the path of a server', () => {
  it('is validated and handled like a request without it', async () => {
    const shop = await startStorefront({ contract: await writeDocument(V1), mock: true });
    expect((await shop.ask('GET', '/v1/pets/1')).status).toBe(204);
    expect((await shop.ask('GET', '/_sandbox/w1/v1/pets/1')).status).toBe(204);
    const { status, body } = await shop.ask('GET', '/v1/pets/x');
    expect([status, body.instance, body.errors?.[0]?.pointer ?? body.detail]).toEqual([
      400,
      '/v1/pets/x',
      expect.stringContaining('id'),
    ]);
  });

  it('gets a Location with this path', async () => {
    const shop = await startStorefront({ contract: await writeDocument(V1), mock: true });
    const getLocation = async (path: string) => (await shop.ask('POST', path)).headers.get('location');
    expect(await getLocation('/pets')).toBe('/pets/7');
    expect(await getLocation('/v1/pets')).toBe('/v1/pets/7');
    expect(await getLocation('/_sandbox/w1/v1/pets')).toBe('/_sandbox/w1/v1/pets/7');
  });

  it('and the sandbox are in the paths of a Link', async () => {
    const example = '</pets?page=2>; rel="next", <https://example.com/pets>; rel="last"';
    const response = { description: 'd', headers: { Link: { schema: { type: 'string' }, example } } };
    const contract = await writeDocument(V1, { '/pets': { get: { responses: { 204: response } } } });
    const { ask } = await startStorefront({ contract });
    const { headers } = await ask('GET', '/_sandbox/w1/v1/pets');
    expect(headers.get('link')).toBe(example.replace('</pets', '</_sandbox/w1/v1/pets'));
  });

  it('gets the methods of the path, or says that the path does not exist', async () => {
    const shop = await startStorefront({ contract: await writeDocument(V1), mock: true });
    const refused = await shop.ask('DELETE', '/v1/pets');
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, POST']);
    const unknown = await shop.ask('GET', '/v1/owners');
    expect([unknown.status, unknown.body.type]).toEqual([404, '/problems/unknown-path']);
  });

  it.each(['/v1/pets/*', '/pets/*'])('matches a fault and a verification for the path %s', async (path) => {
    const shop = await startStorefront({ contract: await writeDocument(V1), mock: true });
    const control = '/_control/sandboxes/default';
    const fault = await shop.ask('POST', `${control}/faults`, { where: { path }, status: 503 });
    expect([fault.status, fault.body.warnings ?? []]).toEqual([200, []]);
    expect((await shop.ask('GET', '/v1/pets/1')).status).toBe(503);
    const verified = await shop.ask('POST', `${control}/requests/verify`, { where: { path }, times: 1 });
    expect(verified.body).toMatchObject({ verified: true });
    const { body } = await shop.ask('GET', `${control}/requests`);
    expect(body[0].request.path).toBe('/v1/pets/1');
  });
});
