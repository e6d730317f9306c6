import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const NAMED = createObject({ 'username!': TEXT, 'password!': TEXT });
const Tokens = createObject({ 'token!': TEXT, 'user!': refer('User') });
const Page = createObject({ 'users!': createList(refer('User')), 'total!': INTEGER });

const schemas = {
  User: createObject({
    ...{ 'id!': INTEGER, 'username!': TEXT, 'followersCount!': INTEGER, 'followingCount!': INTEGER },
    followerIds: createList(INTEGER),
  }),
  Post: createObject({ 'id!': INTEGER, 'text!': TEXT, authorId: INTEGER }),
};

const PATHS: Paths = {
  '/register': { post: { request: NAMED, response: Tokens, status: 201 } },
  '/login': { post: { request: NAMED, response: Tokens } },
  '/me': { get: { response: refer('User') } },
  '/me/followers': { get: { response: createList(refer('User')) } },
  '/me/following': { get: { response: createList(refer('User')) } },
  '/users': { get: { response: createList(refer('User')) } },
  '/users/{userId}': { get: { response: refer('User') }, delete: { status: 204 } },
  '/users/{userId}/follow': { post: { status: 204, errors: [404, 409] } },
  '/users/{userId}/unfollow': { post: { response: refer('User') } },
  '/users/{userId}/followers': { get: { response: Page, query: { limit: INTEGER } } },
  '/users/{userId}/following': { get: { response: createObject({ 'ids!': createList(INTEGER) }) } },
  '/posts/feed': { get: { response: createList(refer('Post')) } },
  '/me/feed': { get: { response: createList(refer('Post')) } },
  ...createResourcePaths('/posts/{postId}', refer('Post'), createObject({ 'text!': TEXT })),
};

/** Starts a server, and registers Ann, Bob and Eve. */
async function start() {
  const { ask } = await startApi({ paths: PATHS, schemas });
  const register = async (username: string) => {
    const { body } = await ask('POST', '/register', { username, password: 'x' });
    const headers = { Authorization: `Bearer ${body.token}` };
    return { ...body.user, ask: (method: string, path: string, sent?: unknown) => ask(method, path, sent, headers) };
  };
  return { ask, ann: await register('ann'), bob: await register('bob'), eve: await register('eve') };
}

describe('a user who follows another one', () => {
  it('is in all lists and counts of followers', async () => {
    const { ask, ann, bob, eve } = await start();
    for (const one of [bob, eve]) expect((await one.ask('POST', `/users/${ann.id}/follow`)).status).toBe(204);
    const { body } = await ask('GET', `/users/${ann.id}`);
    expect(body).toMatchObject({ followersCount: 2, followingCount: 0, followerIds: [bob.id, eve.id] });
    const followers = await ask('GET', `/users/${ann.id}/followers`);
    expect(followers.body).toMatchObject({ users: [{ id: bob.id, followingCount: 1 }, { id: eve.id }], total: 2 });
    expect((await ask('GET', `/users/${ann.id}/followers?limit=1`)).body).toMatchObject({ users: [{ id: bob.id }] });
    expect((await ask('GET', `/users/${bob.id}/following`)).body).toEqual({ ids: [ann.id] });
    expect((await ann.ask('GET', '/me/followers')).body.map(({ id }: { id: number }) => id)).toEqual([bob.id, eve.id]);
    expect((await bob.ask('GET', '/me/following')).body).toEqual([body]);
    expect((await ann.ask('GET', '/me/following')).body).toEqual([]);
    expect(await ask('GET', '/users/0/followers')).toMatchObject({ status: 404 });
  });

  it('follows once, and no longer after an unfollow or a deletion', async () => {
    const { ask, ann, bob, eve } = await start();
    for (const one of [bob, eve]) await one.ask('POST', `/users/${ann.id}/follow`);
    expect((await bob.ask('POST', `/users/${ann.id}/follow`)).status).toBe(409);
    for (const _ of [1, 2])
      expect((await bob.ask('POST', `/users/${ann.id}/unfollow`)).body).toMatchObject({ followersCount: 1 });
    expect((await ask('GET', `/users/${bob.id}`)).body).toMatchObject({ followingCount: 0 });
    await ask('DELETE', `/users/${eve.id}`);
    expect((await ask('GET', `/users/${ann.id}`)).body).toMatchObject({ followersCount: 0, followerIds: [] });
    expect((await ask('GET', `/users/${ann.id}/followers`)).body).toMatchObject({ users: [], total: 0 });
  });

  it('sees the entries of the other one in a feed', async () => {
    const { ann, bob } = await start();
    await ann.ask('POST', '/posts', { text: 'a' });
    await bob.ask('POST', '/posts', { text: 'b' });
    await bob.ask('POST', `/users/${ann.id}/follow`);
    for (const path of ['/posts/feed', '/me/feed']) {
      expect((await bob.ask('GET', path)).body).toMatchObject([{ text: 'a' }]);
      expect((await ann.ask('GET', path)).body).toEqual([]);
    }
  });

  it('is explained', async () => {
    expect(await explainApi({ paths: PATHS, schemas })).toMatchObject({
      'POST /users/{userId}/follow': 'real: follows a user: following → true for the user who sends the request',
      'POST /users/{userId}/unfollow': 'real: unfollows a user: following → false for the user who sends the request',
      'GET /users/{userId}/followers': 'real: lists the users who follow a user (pages by: limit)',
      'GET /users/{userId}/following': 'real: lists the ids of the users whom a user follows',
      'GET /me/following': 'real: lists the users whom the user who sends the request follows',
      'GET /posts/feed': 'real: lists posts (only those of users whom the user follows)',
      'GET /users/{userId}': expect.stringContaining('computes: followersCount, followingCount, followerIds'),
    });
  });
});
