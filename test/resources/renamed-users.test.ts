import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const NAMED = createObject({ 'username!': TEXT, 'password!': TEXT });
const Tokens = createObject({ 'token!': TEXT });

const schemas = {
  User: createObject({ 'id!': { type: 'string', format: 'uuid' }, 'username!': TEXT, followersCount: INTEGER }),
  Post: createObject({ 'id!': INTEGER, 'title!': TEXT, 'author!': createObject({ 'username!': TEXT }) }),
  Note: createObject({ 'id!': INTEGER, 'text!': TEXT, 'userId!': TEXT, user: refer('User') }),
};

const PATHS: Paths = {
  '/register': { post: { request: NAMED, response: Tokens, status: 201 } },
  '/login': { post: { request: NAMED, response: Tokens } },
  '/me': {
    get: { response: refer('User') },
    patch: { request: createObject({ username: TEXT }), response: refer('User') },
    delete: { status: 204 },
  },
  '/users': { get: { response: createList(refer('User')) } },
  '/users/{username}': { get: { response: refer('User') } },
  '/users/{username}/posts': { get: { response: createList(refer('Post')) } },
  '/users/{username}/follow': { post: { status: 204 } },
  '/users/{username}/followers': { get: { response: createList(refer('User')) } },
  ...createResourcePaths('/posts/{postId}', refer('Post'), createObject({ 'title!': TEXT })),
  ...createResourcePaths('/notes/{noteId}', refer('Note'), createObject({ 'text!': TEXT })),
};

/** Starts a server, and registers Ann and Bob, whose ids are their names. Ann creates a post and follows Bob. */
async function start() {
  const { ask } = await startApi({ paths: PATHS, schemas });
  const register = async (username: string) => {
    const { token } = (await ask('POST', '/register', { username, password: 'x' })).body;
    return (method: string, path: string, sent?: unknown) =>
      ask(method, path, sent, { Authorization: `Bearer ${token}` });
  };
  const [ann, bob] = [await register('ann'), await register('bob')];
  await ann('POST', '/posts', { title: 'a' });
  await ann('POST', '/notes', { text: 'n' });
  await ann('POST', '/users/bob/follow');
  return { ask, ann, bob };
}

describe('a user who changes the name in the paths', () => {
  it('keeps the token, the password, the entries and the followed users', async () => {
    const { ask, ann } = await start();
    const { body: before } = await ann('GET', '/me');
    expect((await ann('PATCH', '/me', { username: 'anna' })).body).toEqual({ ...before, username: 'anna' });
    for (const path of ['/me', '/users/anna'])
      expect((await ann('GET', path)).body).toEqual({ ...before, username: 'anna' });
    expect(await ask('GET', '/users/ann')).toMatchObject({ status: 404 });
    expect((await ask('GET', '/users/anna/posts')).body).toMatchObject([{ author: { username: 'anna' } }]);
    expect((await ask('GET', '/notes/1')).body).toMatchObject({ userId: 'anna', user: { username: 'anna' } });
    expect((await ask('GET', '/users/bob/followers')).body).toMatchObject([{ username: 'anna' }]);
    expect(await ask('POST', '/login', { username: 'anna', password: 'x' })).toMatchObject({ status: 200 });
    expect(await ask('POST', '/login', { username: 'ann', password: 'x' })).toMatchObject({ status: 401 });
  });

  it('can have no name of another user, and leaves the old one to others', async () => {
    const { ask, ann } = await start();
    expect(await ann('PATCH', '/me', { username: 'Bob' })).toMatchObject({ status: 409 });
    await ann('PATCH', '/me', { username: 'anna' });
    const { token } = (await ask('POST', '/register', { username: 'ann', password: 'y' })).body;
    const other = await ask('GET', '/me', undefined, { Authorization: `Bearer ${token}` });
    expect(other.body).toMatchObject({ username: 'ann' });
    expect((await ann('GET', '/me')).body).toMatchObject({ username: 'anna' });
    expect((await ask('GET', '/users/ann/posts')).body).toEqual([]);
  });
});

describe('a deleted user', () => {
  it('is shown by entries as before', async () => {
    const { ask, ann } = await start();
    const paths = ['/posts/1', '/notes/1'];
    const before = [];
    for (const path of paths) before.push((await ask('GET', path)).body);
    expect(before[1]).toMatchObject({ user: { username: 'ann' } });
    await ann('DELETE', '/me');
    const after = [];
    for (const path of paths) after.push((await ask('GET', path)).body);
    expect(after).toEqual(before);
  });
});

it('registers a user by an object in the body, if the user name is the id of users', async () => {
  const sent = createObject({ 'username!': TEXT, 'email!': TEXT, 'password!': TEXT });
  const shown = { 'username!': TEXT, 'bio!': TEXT, 'image!': TEXT };
  const user = createObject({ 'user!': createObject({ ...shown, 'email!': TEXT, 'token!': TEXT }) });
  const profile = createObject({ 'profile!': createObject({ ...shown, 'following!': { type: 'boolean' } }) });
  const { ask } = await startApi({
    paths: {
      '/users': { post: { request: createObject({ 'user!': sent }), response: user, status: 201 } },
      '/profiles/{username}': { get: { response: profile } },
    },
  });
  const ann = { username: 'ann', email: 'ann@x.test', password: 'secret' };
  expect((await ask('POST', '/users', { user: ann })).body).toMatchObject({ user: { username: 'ann' } });
  expect((await ask('GET', '/profiles/ann')).body).toMatchObject({ profile: { username: 'ann' } });
});
