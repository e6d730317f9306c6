import { describe, expect, it } from 'vitest';
import { createObject, createResourcePaths, type Paths, refer, type Schema } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { getCountedId, startApi } from '../support/harness/start-api.ts';
import { NOW_MS } from '../support/harness/start-storefront.ts';

const TEXT = { type: 'string' };
const READ_ONLY = { readOnly: true };

/** A UUID with letters, so that parts of it do not look like numbers. */
const UUID = 'abcdef01-2345-4678-9abc-def012345678';

/** Starts a server for pets with these properties. */
function startPets(properties: Readonly<Record<string, Schema>>, parameters: Paths[string]['parameters'] = {}) {
  const paths = createResourcePaths('/pets/{petId}', createObject(properties));
  return startApi({ paths: { ...paths, '/pets/{petId}': { ...paths['/pets/{petId}'], parameters } } });
}

/** Schemas of ids, and the ids of the first two entries. */
const idCases: readonly (readonly [schema: Schema, first: unknown, second: unknown])[] = [
  [{ type: 'integer' }, 1, 2],
  [{ type: 'integer', minimum: 1000 }, 1000, 1001],
  [{ type: 'string', format: 'uuid' }, getCountedId(1), getCountedId(2)],
  [{ type: 'string' }, getCountedId(1), getCountedId(2)],
  [{ type: 'string', pattern: '^[0-9a-f]{32}$' }, getCountedId(1).replaceAll('-', ''), expect.any(String)],
  [{ type: 'string', pattern: '^\\d{1,3}$' }, '1', '2'],
  [
    { type: 'string', pattern: '^PET-[0-9]{6}$' },
    expect.stringMatching(/^PET-\d{6}$/),
    expect.stringMatching(/^PET-\d{6}$/),
  ],
  [{ type: 'string', enum: ['red', 'blue'] }, expect.stringMatching(/red|blue/), expect.stringMatching(/red|blue/)],
];

describe('The id of a new entry', () => {
  it.each(idCases)('is valid and found for %j', async (schema, first, second) => {
    const { ask } = await startPets({ 'id!': { ...schema, ...READ_ONLY }, name: TEXT });
    const ids: unknown[] = [];
    for (const name of ['Rex', 'Tom']) ids.push((await ask('POST', '/pets', { name })).body.id);
    expect(ids).toEqual([first, second]);
    for (const id of ids) expect((await ask('GET', `/pets/${id}`)).body).toMatchObject({ id });
    expect(new Set(ids).size).toBe(2);
  });

  it('is the highest integer plus one', async () => {
    const { ask } = await startPets({ id: { type: 'integer' } });
    await ask('POST', '/pets', { id: 41 });
    expect((await ask('POST', '/pets', {})).body).toEqual({ id: 42 });
  });

  it('is a slug of the title for a property `slug`', async () => {
    const paths = createResourcePaths(
      '/articles/{slug}',
      createObject({ 'slug!': { ...TEXT, ...READ_ONLY }, 'title!': TEXT }),
    );
    const { ask } = await startApi({ paths }, { newId: () => UUID });
    const titles = ['Les Misérables, 1862', 'Les Misérables, 1862'];
    const slugs: string[] = [];
    for (const title of titles) slugs.push((await ask('POST', '/articles', { title })).body.slug);
    expect(slugs).toEqual(['les-miserables-1862', 'les-miserables-1862-abcdef01']);
  });

  it('is the one of the client if the property is not readOnly', async () => {
    const { ask } = await startPets({ 'id!': TEXT, name: TEXT });
    await ask('POST', '/pets', { id: 'rex' });
    expect((await ask('GET', '/pets/rex')).body).toEqual({ id: 'rex' });
  });

  it('is found in the path by its text, for an integer', async () => {
    const { ask } = await startPets({ 'id!': { type: 'integer', ...READ_ONLY } }, { petId: { type: 'integer' } });
    await ask('POST', '/pets', {});
    expect((await ask('GET', '/pets/1')).body).toEqual({ id: 1 });
  });

  it('is encoded in Location, and decoded in a path', async () => {
    const { ask } = await startPets({ 'id!': TEXT });
    const { headers } = await ask('POST', '/pets', { id: 'a/b c' });
    expect(headers.get('location')).toBe('/pets/a%2Fb%20c');
    expect((await ask('GET', '/pets/a%2Fb%20c')).body).toEqual({ id: 'a/b c' });
  });

  it('is the same in the path if the schema has no property for it', async () => {
    const { ask } = await startApi({ paths: createResourcePaths('/notes/{noteKey}', createObject({ text: TEXT })) });
    const { headers, body } = await ask('POST', '/notes', { text: 'Buy milk' });
    expect([headers.get('location'), body]).toEqual([`/notes/${getCountedId(1)}`, { text: 'Buy milk' }]);
    expect((await ask('GET', `/notes/${getCountedId(1)}`)).body).toEqual({ text: 'Buy milk' });
  });
});

describe('A readOnly property', () => {
  const properties = { 'id!': { type: 'integer', ...READ_ONLY }, name: TEXT, rank: { type: 'integer', ...READ_ONLY } };

  it('is ignored in a request that creates', async () => {
    const { ask } = await startPets(properties);
    expect((await ask('POST', '/pets', { id: 9, name: 'Rex', rank: 7 })).body).toEqual({ id: 1, name: 'Rex' });
  });

  it('is ignored in a request that replaces or patches', async () => {
    const { ask } = await startPets(properties);
    await ask('POST', '/pets', { name: 'Rex' });
    expect((await ask('PUT', '/pets/1', { id: 9, name: 'Max', rank: 7 })).body).toEqual({ id: 1, name: 'Max' });
    expect((await ask('PATCH', '/pets/1', { id: 9, rank: 7 })).body).toEqual({ id: 1, name: 'Max' });
  });

  it('keeps its value when the entry is replaced', async () => {
    const { ask, port } = await startPets(properties);
    await createControlClient({ port })('PUT', '/default/state', { pets: [{ id: 1, name: 'Rex', rank: 3 }] });
    expect((await ask('PUT', '/pets/1', { name: 'Max' })).body).toEqual({ id: 1, name: 'Max', rank: 3 });
  });
});

describe('A writeOnly property', () => {
  const properties = { 'id!': { type: 'integer', ...READ_ONLY }, 'password!': { ...TEXT, writeOnly: true } };

  it('is never returned', async () => {
    const { ask } = await startPets(properties);
    expect((await ask('POST', '/pets', { password: 'secret' })).body).toEqual({ id: 1 });
    expect((await ask('PUT', '/pets/1', { password: 'other' })).body).toEqual({ id: 1 });
    expect((await ask('GET', '/pets/1')).body).toEqual({ id: 1 });
    expect((await ask('GET', '/pets')).body).toEqual([{ id: 1 }]);
  });

  it('is stored', async () => {
    const { ask, port } = await startPets(properties);
    await ask('POST', '/pets', { password: 'secret' });
    const { body } = await createControlClient({ port })('GET', '/default/state');
    expect(body.pets).toEqual([{ id: 1, password: 'secret' }]);
  });
});

describe('A default value', () => {
  const properties = {
    'id!': { type: 'integer', ...READ_ONLY },
    'name!': TEXT,
    status: { ...TEXT, default: 'new' },
    tags: { type: 'array', items: TEXT, default: [] },
  };

  it('is set in a new entry', async () => {
    const { ask } = await startPets(properties);
    expect((await ask('POST', '/pets', { name: 'Rex' })).body).toEqual({
      id: 1,
      name: 'Rex',
      status: 'new',
      tags: [],
    });
  });

  it('can be beside a reference to the schema', async () => {
    const schemas = { Kind: { enum: ['a', 'b'] } };
    const { '/pets': list, '/pets/{petId}': item } = createResourcePaths(
      '/pets/{petId}',
      createObject({ ...properties, kind: refer('Kind') }),
    );
    const request = createObject({ 'name!': TEXT, kind: { ...refer('Kind'), default: 'b' } });
    const { ask } = await startApi({
      paths: { '/pets': { ...list, post: { ...list?.post, request } }, '/pets/{petId}': item ?? {} },
      schemas,
    });
    expect((await ask('POST', '/pets', { name: 'Rex' })).body).toMatchObject({ name: 'Rex', kind: 'b' });
  });

  it('of the request takes precedence, and is set when an entry is created or replaced, not when it is patched', async () => {
    const Pet = createObject({ 'id!': { type: 'integer' }, 'age!': { type: 'integer', default: 9 } });
    const request = createObject({ age: { type: 'integer', default: 1 }, count: { type: 'integer', default: 5 } });
    const { '/pets': list, '/pets/{petId}': item } = createResourcePaths('/pets/{petId}', Pet);
    const { ask } = await startApi({
      paths: {
        '/pets': { ...list, post: { ...list?.post, request } },
        '/pets/{petId}': { ...item, put: { ...item?.put, request }, patch: { ...item?.patch, request } },
      },
    });
    expect((await ask('POST', '/pets', {})).body).toEqual({ id: 1, age: 1 });
    expect((await ask('PUT', '/pets/1', { age: 4 })).body).toEqual({ id: 1, age: 4 });
    expect((await ask('PATCH', '/pets/1', {})).body).toEqual({ id: 1, age: 4 });
    expect((await ask('PUT', '/pets/1', {})).body).toEqual({ id: 1, age: 1 });
  });

  it('yields to the value of the client', async () => {
    const { ask } = await startPets(properties);
    expect((await ask('POST', '/pets', { name: 'Rex', status: 'sold' })).body).toMatchObject({ status: 'sold' });
  });

  it('is set when an entry is replaced, not when it is patched', async () => {
    const { ask } = await startPets(properties);
    await ask('POST', '/pets', { name: 'Rex', status: 'sold' });
    expect((await ask('PATCH', '/pets/1', { name: 'Max' })).body).toMatchObject({ status: 'sold' });
    expect((await ask('PUT', '/pets/1', { name: 'Max' })).body).toMatchObject({ status: 'new' });
  });
});

/** Schemas of times, and NOW_MS in their forms. */
const timeCases: readonly (readonly [schema: Schema, now: unknown])[] = [
  [{ type: 'string', format: 'date-time' }, '2025-06-01T12:00:00.000Z'],
  [{ type: 'string', format: 'date' }, '2025-06-01'],
  [{ type: 'integer' }, NOW_MS / 1_000],
  [{ type: 'integer', minimum: 1e12 }, NOW_MS],
];

describe('A time of an entry', () => {
  it.each(timeCases)('comes from the clock in the form of %j', async (schema, now) => {
    const { ask } = await startPets({
      'id!': { type: 'integer', ...READ_ONLY },
      'createdAt!': { ...schema, ...READ_ONLY },
      'added_on!': { ...schema, ...READ_ONLY },
    });
    expect((await ask('POST', '/pets', {})).body).toEqual({ id: 1, createdAt: now, added_on: now });
  });

  it('of the creation stays, and of the update changes, with the clock of the sandbox', async () => {
    const time = { type: 'string', format: 'date-time', ...READ_ONLY };
    const { ask, port } = await startPets({
      'id!': { type: 'integer', ...READ_ONLY },
      name: TEXT,
      'created_at!': time,
      'updatedAt!': time,
    });
    await ask('POST', '/pets', { name: 'Rex' });
    await createControlClient({ port })('PUT', '/default/clock', { now: '2030-01-01T00:00:00Z', frozen: true });
    for (const method of ['PATCH', 'PUT'])
      expect((await ask(method, '/pets/1', { name: 'Max' })).body).toEqual({
        id: 1,
        name: 'Max',
        created_at: '2025-06-01T12:00:00.000Z',
        updatedAt: '2030-01-01T00:00:00.000Z',
      });
  });
});

it.each([
  ['is the time of its creation', {}, '2025-06-01T12:00:00.000Z'],
  ['is not set beside a creation time', { createdAt: { type: 'string', format: 'date-time' } }, undefined],
])('The timestamp of an entry %s', async (_what, more, expected) => {
  const Comment = createObject({
    'id!': { type: 'integer' },
    'text!': TEXT,
    timestamp: { type: 'string', format: 'date-time' },
    ...more,
  });
  const paths = createResourcePaths('/comments/{commentId}', Comment, createObject({ 'text!': TEXT }));
  const { ask } = await startApi({ paths });
  expect((await ask('POST', '/comments', { text: 'a' })).body.timestamp).toBe(expected);
  expect((await ask('GET', '/comments/1')).body.timestamp).toBe(expected);
});

describe('The time at which a new entry expires', () => {
  it.each([
    ['expiryDays', 7, 7 * 86_400_000],
    ['expires_in_hours', 2, 7_200_000],
    ['validForMinutes', 1.5, 90_000],
  ])('is set from %s in its request', async (name, value, lifetimeMs) => {
    const Invite = createObject({ 'id!': { type: 'integer' }, expiresAt: { ...TEXT, format: 'date-time' } });
    const request = createObject({ [name]: { type: 'number' }, expiresAt: TEXT });
    const { ask } = await startApi({
      paths: createResourcePaths('/invites/{inviteId}', refer('Invite'), request),
      schemas: { Invite },
    });
    const { body } = await ask('POST', '/invites', { [name]: value });
    expect(body).toEqual({ id: 1, expiresAt: new Date(NOW_MS + lifetimeMs).toISOString() });
    const sent = { [name]: value, expiresAt: '2031-01-01T00:00:00Z' };
    expect((await ask('POST', '/invites', sent)).body).toMatchObject({ expiresAt: sent.expiresAt });
    expect((await ask('POST', '/invites', {})).body).toEqual({ id: 3 });
  });

  it('is set from a default value, unless the request has another number', async () => {
    const Invite = createObject({ 'id!': { type: 'integer' }, expiresAt: { ...TEXT, format: 'date-time' } });
    const request = createObject({ expiryDays: { type: 'integer', default: 7 }, expiresInHours: { type: 'integer' } });
    const api = { paths: createResourcePaths('/invites/{inviteId}', refer('Invite'), request), schemas: { Invite } };
    const { ask } = await startApi(api);
    const getLifetimeMs = async (sent: object) =>
      Date.parse((await ask('POST', '/invites', sent)).body.expiresAt) - NOW_MS;
    expect(await getLifetimeMs({})).toBe(7 * 86_400_000);
    expect(await getLifetimeMs({ expiresInHours: 1 })).toBe(3_600_000);
    const { 'POST /invites': explained } = await explainApi(api);
    expect(explained).toContain('sets: expiresAt from expiryDays or expiresInHours');
  });
});

it('A property that is readOnly only in responses has the value of the request', async () => {
  const Pet = createObject({ 'id!': { type: 'integer' }, 'name!': TEXT, 'createdBy!': { ...TEXT, ...READ_ONLY } });
  const sent = createObject({ 'name!': TEXT, 'createdBy!': TEXT });
  const paths = createResourcePaths('/pets/{petId}', Pet, sent);
  const change = createObject({ 'name!': TEXT });
  const item = { ...paths['/pets/{petId}'], put: { ...paths['/pets/{petId}']?.put, request: change, response: Pet } };
  const { ask } = await startApi({ paths: { ...paths, '/pets/{petId}': item } });
  const { body } = await ask('POST', '/pets', { name: 'Rex', createdBy: 'ann' });
  expect(body.createdBy).toBe('ann');
  expect((await ask('PUT', `/pets/${body.id}`, { name: 'Tom' })).body).toEqual({ ...body, name: 'Tom' });
});
