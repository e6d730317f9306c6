import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const NAMED = createObject({ 'username!': TEXT, 'password!': TEXT });
const Tokens = createObject({ 'token!': TEXT, 'user!': refer('User') });

const schemas = {
  User: createObject({ 'id!': INTEGER, 'username!': TEXT }),
  Post: createObject({ 'id!': INTEGER, 'title!': TEXT, likesCount: INTEGER, authorId: INTEGER }),
};

const PATHS: Paths = {
  '/register': { post: { request: NAMED, response: Tokens, status: 201 } },
  '/login': { post: { request: NAMED, response: Tokens } },
  '/me': { get: { response: refer('User') } },
  '/me/bookmarks': { get: { response: createList(refer('Post')) } },
  '/me/saved-posts': { get: { response: createList(refer('Post')) } },
  '/users': { get: { response: createList(refer('User')) } },
  '/users/{userId}': { get: { response: refer('User') } },
  '/users/{userId}/likes': { get: { response: createObject({ 'items!': createList(refer('Post')) }) } },
  ...createResourcePaths('/posts/{postId}', refer('Post'), createObject({ 'title!': TEXT })),
  '/posts/{postId}/bookmark': { post: { status: 204 }, delete: { status: 204 } },
  '/posts/{postId}/like': { post: { response: refer('Post') } },
  '/posts/{postId}/unlike': { post: { response: refer('Post') } },
  '/posts/{postId}/star': { post: { status: 204 } },
};

/** Starts a server, registers Ann and Bob, and creates two posts of Ann. */
async function start() {
  const { ask } = await startApi({ paths: PATHS, schemas });
  const register = async (username: string) => {
    const { body } = await ask('POST', '/register', { username, password: 'x' });
    const headers = { Authorization: `Bearer ${body.token}` };
    return { ...body.user, ask: (method: string, path: string, sent?: unknown) => ask(method, path, sent, headers) };
  };
  const [ann, bob] = [await register('ann'), await register('bob')];
  for (const title of ['a', 'b']) await ann.ask('POST', '/posts', { title });
  return { ask, ann, bob };
}

describe('an entry that a user marks', () => {
  it('is in the lists of what the user has marked, also if no response shows the mark', async () => {
    const { ask, ann, bob } = await start();
    await bob.ask('POST', '/posts/2/bookmark');
    expect((await bob.ask('GET', '/me/bookmarks')).body).toMatchObject([{ title: 'b' }]);
    expect((await ann.ask('GET', '/me/bookmarks')).body).toEqual([]);
    await bob.ask('DELETE', '/posts/2/bookmark');
    expect((await bob.ask('GET', '/me/bookmarks')).body).toEqual([]);
    await bob.ask('POST', '/posts/1/like');
    expect((await ask('GET', `/users/${bob.id}/likes`)).body).toMatchObject({ items: [{ title: 'a' }] });
    expect((await ask('GET', `/users/${ann.id}/likes`)).body).toEqual({ items: [] });
    expect(await ask('GET', '/users/0/likes')).toMatchObject({ status: 404 });
  });

  it('counts each user once', async () => {
    const { ask, ann, bob } = await start();
    for (const one of [bob, bob, ann]) await one.ask('POST', '/posts/1/like');
    expect((await ask('GET', '/posts/1')).body.likesCount).toBe(2);
    for (const _ of [1, 2]) await bob.ask('POST', '/posts/1/unlike');
    expect((await ask('GET', '/posts/1')).body.likesCount).toBe(1);
  });

  it('is explained, and a list without such an action is mocked', async () => {
    expect(await explainApi({ paths: PATHS, schemas })).toMatchObject({
      'POST /posts/{postId}/bookmark': 'real: bookmarks a post: bookmarked → true for the user who sends the request',
      'POST /posts/{postId}/unlike':
        'real: unlikes a post: liked → false for the user who sends the request, likesCount - 1',
      'GET /me/bookmarks': 'real: lists posts (only with bookmarked for the user who sends the request)',
      'GET /users/{userId}/likes': 'real: lists posts (only with liked for the user in the path)',
      'GET /me/saved-posts': 'mocked: a list of what users have saved: no operation marks posts',
      'POST /posts/{postId}/star': 'mocked: an action: the document does not say what the action changes',
    });
  });
});
