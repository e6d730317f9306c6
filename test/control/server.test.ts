import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createApiDocument,
  createList,
  createObject,
  createResourcePaths,
  refer,
} from '../support/fixtures/api-document.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startWithContractFile, waitForLog, withReviews } from '../support/harness/live-contract.ts';
import { expectValidControlResponse } from '../support/harness/sandboxes.ts';
import { startApi } from '../support/harness/start-api.ts';
import { createFetchClient, startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

async function getServer({ url }: TestShop) {
  const response = await createFetchClient(url)('GET', '/_control/server');
  expectValidControlResponse('GET', '/_control/server', response);
  return response.body;
}

const TEXT = { type: 'string' };
const schemas = {
  Pet: createObject({ 'name!': TEXT, 'id!': { type: 'integer', readOnly: true }, owner: refer('Owner') }),
  Owner: createObject({ name: TEXT, pets: createList(refer('Pet')) }),
};
const paths = createResourcePaths('/pets/{petId}', refer('Pet'));

describe('GET /_control/server', () => {
  it('describes the contract of the shop and its collections', async () => {
    const server = await getServer(await startStorefront());
    expect(server).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      dataFile: 'db.json',
      contract: { title: 'Storefront', basePath: '', operations: 11, reloads: 0 },
    });
    expect(server.collections.map(({ name, key }: { name: string; key: string }) => [name, key])).toEqual([
      ['products', 'id'],
      ['deliveryOptions', 'id'],
      ['cartItems', 'productId'],
      ['orders', 'id'],
    ]);
  });

  it('has the options that start the same contract with the same handlers', async () => {
    const { startOptions: ofShop } = await getServer(await startStorefront());
    expect(ofShop).toEqual({});
    const folder = await folderWith({
      'openapi.json': createApiDocument(paths, schemas),
      'handlers.mjs': 'export const getPets = () => ({ body: [] });',
    });
    const [contract, handlers] = [join(folder, 'openapi.json'), join(folder, 'handlers.mjs')];
    const { startOptions } = await getServer(await startStorefront({ contract, handlers }));
    expect(startOptions).toEqual({ contract: relative('', contract), handlers: relative('', handlers) });
  });

  it('returns the schemas of entries without references to the contract', async () => {
    const { collections } = await getServer(await startApi({ paths, schemas }));
    expect(collections).toEqual([
      {
        name: 'pets',
        key: 'id',
        isSearched: false,
        form: { properties: ['name', 'owner'], defaults: {}, references: [] },
        schema: {
          ...schemas.Pet,
          properties: { ...Object(schemas.Pet.properties), owner: { $ref: '#/$defs/Owner' } },
          $defs: {
            Owner: createObject({ name: TEXT, pets: createList({ $ref: '#/$defs/Pet' }) }),
            Pet: {
              ...schemas.Pet,
              properties: { ...Object(schemas.Pet.properties), owner: { $ref: '#/$defs/Owner' } },
            },
          },
        },
      },
    ]);
  });

  it.each([
    ['the shop', () => startStorefront(), [200, 201, 201]],
    ['resources', () => startApi({ paths, schemas }), [200, 201]],
    ['mocked operations', () => startApi({ paths: { '/time': { get: { response: TEXT } } } }), [200]],
  ] as const)('has requests of %s to try, which succeed', async (_name, start, expected) => {
    const server = await start();
    const { examples } = await getServer(server);
    const statuses: number[] = [];
    for (const { method, path, body } of examples) statuses.push((await server.ask(method, path, body)).status);
    expect(statuses).toEqual(expected);
  });

  it('has a request to try for an entry that exists, and puts the path of the server before each path', async () => {
    const { shop } = await startWithContractFile();
    expect((await getServer(shop)).examples[0].path).toMatch(/^\/api\/products\?search=/);
    const api = await startApi({ paths, schemas });
    await api.ask('POST', '/pets', { name: 'Rex' });
    expect((await getServer(api)).examples.at(-1)).toEqual({ title: 'Get a pet', method: 'GET', path: '/pets/1' });
  });

  it('adds the credentials that the contract requires to its requests', async () => {
    const document = JSON.parse(createApiDocument(paths, schemas));
    document.servers = [{ url: '/v1' }];
    document.security = [{ token: [], key: [] }];
    document.components.securitySchemes = {
      token: { type: 'http', scheme: 'bearer' },
      key: { type: 'apiKey', in: 'query', name: 'api_key' },
    };
    const folder = await folderWith({ 'openapi.json': JSON.stringify(document) });
    const server = await startStorefront({ contract: join(folder, 'openapi.json') });
    const [{ method, path, headers }] = (await getServer(server)).examples;
    expect([path, headers]).toEqual(['/v1/pets?api_key=example', { authorization: 'Bearer example' }]);
    expect((await server.ask(method, path, undefined, headers)).status).toBe(200);
  });

  it('counts the reloads of the contract', async () => {
    const { shop, save } = await startWithContractFile();
    await save(withReviews);
    await waitForLog(shop, 'was reloaded');
    expect((await getServer(shop)).contract).toMatchObject({ operations: 12, reloads: 1 });
  });
});
