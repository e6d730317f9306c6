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
const INTEGER = { type: 'integer' };
const credentials = createObject({ 'username!': TEXT, 'password!': TEXT });

const schemas = {
  User: createObject({ 'id!': INTEGER, 'username!': TEXT, followersCount: INTEGER }),
  Author: createObject({ 'username!': TEXT }),
  Post: createObject({ 'id!': INTEGER, 'title!': TEXT, authorId: INTEGER, liked: { type: 'boolean' } }),
  Task: createObject({ 'id!': INTEGER, 'title!': TEXT, assigneeId: { type: ['integer', 'null'] } }),
  Note: createObject({ 'id!': INTEGER, 'text!': TEXT, author: refer('Author') }),
  Page: createObject({ 'id!': INTEGER, 'text!': TEXT, 'authorId!': TEXT }),
};

const ACCOUNTS: Paths = {
  '/register': { post: { request: credentials, response: createObject({ 'token!': TEXT }), status: 201 } },
  '/login': { post: { request: credentials, response: createObject({ 'token!': TEXT }) } },
  '/me': { get: { response: refer('User') }, delete: { status: 204 } },
};

const BY_ID: Paths = {
  ...ACCOUNTS,
  '/users': { get: { response: createList(refer('User')) } },
  '/users/{userId}': { get: { response: refer('User') }, parameters: { userId: INTEGER } },
  '/users/{userId}/posts': { get: { response: createList(refer('Post')) }, parameters: { userId: INTEGER } },
  ...createResourcePaths('/posts/{postId}', refer('Post'), createObject({ 'title!': TEXT })),
  ...createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ 'title!': TEXT, assigneeId: INTEGER })),
};

const BY_NAME: Paths = {
  ...ACCOUNTS,
  '/users': { get: { response: createList(refer('User')) } },
  '/users/{username}': { get: { response: refer('User') } },
  '/users/{username}/follow': { post: { status: 204 } },
  '/users/{username}/followers': { get: { response: createList(refer('User')) } },
  '/users/{username}/notes': { get: { response: createList(refer('Note')) } },
  ...createResourcePaths('/notes/{noteId}', refer('Note'), createObject({ 'text!': TEXT })),
  ...createResourcePaths('/pages/{pageId}', refer('Page'), createObject({ 'text!': TEXT })),
};

/** Starts a server, and registers Ann. */
async function start(paths: Paths) {
  const { ask } = await startApi({ paths, schemas });
  const register = async (username: string) => {
    const { body } = await ask('POST', '/register', { username, password: 'x' });
    return (method: string, path: string, sent?: unknown) =>
      ask(method, path, sent, { Authorization: `Bearer ${body.token}` });
  };
  return { ask, register, ann: await register('ann') };
}

describe('the id of a removed entry', () => {
  it('is a number that no later entry gets, also after all are removed and after a restored snapshot', async () => {
    const { ask, ann } = await start(BY_ID);
    await ann('POST', '/posts', { title: 'a' });
    await ann('POST', '/posts', { title: 'b' });
    await ask('DELETE', '/posts/2');
    await ask('DELETE', '/posts/1');
    expect((await ann('POST', '/posts', { title: 'c' })).body.id).toBe(3);
  });

  it('is not that of a new user, who has no entries of the deleted one', async () => {
    const { ask, register, ann } = await start(BY_ID);
    const { body: user } = await ann('GET', '/me');
    const { body: post } = await ann('POST', '/posts', { title: 'a' });
    const { body: task } = await ann('POST', '/tasks', { title: 'a', assigneeId: user.id });
    await ann('DELETE', '/me');
    expect((await ask('GET', `/posts/${post.id}`)).body).toEqual(post);
    expect((await ask('GET', `/tasks/${task.id}`)).body).toEqual({ ...task, assigneeId: null });
    const next = await register('ann');
    const { id } = (await next('GET', '/me')).body;
    expect(id).not.toBe(user.id);
    expect((await ask('GET', `/users/${id}/posts`)).body).toEqual([]);
  });
});

describe('the name of a deleted user', () => {
  it('can be that of a new user, who inherits no followed users', async () => {
    const { ask, register, ann } = await start(BY_NAME);
    await register('bob');
    await ann('POST', '/users/bob/follow');
    await ann('DELETE', '/me');
    const next = await register('ann');
    expect((await next('GET', '/me')).body).toMatchObject({ username: 'ann' });
    expect((await ask('GET', '/users/bob/followers')).body).toEqual([]);
  });

  it.each([
    ['/pages', { authorId: 'ann' }],
    ['/notes', { author: { username: 'ann' } }],
  ])('is refused if entries of %s still have it', async (path, shown) => {
    const { ask, ann } = await start(BY_NAME);
    const { body: entry } = await ann('POST', path, { text: 'p' });
    expect(entry).toMatchObject(shown);
    await ann('DELETE', '/me');
    expect(await ask('POST', '/register', { username: 'Ann', password: 'x' })).toMatchObject({
      status: 409,
      body: { detail: 'other entries belong to a deleted user with this username: use another username' },
    });
    expect(await ask('POST', '/register', { username: 'anna', password: 'x' })).toMatchObject({ status: 201 });
  });
});

describe('The object and the id of a deleted user in an entry', () => {
  const nullable = { type: ['integer', 'null'] };
  const userOrNull = { oneOf: [refer('User'), { type: 'null' }] };
  const ids = createList(INTEGER);
  const ann = { id: 1, username: 'ann' };
  const bob = { id: 2, username: 'bob' };
  const shown = { assigneeId: 1, assignee: ann };
  const author = { authorId: 1, author: ann };

  it.each<[string, Readonly<Record<string, Schema>>, unknown]>([
    ['are null', { 'assigneeId!': nullable, 'assignee!': userOrNull }, { assigneeId: null, assignee: null }],
    ['are null and missing', { assigneeId: nullable, assignee: refer('User') }, { assigneeId: null }],
    ['stay if the object cannot be null', { 'assigneeId!': nullable, 'assignee!': refer('User') }, shown],
    ['stay if the id cannot be null', { 'assigneeId!': INTEGER, 'assignee!': userOrNull }, shown],
    ['stay if the user created the entry', { authorId: nullable, author: userOrNull }, author],
    [
      'are in no list',
      { assigneeIds: ids, assignees: createList(refer('User')) },
      { assigneeIds: [2], assignees: [bob] },
    ],
  ])('agree: they %s', async (_, properties, expected) => {
    const request = createObject({ 'title!': TEXT, authorId: INTEGER, assigneeId: INTEGER, assigneeIds: ids });
    const { ask } = await startApi({
      paths: {
        ...createResourcePaths('/users/{userId}', refer('User')),
        ...createResourcePaths('/tasks/{taskId}', refer('Task'), request),
      },
      schemas: { ...schemas, Task: createObject({ 'id!': INTEGER, 'title!': TEXT, ...properties }) },
    });
    for (const user of [ann, bob]) await ask('POST', '/users', user);
    await ask('POST', '/tasks', { title: 'a', authorId: 1, assigneeId: 1, assigneeIds: [1, 2] });
    await ask('DELETE', '/users/1');
    expect((await ask('GET', '/tasks/1')).body).toEqual({ id: 1, title: 'a', ...(expected as object) });
  });
});

describe('The user who created an entry', () => {
  const userOrNull = { oneOf: [refer('User'), { type: 'null' }] };
  const ann = { username: 'ann' };

  function createApi(createdBy: Readonly<Record<string, Schema>>, summary: string) {
    const paths: Paths = {
      ...BY_ID,
      '/me': { get: { response: refer('User') }, delete: { summary, status: 204 } },
      ...createResourcePaths('/posts/{postId}', refer('Post'), createObject({ 'title!': TEXT })),
    };
    return { paths, schemas: { ...schemas, Post: createObject({ 'id!': INTEGER, 'title!': TEXT, ...createdBy }) } };
  }

  it.each([
    ['is missing', 'Delete the account and anonymize the data', { createdBy: refer('User') }, {}],
    ['is null', 'Anonymises the data', { 'createdBy!': userOrNull }, { createdBy: null }],
    ['stays if the entry needs it', 'Anonymize me', { 'createdBy!': refer('User') }, { createdBy: ann }],
    ['stays if the data is not made anonymous', 'Delete my account', { createdBy: refer('User') }, { createdBy: ann }],
  ])('%s after the deletion of the user: %s', async (_, summary, createdBy, expected) => {
    const { ask } = await startApi(createApi(createdBy, summary));
    const { body } = await ask('POST', '/register', { username: 'ann', password: 'x' });
    const headers = { Authorization: `Bearer ${body.token}` };
    const { body: post } = await ask('POST', '/posts', { title: 'a' }, headers);
    expect(post.createdBy).toMatchObject(ann);
    await ask('DELETE', '/me', undefined, headers);
    expect((await ask('GET', '/posts/1')).body).toMatchObject({ id: 1, title: 'a', ...(expected as object) });
    expect(Object.keys((await ask('GET', '/posts/1')).body)).toEqual(['id', 'title', ...Object.keys(expected)]);
  });

  it.each([
    ['Delete my account', '(without a token: the first one; keeps: posts; still shown in: posts.createdBy)'],
    ['Anonymize me', '(without a token: the first one; keeps: posts)'],
  ])('is named by explain if entries still show the deleted user: %s', async (summary, expected) => {
    const operations = await explainApi(createApi({ createdBy: refer('User') }, summary));
    expect(operations['DELETE /me']).toBe(`real: deletes the user who sends the request ${expected}`);
  });
});

describe('DELETE of all users', () => {
  const remove = { delete: { summary: 'Delete all users', status: 204 } };

  it('removes the ids of all of them from other entries', async () => {
    const { ask, register, ann } = await start({ ...BY_ID, '/users': { ...BY_ID['/users'], ...remove } });
    const bob = await register('bob');
    for (const send of [ann, bob]) {
      const { id } = (await send('GET', '/me')).body;
      await send('POST', '/tasks', { title: 'a', assigneeId: id });
    }
    expect((await ask('DELETE', '/users')).status).toBe(204);
    expect((await ask('GET', '/users')).body).toEqual([]);
    expect((await ask('GET', '/tasks')).body).toMatchObject([{ assigneeId: null }, { assigneeId: null }]);
  });

  it('keeps the names of all of them whose entries still show them', async () => {
    const { ask, register, ann } = await start({ ...BY_NAME, '/users': { ...BY_NAME['/users'], ...remove } });
    const bob = await register('bob');
    for (const send of [ann, bob]) await send('POST', '/notes', { text: 'n' });
    await register('eve');
    expect((await ask('DELETE', '/users')).status).toBe(204);
    const { body } = await ask('GET', '/notes');
    expect(body).toMatchObject([{ author: { username: 'ann' } }, { author: { username: 'bob' } }]);
    const statuses = ['ann', 'bob', 'eve'].map(async (username) => {
      const { status } = await ask('POST', '/register', { username, password: 'x' });
      return [username, status];
    });
    expect(Object.fromEntries(await Promise.all(statuses))).toEqual({ ann: 409, bob: 409, eve: 201 });
  });
});

describe('DELETE of the list of users with a token', () => {
  it.each(['Delete user', 'Delete my account'])(
    'deletes the user of the token if its summary is "%s"',
    async (summary) => {
      const create = { request: credentials, response: createObject({ 'token!': TEXT }), isPublic: true };
      const paths: Paths = {
        '/login': { post: create },
        '/users': {
          get: { response: createList(refer('User')), isPublic: true },
          post: { ...create, response: refer('User'), status: 201 },
          delete: { summary, status: 204 },
        },
      };
      const { ask } = await startApi({ paths, schemas, needsToken: true });
      const before = (await ask('GET', '/users')).body;
      for (const username of ['ann', 'bob']) await ask('POST', '/users', { username, password: 'x' });
      const { body } = await ask('POST', '/login', { username: 'ann', password: 'x' });
      expect((await ask('DELETE', '/users')).status).toBe(401);
      const headers = { Authorization: `Bearer ${body.token}` };
      expect((await ask('DELETE', '/users', undefined, headers)).status).toBe(204);
      const after: readonly { readonly username: string }[] = (await ask('GET', '/users')).body;
      expect(after.map(({ username }) => username).slice(before.length)).toEqual(['bob']);
      expect((await ask('POST', '/login', { username: 'ann', password: 'x' })).status).toBe(401);
    },
  );
});

describe('DELETE /user with a token', () => {
  it.each(['Benutzer löschen', ''])('deletes only the user who sends the request: %j', async (summary) => {
    const { '/me': _me, ...accounts } = ACCOUNTS;
    const paths = {
      ...accounts,
      '/user': {
        delete: { status: 204, summary },
        patch: { request: createObject({ username: TEXT }), response: refer('User') },
      },
      '/user/{userId}': { get: { response: refer('User') }, parameters: { userId: INTEGER } },
    };
    const { ask } = await startApi({ paths, schemas, needsToken: true });
    const users = [];
    for (const username of ['ann', 'bob']) {
      const { body } = await ask('POST', '/register', { username, password: 'x' });
      users.push({ Authorization: `Bearer ${body.token}` });
    }
    const [ann, bob] = users;
    const { body: own } = await ask('PATCH', '/user', { username: 'bobby' }, bob);
    expect((await ask('DELETE', '/user', undefined, ann)).status).toBe(204);
    expect((await ask('GET', `/user/${own.id}`, undefined, bob)).body).toMatchObject({ username: 'bobby' });
    expect((await ask('PATCH', '/user', { username: 'a' }, ann)).status).toBe(401);
  });
});
