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
