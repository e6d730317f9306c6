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
  '/me': { get: { response: refer('User') }, delete: { status: 204 } },
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

  it('does not count a deleted user', async () => {
    const { ask, ann, bob } = await start();
    for (const user of [ann, bob]) await user.ask('POST', '/posts/1/like');
    expect((await ask('GET', '/posts/1')).body).toMatchObject({ likesCount: 2 });
    await bob.ask('DELETE', '/me');
    expect((await ask('GET', '/posts/1')).body).toMatchObject({ likesCount: 1 });
    await ann.ask('POST', '/posts/1/unlike');
    expect((await ask('GET', '/posts/1')).body).toMatchObject({ likesCount: 0 });
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

describe('the favorites of a user', () => {
  const Venue = createObject({ 'id!': INTEGER, 'name!': TEXT, 'is_favorite!': { type: 'boolean' } });
  const own = { Account: createObject({ 'id!': INTEGER, 'username!': TEXT }), Venue };
  const session = createObject({ 'token!': TEXT, 'account!': refer('Account') });
  const base: Paths = {
    '/accounts': { post: { request: NAMED, response: session, status: 201 } },
    '/session': { post: { request: NAMED, response: session } },
    '/account': { get: { response: refer('Account') } },
    '/venues': {
      get: { response: createList(refer('Venue')), query: { favorite: { type: 'boolean' } } },
      post: { request: createObject({ 'name!': TEXT }), response: refer('Venue'), status: 201 },
    },
    '/venues/{venueId}': { get: { response: refer('Venue') }, parameters: { venueId: INTEGER } },
  };
  const marking = { put: { status: 204 }, delete: { status: 204 } };
  const list = { get: { response: createObject({ 'data!': createList(refer('Venue')) }) } };

  it.each<[string, string, Paths]>([
    ['/favorites', '/venues/{}/favorite', { '/favorites': list, '/venues/{venueId}/favorite': marking }],
    ['/favorites', '/favorites/{}', { '/favorites': list, '/favorites/{venueId}': marking }],
    ['/me/favorites', '/me/favorites/{}', { '/me/favorites': list, '/me/favorites/{venueId}': marking }],
  ])('are listed at %s, set at %s, shown and filtered', async (path, item, more) => {
    const { ask } = await startApi({ paths: { ...base, ...more }, schemas: own, needsToken: true });
    const logIn = async (username: string) => {
      const { body } = await ask('POST', '/accounts', { username, password: 'x' });
      const headers = { Authorization: `Bearer ${body.token}` };
      return (method: string, target: string, sent?: unknown) => ask(method, target, sent, headers);
    };
    const [ann, bob] = [await logIn('ann'), await logIn('bob')];
    for (const name of ['a', 'b']) await ann('POST', '/venues', { name });
    const getPath = (id: number) => item.replace('{}', String(id));
    expect(await ann('PUT', getPath(2))).toMatchObject({ status: 204 });
    expect((await ann('GET', path)).body.data).toMatchObject([{ name: 'b', is_favorite: true }]);
    expect((await bob('GET', path)).body.data).toEqual([]);
    expect((await ann('GET', '/venues?favorite=true')).body).toMatchObject([{ name: 'b' }]);
    expect((await ann('GET', '/venues?favorite=false')).body).toMatchObject([{ name: 'a', is_favorite: false }]);
    expect((await bob('GET', '/venues/2')).body).toMatchObject({ is_favorite: false });
    expect(await ann('PUT', getPath(999))).toMatchObject({ status: 404 });
    expect((await ann('GET', '/venues')).body).toHaveLength(2);
    await ann('DELETE', getPath(2));
    expect((await ann('GET', path)).body.data).toEqual([]);
  });
});

describe('an operation that takes its mark back', () => {
  const Marked = createObject({ is_liked: { type: 'boolean' }, likesCount: INTEGER });
  const { '/posts/{postId}/unlike': unlike = {}, ...others } = PATHS;
  const paths: Paths = {
    ...others,
    '/posts/{postId}/like': { post: { summary: 'Toggle the like of a post', response: Marked } },
    '/posts/{postId}/bookmark': { post: { description: "Adds or removes a post from the user's list.", status: 204 } },
  };

  it('sets the mark and then removes it, and its response shows the mark', async () => {
    const { ask } = await startApi({ paths, schemas });
    const { body } = await ask('POST', '/register', { username: 'ann', password: 'x' });
    const mark = (path: string) => ask('POST', path, undefined, { Authorization: `Bearer ${body.token}` });
    const list = async (name: string) =>
      (await ask('GET', `/${name}`, undefined, { Authorization: `Bearer ${body.token}` })).body;
    await ask('POST', '/posts', { title: 'a' });
    expect((await mark('/posts/1/like')).body).toEqual({ is_liked: true, likesCount: 1 });
    expect((await mark('/posts/1/like')).body).toEqual({ is_liked: false, likesCount: 0 });
    await mark('/posts/1/bookmark');
    expect(await list('me/bookmarks')).toMatchObject([{ title: 'a' }]);
    await mark('/posts/1/bookmark');
    expect(await list('me/bookmarks')).toEqual([]);
  });

  it('is explained', async () => {
    expect(await explainApi({ paths, schemas })).toMatchObject({
      'POST /posts/{postId}/like':
        'real: likes a post: is_liked → true or false for the user who sends the request, likesCount + or - 1',
      'POST /posts/{postId}/bookmark':
        'real: bookmarks a post: bookmarked → true or false for the user who sends the request',
    });
  });

  const like = '/posts/{postId}/like';
  const sets = 'is_liked → true for the user who sends the request, likesCount + 1';
  const remove = { delete: { response: Marked } };

  it.each<[string, Paths]>([
    ['Like a post. To toggle, send DELETE to unlike it', { [like]: remove }],
    ['Like / unlike a post', { [like]: remove }],
    ['Like or unlike a post', { '/posts/{id}/unlike': unlike }],
    ['Like or unlike a post', { '/posts/{id}/likes': remove }],
    ['Adds a like and under no condition a second one', {}],
    ['Like a post or until then', {}],
  ])('is none with the text "%s" beside %j', async (summary, beside) => {
    const post = { summary, response: Marked };
    const explained = await explainApi({
      paths: { ...others, ...beside, [like]: { ...beside[like], post } },
      schemas,
    });
    expect(explained[`POST ${like}`]).toContain(sets);
  });

  it.each(['Like or unlike a post', 'Like / unlike a post', 'Sets or unsets the like'])(
    'has a text such as "%s"',
    async (summary) => {
      const explained = await explainApi({
        paths: { ...others, [like]: { post: { summary, response: Marked } } },
        schemas,
      });
      expect(explained[`POST ${like}`]).toContain('is_liked → true or false');
    },
  );

  it('changes the boolean of the entry in a document without users', async () => {
    const Post = createObject({ 'id!': INTEGER, 'title!': TEXT, liked: { type: 'boolean' }, likesCount: INTEGER });
    const { ask } = await startApi({
      paths: {
        ...createResourcePaths('/posts/{postId}', refer('Post'), createObject({ 'title!': TEXT })),
        [like]: { post: { summary: 'Toggle the like of a post', response: refer('Post') } },
      },
      schemas: { Post },
    });
    await ask('POST', '/posts', { title: 'a' });
    const { body: before } = await ask('GET', '/posts/1');
    for (const liked of [true, false, true]) {
      const likesCount = before.likesCount + (liked ? 1 : 0);
      expect((await ask('POST', '/posts/1/like')).body).toMatchObject({ liked, likesCount });
      expect((await ask('GET', '/posts/1')).body).toMatchObject({ liked, likesCount });
    }
  });
});
