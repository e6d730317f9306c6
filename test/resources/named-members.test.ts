import { describe, expect, it } from 'vitest';
import {
  createList,
  createObject,
  createResourcePaths,
  type Paths,
  refer,
  type Schema,
} from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const LOGIN = createObject({ 'email!': TEXT, 'password!': TEXT });
const schemas = {
  User: createObject({ 'id!': TEXT, 'email!': TEXT }),
  Project: createObject({ 'id!': TEXT, 'name!': TEXT }),
  Member: createObject({ 'user_id!': TEXT, 'role!': TEXT }),
};
const Session = createObject({ 'token!': TEXT, 'user!': refer('User') });

/** Returns an API whose members are added by the e-mail address of a user. */
function createApi(errors: readonly number[] = []) {
  const paths = {
    '/register': { post: { request: LOGIN, response: Session, status: 201 } },
    '/me': { get: { response: refer('User') } },
    ...createResourcePaths('/projects/{projectId}', refer('Project'), createObject({ 'name!': TEXT })),
    '/projects/{projectId}/members': {
      get: { response: createList(refer('Member')) },
      post: {
        request: createObject({ 'email!': TEXT, 'role!': TEXT }),
        status: 201,
        response: refer('Member'),
        errors,
      },
    },
    '/projects/{projectId}/members/{userId}': { delete: { status: 204 } },
  };
  return { paths, schemas };
}

async function start(errors?: readonly number[]) {
  const { ask } = await startApi(createApi(errors));
  const register = async (email: string) => (await ask('POST', '/register', { email, password: 'x' })).body;
  const { token } = await register('ann@x.test');
  const { user } = await register('bob@x.test');
  const headers = { Authorization: `Bearer ${token}` };
  const { id } = (await ask('POST', '/projects', { name: 'a' }, headers)).body;
  const path = `/projects/${id}/members`;
  return { add: (email: string) => ask('POST', path, { email, role: 'a' }, headers), bob: user, ask, path };
}

describe('A member that a request names by the e-mail address of a user', () => {
  it('has the id of this user', async () => {
    const { add, bob, ask, path } = await start();
    await add('bob@x.test');
    expect((await ask('GET', path)).body).toEqual([{ user_id: bob.id, role: 'a' }]);
    expect((await ask('DELETE', `${path}/${bob.id}`)).status).toBe(204);
    expect((await ask('GET', path)).body).toEqual([]);
  });

  it('is refused if no user has the address, and the document has a status for it', async () => {
    expect((await (await start([404])).add('eve@x.test')).status).toBe(404);
    expect((await (await start()).add('eve@x.test')).status).toBe(201);
  });

  it('is not explained as the user who sends the request', async () => {
    const lines = await explainApi(createApi());
    expect(lines['POST /projects/{projectId}/members']).not.toContain('sets to the user who sends the request');
  });
});

it('A member whom a request names by userId has this id, and the names of the user', async () => {
  const Member = createObject({ 'id!': TEXT, 'email!': TEXT, 'role!': TEXT });
  const Added = createObject({ 'userId!': TEXT, 'role!': TEXT });
  const paths = {
    ...createResourcePaths('/users/{userId}', refer('User'), createObject({ 'email!': TEXT })),
    ...createResourcePaths('/projects/{projectId}', refer('Project'), createObject({ 'name!': TEXT })),
    '/projects/{projectId}/members': {
      get: { response: createList(Member) },
      post: { request: Added, status: 201, response: Member, errors: [404] },
    },
    '/projects/{projectId}/members/{userId}': { delete: { status: 204 } },
  };
  const { ask } = await startApi({ paths, schemas });
  const { body: user } = await ask('POST', '/users', { email: 'ann@x.test' });
  const { body: project } = await ask('POST', '/projects', { name: 'a' });
  const path = `/projects/${project.id}/members`;
  const { body: member } = await ask('POST', path, { userId: user.id, role: 'lead' });
  expect(member).toEqual({ id: user.id, email: 'ann@x.test', role: 'lead' });
  expect((await ask('GET', path)).body).toEqual([member]);
  expect((await ask('POST', path, { userId: 'unknown', role: 'lead' })).status).toBe(404);
  expect((await ask('DELETE', `${path}/${user.id}`)).status).toBe(204);
  expect((await ask('GET', path)).body).toEqual([]);
});

describe('A list of the own entries', () => {
  const { paths } = createApi();
  const described: Paths = {
    ...paths,
    ...createResourcePaths('/projects/{projectId}', refer('Project'), createObject({ 'name!': TEXT })),
    '/register': { post: { ...paths['/register'].post, isPublic: true } },
    '/login': { post: { request: LOGIN, response: Session, isPublic: true } },
    '/projects': {
      get: { summary: 'List all projects for the current user', response: createList(refer('Project')) },
      post: { request: createObject({ 'name!': TEXT }), response: refer('Project'), status: 201 },
    },
  };
  const own = { ...schemas, Project: createObject({ 'id!': TEXT, 'name!': TEXT, created_by: TEXT }) };

  /** Starts the API with two users, of whom the first one has a project. */
  const startOwn = async (more: Paths = {}, moreSchemas: Readonly<Record<string, Schema>> = own) => {
    const { ask } = await startApi({ paths: { ...described, ...more }, schemas: moreSchemas, needsToken: true });
    const register = async (email: string) => {
      const { token, user } = (await ask('POST', '/register', { email, password: 'x' })).body;
      const headers = { Authorization: `Bearer ${token}` };
      return { ...user, ask: (method: string, path: string, sent?: unknown) => ask(method, path, sent, headers) };
    };
    const [ann, bob] = [await register('ann@x.test'), await register('bob@x.test')];
    const { body: project } = await ann.ask('POST', '/projects', { name: 'a' });
    return { ann, bob, item: `/projects/${project.id}` };
  };

  it('also has the entries of which the user is a member', async () => {
    const { ann, bob, item } = await startOwn();
    await ann.ask('POST', '/projects', { name: 'b' });
    expect((await bob.ask('GET', item)).status).toBe(404);
    await ann.ask('POST', `${item}/members`, { email: 'bob@x.test', role: 'a' });
    expect((await bob.ask('GET', '/projects')).body).toMatchObject([{ name: 'a' }]);
    expect((await bob.ask('GET', item)).body).toMatchObject({ name: 'a' });
    expect((await bob.ask('GET', `${item}/members`)).body).toMatchObject([{ user_id: bob.id }]);
    expect((await ann.ask('GET', '/projects')).body).toHaveLength(2);
    await ann.ask('DELETE', `${item}/members/${bob.id}`);
    expect((await bob.ask('GET', '/projects')).body).toEqual([]);
    expect((await bob.ask('GET', item)).status).toBe(404);
  });

  const Shown = createObject({ 'user_id!': TEXT, 'email!': TEXT, 'role!': TEXT });
  const Named = createObject({ 'user_id!': TEXT, 'name!': TEXT, 'role!': TEXT });
  const WithId = createObject({ 'id!': TEXT, 'user_id!': TEXT, 'email!': TEXT, 'role!': TEXT });
  const OnlyId = createObject({ 'id!': TEXT, 'email!': TEXT, 'role!': TEXT });

  it.each([
    ['the id', Shown],
    ['a property', WithId],
    ['the id in the path', OnlyId],
  ])(
    'also has the entries whose members show the e-mail address of the user, and the user in %s',
    async (_, Member) => {
      const { ann, bob, item } = await startOwn({}, { ...own, Member });
      const { body } = await ann.ask('POST', `${item}/members`, { email: 'bob@x.test', role: 'a' });
      expect(body).toMatchObject({ [Member === OnlyId ? 'id' : 'user_id']: bob.id, email: 'bob@x.test' });
      expect((await bob.ask('GET', '/projects')).body).toMatchObject([{ name: 'a' }]);
    },
  );

  it('has no entries by their members if no request says which user a member is', async () => {
    const members = described['/projects/{projectId}/members'];
    const post = { ...members?.post, request: createObject({ 'name!': TEXT, 'role!': TEXT }) };
    const paths = { ...described, '/projects/{projectId}/members': { ...members, post } };
    const lines = await explainApi({ paths, schemas: { ...own, Member: Named }, needsToken: true });
    expect(lines['GET /projects']).toBe('real: lists projects of the user who sends the request');
  });

  it('has entries that members can read and update, and only their owner can delete', async () => {
    const { ann, bob, item } = await startOwn();
    await ann.ask('POST', `${item}/members`, { email: 'bob@x.test', role: 'viewer' });
    expect((await bob.ask('PUT', item, { name: 'c' })).body).toMatchObject({ name: 'c', created_by: ann.id });
    expect((await bob.ask('DELETE', item)).status).toBe(404);
    expect((await ann.ask('DELETE', item)).status).toBe(204);
  });

  it('has entries below which each member has own entries', async () => {
    const Task = createObject({ 'id!': TEXT, 'title!': TEXT, created_by: TEXT });
    const mine = createResourcePaths(
      '/projects/{projectId}/me/tasks/{taskId}',
      refer('Task'),
      createObject({ 'title!': TEXT }),
    );
    const { ann, bob, item } = await startOwn(mine, { ...own, Task });
    await ann.ask('POST', `${item}/members`, { email: 'bob@x.test', role: 'viewer' });
    await ann.ask('POST', `${item}/me/tasks`, { title: 'of Ann' });
    const { body: task } = await bob.ask('POST', `${item}/me/tasks`, { title: 'of Bob' });
    expect(task).toMatchObject({ created_by: bob.id });
    expect((await bob.ask('GET', `${item}/me/tasks`)).body).toEqual([task]);
    expect((await ann.ask('GET', `${item}/me/tasks`)).body).toMatchObject([{ title: 'of Ann' }]);
  });

  it('is explained with its members', async () => {
    const lines = await explainApi({ paths: described, schemas: own, needsToken: true });
    expect(lines['GET /projects']).toBe(
      'real: lists projects of the user who sends the request (and those with the user among their members)',
    );
  });
});
