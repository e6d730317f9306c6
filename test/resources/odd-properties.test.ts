import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withPaths, writeDocument } from '../openapi/documents.ts';
import { createList, createObject, createResourcePaths } from '../support/fixtures/api-document.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { startApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const TEXT = { type: 'string' };
/** `__proto__` can't be the name of a parameter: openapi-backend loses it. */
const NAMES = ['constructor', '__proto__', 'toString'];

describe('A property that all JavaScript objects have', () => {
  it.each(NAMES)('is stored, found, sorted, changed and removed: %s', async (name) => {
    const Thing = createObject({ 'id!': TEXT, [name]: TEXT });
    const paths = createResourcePaths('/things/{id}', Thing);
    const get = { response: createList(Thing), query: { [name]: TEXT, sort: TEXT } };
    const { ask, port } = await startApi({ paths: { ...paths, '/things': { ...paths['/things'], get } } });
    const [a, b] = ['z', 'y'].map((value, id) => JSON.parse(`{ "id": "${id}", "${name}": "${value}" }`));
    expect((await ask('POST', '/things', a)).body).toEqual(a);
    await ask('POST', '/things', b);
    await ask('POST', '/things', { id: '2' });
    if (name !== '__proto__') expect((await ask('GET', `/things?${name}=z`)).body).toEqual([a]);
    expect((await ask('GET', `/things?sort=${name}`)).body).toEqual([b, a, { id: '2' }]);
    const patched = JSON.parse(`{ "id": "0", "${name}": "x" }`);
    expect((await ask('PATCH', '/things/0', JSON.parse(`{ "${name}": "x" }`))).body).toEqual(patched);
    expect((await ask('PATCH', '/things/1', JSON.parse(`{ "${name}": null }`))).body).toEqual({ id: '1' });
    const { body } = await createControlClient({ port })('GET', '/default/state');
    expect(body).toEqual({ things: [patched, { id: '1' }, { id: '2' }] });
  });

  it.each(NAMES)('can be the name of a resource: %s', async (name) => {
    const { ask, port } = await startApi({
      paths: createResourcePaths(`/${name}/{id}`, createObject({ 'id!': TEXT })),
    });
    expect((await ask('POST', `/${name}`, { id: 'a' })).status).toBe(201);
    const control = createControlClient({ port });
    const state = await control('GET', '/default/state');
    expect((await control('PUT', '/default/state', state.body)).status).toBe(204);
    expect((await ask('GET', `/${name}/a`)).body).toEqual({ id: 'a' });
    expect((await ask('DELETE', `/${name}/a`)).status).toBe(204);
    expect((await ask('GET', `/${name}`)).body).toEqual([]);
  });

  it.each(NAMES)('can be the name of a resource that the default data lack: %s', async (name) => {
    const defaultData = join(await folderWith({ 'data.json': '{}' }), 'data.json');
    const paths = createResourcePaths(`/${name}/{id}`, createObject({ 'id!': TEXT }));
    const { ask } = await startApi({ paths }, { defaultData });
    expect((await ask('GET', `/${name}`)).body).toEqual([]);
    expect((await ask('POST', `/${name}`, { id: 'a' })).status).toBe(201);
    expect((await ask('GET', `/${name}`)).body).toEqual([{ id: 'a' }]);
  });
});

describe('A document without resources', () => {
  it.each(NAMES)('can have the operation %s, and gets an empty state', async (name) => {
    const contract = await writeDocument(
      withPaths(`/a: { get: { operationId: ${name}, responses: { "204": { description: d } } } }`),
    );
    const { ask, port } = await startStorefront({ contract });
    expect((await ask('GET', '/a')).status).toBe(204);
    expect((await createControlClient({ port })('PUT', '/default/state', {})).status).toBe(204);
  });
});

describe('A filter', () => {
  it.each(['1', '1.0', '1e0'])('finds a number by another form of it: %s', async (text) => {
    const Thing = createObject({ 'id!': TEXT, size: { type: 'number' } });
    const paths = createResourcePaths('/things/{id}', Thing);
    const get = { response: createList(Thing), query: { size: { type: 'number' } } };
    const { ask } = await startApi({ paths: { ...paths, '/things': { ...paths['/things'], get } } });
    for (const size of [1, 10]) await ask('POST', '/things', { id: String(size), size });
    expect((await ask('GET', `/things?size=${text}`)).body).toEqual([{ id: '1', size: 1 }]);
  });
});
