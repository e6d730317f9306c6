import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { startApi, writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const TEXT = { type: 'string' };
const ID = { type: 'integer', readOnly: true };

const schemas = {
  Owner: createObject({ 'id!': ID, 'name!': TEXT }),
  Pet: createObject({ 'id!': ID, 'name!': TEXT, ownerId: ID }),
  Toy: createObject({ 'id!': ID, 'name!': TEXT }),
  Settings: createObject({ theme: { ...TEXT, default: 'light' }, size: { type: 'integer' } }),
};

const OWNERS = createResourcePaths('/owners/{ownerId}', refer('Owner'));
const OWN_PETS = createResourcePaths('/owners/{ownerId}/pets/{petId}', refer('Pet'));
const OWN_TOYS = createResourcePaths('/owners/{ownerId}/pets/{petId}/toys/{toyId}', refer('Toy'));
const PETS = createResourcePaths('/pets/{petId}', refer('Pet'));

/** Starts a server with the owners 1 and 2, their pets and the toys of the pets. */
async function startOwners() {
  const server = await startApi({ paths: { ...OWNERS, ...OWN_PETS, ...OWN_TOYS }, schemas });
  for (const name of ['Ada', 'Bob']) await server.ask('POST', '/owners', { name });
  return server;
}

describe('An entry below a parent', () => {
  it('is listed with its parent only', async () => {
    const { ask } = await startOwners();
    await ask('POST', '/owners/1/pets', { name: 'Rex' });
    expect((await ask('GET', '/owners/1/pets')).body).toEqual([{ id: 1, name: 'Rex', ownerId: 1 }]);
    expect((await ask('GET', '/owners/2/pets')).body).toEqual([]);
  });

  it('is found below its parent only', async () => {
    const { ask } = await startOwners();
    await ask('POST', '/owners/1/pets', { name: 'Rex' });
    expect((await ask('GET', '/owners/1/pets/1')).status).toBe(200);
    for (const method of ['GET', 'DELETE']) expect((await ask(method, '/owners/2/pets/1')).status).toBe(404);
  });

  it('has the path below its parent in Location', async () => {
    const { ask } = await startOwners();
    expect((await ask('POST', '/owners/2/pets', { name: 'Rex' })).headers.get('location')).toBe('/owners/2/pets/1');
  });

  it('can have a path without the parent, or no path', async () => {
    const { '/owners/{ownerId}/pets': pets = {} } = OWN_PETS;
    const toys = {
      get: { response: createList(refer('Toy')) },
      post: { request: refer('Toy'), response: refer('Toy') },
    };
    const paths = { ...OWNERS, '/owners/{ownerId}/pets': pets, '/owners/{ownerId}/toys': toys };
    const { ask } = await startApi({
      paths: { ...paths, '/pets/{petId}': { get: { response: refer('Pet') } } },
      schemas,
    });
    await ask('POST', '/owners', { name: 'Ada' });
    const { body: pet } = await ask('POST', '/owners/1/pets', { name: 'Rex' });
    expect((await ask('GET', '/pets/1')).body).toEqual(pet);
    const { body: toy } = await ask('POST', '/owners/1/toys', { name: 'Ball' });
    expect((await ask('GET', '/owners/1/toys')).body).toEqual([toy]);
  });

  it('can have a path without the innermost parent only', async () => {
    const { '/owners/{ownerId}/pets/{petId}/toys': toys = {} } = OWN_TOYS;
    const paths = {
      ...OWNERS,
      ...OWN_PETS,
      '/owners/{ownerId}/pets/{petId}/toys': toys,
      ...createResourcePaths('/owners/{ownerId}/toys/{toyId}', refer('Toy')),
    };
    const { ask } = await startApi({ paths, schemas });
    await ask('POST', '/owners', { name: 'Ada' });
    for (const name of ['Rex', 'Kim']) await ask('POST', '/owners/1/pets', { name });
    const { body: toy } = await ask('POST', '/owners/1/pets/2/toys', { name: 'Ball' });
    for (const path of ['/owners/1/pets/2/toys', '/owners/1/toys'])
      expect((await ask('GET', path)).body).toEqual([toy]);
    expect((await ask('GET', '/owners/1/pets/1/toys')).body).toEqual([]);
    expect((await ask('GET', '/owners/1/toys/1')).body).toEqual(toy);
  });

  it('needs the parent, in each operation', async () => {
    const { ask } = await startOwners();
    const requests = [
      ['GET', '/owners/7/pets'],
      ['POST', '/owners/7/pets', { name: 'Rex' }],
      ['GET', '/owners/7/pets/1'],
      ['PUT', '/owners/7/pets/1', { name: 'Rex' }],
      ['PATCH', '/owners/7/pets/1', {}],
      ['DELETE', '/owners/7/pets/1'],
    ] as const;
    for (const [method, path, body] of requests)
      expect(await ask(method, path, body)).toMatchObject({
        status: 404,
        body: { detail: expect.stringContaining('no owner has the id 7') },
      });
  });

  it('keeps its parent when it is replaced', async () => {
    const { ask } = await startOwners();
    await ask('POST', '/owners/1/pets', { name: 'Rex' });
    await ask('PUT', '/owners/1/pets/1', { name: 'Max', ownerId: 2 });
    expect((await ask('GET', '/owners/1/pets/1')).body).toEqual({ id: 1, name: 'Max', ownerId: 1 });
  });

  it('is deleted with its parent, and so are its own children', async () => {
    const { ask, port } = await startOwners();
    for (const owner of [1, 2]) await ask('POST', `/owners/${owner}/pets`, { name: 'Rex' });
    await ask('POST', '/owners/1/pets/1/toys', { name: 'Ball' });
    await ask('POST', '/owners/2/pets/2/toys', { name: 'Bone' });
    await ask('DELETE', '/owners/1');
    const { body } = await createControlClient({ port })('GET', '/default/state');
    expect(body).toMatchObject({ owners: [{ id: 2 }], pets: [{ id: 2, ownerId: 2 }], toys: [{ name: 'Bone' }] });
    expect((await ask('GET', '/owners/2/pets/2/toys')).body).toEqual([{ id: 2, name: 'Bone' }]);
  });

  it('does not send the ids of parents that its schema has no property for', async () => {
    const { ask } = await startOwners();
    await ask('POST', '/owners/1/pets', { name: 'Rex' });
    const created = await ask('POST', '/owners/1/pets/1/toys', { name: 'Ball' });
    expect(created.body).toEqual({ id: 1, name: 'Ball' });
    expect((await ask('GET', '/owners/1/pets/1/toys/1')).body).toEqual({ id: 1, name: 'Ball' });
  });

  it('does not get the ids of other parents from a client', async () => {
    const { ask } = await startOwners();
    await ask('POST', '/owners/1/pets', { name: 'Rex' });
    await ask('POST', '/owners/1/pets/1/toys', { name: 'Ball', $path: { ownerId: '2', petId: '1' } });
    expect((await ask('GET', '/owners/1/pets/1/toys')).body).toEqual([{ id: 1, name: 'Ball' }]);
  });

  it('can have the id of an entry below another parent, also after a restart', async () => {
    const Badge = createObject({ 'code!': TEXT });
    const paths = { ...OWNERS, ...createResourcePaths('/owners/{ownerId}/badges/{code}', Badge) };
    const contract = await writeApi({ paths, schemas });
    const data = join(await folderWith({}), 'db.json');
    const { ask, close } = await startStorefront({ contract, data });
    for (const name of ['Ada', 'Bob']) await ask('POST', '/owners', { name });
    for (const owner of [1, 2]) expect((await ask('POST', `/owners/${owner}/badges`, { code: 'a' })).status).toBe(201);
    expect((await ask('POST', '/owners/1/badges', { code: 'a' })).status).toBe(409);
    await close();
    const { ask: askAgain } = await startStorefront({ contract, data });
    expect((await askAgain('GET', '/owners/2/badges')).body).toEqual([{ code: 'a' }]);
  });

  it('can name the parent by another property than the path of the parent', async () => {
    const OWNER = createResourcePaths('/owners/{name}', refer('Owner'));
    const paths = { ...OWNER, '/owners/{owner_id}/views': { post: { status: 201 } } };
    const { ask } = await startApi({ paths, schemas });
    await ask('POST', '/owners', { name: 'Ada', id: 7 });
    const { id } = (await ask('GET', '/owners/Ada')).body;
    expect((await ask('POST', `/owners/${id}/views`)).status).toBe(201);
    expect((await ask('POST', '/owners/Bob/views')).status).toBe(404);
  });

  it('needs no parent that is no resource', async () => {
    const { ask } = await startApi({ paths: OWN_PETS, schemas });
    expect((await ask('GET', '/owners/7/pets')).body).toEqual([]);
    expect(await ask('POST', '/owners/7/pets', { name: 'Rex' })).toMatchObject({ status: 201, body: { ownerId: 7 } });
  });
});

describe('A resource with and without a parent', () => {
  it('is one list', async () => {
    const { ask } = await startApi({ paths: { ...OWNERS, ...PETS, ...OWN_PETS }, schemas });
    await ask('POST', '/owners', { name: 'Ada' });
    await ask('POST', '/owners/1/pets', { name: 'Rex' });
    await ask('POST', '/pets', { name: 'Tom' });
    expect((await ask('GET', '/pets')).body).toEqual([
      { id: 1, name: 'Rex', ownerId: 1 },
      { id: 2, name: 'Tom' },
    ]);
    expect((await ask('GET', '/owners/1/pets')).body).toEqual([{ id: 1, name: 'Rex', ownerId: 1 }]);
  });

  it('stays when the parent is deleted', async () => {
    const { ask } = await startApi({ paths: { ...OWNERS, ...PETS, ...OWN_PETS }, schemas });
    await ask('POST', '/owners', { name: 'Ada' });
    await ask('POST', '/owners/1/pets', { name: 'Rex' });
    await ask('DELETE', '/owners/1');
    expect((await ask('GET', '/pets/1')).status).toBe(200);
  });

  it('is listed with the parent that a property names', async () => {
    const list = { get: { response: createList(refer('Pet')) } };
    const { ask, port } = await startApi({ paths: { ...OWNERS, ...PETS, '/owners/{ownerId}/pets': list }, schemas });
    const pets = [
      { id: 1, name: 'Rex', ownerId: 1 },
      { id: 2, name: 'Tom', ownerId: 2 },
    ];
    await createControlClient({ port })('PUT', '/default/state', { owners: [{ id: 1, name: 'Ada' }], pets });
    expect((await ask('GET', '/owners/1/pets')).body).toEqual(pets.slice(0, 1));
  });
});

const SETTINGS = {
  '/settings': {
    get: { response: refer('Settings') },
    put: { request: refer('Settings'), response: refer('Settings') },
    patch: { request: { type: 'object' }, response: refer('Settings') },
  },
};

describe('A singleton', () => {
  it('exists from the start with its default values', async () => {
    const { ask } = await startApi({ paths: SETTINGS, schemas });
    expect(await ask('GET', '/settings')).toMatchObject({ status: 200, body: { theme: 'light' } });
  });

  it('is replaced', async () => {
    const { ask } = await startApi({ paths: SETTINGS, schemas });
    await ask('PUT', '/settings', { theme: 'dark', size: 3 });
    expect((await ask('PUT', '/settings', { theme: 'blue' })).body).toEqual({ theme: 'blue' });
    expect((await ask('GET', '/settings')).body).toEqual({ theme: 'blue' });
  });

  it('is patched, also before it is replaced', async () => {
    const { ask } = await startApi({ paths: SETTINGS, schemas });
    expect((await ask('PATCH', '/settings', { size: 3 })).body).toEqual({ theme: 'light', size: 3 });
    expect((await ask('PATCH', '/settings', { theme: 'dark' })).body).toEqual({ size: 3, theme: 'dark' });
    expect((await ask('GET', '/settings')).body).toEqual({ size: 3, theme: 'dark' });
  });

  it('that can be deleted does not exist before it is created', async () => {
    const paths = { '/settings': { ...SETTINGS['/settings'], delete: { status: 204 } } };
    const { ask } = await startApi({ paths, schemas });
    expect((await ask('GET', '/settings')).status).toBe(404);
    expect((await ask('PUT', '/settings', { theme: 'dark' })).status).toBe(200);
    expect((await ask('DELETE', '/settings')).status).toBe(204);
    expect((await ask('GET', '/settings')).status).toBe(404);
  });

  it('that nothing creates exists, also after it is deleted', async () => {
    const change = { put: { request: { type: 'array' } }, delete: { status: 204 } };
    const { ask } = await startApi({ paths: { '/settings': { ...SETTINGS['/settings'], ...change } }, schemas });
    for (const method of ['GET', 'DELETE', 'GET'])
      expect((await ask(method, '/settings')).status).toBe(method === 'GET' ? 200 : 204);
  });

  it('below a parent is one for each parent', async () => {
    const paths = { ...OWNERS, '/owners/{ownerId}/settings': SETTINGS['/settings'] };
    const { ask } = await startApi({ paths, schemas });
    for (const name of ['Ada', 'Bob']) await ask('POST', '/owners', { name });
    await ask('PUT', '/owners/1/settings', { theme: 'dark' });
    expect((await ask('GET', '/owners/1/settings')).body).toEqual({ theme: 'dark' });
    expect((await ask('GET', '/owners/2/settings')).body).toEqual({ theme: 'light' });
    expect((await ask('GET', '/owners/7/settings')).status).toBe(404);
  });
});

describe('A member', () => {
  const User = createObject({ 'id!': ID, 'name!': TEXT });
  const members = (name: string) => ({
    [`/owners/{ownerId}/${name}`]: { get: { response: createList(refer('User')) } },
    [`/owners/{ownerId}/${name}/{userId}`]: {
      get: { response: refer('User') },
      put: { status: 204 },
      delete: { status: 204 },
    },
  });

  it.each(['members', 'users'])('that PUT without a body adds to %s is the entry with its id', async (name) => {
    const paths = { ...OWNERS, ...createResourcePaths('/users/{userId}', refer('User')), ...members(name) };
    const { ask } = await startApi({ paths, schemas: { ...schemas, User } });
    await ask('POST', '/owners', { name: 'Ada' });
    for (const user of ['Bob', 'Tom']) await ask('POST', '/users', { name: user });
    expect((await ask('PUT', `/owners/1/${name}/2`)).status).toBe(204);
    await ask('PATCH', '/users/2', { name: 'Max' });
    expect((await ask('GET', `/owners/1/${name}`)).body).toEqual([{ id: 2, name: 'Max' }]);
    expect((await ask('GET', `/owners/1/${name}/2`)).body).toEqual({ id: 2, name: 'Max' });
    await ask('PUT', `/owners/1/${name}/1`);
    await ask('DELETE', `/owners/1/${name}/2`);
    expect((await ask('GET', '/users/2')).status).toBe(200);
    await ask('DELETE', '/users/1');
    expect((await ask('GET', `/owners/1/${name}`)).body).toEqual([]);
  });
});

it('A response to a creation has the id of the parent in the path, also if no list shows it', async () => {
  const integer = { type: 'integer' };
  const Film = createObject({ 'film_id!': integer, note: { type: 'string' } });
  const paths = {
    '/users/{user_id}/films': {
      parameters: { user_id: integer },
      get: { response: createList(Film) },
      post: { status: 201, request: Film, response: createObject({ film_id: integer, user_id: integer }) },
    },
    '/users/{user_id}/films/{film_id}': { parameters: { user_id: integer, film_id: integer }, delete: { status: 204 } },
  };
  const { ask } = await startApi({ paths });
  expect((await ask('POST', '/users/7/films', { film_id: 2 })).body).toEqual({ film_id: 2, user_id: 7 });
  expect((await ask('GET', '/users/7/films')).body).toEqual([{ film_id: 2 }]);
});
