import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };

const schemas = {
  User: createObject({ 'id!': INTEGER, 'email!': TEXT, 'name!': TEXT }),
  Task: createObject({ 'id!': INTEGER, 'title!': TEXT, 'ownerId!': INTEGER, 'owner!': refer('User') }),
  Country: createObject({ 'id!': INTEGER, 'name!': TEXT, 'mayorId!': TEXT, 'userId!': INTEGER }),
};

const Report = createObject({
  'taskId!': TEXT,
  'author!': refer('User'),
  'tasks!': createList(refer('Task')),
  'details!': createObject({ 'userId!': INTEGER, 'score!': { type: 'number' } }),
});

const PATHS: Paths = {
  '/users': { get: { response: createList(refer('User')) } },
  '/countries': { get: { response: createList(refer('Country')) } },
  ...createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ 'title!': TEXT })),
  '/reports/run': { post: { request: createObject({ userId: INTEGER, 'kind!': TEXT }), response: Report } },
  '/tasks/{taskId}/similar': {
    post: {
      request: createObject({ 'kind!': TEXT }),
      response: createObject({ 'tasks!': { ...createList(refer('Task')), minItems: 2 } }),
    },
  },
  '/tasks/{taskId}/forecast': {
    post: {
      request: createObject({ 'kind!': TEXT }),
      response: createObject({ 'taskId!': INTEGER, 'days!': INTEGER }),
    },
  },
};

async function start() {
  const shop = await startApi({ paths: PATHS, schemas });
  const users = (await shop.ask('GET', '/users')).body;
  for (const title of ['a', 'b']) await shop.ask('POST', '/tasks', { title });
  return { ...shop, users };
}

describe('a generated id of another entry', () => {
  it('in the response of a mocked operation is that of an entry, and an object is the entry', async () => {
    const { ask, users } = await start();
    const { body, headers } = await ask('POST', '/reports/run', { kind: 'x' });
    const tasks = (await ask('GET', '/tasks')).body;
    expect(body).toMatchObject({ taskId: '1', author: users[0], details: { userId: users[0].id } });
    expect(tasks.slice(0, body.tasks.length)).toEqual(body.tasks);
    expect(headers.get('x-mocked')).toBe('operation');
    expect((await ask('POST', '/reports/run', { kind: 'x' })).body).toEqual(body);
  });

  it('is that which the body or the path names', async () => {
    const { ask, users } = await start();
    const { body } = await ask('POST', '/reports/run', { kind: 'x', userId: users[1].id });
    expect(body).toMatchObject({ author: users[1], details: { userId: users[1].id } });
    expect((await ask('POST', '/tasks/2/forecast', { kind: 'x' })).body).toMatchObject({ taskId: 2 });
  });

  it('is another one in each item of a list, and not the one in the path', async () => {
    const { ask } = await start();
    await ask('POST', '/tasks', { title: 'c' });
    const tasks = (await ask('GET', '/tasks')).body;
    expect((await ask('POST', '/tasks/1/similar', { kind: 'x' })).body.tasks).toEqual(tasks.slice(1));
  });

  it('is generated if there is no entry', async () => {
    const { ask } = await startApi({ paths: PATHS, schemas });
    expect((await ask('POST', '/reports/run', { kind: 'x' })).body.taskId).toEqual(expect.any(String));
  });

  it('in an entry without one, or in a generated entry, is that of an entry', async () => {
    const { ask, users } = await start();
    const { body } = await ask('GET', '/tasks/1');
    expect(body).toMatchObject({ ownerId: users[0].id, owner: users[0] });
    expect((await ask('GET', '/tasks')).body[0]).toEqual(body);
    expect((await ask('GET', '/countries')).body.map(({ userId }: { userId: number }) => userId)).toEqual(
      users.map(({ id }: { id: number }) => id),
    );
  });
});
