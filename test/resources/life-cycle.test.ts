import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';
import { createFetchClient } from '../support/harness/start-storefront.ts';

const TEXT = { type: 'string' };
const PET = refer('Pet');

const Pet = createObject({
  'id!': { type: 'integer', readOnly: true },
  'name!': TEXT,
  tag: { type: ['string', 'null'] },
  address: createObject({ street: TEXT, city: TEXT }),
});
const NewPet = createObject({ 'name!': TEXT, tag: TEXT });
const Badge = createObject({ 'code!': TEXT, color: TEXT });

const PATHS = createResourcePaths('/pets/{petId}', PET);
const BADGES = createResourcePaths('/badges/{code}', refer('Badge'));

/** A pet with limits that the schemas of request bodies lack. */
const LIMITED_PET = createObject({
  'id!': { type: 'integer', readOnly: true },
  'name!': TEXT,
  weight: { type: 'integer', minimum: 0 },
  size: { enum: ['small', 'large'] },
  tags: { type: 'array', items: { type: 'string', maxLength: 5 } },
});
const LIMITED_PATHS = createResourcePaths('/pets/{petId}', PET, createObject({ name: TEXT, size: TEXT }));

/** Starts a server for pets, with other operations for the collection and for the item. */
function startPets(collection: Paths[string] = {}, item: Paths[string] = {}) {
  const paths = {
    '/pets': { ...PATHS['/pets'], ...collection },
    '/pets/{petId}': { ...PATHS['/pets/{petId}'], ...item },
  };
  return startApi({ paths, schemas: { Pet, NewPet } });
}

/** Starts a server for badges, whose ids come from the client. */
function startBadges(item: Paths[string] = {}, collection: Paths[string] = {}) {
  const paths = {
    '/badges': { ...BADGES['/badges'], ...collection },
    '/badges/{code}': { ...BADGES['/badges/{code}'], ...item },
  };
  return startApi({ paths, schemas: { Badge } });
}

describe('A created entry', () => {
  it('is returned with its id and the documented status 201', async () => {
    const { ask } = await startPets();
    expect(await ask('POST', '/pets', { name: 'Rex' })).toMatchObject({ status: 201, body: { id: 1, name: 'Rex' } });
  });

  it('is returned with the status 200 if the document has only that', async () => {
    const { ask } = await startPets({ post: { request: PET, response: PET } });
    expect(await ask('POST', '/pets', { name: 'Rex' })).toMatchObject({ status: 200, body: { id: 1, name: 'Rex' } });
  });

  it('is not returned if the documented response has no body', async () => {
    const { ask } = await startPets({ post: { request: PET, status: 204 } });
    expect(await ask('POST', '/pets', { name: 'Rex' })).toMatchObject({ status: 204, text: '' });
    expect((await ask('GET', '/pets')).body).toEqual([{ id: 1, name: 'Rex', tag: null }]);
  });

  it('has its path in the header Location', async () => {
    const { ask } = await startPets();
    const { headers } = await ask('POST', '/pets', { name: 'Rex' });
    expect(headers.get('location')).toBe('/pets/1');
    expect(await ask('GET', headers.get('location') ?? '')).toMatchObject({ status: 200, body: { name: 'Rex' } });
  });

  it('has its URL in the header Location if the document wants a URL', async () => {
    const headers = { Location: { type: 'string', format: 'uri' } };
    const { ask, url } = await startPets({ post: { status: 201, request: PET, response: PET, headers } });
    const origin = url.replace('localhost', new URL(url).hostname);
    const { headers: sent } = await ask('POST', '/pets', { name: 'Rex' });
    expect(sent.get('location')).toBe(`${origin}/pets/1`);
    const { headers: inSandbox } = await ask('POST', '/_sandbox/a/pets', { name: 'Rex' });
    expect(inSandbox.get('location')).toBe(`${origin}/_sandbox/a/pets/1`);
  });

  it('has a required header with an object in the style simple', async () => {
    const headers = { 'X-Quota!': createObject({ 'left!': { type: 'integer', enum: [7] } }) };
    const { url } = await startPets({ post: { status: 201, request: PET, response: PET, headers } });
    const ask = createFetchClient(url);
    expect((await ask('POST', '/pets', { name: 'Rex' })).headers.get('x-quota')).toBe('left,7');
  });

  it('has no header Location if the document has none', async () => {
    const { ask } = await startPets({ post: { status: 201, request: PET, response: PET } });
    expect((await ask('POST', '/pets', { name: 'Rex' })).headers.get('location')).toBeNull();
  });

  it('can be read', async () => {
    const { ask } = await startPets();
    await ask('POST', '/pets', { name: 'Rex', tag: 'dog' });
    expect(await ask('GET', '/pets/1')).toMatchObject({ status: 200, body: { id: 1, name: 'Rex', tag: 'dog' } });
  });

  it('is listed after the earlier entries', async () => {
    const { ask } = await startPets();
    for (const name of ['Rex', 'Tom']) await ask('POST', '/pets', { name });
    expect((await ask('GET', '/pets')).body).toEqual([
      { id: 1, name: 'Rex', tag: null },
      { id: 2, name: 'Tom', tag: null },
    ]);
  });

  it('is refused with a 409 if another has its id', async () => {
    const { ask } = await startBadges();
    await ask('POST', '/badges', { code: 'a', color: 'red' });
    expect(await ask('POST', '/badges', { code: 'a', color: 'blue' })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('a badge with the code a already exists') },
    });
    expect((await ask('GET', '/badges')).body).toEqual([{ code: 'a', color: 'red' }]);
  });

  it('is refused with a 400 if it violates the contract, and is not stored', async () => {
    const { ask } = await startPets();
    expect((await ask('POST', '/pets', { name: 7 })).status).toBe(400);
    expect((await ask('GET', '/pets')).body).toEqual([]);
  });
});

describe('A replaced entry', () => {
  it('loses the properties that the request lacks, and keeps its id', async () => {
    const { ask } = await startPets();
    await ask('POST', '/pets', { name: 'Rex', tag: 'dog' });
    expect(await ask('PUT', '/pets/1', { name: 'Max' })).toMatchObject({ status: 200, body: { id: 1, name: 'Max' } });
    expect((await ask('GET', '/pets/1')).body).toEqual({ id: 1, name: 'Max', tag: null });
  });

  it('is unchanged if the request lacks a body that is not required', async () => {
    const { ask } = await startPets({}, { put: { request: refer('NewPet'), response: PET, isBodyOptional: true } });
    await ask('POST', '/pets', { name: 'Rex', tag: 'dog' });
    expect(await ask('PUT', '/pets/1')).toMatchObject({ status: 200, body: { id: 1, name: 'Rex', tag: 'dog' } });
    expect((await ask('GET', '/pets/1')).body).toEqual({ id: 1, name: 'Rex', tag: 'dog' });
  });

  it('keeps the properties that a request can not have', async () => {
    const { ask } = await startPets({}, { put: { request: refer('NewPet'), response: PET } });
    await ask('POST', '/pets', { name: 'Rex', tag: 'dog', address: { city: 'Rome' } });
    await ask('PUT', '/pets/1', { name: 'Max' });
    expect((await ask('GET', '/pets/1')).body).toEqual({ id: 1, name: 'Max', tag: null, address: { city: 'Rome' } });
  });

  it('keeps the properties that only a POST requires', async () => {
    const Draft = createObject({ 'name!': TEXT, 'tag!': TEXT });
    const Change = createObject({ name: TEXT, tag: TEXT });
    const { ask } = await startPets({ post: { request: Draft, response: PET } }, { put: { request: Change } });
    await ask('POST', '/pets', { name: 'Rex', tag: 'dog' });
    await ask('PUT', '/pets/1', { name: 'Max' });
    expect((await ask('GET', '/pets/1')).body).toEqual({ id: 1, name: 'Max', tag: 'dog' });
  });

  it('keeps its place in the list', async () => {
    const { ask } = await startPets();
    for (const name of ['Rex', 'Tom']) await ask('POST', '/pets', { name });
    await ask('PUT', '/pets/1', { name: 'Max' });
    expect((await ask('GET', '/pets')).body.map(({ name }: { name: string }) => name)).toEqual(['Max', 'Tom']);
  });

  it('is not returned if the documented status is 204', async () => {
    const { ask } = await startPets({}, { put: { request: PET, status: 204 } });
    await ask('POST', '/pets', { name: 'Rex' });
    expect(await ask('PUT', '/pets/1', { name: 'Max' })).toMatchObject({ status: 204, text: '' });
    expect((await ask('GET', '/pets/1')).body).toMatchObject({ name: 'Max' });
  });

  it('must exist if POST creates entries', async () => {
    const { ask } = await startPets();
    expect((await ask('PUT', '/pets/7', { name: 'Max' })).status).toBe(404);
    expect((await ask('GET', '/pets')).body).toEqual([]);
  });

  it('is created with the id in the path if the document has the status 201', async () => {
    const Code = { put: { request: refer('Badge'), response: refer('Badge'), alsoStatus: [201] } };
    const { ask } = await startBadges(Code);
    expect(await ask('PUT', '/badges/a', { code: 'a', color: 'red' })).toMatchObject({ status: 201 });
    expect(await ask('PUT', '/badges/a', { code: 'a', color: 'blue' })).toMatchObject({ status: 200 });
    expect((await ask('GET', '/badges')).body).toEqual([{ code: 'a', color: 'blue' }]);
  });

  it('is created if nothing else creates entries', async () => {
    const { ask } = await startBadges({}, { post: undefined });
    expect((await ask('PUT', '/badges/a', { code: 'a' })).status).toBe(200);
    expect((await ask('GET', '/badges/a')).body).toEqual({ code: 'a' });
  });

  it('is not created with an id that its schema does not allow', async () => {
    const Code = createObject({ 'code!': { ...TEXT, maxLength: 3 } });
    const { get, put, delete: remove } = createResourcePaths('/codes/{code}', Code)['/codes/{code}'] ?? {};
    const { ask } = await startApi({ paths: { '/codes/{code}': { get, put, delete: remove } } });
    expect((await ask('PUT', '/codes/abc', { code: 'abc' })).status).toBe(200);
    expect((await ask('PUT', '/codes/abcd', { code: 'abc' })).status).toBe(404);
  });

  it('has the id in the path, whatever the body has', async () => {
    const { ask } = await startBadges();
    await ask('POST', '/badges', { code: 'a' });
    expect((await ask('PUT', '/badges/a', { code: 'b', color: 'red' })).body).toEqual({ code: 'a', color: 'red' });
    expect((await ask('GET', '/badges/b')).status).toBe(404);
  });

  it('is found by the id in the body if the path has none', async () => {
    const { ask } = await startBadges({}, { put: { request: refer('Badge'), response: refer('Badge') } });
    await ask('POST', '/badges', { code: 'a' });
    expect(await ask('PUT', '/badges', { code: 'a', color: 'red' })).toMatchObject({ status: 200 });
    expect((await ask('GET', '/badges/a')).body).toEqual({ code: 'a', color: 'red' });
    expect((await ask('PUT', '/badges', { code: 'b' })).status).toBe(404);
  });
});

describe('A patched entry', () => {
  it('keeps the properties that the patch lacks', async () => {
    const { ask } = await startPets();
    await ask('POST', '/pets', { name: 'Rex', tag: 'dog' });
    expect((await ask('PATCH', '/pets/1', { name: 'Max' })).body).toEqual({ id: 1, name: 'Max', tag: 'dog' });
  });

  it('merges objects (RFC 7396)', async () => {
    const { ask } = await startPets();
    await ask('POST', '/pets', { name: 'Rex', address: { street: 'Via Appia', city: 'Rome' } });
    const patched = await ask('PATCH', '/pets/1', { address: { street: null, city: 'Bari' } });
    expect(patched.body).toEqual({ id: 1, name: 'Rex', tag: null, address: { city: 'Bari' } });
  });

  it('has a null that its schema allows', async () => {
    const { ask } = await startPets();
    await ask('POST', '/pets', { name: 'Rex', tag: 'dog' });
    expect((await ask('PATCH', '/pets/1', { tag: null })).body).toEqual({ id: 1, name: 'Rex', tag: null });
  });

  it('keeps a required property whose schema allows no null', async () => {
    const { ask } = await startPets();
    await ask('POST', '/pets', { name: 'Rex' });
    expect((await ask('PATCH', '/pets/1', { name: null, tag: 'a' })).body).toEqual({ id: 1, name: 'Rex', tag: 'a' });
  });

  it('loses a property with a null that its schema does not allow', async () => {
    const { ask } = await startPets();
    await ask('POST', '/pets', { name: 'Rex', address: { city: 'Rome' } });
    expect((await ask('PATCH', '/pets/1', { address: null })).body).toEqual({ id: 1, name: 'Rex', tag: null });
  });

  it('keeps a value if the schema of the entry does not allow the new one, and the document has no 400', async () => {
    const { ask } = await startPets({}, { patch: { request: { type: 'object' }, response: PET, errors: [404] } });
    await ask('POST', '/pets', { name: 'Rex', address: { street: 'Via Appia', city: 'Rome' } });
    const pet = { id: 1, name: 'Rex', tag: null, address: { street: 'Via Ostiense', city: 'Rome' } };
    const patch = { name: 7, address: { street: 'Via Ostiense', city: false } };
    expect((await ask('PATCH', '/pets/1', patch)).body).toEqual(pet);
    expect((await ask('GET', '/pets/1')).body).toEqual(pet);
  });

  it.each([
    ['PATCH', { weight: -1 }, '/weight -1 is below the minimum of 0: use an integer of at least 0'],
    ['PATCH', { tags: ['a', 'long word'] }, '/tags/1 is "long word": use a string of 0 to 5 characters'],
    ['PUT', { name: 'Max', size: 'huge' }, '/size is "huge": use "small" or "large"'],
    ['POST', { name: 'Max', size: 'huge' }, '/size is "huge": use "small" or "large"'],
  ])('is refused if its schema does not allow a value that the schema of the request allows: %s', async (...row) => {
    const [method, body, detail] = row;
    const { ask } = await startApi({ paths: LIMITED_PATHS, schemas: { Pet: LIMITED_PET } });
    const { body: before } = await ask('POST', '/pets', { name: 'Rex' });
    const response = await ask(method, method === 'POST' ? '/pets' : '/pets/1', body);
    expect(response).toMatchObject({ status: 422, body: { type: '/problems/value-refused', detail } });
    expect((await ask('GET', '/pets')).body).toEqual([before]);
  });

  it('is changed by the media type application/merge-patch+json too', async () => {
    const patch = { request: { type: 'object' }, requestType: 'application/merge-patch+json', response: PET };
    const { ask } = await startPets({}, { patch });
    await ask('POST', '/pets', { name: 'Rex' });
    const type = { 'content-type': 'application/merge-patch+json' };
    expect((await ask('PATCH', '/pets/1', { name: 'Max' }, type)).body).toEqual({ id: 1, name: 'Max', tag: null });
  });

  it('keeps the order of its properties', async () => {
    const { ask } = await startPets();
    await ask('POST', '/pets', { name: 'Rex', tag: 'dog' });
    expect((await ask('PATCH', '/pets/1', { name: 'Max' })).text).toBe('{"id":1,"name":"Max","tag":"dog"}');
  });

  it('must exist', async () => {
    const { ask } = await startPets();
    expect(await ask('PATCH', '/pets/7', { name: 'Max' })).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('no pet has the id 7') },
    });
  });
});

describe('A deleted entry', () => {
  it('is neither found nor listed', async () => {
    const { ask } = await startPets();
    await ask('POST', '/pets', { name: 'Rex' });
    expect(await ask('DELETE', '/pets/1')).toMatchObject({ status: 204, text: '' });
    expect((await ask('GET', '/pets/1')).status).toBe(404);
    expect((await ask('GET', '/pets')).body).toEqual([]);
  });

  it('is returned if the document has a body for it', async () => {
    const { ask } = await startPets({}, { delete: { response: PET } });
    await ask('POST', '/pets', { name: 'Rex' });
    expect(await ask('DELETE', '/pets/1')).toMatchObject({ status: 200, body: { id: 1, name: 'Rex' } });
  });

  it('can not be deleted again', async () => {
    const { ask } = await startPets();
    await ask('POST', '/pets', { name: 'Rex' });
    await ask('DELETE', '/pets/1');
    expect((await ask('DELETE', '/pets/1')).status).toBe(404);
  });

  it('can be one of all, by DELETE on the collection', async () => {
    const { ask } = await startPets({ delete: { status: 204 } });
    for (const name of ['Rex', 'Tom']) await ask('POST', '/pets', { name });
    expect((await ask('DELETE', '/pets')).status).toBe(204);
    expect((await ask('GET', '/pets')).body).toEqual([]);
  });
});

it('DELETE of a singleton that has only its default values deletes no other one', async () => {
  const Preferences = createObject({ color: { type: 'string', default: 'red' } });
  const User = createObject({ 'id!': { type: 'integer' } });
  const paths = {
    ...createResourcePaths('/users/{userId}', refer('User')),
    '/users/{userId}/preferences': {
      get: { response: refer('Preferences') },
      patch: { request: refer('Preferences'), response: refer('Preferences') },
      delete: { status: 204 },
    },
  };
  const { ask } = await startApi({ paths, schemas: { Preferences, User } });
  for (const id of [1, 2]) await ask('POST', '/users', { id });
  await ask('PATCH', '/users/1/preferences', { color: 'blue' });
  await ask('DELETE', '/users/2/preferences');
  expect((await ask('GET', '/users/1/preferences')).body).toEqual({ color: 'blue' });
});

describe('DELETE with a text in its response', () => {
  it('deletes the entry', async () => {
    const paths: Paths = createResourcePaths('/players/{playerId}', refer('Player'), createObject({ 'name!': TEXT }));
    const remove = { response: TEXT, responseType: 'text/plain' };
    const item = { ...paths['/players/{playerId}'], delete: remove };
    const schemas = { Player: createObject({ 'id!': { type: 'integer' }, 'name!': TEXT }) };
    const { ask } = await startApi({ paths: { ...paths, '/players/{playerId}': item }, schemas });
    await ask('POST', '/players', { name: 'Ann' });
    const deleted = await ask('DELETE', '/players/1');
    expect([deleted.status, deleted.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/plain/)]);
    expect((await ask('GET', '/players/1')).status).toBe(404);
  });
});

describe('PUT of an entry', () => {
  const schemas = {
    Team: createObject({ 'id!': TEXT, 'name!': TEXT }),
    Person: createObject({ 'id!': TEXT, 'name!': TEXT, role: TEXT, isAdmin: { type: 'boolean' } }),
  };
  const change = createObject({ name: TEXT, role: TEXT });

  it('changes only the properties in the body if it need not have those that a POST below a parent requires', async () => {
    const paths: Paths = {
      ...createResourcePaths('/teams/{teamId}', refer('Team'), createObject({ 'name!': TEXT })),
      '/teams/{teamId}/people': {
        get: { response: createList(refer('Person')) },
        post: { request: createObject({ 'name!': TEXT, role: TEXT }), response: refer('Person'), status: 201 },
      },
      '/people/{personId}': { put: { request: change, response: refer('Person') } },
    };
    const { ask } = await startApi({ paths, schemas });
    const { body: team } = await ask('POST', '/teams', { name: 'a' });
    const { body: person } = await ask('POST', `/teams/${team.id}/people`, { name: 'Ann', role: 'chief' });
    expect((await ask('PUT', `/people/${person.id}`, { name: 'Eve' })).body).toEqual({ ...person, name: 'Eve' });
  });

  it.each([
    ['Update team details', 404],
    ['Create or update a team', 200],
    ['', 200],
  ])('creates a missing one unless its text says that it updates one: %j', async (summary, status) => {
    const paths: Paths = {
      '/teams': { get: { response: createList(refer('Team')) } },
      '/teams/{id}': {
        get: { response: refer('Team') },
        put: { request: createObject({ 'name!': TEXT }), response: refer('Team'), summary },
      },
    };
    const { ask } = await startApi({ paths, schemas });
    expect((await ask('PUT', '/teams/none', { name: 'a' })).status).toBe(status);
  });

  it('ignores a property that one part of the request schema makes readOnly', async () => {
    const part = { type: 'object', properties: { isAdmin: { readOnly: true } } };
    const request = { allOf: [createObject({ 'name!': TEXT, isAdmin: { type: 'boolean' } }), part] };
    const paths = createResourcePaths('/people/{personId}', refer('Person'), request);
    const { ask } = await startApi({ paths, schemas });
    const { body } = await ask('POST', '/people', { name: 'Ann', isAdmin: true });
    expect(body.isAdmin).toBeUndefined();
    expect((await ask('PUT', `/people/${body.id}`, { name: 'Eve', isAdmin: true })).body.isAdmin).toBeUndefined();
  });
});
