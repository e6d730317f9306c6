import { describe, expect, it } from 'vitest';
import { createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const ID = { type: 'integer' };
const OPTIONAL_ID = { type: ['integer', 'null'] };

const User = createObject({ 'id!': ID, 'name!': TEXT, 'email!': TEXT });

/** Returns an API whose tasks have a property for a user, and one operation that sets it. */
function createApi(task: object, action: object, sent: object = {}) {
  const Task = createObject({ 'id!': ID, 'title!': TEXT, ...task });
  const schemas = { User, Task };
  const paths = {
    ...createResourcePaths('/users/{userId}', refer('User'), createObject({ 'name!': TEXT, 'email!': TEXT })),
    ...createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ 'title!': TEXT, ...sent })),
    ...action,
  };
  return { paths, schemas };
}

async function start(api: ReturnType<typeof createApi>) {
  const { ask } = await startApi(api);
  for (const name of ['Ann', 'Bob']) await ask('POST', '/users', { name, email: `${name}@x.test` });
  await ask('POST', '/tasks', { title: 'a' });
  return { ask, read: async () => (await ask('GET', '/tasks/1')).body };
}

const response = refer('Task');
const put = (name: string) => ({ request: createObject({ [`${name}!`]: OPTIONAL_ID }), response, errors: [404, 422] });
const Bob = { id: 2, name: 'Bob', email: 'Bob@x.test' };

describe('An action that assigns an entry', () => {
  it('sets the id of the user, and removes it for null and DELETE', async () => {
    const action = { '/tasks/{taskId}/assignee': { put: put('userId'), delete: { status: 204 } } };
    const { ask, read } = await start(createApi({ 'assigneeId!': OPTIONAL_ID }, action));
    for (const remove of [
      () => ask('PUT', '/tasks/1/assignee', { userId: null }),
      () => ask('DELETE', '/tasks/1/assignee'),
    ]) {
      expect((await ask('PUT', '/tasks/1/assignee', { userId: 2 })).body).toMatchObject({ assigneeId: 2 });
      expect(await read()).toMatchObject({ assigneeId: 2 });
      await remove();
      expect(await read()).toMatchObject({ assigneeId: null });
    }
  });

  it.each([
    ['an object', {}],
    ['an object whose id a request can have', { assigneeId: OPTIONAL_ID }],
  ])('shows the user in %s', async (_what, sent) => {
    const action = { '/tasks/{taskId}/assignee': { put: put('userId'), delete: { status: 204 } } };
    const { ask, read } = await start(createApi({ assignee: refer('User') }, action, sent));
    expect((await ask('PUT', '/tasks/1/assignee', { userId: 2 })).body).toMatchObject({ assignee: Bob });
    expect(await read()).toMatchObject({ assignee: Bob });
    await ask('DELETE', '/tasks/1/assignee');
    expect(await read()).not.toHaveProperty('assignee');
  });

  it.each([
    ['user_id', 2, 9],
    ['assigneeId', 2, 9],
    ['email', 'Bob@x.test', 'nobody@x.test'],
  ])('finds the user by %s, and refuses an unknown one', async (name, known, unknown) => {
    const post = { ...put(name), request: createObject({ [`${name}!`]: { type: ['integer', 'string'] } }) };
    const { ask, read } = await start(createApi({ assigneeId: ID }, { '/tasks/{taskId}/assign': { post } }));
    expect((await ask('POST', '/tasks/1/assign', { [name]: known })).status).toBe(200);
    expect(await read()).toMatchObject({ assigneeId: 2 });
    expect((await ask('POST', '/tasks/1/assign', { [name]: unknown })).status).toBe(422);
    expect(await read()).toMatchObject({ assigneeId: 2 });
  });

  it('is explained, and is mocked if the entry has no property for the user', async () => {
    const action = { '/tasks/{taskId}/assignee': { put: put('userId') } };
    const key = 'PUT /tasks/{taskId}/assignee';
    expect((await explainApi(createApi({ assigneeId: ID }, action)))[key]).toBe(
      'real: changes the assignee of a task: assigneeId → the user in userId',
    );
    expect((await explainApi(createApi({}, action)))[key]).toMatch(/^mocked/);
  });
});
