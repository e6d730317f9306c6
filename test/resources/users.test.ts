import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };

const schemas = {
  User: createObject({ 'id!': INTEGER, 'email!': TEXT, name: TEXT }),
  Note: createObject({ 'id!': INTEGER, 'text!': TEXT, authorId: INTEGER, assigneeId: INTEGER }),
  Letter: createObject({ 'id!': INTEGER, 'text!': TEXT, authorId: INTEGER, author: refer('User') }),
};

const credentials = createObject({ 'email!': TEXT, 'password!': TEXT });
const Session = createObject({ 'token!': TEXT, 'user!': refer('User'), expires_in: INTEGER, tokenType: TEXT });

const PATHS = {
  '/users': { get: { response: createList(refer('User')) } },
  '/auth/login': { post: { request: credentials, response: Session } },
  '/auth/register': {
    post: {
      request: createObject({ 'email!': TEXT, 'password!': TEXT, name: TEXT }),
      response: createObject({ 'access_token!': TEXT }),
      status: 201,
    },
  },
  '/auth/logout': { post: { status: 204 } },
  '/me': {
    get: { response: refer('User') },
    patch: { request: createObject({ name: TEXT }), response: refer('User') },
  },
  '/dashboard': { get: { response: createObject({ 'user!': refer('User'), 'notes!': createList(refer('Note')) }) } },
  '/me/notes': { get: { response: createList(refer('Note')) } },
  ...createResourcePaths('/letters/{letterId}', refer('Letter'), createObject({ 'text!': TEXT, authorId: INTEGER })),
  ...createResourcePaths('/notes/{noteId}', refer('Note'), createObject({ 'text!': TEXT, authorId: INTEGER })),
};

/** Starts a server, and registers Ann. */
async function start() {
  const shop = await startApi({ paths: PATHS, schemas });
  const register = (email: string, password: string, name: string) =>
    shop.ask('POST', '/auth/register', { email, password, name });
  const logIn = (email: string, password: string) => shop.ask('POST', '/auth/login', { email, password });
  const { body } = await register('ann@example.com', 'secret-1', 'Ann');
  return { ...shop, register, logIn, ann: { Authorization: `Bearer ${body.access_token}` } };
}

describe('a user of the document', () => {
  it('registers, logs in and is the one that /me shows and changes', async () => {
    const { ask, logIn, ann } = await start();
    const { body } = await logIn('ANN@example.com', 'secret-1');
    expect(body).toMatchObject({ user: { email: 'ann@example.com', name: 'Ann' }, tokenType: 'Bearer' });
    const bearer = { Authorization: `Bearer ${body.token}` };
    for (const headers of [bearer, ann]) expect((await ask('GET', '/me', undefined, headers)).body).toEqual(body.user);
    const changed = await ask('PATCH', '/me', { name: 'Anna' }, bearer);
    expect(changed.body).toMatchObject({ id: body.user.id, name: 'Anna' });
    expect((await ask('GET', '/users')).body).toContainEqual(changed.body);
    expect(JSON.stringify((await ask('GET', '/users')).body)).not.toMatch(/secret-1|passwordHash/);
  });

  it('is refused with an unknown login, with another password, and if the login exists', async () => {
    const { logIn, register } = await start();
    expect(await logIn('bob@example.com', 'x')).toMatchObject({ status: 401 });
    expect(await logIn('ann@example.com', 'secret-2')).toMatchObject({
      status: 401,
      body: { detail: 'the password is wrong: send the one of the registration' },
    });
    expect(await register('ann@example.com', 'x', 'x')).toMatchObject({ status: 409 });
  });

  it('of the default data logs in with any password', async () => {
    const { ask, logIn } = await start();
    const [first] = (await ask('GET', '/users')).body;
    expect((await logIn(first.email, 'any')).body.user).toEqual(first);
  });

  it('is the author of new entries, and sees them at a path such as /me/notes', async () => {
    const { ask, ann, logIn } = await start();
    const { user } = (await logIn('ann@example.com', 'secret-1')).body;
    const { body: own } = await ask('POST', '/notes', { text: 'a' }, ann);
    expect(own).toMatchObject({ authorId: user.id });
    expect(own.assigneeId).toBeUndefined();
    const { body: other } = await ask('POST', '/notes', { text: 'b', authorId: 77 }, ann);
    const [first] = (await ask('GET', '/users')).body;
    expect((await ask('POST', '/letters', { text: 'a' }, ann)).body.author).toEqual(user);
    const { body: letter } = await ask('POST', '/letters', { text: 'a', authorId: first.id }, ann);
    expect(letter.author).toEqual(first);
    expect(other).toMatchObject({ authorId: 77 });
    expect((await ask('POST', '/notes', { text: 'c' })).body.authorId).toBeUndefined();
    expect((await ask('GET', '/me/notes', undefined, ann)).body).toEqual([own]);
  });

  it('is the owner of new entries also in a read-only property, and sees those with the only reference to users', async () => {
    const readOnly = { ...INTEGER, readOnly: true };
    const { ask, register } = await startApi({
      schemas: {
        ...schemas,
        Plan: createObject({ 'id!': INTEGER, 'name!': TEXT, 'ownerId!': readOnly }),
        Task: createObject({ 'id!': INTEGER, 'title!': TEXT, assigneeId: INTEGER }),
      },
      paths: {
        ...PATHS,
        ...createResourcePaths('/plans/{planId}', refer('Plan'), createObject({ 'name!': TEXT })),
        ...createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ 'title!': TEXT, assigneeId: INTEGER })),
        '/me/tasks': { get: { response: createList(refer('Task')) } },
      },
    }).then((shop) => ({
      ...shop,
      register: (email: string) => shop.ask('POST', '/auth/register', { email, password: 'secret-1' }),
    }));
    const { body } = await register('ann@example.com');
    const ann = { Authorization: `Bearer ${body.access_token}` };
    const { id } = (await ask('GET', '/me', undefined, ann)).body;
    expect((await ask('POST', '/plans', { name: 'a', ownerId: 99 }, ann)).body.ownerId).toBe(id);
    const { body: own } = await ask('POST', '/tasks', { title: 'a', assigneeId: id }, ann);
    await ask('POST', '/tasks', { title: 'b' }, ann);
    expect((await ask('GET', '/me/tasks', undefined, ann)).body).toEqual([own]);
    // A token that no login has created stands for the user whom /me shows.
    const other = { Authorization: 'Bearer abc' };
    const shown = (await ask('GET', '/me', undefined, other)).body;
    expect((await ask('POST', '/plans', { name: 'b' }, other)).body.ownerId).toBe(shown.id);
    expect((await ask('GET', '/me/tasks', undefined, other)).body).toEqual([]);
  });

  it('sees only own responses, also if another user has sent the same request', async () => {
    const { ask, ann, register } = await start();
    const { body } = await register('bob@example.com', 'x', 'Bob');
    const bob = { Authorization: `Bearer ${body.access_token}` };
    await ask('POST', '/notes', { text: 'a' }, ann);
    for (const _ of [1, 2, 3]) {
      expect((await ask('GET', '/me', undefined, ann)).body).toMatchObject({ name: 'Ann' });
      expect((await ask('GET', '/me', undefined, bob)).body).toMatchObject({ name: 'Bob' });
      expect((await ask('GET', '/me/notes', undefined, ann)).body).toMatchObject([{ text: 'a' }]);
      expect((await ask('GET', '/me/notes', undefined, bob)).body).toEqual([]);
      expect((await ask('GET', '/dashboard', undefined, ann)).body.user).toMatchObject({ name: 'Ann' });
      expect((await ask('GET', '/dashboard', undefined, bob)).body.user).toMatchObject({ name: 'Bob' });
    }
  });

  it('is unknown after a logout, but not for other tokens', async () => {
    const { ask, ann, logIn } = await start();
    const { body } = await logIn('ann@example.com', 'secret-1');
    const second = { Authorization: `Bearer ${body.token}` };
    expect(await ask('POST', '/auth/logout', undefined, ann)).toMatchObject({ status: 204 });
    expect(await ask('GET', '/me', undefined, ann)).toMatchObject({
      status: 401,
      body: {
        detail: 'a logout has ended the token: log in again',
      },
    });
    expect((await ask('POST', '/notes', { text: 'a' }, ann)).body.authorId).toBeUndefined();
    expect(await ask('GET', '/me', undefined, second)).toMatchObject({ status: 200, body: body.user });
    for (const headers of [ann, {}, { Authorization: 'Bearer x' }])
      expect((await ask('POST', '/auth/logout', undefined, headers)).status).toBe(204);
    expect(JSON.stringify((await ask('GET', '/users')).body)).not.toMatch(/endedTokens/);
  });

  it('is the first user for other credentials, and unknown after a reset', async () => {
    const { ask, ann, url } = await start();
    const [first] = (await ask('GET', '/users')).body;
    expect((await ask('GET', '/me', undefined, { Authorization: 'Bearer x' })).body).toEqual(first);
    await fetch(`${url}/_control/sandboxes/default/reset`, { method: 'POST' });
    expect((await ask('GET', '/me', undefined, ann)).status).toBe(401);
  });

  it('is explained', async () => {
    expect(await explainApi({ paths: PATHS, schemas })).toMatchObject({
      'POST /auth/login': 'real: logs in a user by email',
      'POST /auth/register': 'real: registers a user by email',
      'POST /auth/logout': 'real: logs out the user who sends the request',
      'GET /me': 'real: reads the user who sends the request (without a token: the first one)',
      'PATCH /me': 'real: updates the user who sends the request (without a token: the first one)',
      'GET /me/notes': 'real: lists notes of the user who sends the request',
    });
  });
});

describe('a document with a login, and without a list of users', () => {
  const Own = createObject({ 'email!': TEXT, 'token!': TEXT, 'username!': TEXT, 'bio!': TEXT });
  const Author = createObject({ 'username!': TEXT, bio: TEXT });
  const Article = createObject({
    'slug!': TEXT,
    'title!': TEXT,
    'body!': TEXT,
    tagList: createList(TEXT),
    author: Author,
  });
  const wrap = (name: string, schema: object) => createObject({ [`${name}!`]: schema as never });
  const credentialsOf = (more: object = {}) => createObject({ 'email!': TEXT, 'password!': TEXT, ...more });
  const one = wrap('article', Article);
  const NewArticle = createObject({ 'title!': TEXT, 'body!': TEXT, tagList: createList(TEXT) });
  const Changes = createObject({ title: TEXT, body: TEXT });
  const Short = createObject({ 'slug!': TEXT, 'title!': TEXT, author: Author });
  const list = createObject({ 'articles!': createList(Short), articlesCount: INTEGER });
  const paths = {
    '/users/login': { post: { request: wrap('user', credentialsOf()), response: wrap('user', refer('Own')) } },
    '/users': {
      post: {
        request: wrap('user', credentialsOf({ 'username!': TEXT })),
        response: wrap('user', refer('Own')),
        status: 201,
      },
    },
    '/user': {
      get: { response: wrap('user', refer('Own')) },
      put: { request: wrap('user', createObject({ email: TEXT, bio: TEXT })), response: wrap('user', refer('Own')) },
    },
    '/articles': {
      get: { query: { tag: TEXT }, response: list },
      post: { request: wrap('article', NewArticle), response: one, status: 201 },
    },
    '/articles/feed': { get: { response: list } },
    '/articles/{slug}': { get: { response: one }, put: { request: wrap('article', Changes), response: one } },
    '/tags': { get: { response: createObject({ 'tags!': createList(TEXT) }) } },
    '/labels': { get: { response: createList(TEXT) } },
  };

  /** Registers Ann. Returns the headers with her token. */
  async function startArticles() {
    const shop = await startApi({ paths, schemas: { Own } });
    const user = { email: 'ann@example.com', password: 'x', username: 'ann' };
    const { body } = await shop.ask('POST', '/users', { user });
    return { ...shop, user: body.user, ann: { Authorization: `Token ${body.user.token}` } };
  }

  it('has a user who keeps the token, and changes only what a PUT sends', async () => {
    const { ask, user, ann } = await startArticles();
    expect((await ask('GET', '/user', undefined, ann)).body.user).toEqual(user);
    const { body } = await ask('PUT', '/user', { user: { bio: 'b' } }, ann);
    expect(body.user).toEqual({ ...user, bio: 'b' });
    const again = await ask('POST', '/users/login', { user: { email: 'ann@example.com', password: 'x' } });
    expect(again.body.user).toMatchObject({ username: 'ann', bio: 'b' });
  });

  it('shows the author of an entry, and the entries at other paths', async () => {
    const { ask, ann } = await startArticles();
    const article = { title: 'First', body: 'b', tagList: ['x', 'y'] };
    const { body } = await ask('POST', '/articles', { article }, ann);
    expect(body.article).toMatchObject({ ...article, slug: 'first', author: { username: 'ann' } });
    const changed = await ask('PUT', '/articles/first', { article: { body: 'c' } }, ann);
    expect(changed.body.article).toMatchObject({ title: 'First', body: 'c' });
    for (const path of ['/articles', '/articles/feed', '/articles?tag=y'])
      expect((await ask('GET', path)).body.articles).toMatchObject([{ slug: 'first' }]);
    expect((await ask('GET', '/articles?tag=z')).body.articles).toEqual([]);
    await ask('PUT', '/user', { user: { bio: 'new' } }, ann);
    const shown = [
      (await ask('GET', '/articles/first')).body.article,
      (await ask('GET', '/articles')).body.articles[0],
    ];
    for (const one of shown) expect(one.author).toEqual({ username: 'ann', bio: 'new' });
  });

  it('lists the different texts of all entries', async () => {
    const { ask, ann } = await startArticles();
    for (const tagList of [
      ['x', 'y'],
      ['y', 'z'],
    ])
      await ask('POST', '/articles', { article: { title: `t ${tagList.join('')}`, body: 'b', tagList } }, ann);
    expect((await ask('GET', '/tags')).body).toEqual({ tags: ['x', 'y', 'z'] });
    expect(await explainApi({ paths, schemas: { Own } })).toMatchObject({
      'GET /tags': 'real: lists the tagList of all articles',
      'GET /labels': 'mocked: no operation changes the returned object',
    });
  });
});
