import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths } from '../support/fixtures/api-document.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { startApi, writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const TEXT = { type: 'string' };
const Note = createObject({ id: { type: 'integer' }, text: TEXT });
const Named = createObject({ id: TEXT, text: TEXT });
const Bare = createObject({ text: TEXT });
const Zoned = createObject({ id: TEXT, zone: { type: 'integer' } });

describe('An integer id', () => {
  it.each(['01', '1.0', '%2B1', '1e0', '0x1', '%201'])('is not found in the path as %s', async (text) => {
    const { ask } = await startApi({ paths: createResourcePaths('/notes/{id}', Note) });
    await ask('POST', '/notes', { id: 1, text: 'a' });
    expect((await ask('GET', `/notes/${text}`)).status).toBe(404);
    expect((await ask('PATCH', `/notes/${text}`, { text: 'b' })).status).toBe(404);
    expect((await ask('GET', '/notes/1')).body).toEqual({ id: 1, text: 'a' });
  });

  it('of a parent is another one with a leading zero', async () => {
    const { ask } = await startApi({ paths: createResourcePaths('/zones/{zone}/signs/{id}', Zoned) });
    await ask('POST', '/zones/1/signs', { id: 'a' });
    expect((await ask('GET', '/zones/1/signs')).body).toEqual([{ id: 'a', zone: 1 }]);
    expect((await ask('GET', '/zones/01/signs')).body).toEqual([]);
    expect((await ask('GET', '/zones/01/signs/a')).status).toBe(404);
  });
});

describe('An id or a name', () => {
  it.each(['/tags/{id_or_text}', '/tags/{idOrText}'])('both identify an entry of %s', async (path) => {
    const { ask } = await startApi({ paths: createResourcePaths(path, Note) });
    await ask('POST', '/tags', { id: 1, text: '2' });
    await ask('POST', '/tags', { id: 2, text: 'new' });
    expect((await ask('PATCH', '/tags/new', { text: 'newer' })).body).toEqual({ id: 2, text: 'newer' });
    expect((await ask('GET', '/tags/2')).body.text).toBe('newer');
    expect((await ask('DELETE', '/tags/newer')).status).toBe(204);
    expect((await ask('GET', '/tags/2')).body).toEqual({ id: 1, text: '2' });
    expect((await ask('GET', '/tags/newer')).status).toBe(404);
  });
});

describe('An id in parentheses, as in OData', () => {
  it('is the id of an entry, also of a parent', async () => {
    const [item = {}, notes = {}] = Object.values(createResourcePaths('/notes/{id}', Note)).reverse();
    const [page = {}, pages = {}] = Object.values(createResourcePaths('/pages/{id}', Named)).reverse();
    const paths = { '/Notes': notes, '/Notes({id})': item, '/Notes({id})/Pages': pages };
    const { ask } = await startApi({ paths: { ...paths, "/Notes({id})/Pages('{pageId}')": page } });
    const { headers } = await ask('POST', '/Notes', { text: 'a' });
    expect(headers.get('location')).toBe('/Notes(1)');
    await ask('POST', '/Notes(1)/Pages', { id: 'p' });
    expect((await ask('GET', "/Notes(1)/Pages('p')")).body).toEqual({ id: 'p' });
    expect((await ask('GET', '/Notes(2)/Pages')).status).toBe(404);
    expect((await ask('DELETE', '/Notes(1)')).status).toBe(204);
    expect((await ask('GET', '/Notes')).body).toEqual([]);
  });
});

describe('A new id', () => {
  it('is valid in the path too', async () => {
    const paths = createResourcePaths('/orders/{id}', Named);
    const item = { ...paths['/orders/{id}'], parameters: { id: { type: 'string', pattern: '^[A-Z0-9]{1,20}$' } } };
    const { ask } = await startApi({ paths: { ...paths, '/orders/{id}': item } });
    const { id } = (await ask('POST', '/orders', { text: 'a' })).body;
    expect((await ask('GET', `/orders/${id}`)).status).toBe(200);
  });
});

describe('A path with escapes', () => {
  it('is followed by the id of an entry', async () => {
    const { ask } = await startStorefront({
      contract: await writeApi({ paths: createResourcePaths('/nöte s/%2cx/{id}', Note) }),
    });
    await ask('POST', '/n%C3%B6te%20s/%2cx', { text: 'a' });
    expect((await ask('GET', '/n%c3%b6te%20s/%2Cx/1')).body).toEqual({ id: 1, text: 'a' });
  });

  it('can have characters that clients escape', async () => {
    const { ask } = await startStorefront({
      contract: await writeApi({ paths: createResourcePaths('/<notes|"^`>/{id}', Note) }),
    });
    await ask('POST', '/%3Cnotes%7c%22%5E%60%3e', { text: '<' });
    expect((await ask('GET', '/%3Cnotes|%22%5e%60%3E/1')).body).toEqual({ id: 1, text: '<' });
  });
});

describe('An id in the path only', () => {
  it.each(['id', 'thingId', 'new_thing_id'])('is the property %s in the response of POST', async (name) => {
    const paths = createResourcePaths('/things/{thing_id}', Bare);
    const post = { status: 201, request: Bare, response: createObject({ [`${name}!`]: TEXT }) };
    const { ask } = await startApi({ paths: { ...paths, '/things': { ...paths['/things'], post } } });
    const { body } = await ask('POST', '/things', { text: 'a' });
    expect((await ask('GET', `/things/${(body as Record<string, string>)[name]}`)).body).toEqual({ text: 'a' });
  });

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

  it.each(['', '.', '..', '\ud800'])('is replaced by a new one if no path can have it: %j', async (sent) => {
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
      body: { detail: 'the body has no id: add the id of the entry to change' },
    });
  });
});
