import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { INTEGER, TEXT } from '../support/fixtures/pet-documents.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

/** Path parameters, the properties of the entries, and the property that is found as the id. */
const ids: readonly (readonly [parameter: string, properties: readonly string[], id: string])[] = [
  ['petId', ['id', 'name'], 'id: id'],
  ['id', ['name', 'id'], 'id: id'],
  ['petId', ['id', 'petId'], 'id: petId'],
  ['pet_id', ['petId', 'name'], 'id: petId'],
  ['pet', ['id', 'name'], 'id: id'],
  ['petName', ['id', 'name'], 'id: name'],
  ['slug', ['id', 'slug'], 'id: slug'],
  ['petUuid', ['uuid', 'name'], 'id: uuid'],
  ['owner_pet_tag', ['tag', 'pet_tag'], 'id: pet_tag'],
  ['key', ['color', 'size'], 'the id is only in the path'],
  ['id', ['name', 'key'], 'id: key'],
  ['uidOrName', ['name', 'uid'], 'id: uid or name'],
  ['pet_id_or_name', ['name', 'id'], 'id: id or name'],
  ['pet_id_or_name', ['id'], 'id: id'],
  ['petId', ['slug', 'pid'], 'id: pid'],
  ['petId', ['name', 'oid'], 'the id is only in the path'],
  ['ownerPetId', ['name', 'favoritePetId'], 'id: favoritePetId'],
];

describe('The id of an entry', () => {
  it.each(ids)('is found for {%s} and the properties %j', async (parameter, properties, id) => {
    const schema = createObject(Object.fromEntries(properties.map((name) => [name, TEXT])));
    const explained = await explainApi({ paths: createResourcePaths(`/pets/{${parameter}}`, schema) });
    expect(explained[`GET /pets/{${parameter}}`]).toBe(`real: reads a pet (${id})`);
  });

  it('has the type of the path parameter, if two properties could be the id', async () => {
    const schema = createObject({ petId: TEXT, id: INTEGER });
    const paths = createResourcePaths('/pets/{petId}', schema);
    const typed = { ...paths, '/pets/{petId}': { ...paths['/pets/{petId}'], parameters: { petId: INTEGER } } };
    expect((await explainApi({ paths: typed }))['GET /pets/{petId}']).toBe('real: reads a pet (id: id)');
  });
});

it('The id of an entry is the property with the format of the path parameter, if this is an address', async () => {
  const ADDRESS = { type: 'string', format: 'ipv6' };
  const paths = createResourcePaths('/reserved_ipv6/{reserved_ipv6}', createObject({ ip: ADDRESS, region: TEXT }));
  const item = '/reserved_ipv6/{reserved_ipv6}';
  const typed = { ...paths, [item]: { ...paths[item], parameters: { reserved_ipv6: ADDRESS } } };
  expect((await explainApi({ paths: typed }))[`GET ${item}`]).toMatch(/\(id: ip\)$/);
});

it('The id of an entry is in the object that the path parameter names', async () => {
  const schema = createObject({ role: TEXT, organization: createObject({ id: INTEGER, login: TEXT }) });
  const explained = await explainApi({ paths: createResourcePaths('/memberships/orgs/{org}', schema) });
  expect(explained['GET /memberships/orgs/{org}']).toBe('real: reads an org (id: organization.login)');
});

describe('A new entry', () => {
  it.each([
    ['numbers', { ...INTEGER, minimum: 1, maximum: 3 }, [1, 2, 3]],
    ['texts', { ...TEXT, enum: ['a', 'b'] }, ['a', 'b']],
    ['booleans', { type: 'boolean' }, [true, false]],
  ] as const)('is refused if all allowed %s are ids of other entries', async (_name, schema, all) => {
    const Flag = createObject({ 'id!': schema, name: TEXT });
    const paths = createResourcePaths('/flags/{flagId}', Flag, createObject({ name: TEXT }));
    const { ask } = await startApi({ paths });
    const created = [];
    for (const name of all) created.push((await ask('POST', '/flags', { name: String(name) })).body.id);
    expect(created).toEqual(all);
    const refused = await ask('POST', '/flags', { name: 'more' });
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      'flags has no free id: the schema of id allows no other value. Delete a flag, or allow more values in the contract',
    ]);
    expect((await ask('GET', '/flags')).body).toHaveLength(all.length);
    expect((await ask('DELETE', `/flags/${all[1]}`)).status).toBe(204);
    expect((await ask('POST', '/flags', { name: 'new' })).body).toEqual({ id: all[1], name: 'new' });
  });
});

it('An id of another entry can be that of several entries with different other ids', async () => {
  const Own = { 'participantId!': TEXT, 'slots!': createList(TEXT) };
  const list = {
    get: { response: createList(refer('Availability')) },
    post: { request: createObject(Own), response: refer('Availability'), status: 201, errors: [404, 409] },
  };
  const api = {
    paths: {
      ...createResourcePaths('/events/{eventId}', refer('Event'), createObject({ 'title!': TEXT })),
      '/events/{eventId}/availability': list,
      '/availability/{participantId}': { get: { response: refer('Availability') } },
    },
    schemas: {
      Event: createObject({ 'id!': INTEGER, 'title!': TEXT }),
      Availability: createObject(Own),
    },
  };
  const { ask } = await startApi(api);
  for (const title of ['a', 'b']) await ask('POST', '/events', { title });
  const add = async (event: number, slots: readonly string[]) =>
    (await ask('POST', `/events/${event}/availability`, { participantId: 'p', slots })).status;
  expect([await add(1, ['x']), await add(2, ['y']), await add(2, ['z'])]).toEqual([201, 201, 409]);
  expect((await ask('GET', '/events/2/availability')).body).toEqual([{ participantId: 'p', slots: ['y'] }]);
  expect((await explainApi(api))['GET /availability/{participantId}']).toContain('participantId of the first');
});

it('An id that is that of another entry must exist, if the document has an error for it', async () => {
  const Slots = { 'participantId!': INTEGER, slots: createList(TEXT) };
  const named = { schema: createObject({ 'id!': INTEGER, 'name!': TEXT }), request: createObject({ 'name!': TEXT }) };
  const list = {
    get: { response: createList(refer('Availability')) },
    post: {
      request: createObject(Slots),
      response: refer('Availability'),
      status: 201,
      errorTexts: { 404: 'Participant not found' },
    },
  };
  const paths = {
    ...createResourcePaths('/events/{eventId}', named.schema, named.request),
    ...createResourcePaths('/participants/{participantId}', named.schema, named.request),
    '/events/{eventId}/availability': list,
    '/events/{eventId}/availability/{participantId}': { get: { response: refer('Availability') } },
  };
  const { ask } = await startApi({ paths, schemas: { Availability: createObject(Slots) } });
  await ask('POST', '/events', { name: 'a' });
  await ask('POST', '/participants', { name: 'b' });
  const add = async (participantId: number) =>
    (await ask('POST', '/events/1/availability', { participantId, slots: [] })).status;
  expect([await add(7), await add(1)]).toEqual([404, 201]);
});
