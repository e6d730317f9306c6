import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };

const Pet = createObject({
  'id!': { type: 'integer', readOnly: true },
  'name!': TEXT,
  'chip!': { type: 'string', format: 'uuid' },
  'owner!': createObject({ 'name!': TEXT, 'email!': { type: 'string', format: 'email' } }),
  weight: { type: 'number' },
});
const NewPet = createObject({ 'name!': TEXT, color: TEXT, owner: createObject({ name: TEXT }) });

const API = {
  paths: createResourcePaths('/pets/{petId}', refer('Pet'), refer('NewPet')),
  schemas: { Pet, NewPet },
};

describe('A required property that can be null and that a new entry lacks', () => {
  const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });
  const Task = createObject({
    'id!': { type: 'integer', readOnly: true },
    'title!': TEXT,
    'dueDate!': { type: ['string', 'null'], format: 'date' },
    'priority!': { type: ['integer', 'null'], default: 2 },
    'place!': orNull(createObject({ 'city!': TEXT })),
    'editedAt!': { type: ['string', 'null'], format: 'date-time', readOnly: true },
    'createdAt!': { type: ['string', 'null'], format: 'date-time', readOnly: true },
  });
  const api = { paths: createResourcePaths('/tasks/{taskId}', refer('Task'), Task), schemas: { Task } };

  it('is null, also if no request can have it', async () => {
    const paths = {
      ...api.paths,
      '/tasks': {
        ...api.paths['/tasks'],
        post: { status: 201, request: createObject({ 'title!': TEXT }), response: Task },
      },
    };
    const { ask } = await startApi({ ...api, paths });
    const { body, headers } = await ask('POST', '/tasks', { title: 'a' });
    const none = { dueDate: null, place: null, editedAt: null };
    expect(body).toEqual({ id: 1, title: 'a', priority: 2, createdAt: expect.any(String), ...none });
    expect(headers.get('x-mocked')).toBeNull();
    expect((await ask('GET', '/tasks')).body).toEqual([body]);
    const changed = { title: 'b', dueDate: '2030-01-01', priority: null, place: null };
    const editedAt = expect.any(String);
    expect((await ask('PUT', '/tasks/1', changed)).body).toEqual({ ...body, ...changed, editedAt });
  });
});

describe('A property that a response requires and the entry lacks', () => {
  it('is generated, and listed in X-Mocked', async () => {
    const { ask } = await startApi(API);
    const { body, headers } = await ask('POST', '/pets', { name: 'Rex' });
    expect(body).toEqual({
      id: 1,
      name: 'Rex',
      chip: expect.any(String),
      owner: { name: expect.any(String), email: expect.any(String) },
    });
    expect(headers.get('x-mocked')).toBe('/chip, /owner');
  });

  it('is the same on each read, in the list and in the item', async () => {
    const { ask } = await startApi(API);
    const { body: created } = await ask('POST', '/pets', { name: 'Rex' });
    for (let count = 0; count < 2; count++) {
      expect((await ask('GET', '/pets/1')).body).toEqual(created);
      expect((await ask('GET', '/pets')).body).toEqual([created]);
    }
  });

  it('is the same after a change of other properties', async () => {
    const { ask } = await startApi(API);
    const { body: created } = await ask('POST', '/pets', { name: 'Rex' });
    expect((await ask('PATCH', '/pets/1', { weight: 3 })).body).toEqual({ ...created, weight: 3 });
    expect((await ask('PUT', '/pets/1', { name: 'Max' })).body).toEqual({ ...created, name: 'Max', weight: 3 });
  });

  it('is listed in X-Mocked with `*` for the entries of a list', async () => {
    const { ask } = await startApi(API);
    for (const name of ['Rex', 'Tom']) await ask('POST', '/pets', { name });
    expect((await ask('GET', '/pets')).headers.get('x-mocked')).toBe('/*/chip, /*/owner');
  });

  it('is listed in X-Mocked below the properties of a wrapped list', async () => {
    const list = createObject({ 'data!': createList(refer('Pet')), 'total!': { type: 'integer' } });
    const paths = { ...API.paths, '/pets': { ...API.paths['/pets'], get: { response: list } } };
    const { ask } = await startApi({ ...API, paths });
    const { body: created } = await ask('POST', '/pets', { name: 'Rex' });
    const { body, headers } = await ask('GET', '/pets');
    expect([body, headers.get('x-mocked')]).toEqual([{ data: [created], total: 1 }, '/data/*/chip, /data/*/owner']);
  });

  it('differs for another entry', async () => {
    const { ask } = await startApi(API);
    const one = await ask('POST', '/pets', { name: 'Rex' });
    const two = await ask('POST', '/pets', { name: 'Rex' });
    expect(one.body.chip).not.toBe(two.body.chip);
  });

  it('completes an object of which the entry has a part', async () => {
    const { ask } = await startApi(API);
    const { body, headers } = await ask('POST', '/pets', { name: 'Rex', owner: { name: 'Ada' } });
    expect(body.owner).toEqual({ name: 'Ada', email: expect.any(String) });
    expect(headers.get('x-mocked')).toBe('/owner/email, /chip');
    expect((await ask('GET', '/pets/1')).body).toEqual(body);
  });

  it('is not stored', async () => {
    const { ask, port } = await startApi(API);
    await ask('POST', '/pets', { name: 'Rex' });
    const { body } = await createControlClient({ port })('GET', '/default/state');
    expect(body).toEqual({ pets: [{ id: 1, name: 'Rex' }] });
  });
});

describe('A response of complete entries', () => {
  it('has no header X-Mocked', async () => {
    const { ask } = await startApi({ paths: createResourcePaths('/pets/{petId}', createObject({ 'id!': TEXT })) });
    const responses = [
      await ask('POST', '/pets', { id: 'rex' }),
      await ask('GET', '/pets'),
      await ask('GET', '/pets/rex'),
    ];
    expect(responses.map(({ headers }) => headers.get('x-mocked'))).toEqual([null, null, null]);
  });
});

describe('A property that requests have and the schema of an entry does not have', () => {
  it('is stored and not returned', async () => {
    const { ask, port } = await startApi(API);
    const { body } = await ask('POST', '/pets', { name: 'Rex', color: 'red' });
    expect(body).not.toHaveProperty('color');
    const { body: state } = await createControlClient({ port })('GET', '/default/state');
    expect(state.pets).toEqual([{ id: 1, name: 'Rex', color: 'red' }]);
  });
});

it('A new entry is not archived, if entries require the boolean, and no request for a new entry has it', async () => {
  const Page = createObject({ 'id!': { type: 'integer' }, 'title!': TEXT, 'archived!': { type: 'boolean' } });
  const paths = {
    ...createResourcePaths('/pages/{pageId}', refer('Page'), createObject({ 'title!': TEXT })),
  };
  const { ask } = await startApi({ paths, schemas: { Page } });
  for (const title of ['a', 'b', 'c', 'd']) {
    const { body, headers } = await ask('POST', '/pages', { title });
    expect(body).toMatchObject({ archived: false });
    expect(headers.get('x-mocked')).toBeNull();
  }
});
