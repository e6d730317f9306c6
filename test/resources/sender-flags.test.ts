import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi, writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const FLAG = { type: 'boolean' };
const CREDENTIALS = createObject({ 'username!': TEXT, 'password!': TEXT });

const schemas = {
  User: createObject({ 'username!': TEXT, 'bio!': TEXT, 'token!': TEXT, image: TEXT }),
  Profile: createObject({ 'username!': TEXT, 'bio!': TEXT, image: TEXT, 'following!': FLAG }),
  Article: createObject({
    'id!': INTEGER,
    'title!': TEXT,
    'favorited!': FLAG,
    'favoritesCount!': INTEGER,
    'author!': refer('Profile'),
  }),
};

const Shown = createObject({ 'article!': refer('Article') });

const PATHS: Paths = {
  '/users': { post: { request: CREDENTIALS, response: refer('User'), status: 201 } },
  '/users/login': { post: { request: CREDENTIALS, response: refer('User') } },
  '/user': { get: { response: refer('User') }, put: { request: createObject({ bio: TEXT }), response: refer('User') } },
  '/profiles/{username}': { get: { response: createObject({ 'profile!': refer('Profile') }) } },
  '/profiles/{username}/follow': {
    post: { response: createObject({ 'profile!': refer('Profile') }) },
    delete: { response: createObject({ 'profile!': refer('Profile') }) },
  },
  ...createResourcePaths('/articles/{articleId}', Shown, createObject({ 'title!': TEXT })),
  '/articles': {
    get: { response: createList(refer('Article')), query: { favorited: TEXT } },
    post: { request: createObject({ 'title!': TEXT }), response: Shown, status: 201 },
  },
  '/me/favorites': { get: { response: createList(refer('Article')) } },
  '/me/articles': { get: { response: createList(refer('Article')) } },
  '/articles/feed': { get: { response: createList(refer('Article')) } },
  '/articles/{articleId}/favorite': { post: { response: Shown }, delete: { response: Shown } },
};

async function start() {
  const { ask, ...rest } = await startApi({ paths: PATHS, schemas });
  const register = async (username: string) => {
    const { body } = await ask('POST', '/users', { username, password: 'x' });
    const headers = { Authorization: `Token ${body.token}` };
    return (method: string, path: string, sent?: unknown) => ask(method, path, sent, headers);
  };
  return { ...rest, ask, ann: await register('ann'), bob: await register('bob') };
}

describe('a path with the name of a user', () => {
  it('shows the user as other responses do, but only what it documents', async () => {
    const { ask, ann } = await start();
    await ann('PUT', '/user', { bio: 'I am Ann' });
    expect((await ask('GET', '/profiles/ann')).body).toEqual({
      profile: { username: 'ann', bio: 'I am Ann', following: false },
    });
    expect(await ask('GET', '/profiles/nobody')).toMatchObject({
      status: 404,
      body: { detail: 'no user has the username nobody' },
    });
    const { body } = await ann('POST', '/articles', { title: 'a' });
    expect(body.article.author).toEqual((await ask('GET', '/profiles/ann')).body.profile);
  });
});

describe('a boolean that is different for each user', () => {
  it('is set for the user of the token only, and counts users', async () => {
    const { ann, bob } = await start();
    await ann('POST', '/articles', { title: 'a' });
    const path = '/articles/1/favorite';
    for (const _ of [1, 2])
      expect((await bob('POST', path)).body.article).toMatchObject({ favorited: true, favoritesCount: 1 });
    expect((await ann('GET', '/articles/1')).body.article).toMatchObject({ favorited: false, favoritesCount: 1 });
    expect((await ann('GET', '/articles')).body).toMatchObject([{ favorited: false, favoritesCount: 1 }]);
    expect((await bob('GET', '/articles')).body).toMatchObject([{ favorited: true, favoritesCount: 1 }]);
    expect((await ann('POST', path)).body.article).toMatchObject({ favorited: true, favoritesCount: 2 });
    expect((await bob('DELETE', path)).body.article).toMatchObject({ favorited: false, favoritesCount: 1 });
    expect((await ann('GET', '/articles/1')).body.article).toMatchObject({ favorited: true });
    const text = JSON.stringify((await ann('GET', '/articles/1')).body);
    expect(text).not.toContain('$path');
  });

  it('is also that of an author, and only in responses that have it', async () => {
    const { ann, bob } = await start();
    await ann('POST', '/articles', { title: 'a' });
    expect((await bob('POST', '/profiles/ann/follow')).body.profile).toMatchObject({
      username: 'ann',
      following: true,
    });
    expect((await bob('GET', '/articles/1')).body.article.author.following).toBe(true);
    expect((await ann('GET', '/articles/1')).body.article.author.following).toBe(false);
    expect((await ann('GET', '/user')).body).not.toHaveProperty('following');
    expect((await bob('GET', '/articles/feed')).body).toMatchObject([{ title: 'a' }]);
    expect((await ann('GET', '/articles/feed')).body).toEqual([]);
    expect((await bob('DELETE', '/profiles/ann/follow')).body.profile.following).toBe(false);
    expect((await bob('GET', '/profiles/ann')).body.profile.following).toBe(false);
  });

  it('selects the entries of a user in the query', async () => {
    const { ask, ann, bob } = await start();
    for (const title of ['a', 'b']) await ann('POST', '/articles', { title });
    await bob('POST', '/articles/2/favorite');
    expect((await ask('GET', '/articles?favorited=bob')).body).toMatchObject([{ title: 'b' }]);
    for (const name of ['ann', 'nobody']) expect((await ask('GET', `/articles?favorited=${name}`)).body).toEqual([]);
    expect((await ask('GET', '/articles')).body).toHaveLength(2);
  });

  it('selects the entries of a path such as /me/favorites', async () => {
    const { ann, bob } = await start();
    for (const title of ['a', 'b']) await ann('POST', '/articles', { title });
    await bob('POST', '/articles/2/favorite');
    expect((await bob('GET', '/me/favorites')).body).toMatchObject([{ title: 'b' }]);
    expect((await ann('GET', '/me/favorites')).body).toEqual([]);
    expect((await bob('GET', '/me/articles')).body).toEqual([]);
    expect((await ann('GET', '/me/articles')).body).toMatchObject([{ title: 'a' }, { title: 'b' }]);
  });

  it('does not change whether a change with the last ETag is possible', async () => {
    const paths: Paths = { ...PATHS, ...createResourcePaths('/articles/{articleId}', refer('Article')) };
    const contract = await writeApi({ paths, schemas });
    const document = JSON.parse(await readFile(contract, 'utf8'));
    const { get, put } = document.paths['/articles/{articleId}'];
    get.responses['200'].headers = { ETag: { schema: TEXT } };
    put.parameters = [...(put.parameters ?? []), { in: 'header', name: 'If-Match', schema: TEXT }];
    put.responses['412'] = { description: 'Changed' };
    await writeFile(contract, JSON.stringify(document));
    const { ask } = await startStorefront({ contract });
    const { body } = await ask('POST', '/users', { username: 'bob', password: 'x' });
    const headers = { Authorization: `Token ${body.token}` };
    const article = { title: 'a', favorited: false, favoritesCount: 0 };
    const author = { username: 'x', bio: 'x', following: false };
    await ask('POST', '/articles', { id: 1, ...article, author }, headers);
    await ask('POST', '/articles/1/favorite', undefined, headers);
    const etag = (await ask('GET', '/articles/1', undefined, headers)).headers.get('etag');
    const changed = { id: 1, ...article, author, title: 'b' };
    expect(await ask('PUT', '/articles/1', changed, { ...headers, 'If-Match': etag ?? '' })).toMatchObject({
      status: 200,
    });
  });

  it('is explained', async () => {
    expect(await explainApi({ paths: PATHS, schemas })).toMatchObject({
      'GET /profiles/{username}': expect.stringMatching(/^real: reads a user .*id: username/),
      'GET /articles': expect.stringContaining('filters: favorited (users with favorited)'),
      'GET /articles/feed': expect.stringContaining('only with following of author'),
      'POST /profiles/{username}/follow': 'real: follows a user: following → true for the user who sends the request',
    });
  });
});

it('A mark of a user does not change the time of the last change', async () => {
  const updatedAt = { type: 'string', format: 'date-time' };
  const Note = createObject({ 'id!': INTEGER, favorited: FLAG, 'updatedAt!': updatedAt });
  const example = { id: 1, favorited: false, updatedAt: '2020-01-02T03:04:05Z' };
  const credentials = createObject({ 'email!': TEXT, 'password!': TEXT });
  const { ask } = await startApi({
    schemas: { Note },
    paths: {
      '/login': { post: { request: credentials, response: createObject({ 'token!': TEXT }) } },
      '/me': { get: { response: createObject({ 'id!': INTEGER, 'email!': TEXT }) } },
      '/notes': { get: { response: createList(refer('Note')), example: [example] } },
      '/notes/{noteId}': { get: { response: refer('Note') } },
      '/notes/{noteId}/favorite': { post: { response: refer('Note') } },
    },
  });
  const { token } = (await ask('POST', '/login', { email: 'ann@example.com', password: 'x' })).body;
  const { body } = await ask('POST', '/notes/1/favorite', undefined, { Authorization: `Bearer ${token}` });
  expect(body).toEqual({ ...example, favorited: true });
});
