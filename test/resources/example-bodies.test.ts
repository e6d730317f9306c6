import { describe, expect, it } from 'vitest';
import { createList, createObject, type Paths, type Schema } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const START = '2030-05-01T09:00:00Z';
const SLOT = { id: 4, tutorId: 3, startsAt: START, price: 20, isBooked: false };

/** The paths of slots whose bodies have examples, and the same schema, or none. */
function createSlots(response?: Schema): Paths {
  const schema = response && { response };
  return {
    '/slots': {
      get: {
        query: { tutorId: { type: 'integer' }, sort: { type: 'string' } },
        ...(response && { response: createList(response) }),
        example: [SLOT],
      },
      post: { status: 201, ...schema, example: SLOT, requestExample: { tutorId: 3, startsAt: START, price: 20 } },
    },
    '/slots/{id}': {
      parameters: { id: { type: 'integer' } },
      get: { ...schema, example: SLOT },
      patch: { ...schema, example: SLOT, requestExample: { price: 20 } },
      delete: { status: 204 },
    },
    '/login': {
      post: {
        requestExample: { email: 'ann@example.com', password: 'secret' },
        example: { token: 'abc', user: { id: 1, email: 'ann@example.com', name: 'Ann' } },
      },
    },
    '/me': { get: { example: { id: 1, email: 'ann@example.com', name: 'Ann' } } },
  };
}

describe.each<[title: string, response: Schema | undefined]>([
  ['no schema', undefined],
  ['a schema of any object', { type: 'object' }],
  ['a schema of any object with an example', { type: 'object', additionalProperties: true, example: SLOT }],
])('Bodies with an example and %s', (_title, response) => {
  const paths = createSlots(response);

  it('have the entries of a resource', async () => {
    const { ask } = await startApi({ paths });
    const sent = { tutorId: 5, startsAt: '2030-06-01T09:00:00Z', price: 12.5 };
    const created = await ask('POST', '/slots', sent);
    const slot = { ...sent, id: 5, isBooked: false };
    expect([created.status, created.body]).toEqual([201, slot]);
    expect((await ask('GET', '/slots?sort=-price')).body).toEqual([SLOT, slot]);
    expect((await ask('GET', '/slots?tutorId=5')).body).toEqual([slot]);
    expect((await ask('PATCH', '/slots/5', { price: 30 })).body).toEqual({ ...slot, price: 30 });
    expect((await ask('GET', '/slots/5')).body.price).toBe(30);
    expect((await ask('DELETE', '/slots/4')).status).toBe(204);
    expect((await ask('GET', '/slots/4')).status).toBe(404);
  });

  it('log in a user', async () => {
    const { ask } = await startApi({ paths });
    const { body } = await ask('POST', '/login', { email: 'bob@example.com', password: 'secret' });
    expect(body).toMatchObject({ token: expect.any(String), user: { email: 'bob@example.com' } });
    const me = await ask('GET', '/me', undefined, { Authorization: `Bearer ${body.token}` });
    expect(me.body).toEqual(body.user);
  });

  it('are named by explain', async () => {
    const explained = await explainApi({ paths });
    expect(explained['GET /slots']).toMatch(/^real: lists slots .*only an example describes the response body/);
    expect(Object.values(explained).filter((text) => !text.startsWith('real'))).toEqual([]);
  });
});

it('An envelope with an example describes the entries in it', async () => {
  const cup = { id: 1, name: 'Spring', notes: { size: 8 } };
  const envelope = (data: Schema) => createObject({ 'success!': { type: 'boolean' }, data });
  const paths: Paths = {
    '/cups': {
      get: {
        response: envelope({ type: 'array', items: { type: 'object' } }),
        example: { success: true, data: [cup] },
      },
      post: {
        status: 201,
        requestExample: { name: 'Fall' },
        response: envelope({ type: 'object' }),
        example: { success: true, data: cup },
      },
    },
    '/cups/{id}': { get: { response: envelope({ type: 'object' }), example: { success: true, data: cup } } },
  };
  const { ask } = await startApi({ paths });
  const { body } = await ask('POST', '/cups', { name: 'Fall', notes: { size: 4, colour: 'red' } });
  expect(body).toEqual({ success: true, data: { id: 2, name: 'Fall', notes: { size: 4, colour: 'red' } } });
  expect((await ask('GET', '/cups/2')).body).toEqual(body);
  expect((await ask('GET', '/cups')).body.data).toEqual([cup, body.data]);
});

describe('Properties in examples', () => {
  it('are not required if another example of an entry lacks them', async () => {
    const paths: Paths = {
      '/cups': {
        get: { example: [{ id: 1, name: 'Spring', status: 'open' }] },
        post: { status: 201, example: { id: 2, name: 'Fall', status: 'open' }, requestExample: { name: 'Fall' } },
      },
      '/cups/{id}': { get: { example: { id: 1, name: 'Spring', status: 'done', winner: 'Ann' } } },
    };
    const { ask } = await startApi({ paths });
    const { body } = await ask('POST', '/cups', { name: 'Winter' });
    expect(body).toEqual({ id: expect.anything(), name: 'Winter', status: 'open' });
    expect((await ask('GET', `/cups/${body.id}`)).body).toEqual(body);
  });

  it('are required if only entries of another kind lack them', async () => {
    const lesson = { id: 1, slotId: 3, studentId: 1, status: 'planned', link: 'https://example.com/a' };
    const pack = { id: 7, studentId: 1, course: 'Algebra', price: 20, status: 'active', balance: 8, discount: 0 };
    const post = { status: 201, requestExample: { slotId: 3 }, example: lesson };
    const paths: Paths = {
      '/lessons': { get: { example: [{ ...lesson, startsAt: START, room: 'A' }] }, post },
      '/packs': { get: { example: [pack] }, post: { status: 201, requestExample: {}, example: pack } },
    };
    const { ask } = await startApi({ paths });
    const { body } = await ask('POST', '/lessons', { slotId: 4 });
    expect(body).toEqual({ ...lesson, id: 2, slotId: 4 });
    expect((await ask('GET', '/lessons')).body.at(-1)).toMatchObject(body);
  });

  it('do not restrict requests and responses', async () => {
    const paths = createSlots();
    const { ask } = await startApi({ paths });
    const created = await ask('POST', '/slots', { tutorId: 'x', price: 'free', note: 'new' });
    expect(created.status).toBe(201);
  });
});

it('An entry with its name in an envelope is the entry: { status, data: { cup } }', async () => {
  const cup = { id: 1, name: 'Spring', status: 'open', size: 8 };
  const wrap = (data: object) => ({ example: { status: 'success', data } });
  const paths: Paths = {
    '/cups': {
      get: { example: { status: 'success', results: 1, data: { cups: [cup] } } },
      post: { status: 201, requestExample: { name: 'Fall' }, ...wrap({ cup: { ...cup, id: 2 } }) },
    },
    '/cups/{id}': { get: wrap({ cup }), patch: { requestExample: { name: 'Fall' }, ...wrap({ cup }) } },
    '/cups/{id}/handles': {
      get: { example: { status: 'success', results: 0, data: { handles: [] } } },
      post: { status: 201, requestExample: { shape: 'round' }, ...wrap({ handle: { id: 1, shape: 'round' } }) },
    },
  };
  const { ask } = await startApi({ paths });
  const { body } = await ask('POST', '/cups', { name: 'Fall', size: 3 });
  expect(body).toEqual({ status: 'success', data: { cup: { ...cup, id: 3, name: 'Fall', size: 3 } } });
  expect((await ask('GET', '/cups/3')).body).toEqual(body);
  expect((await ask('GET', '/cups')).body).toMatchObject({ results: 3, data: { cups: { 2: body.data.cup } } });
  expect((await ask('POST', '/cups/3/handles', { shape: 'flat' })).body.data.handle.shape).toBe('flat');
  expect((await ask('GET', '/cups/3/handles')).body).toMatchObject({
    results: 1,
    data: { handles: [{ shape: 'flat' }] },
  });
});

it('A value that examples show with several types is the same in each response', async () => {
  const paths: Paths = {
    '/cups': {
      get: { example: [{ id: 1, name: 'Spring', price: '12.50' }] },
      post: { status: 201, requestExample: { name: 'Fall' }, example: { id: 2, name: 'Fall', price: 3 } },
    },
    '/cups/{id}': { get: { example: { id: 1, name: 'Spring', price: '12.50' } } },
  };
  const { ask } = await startApi({ paths });
  const created = (await ask('POST', '/cups', { name: 'Winter' })).body;
  expect((await ask('GET', `/cups/${created.id}`)).body).toEqual(created);
  expect((await ask('GET', '/cups')).body.at(-1)).toEqual(created);
  const sent = (await ask('POST', '/cups', { name: 'Winter', price: '7' })).body;
  expect(sent.price).toBe('7');
  expect((await ask('GET', `/cups/${sent.id}`)).body).toEqual(sent);
});

it('Examples at other paths say nothing about the values of entries, although their properties are the same', async () => {
  const create = (path: string, entry: object): Paths => ({
    [`/api/${path}`]: { get: { example: [] }, post: { status: 201, requestExample: { name: 'x' }, example: entry } },
    [`/api/${path}/{id}`]: { parameters: { id: { type: 'integer' } }, get: { example: entry } },
  });
  const paths = {
    ...create('cities', { id: 1, name: 'Ulm', rank: 'first', size: 5 }),
    ...create('teams', { id: 1, name: 'Owls', rank: 3, size: 11 }),
  };
  const { ask } = await startApi({ paths });
  const { body } = await ask('POST', '/api/teams', { name: 'Foxes' });
  expect(body).toEqual({ id: 2, name: 'Foxes', rank: 3, size: 11 });
  expect((await ask('GET', '/api/teams/2')).body).toEqual(body);
  expect((await ask('GET', '/api/teams')).body.at(-1)).toEqual(body);
});

it('A property that is null in the first example is null in an entry that lacks it', async () => {
  const { ask } = await startApi({
    paths: {
      '/cups': { get: { example: [{ id: 1, name: 'Spring' }] }, post: { status: 201, example: { id: 1, name: 'x' } } },
      '/cups/{id}': { get: { example: { id: 1, name: 'Spring', closedAt: null, size: 3 } } },
      '/cups/closed': { get: { example: [{ id: 2, name: 'Fall', closedAt: '2030-01-01T00:00:00Z', size: 3 }] } },
    },
  });
  expect((await ask('GET', '/cups/1')).body).toEqual({ id: 1, name: 'Spring', closedAt: null, size: 3 });
});
