import { describe, expect, it } from 'vitest';
import { createObject, createResourcePaths } from '../support/fixtures/api-document.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const TEXT = { type: 'string' };
const Car = createObject({ id: TEXT, constructor: TEXT });

describe('A property named constructor', () => {
  const paths = createResourcePaths('/cars/{id}', Car);
  const { '/cars': cars } = paths;
  const api = { paths: { ...paths, '/cars': { ...cars, get: { ...cars?.get, query: { constructor: TEXT } } } } };

  it('can be missing in a request, and does not filter the list', async () => {
    const { ask } = await startApi(api);
    expect(await ask('POST', '/cars', { id: 'a' })).toMatchObject({ status: 201, body: { id: 'a' } });
    expect((await ask('GET', '/cars')).body).toEqual([{ id: 'a' }]);
  });

  it('filters the list by its value, and is removed by a PUT without it', async () => {
    const { ask } = await startApi(api);
    await ask('POST', '/cars', { id: 'a', constructor: 'Lotus' });
    expect((await ask('GET', '/cars?constructor=Lotus')).body).toHaveLength(1);
    expect((await ask('PUT', '/cars/a', {})).body).toEqual({ id: 'a' });
    expect((await ask('GET', '/cars?constructor=Lotus')).body).toEqual([]);
  });
});

describe('A parameter without a schema', () => {
  it('can have any value', async () => {
    const document = {
      openapi: '3.0.3',
      info: { title: 'Test', version: '1' },
      paths: {
        '/cars/{id}': {
          parameters: [{ name: 'id', in: 'path', required: true }],
          get: { responses: { 200: { description: 'The car', content: { 'application/json': { schema: Car } } } } },
        },
      },
    };
    const folder = await folderWith({ 'openapi.json': JSON.stringify(document) });
    const { ask } = await startStorefront({ contract: `${folder}/openapi.json` });
    expect((await ask('GET', '/cars/a')).status).toBe(200);
  });
});
