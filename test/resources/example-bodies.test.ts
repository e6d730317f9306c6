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

it.each<[title: string, note: Schema | undefined]>([
  [
    'a schema',
    createObject({ 'id!': { type: 'integer' }, 'title!': { type: 'string' }, metadata: { type: 'object' } }),
  ],
  ['only an example', undefined],
])('Free objects in entries with %s keep what clients send', async (_title, note) => {
  const example = { id: 1, title: 'Milk', metadata: { colour: 'red', size: 3 } };
  const request = createObject({ 'title!': { type: 'string' }, metadata: { type: 'object' } });
  const response = note && { response: note };
  const paths: Paths = {
    '/notes': {
      get: { ...(note && { response: createList(note) }), example: [example] },
      post: { status: 201, ...response, example, ...(note ? { request } : { requestExample: example }) },
    },
    '/notes/{id}': { parameters: { id: { type: 'integer' } }, get: { ...response, example } },
  };
  const { ask } = await startApi({ paths });
  for (const metadata of [{ weight: 2 }, { colour: 5 }]) {
    const { body } = await ask('POST', '/notes', { title: 'Tea', metadata });
    expect(body).toEqual({ id: expect.any(Number), title: 'Tea', metadata });
    expect((await ask('GET', `/notes/${body.id}`)).body).toEqual(body);
  }
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

describe('Operations with one schema and different examples', () => {
  const Reply = { type: 'object', properties: { data: {}, code: { type: 'number' }, message: { type: 'string' } } };
  const response = { $ref: '#/components/schemas/Reply' };
  const ann = { name: 'Ann', email: 'ann@example.com', office: 'Rome' };
  const note = { title: 'Cars', text: 'Two cars' };
  const meta = { current_limit: 20, current_offset: 0, current_page: 1, total_data: 50, total_page: 3 };
  const reply = (data: unknown) => ({ response, example: { data, code: 200, message: 'done' } });
  const paths: Paths = {
    '/login': {
      post: { ...reply({ token: 'abc', rank: 'Chief' }), request: createObject({ code: { type: 'string' } }) },
    },
    '/kinds': { get: reply({ kinds: [{ label: 'Offer' }], ranks: [{ tag: 'A' }] }) },
    '/users': {
      get: {
        query: { limit: { type: 'integer' }, offset: { type: 'integer' } },
        response,
        example: { data: [{ user_id: 'A1', ...ann }], meta, code: 200, message: 'done' },
      },
      post: { status: 201, requestExample: ann, response, example: { code: 201, message: 'created' } },
    },
    '/users/{user_id}': { get: reply({ ...ann, office: 'Bonn' }), delete: reply(undefined) },
    '/notes': { post: { status: 201, requestExample: note, response, example: { code: 201, message: 'created' } } },
    '/notes/{note_id}': { parameters: { note_id: { type: 'integer' } }, get: reply(note) },
  };
  const schemas = { Reply };

  it('have the entries with the id that the list shows', async () => {
    const { ask } = await startApi({ paths, schemas });
    expect((await ask('GET', '/users')).body.data).toEqual([{ user_id: 'A1', ...ann }]);
    expect((await ask('GET', '/users/A1')).body.data).toMatchObject(ann);
    await ask('POST', '/users', { ...ann, name: 'Bob' });
    const [, bob] = (await ask('GET', '/users')).body.data;
    expect((await ask('GET', `/users/${bob.user_id}`)).body.data).toMatchObject({ name: 'Bob' });
    expect((await ask('DELETE', '/users/A1')).status).toBe(200);
    expect((await ask('GET', '/users')).body.data).toEqual([bob]);
  });

  it('have the page that only the example describes', async () => {
    const { ask } = await startApi({ paths, schemas });
    await ask('POST', '/users', { ...ann, name: 'Bob' });
    const { body } = await ask('GET', '/users?limit=1&offset=1');
    expect(body.meta).toEqual({ current_limit: 1, current_offset: 1, current_page: 2, total_data: 2, total_page: 2 });
  });

  it('have their own examples if they are mocked', async () => {
    const { ask } = await startApi({ paths, schemas });
    expect((await ask('POST', '/login', { code: 'A1' })).body.data).toMatchObject({ rank: 'Chief' });
    expect((await ask('GET', '/kinds')).body.data).toEqual({ kinds: [{ label: 'Offer' }], ranks: [{ tag: 'A' }] });
  });

  it('have entries whose id no example shows', async () => {
    const { ask } = await startApi({ paths, schemas });
    await ask('POST', '/notes', { title: 'Desks', text: 'Four desks' });
    expect((await ask('GET', '/notes/1')).body.data).toEqual({ id: 1, ...note });
    expect((await ask('GET', '/notes/2')).body.data).toEqual({ id: 2, title: 'Desks', text: 'Four desks' });
  });
});

it('A list that no operation changes has each example once', async () => {
  const ranks = [
    { name: 'Ann', sales: 32 },
    { name: 'Bob', sales: 28 },
  ];
  const { ask } = await startApi({ paths: { '/ranks': { get: { example: ranks } } } });
  expect((await ask('GET', '/ranks')).body).toEqual(ranks);
});

it('A property that only the list shows is not explained as one that no response shows', async () => {
  const sent = { company: 'New', email: 'new@example.com' };
  const explained = await explainApi({
    paths: {
      '/customers': { get: { example: [{ id: 1, ...sent }] }, post: { status: 201, requestExample: sent } },
      '/customers/{id}': { get: { example: { id: 1, company: 'New' } } },
    },
  });
  expect(explained['POST /customers']).not.toContain('never shows');
});

it('A body that can be any object has no unknown properties', async () => {
  const any = { response: { type: 'object' }, request: { type: 'object' } };
  const { ask, log } = await startApi({
    paths: {
      '/talks': { post: { ...any, status: 201 } },
      '/talks/{talkId}': { get: { response: { type: 'object' } } },
    },
  });
  const { body } = await ask('POST', '/talks', { title: 'Meals' });
  expect((await ask('GET', `/talks/${body.id}`)).body.title).toBe('Meals');
  expect(JSON.stringify(log)).not.toContain('unknown');
});

it('Examples of resource objects with another type say nothing about those of JSON:API', async () => {
  const article = { type: 'articles', id: '1', attributes: { title: 'Owls', status: 'draft' } };
  const included = [{ type: 'people', id: '9', attributes: { name: 'Ann' } }];
  const requestExample = { data: { type: 'articles', attributes: { title: 'Owls' } } };
  const { ask } = await startApi({
    paths: {
      '/articles': {
        get: { example: { data: [article] } },
        post: { status: 201, requestExample, example: { data: article } },
      },
      '/articles/{id}': { get: { example: { data: article, included } } },
    },
  });
  const sent = { data: { type: 'articles', attributes: { title: 'Foxes' } } };
  const { body } = await ask('POST', '/articles', sent);
  expect(body.data.attributes).toEqual({ title: 'Foxes', status: 'draft' });
  expect((await ask('GET', '/articles/2')).body.data.attributes).toEqual(body.data.attributes);
});
