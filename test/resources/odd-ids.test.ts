import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths } from '../support/fixtures/api-document.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const Note = createObject({ id: { type: 'integer' }, text: TEXT });
const Named = createObject({ id: TEXT, text: TEXT });
const Bare = createObject({ text: TEXT });
const Zoned = createObject({ id: TEXT, zone: { type: 'integer' } });

describe('An integer id', () => {
  it.each(['01', '1.0', '%2B1', '1e0'])('is found in the path as %s', async (text) => {
    const { ask } = await startApi({ paths: createResourcePaths('/notes/{id}', Note) });
    await ask('POST', '/notes', { id: 1, text: 'a' });
    expect((await ask('GET', `/notes/${text}`)).body).toEqual({ id: 1, text: 'a' });
    expect((await ask('PATCH', `/notes/${text}`, { text: 'b' })).body).toEqual({ id: 1, text: 'b' });
  });

  it('of a parent is found in the path with a leading zero', async () => {
    const { ask } = await startApi({ paths: createResourcePaths('/zones/{zone}/signs/{id}', Zoned) });
    await ask('POST', '/zones/01/signs', { id: 'a' });
    expect((await ask('GET', '/zones/01/signs')).body).toEqual([{ id: 'a', zone: 1 }]);
    expect((await ask('GET', '/zones/1/signs/a')).status).toBe(200);
  });
});

describe('An id in the path only', () => {
  it.each(['constructor', '__proto__', 'toString'])('differs for each entry if it is named %s', async (name) => {
    const item = `/things/{${name}}`;
    const paths = createResourcePaths(item, Bare);
    const parameters = Object.fromEntries([[name, TEXT]]);
    const { ask } = await startApi({ paths: { ...paths, [item]: { ...paths[item], parameters } } });
    const first = await ask('POST', '/things', { text: 'a' });
    const second = await ask('POST', '/things', { text: 'b' });
    expect((await ask('GET', first.headers.get('location') ?? '')).body).toEqual({ text: 'a' });
    expect((await ask('GET', second.headers.get('location') ?? '')).body).toEqual({ text: 'b' });
  });
});

describe('Ids with slashes', () => {
  it('are not the same as ids of other parents', async () => {
    const { ask, port } = await startApi({
      paths: {
        ...createResourcePaths('/owners/{ownerId}', Named),
        ...createResourcePaths('/owners/{ownerId}/pets/{id}', Named),
      },
    });
    for (const id of ['a/b', 'a']) await ask('POST', '/owners', { id });
    await ask('POST', '/owners/a%2Fb/pets', { id: 'c' });
    await ask('POST', '/owners/a/pets', { id: 'b/c' });
    const control = createControlClient({ port });
    const state = await control('GET', '/default/state');
    expect((await control('PUT', '/default/state', state.body)).status).toBe(204);
  });
});

describe('An id from a client', () => {
  it('can have any characters', async () => {
    const { ask } = await startApi({ paths: createResourcePaths('/notes/{id}', Named) });
    for (const id of ['a/b', 'a b', '?#', '%', '%2F', '...', 'é', '\\', '"', '\n', '\0', '\u007f']) {
      expect((await ask('POST', '/notes', { id })).status).toBe(201);
      expect((await ask('GET', `/notes/${encodeURIComponent(id)}`)).body).toEqual({ id });
    }
  });

  it.each(['', '.', '..'])('is replaced by a new one if no path can have it: %j', async (sent) => {
    const { ask } = await startApi({ paths: createResourcePaths('/notes/{id}', Named) });
    const { body, headers } = await ask('POST', '/notes', { id: sent, text: 'a' });
    expect(body).toEqual({ id: expect.stringMatching(/\w/), text: 'a' });
    expect((await ask('GET', headers.get('location') ?? '')).body).toEqual(body);
  });
});

describe('PUT on a collection', () => {
  it('without an id in the body gets a 400', async () => {
    const paths = {
      '/pets': { get: { response: createList(Named) }, put: { request: Named, response: Named } },
      '/pets/{id}': { get: { response: Named } },
    };
    const { ask } = await startApi({ paths });
    expect(await ask('PUT', '/pets', { text: 'a' })).toMatchObject({
      status: 400,
      body: { detail: 'the body has no id: add the id of the entry' },
    });
  });
});
