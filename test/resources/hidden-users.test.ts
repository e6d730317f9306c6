import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi, writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const CREDENTIALS = createObject({ 'email!': TEXT, 'password!': TEXT });

const schemas = {
  Account: createObject({ 'id!': INTEGER, 'email!': TEXT, 'role!': { enum: ['admin', 'guest'] } }),
  Member: createObject({ 'id!': INTEGER, 'name!': TEXT, email: TEXT }),
  Team: createObject({ 'id!': INTEGER, 'name!': TEXT }),
};

/** A document that lists members of teams, but no users. */
const PATHS: Paths = {
  ...createResourcePaths('/teams/{teamId}', refer('Team')),
  ...createResourcePaths('/teams/{teamId}/members/{memberId}', refer('Member')),
  '/auth/register': { post: { request: CREDENTIALS, response: createObject({ 'message!': TEXT }), status: 201 } },
  '/auth/login': {
    post: { request: CREDENTIALS, response: createObject({ 'access_token!': TEXT, 'refresh_token!': TEXT }) },
  },
  '/auth/refresh': {
    post: { request: createObject({ 'refresh_token!': TEXT }), response: createObject({ 'access_token!': TEXT }) },
  },
  '/auth/current-user': { get: { response: refer('Account') }, delete: { status: 204 } },
};

/** A document whose login has no token in its response. */
const COOKIE_PATHS: Paths = {
  '/signin': { post: { request: CREDENTIALS } },
  '/signout': { delete: {} },
  '/me': { get: { response: refer('Account') } },
};

const use = (token: string) => ({ Authorization: `Bearer ${token}` });

describe('users whom no operation lists', () => {
  it('register, log in, get another token, and delete themselves', async () => {
    const { ask } = await startApi({ paths: PATHS, schemas });
    for (const email of ['ann@example.com', 'bob@example.com'])
      expect(await ask('POST', '/auth/register', { email, password: 'x' })).toMatchObject({
        status: 201,
        body: { message: expect.any(String) },
      });
    const { body } = await ask('POST', '/auth/login', { email: 'bob@example.com', password: 'x' });
    const { body: next } = await ask('POST', '/auth/refresh', { refresh_token: body.refresh_token });
    const own = await ask('GET', '/auth/current-user', undefined, use(next.access_token));
    expect(own.body).toMatchObject({ email: 'bob@example.com' });
    expect(await ask('POST', '/auth/login', { email: 'bob@example.com', password: 'y' })).toMatchObject({
      status: 401,
    });
    expect(await ask('DELETE', '/auth/current-user', undefined, use(next.access_token))).toMatchObject({ status: 204 });
    expect(await ask('GET', '/auth/current-user', undefined, use(body.access_token))).toMatchObject({ status: 401 });
    expect(await ask('POST', '/auth/login', { email: 'ann@example.com', password: 'x' })).toMatchObject({
      status: 200,
    });
  });

  it('have a session cookie if the login has no token, and are created by it without a registration', async () => {
    const { url } = await startApi({ paths: COOKIE_PATHS, schemas });
    const logIn = (email: string, password: string) =>
      fetch(`${url}/signin`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email, password }),
      });
    await logIn('ann@example.com', 'x');
    const response = await logIn('bob@example.com', 'x');
    const [cookie = ''] = response.headers.getSetCookie();
    expect([response.status, cookie]).toEqual([200, expect.stringMatching(/^session=[\w.-]+; Path=\/; HttpOnly/)]);
    const headers = { Cookie: `theme=dark; ${cookie.split(';')[0]}` };
    expect(await (await fetch(`${url}/me`, { headers })).json()).toMatchObject({ email: 'bob@example.com' });
    expect((await logIn('bob@example.com', 'y')).status).toBe(401);
    const ended = await fetch(`${url}/signout`, { method: 'DELETE', headers });
    expect(ended.headers.getSetCookie()).toEqual(['session=; Path=/; Max-Age=0']);
    expect((await fetch(`${url}/me`, { headers })).status).toBe(401);
  });

  it('are explained', async () => {
    expect(await explainApi({ paths: PATHS, schemas })).toMatchObject({
      'POST /auth/register': 'real: registers an account by email',
      'POST /auth/refresh': 'real: returns another token for an account by the refresh token in refresh_token',
      'DELETE /auth/current-user': 'real: deletes the account who sends the request (without a token: the first one)',
    });
    expect(await explainApi({ paths: COOKIE_PATHS, schemas })).toMatchObject({
      'POST /signin': 'real: logs in an account by email, and creates an unknown one',
    });
  });
});

describe('a user who is created or changed with a password', () => {
  it('logs in with this password only', async () => {
    const sent = createObject({ 'email!': TEXT, password: TEXT, role: TEXT });
    const paths: Paths = {
      ...createResourcePaths('/users/{userId}', refer('Account'), sent),
      '/login': { post: { request: CREDENTIALS, response: createObject({ 'token!': TEXT }) } },
    };
    const { ask } = await startApi({ paths, schemas });
    const { body } = await ask('POST', '/users', { email: 'ann@example.com', password: 'one', role: 'guest' });
    expect(JSON.stringify(body)).not.toContain('one');
    const logIn = async (password: string) =>
      (await ask('POST', '/login', { email: 'ann@example.com', password })).status;
    expect([await logIn('one'), await logIn('two')]).toEqual([200, 401]);
    await ask('PATCH', `/users/${body.id}`, { password: 'two' });
    expect([await logIn('one'), await logIn('two')]).toEqual([401, 200]);
    await ask('PUT', `/users/${body.id}`, { email: 'ann@example.com', password: 'three' });
    expect([await logIn('two'), await logIn('three')]).toEqual([401, 200]);
  });
});

describe('a password', () => {
  it('is in no response, also if the schema of a user has it', async () => {
    const User = createObject({ 'id!': INTEGER, 'email!': TEXT, password: TEXT });
    const paths: Paths = {
      ...createResourcePaths('/users/{userId}', refer('User'), createObject({ 'email!': TEXT, password: TEXT })),
      '/login': { post: { request: CREDENTIALS, response: createObject({ 'token!': TEXT, user: refer('User') }) } },
    };
    const { ask } = await startApi({ paths, schemas: { User } });
    const sent = { email: 'ann@example.com', password: 'secret-1' };
    const responses = [
      await ask('POST', '/users', sent),
      await ask('PUT', '/users/1', sent),
      await ask('PATCH', '/users/1', { password: 'secret-1' }),
      await ask('GET', '/users'),
      await ask('POST', '/login', sent),
    ];
    expect(responses.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200]);
    expect(JSON.stringify(responses.map(({ body }) => body))).not.toContain('secret-1');
  });
});

describe('a password that another kind of request changes', () => {
  const User = createObject({ 'id!': INTEGER, 'email!': TEXT, password: TEXT });
  const operations = createList(createObject({ 'op!': TEXT, 'path!': TEXT, value: {} }));
  const paths: Paths = {
    ...createResourcePaths('/users/{userId}', refer('User'), createObject({ 'email!': TEXT, password: TEXT })),
    '/users/{userId}/update-profile': {
      post: { request: createObject({ email: TEXT, password: TEXT }), response: refer('User') },
    },
    '/login': { post: { request: CREDENTIALS, response: createObject({ 'token!': TEXT }) } },
  };

  async function startWithAnn() {
    const path = await writeApi({ paths, schemas: { User } });
    const document = JSON.parse(await readFile(path, 'utf8'));
    const patch = document.paths['/users/{userId}'].patch.requestBody.content;
    patch['application/json-patch+json'] = { schema: operations };
    await writeFile(path, JSON.stringify(document));
    const { ask } = await startStorefront({ contract: path });
    for (const name of ['ann', 'bob']) await ask('POST', '/users', { email: `${name}@example.com`, password: 'one' });
    const logIn = async (password: string) =>
      (await ask('POST', '/login', { email: 'ann@example.com', password })).status;
    const readState = async () => JSON.stringify((await ask('GET', '/_control/sandboxes/default/state')).body);
    return { ask, logIn, readState };
  }

  it('is stored as a hash after a JSON Patch', async () => {
    const { ask, logIn, readState } = await startWithAnn();
    const patch = [{ op: 'add', path: '/password', value: 'second-one' }];
    const headers = { 'content-type': 'application/json-patch+json' };
    expect((await ask('PATCH', '/users/1', patch, headers)).status).toBe(200);
    expect([await logIn('one'), await logIn('second-one')]).toEqual([401, 200]);
    expect(await readState()).not.toContain('second-one');
  });

  it('is stored as a hash after an action, which refuses the login of another user', async () => {
    const { ask, logIn, readState } = await startWithAnn();
    const action = '/users/1/update-profile';
    expect((await ask('POST', action, { password: 'second-one' })).status).toBe(200);
    expect([await logIn('one'), await logIn('second-one')]).toEqual([401, 200]);
    expect(await readState()).not.toContain('second-one');
    expect((await ask('POST', action, { email: 'bob@example.com' })).status).toBe(409);
  });
});

it('simultaneous first logins create one user', async () => {
  const { ask } = await startApi({ paths: COOKIE_PATHS, schemas });
  const logins = await Promise.all(
    Array.from({ length: 5 }, () => ask('POST', '/signin', { email: 'new@example.com', password: 'x' })),
  );
  expect(logins.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
});

describe('a user with several logins', () => {
  const login = createObject({ email: TEXT, username: TEXT, 'password!': TEXT });
  const paths: Paths = {
    '/signup': { post: { request: login, response: refer('Person'), status: 201 } },
    '/login': { post: { request: login, response: createObject({ 'token!': TEXT, refresh_token: TEXT }) } },
    '/refresh': {
      post: { request: createObject({ 'refresh_token!': TEXT }), response: createObject({ 'token!': TEXT }) },
    },
    '/logout': { post: { status: 204 } },
    '/me': { get: { response: refer('Person') } },
  };
  const Person = createObject({ 'id!': INTEGER, email: TEXT, username: TEXT });

  it('logs in with any of them, and no other user can have one of them', async () => {
    const { ask } = await startApi({ paths, schemas: { Person } });
    const sent = { email: 'ann@example.com', username: 'ann', password: 'x' };
    expect(await ask('POST', '/signup', sent)).toMatchObject({ status: 201 });
    for (const own of [{ email: 'ann@example.com' }, { username: 'ann' }])
      expect(await ask('POST', '/login', { ...own, password: 'x' })).toMatchObject({ status: 200 });
    expect(await ask('POST', '/signup', { ...sent, email: 'other@example.com' })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('with this username already exists') },
    });
    expect(await ask('POST', '/signup', { username: 'bob', password: 'x' })).toMatchObject({ status: 201 });
    expect(await ask('POST', '/signup', { username: 'eve', password: 'x' })).toMatchObject({ status: 201 });
  });

  it('has tokens that one logout ends', async () => {
    const { ask } = await startApi({ paths, schemas: { Person } });
    await ask('POST', '/signup', { username: 'ann', password: 'x' });
    const { body } = await ask('POST', '/login', { username: 'ann', password: 'x' });
    const refreshed = (await ask('POST', '/refresh', { refresh_token: body.refresh_token })).body;
    await ask('POST', '/logout', undefined, use(body.token));
    expect(await ask('POST', '/refresh', { refresh_token: body.refresh_token })).toMatchObject({ status: 401 });
    expect(await ask('GET', '/me', undefined, use(refreshed.token))).toMatchObject({ status: 401 });
  });
});

describe('paths for other people', () => {
  it('are parts of an entry below it', async () => {
    const paths: Paths = {
      ...createResourcePaths('/teams/{teamId}', refer('Team')),
      ...createResourcePaths('/teams/{teamId}/public/{publicId}', refer('Member')),
    };
    expect(await explainApi({ paths, schemas })).toMatchObject({
      'GET /teams/{teamId}/public': expect.stringContaining('lists public of'),
    });
  });

  it.each(['/admin/teams/{teamId}', '/teams/with-admin/{teamId}'])('such as %s have the same entries', async (path) => {
    const paths: Paths = {
      '/teams': { get: { response: createList(refer('Team')) } },
      '/teams/{teamId}': { get: { response: refer('Team') } },
      ...createResourcePaths(path, refer('Team'), createObject({ 'name!': TEXT })),
    };
    const { ask } = await startApi({ paths, schemas });
    const { body } = await ask('POST', path.replace('/{teamId}', ''), { name: 'red' });
    expect((await ask('GET', '/teams')).body).toContainEqual(body);
    expect((await ask('GET', `/teams/${body.id}`)).body).toEqual(body);
    expect(await explainApi({ paths, schemas })).toMatchObject({
      [`PUT ${path}`]: expect.stringContaining('replaces a team'),
    });
  });
});

describe('a user with more properties in /me than in a list', () => {
  const Profile = createObject({ 'id!': INTEGER, 'username!': TEXT });
  const Own = createObject({ ...{ 'id!': INTEGER, 'username!': TEXT, 'email!': TEXT }, 'createdAt!': TEXT });
  const named = createObject({ 'email!': TEXT, 'username!': TEXT, 'password!': TEXT });
  const paths: Paths = {
    '/register': { post: { request: named, response: refer('Own'), status: 201 } },
    '/login': { post: { request: CREDENTIALS, response: createObject({ 'token!': TEXT }) } },
    '/me': { get: { response: refer('Own') } },
    '/users': { get: { response: createList(refer('Profile')) } },
    '/users/{userId}': { get: { response: refer('Profile') } },
  };

  it('has all of them, and is shown to others without them', async () => {
    const { ask } = await startApi({ paths, schemas: { Profile, Own } });
    const sent = { email: 'ann@example.com', username: 'ann', password: 'x' };
    const { body: own } = await ask('POST', '/register', sent);
    expect(own).toMatchObject({ email: 'ann@example.com', createdAt: '2025-06-01T12:00:00.000Z' });
    const { token } = (await ask('POST', '/login', sent)).body;
    expect((await ask('GET', '/me', undefined, use(token))).body).toEqual(own);
    const { id, username } = own;
    expect((await ask('GET', `/users/${id}`)).body).toEqual({ id, username });
    expect((await ask('GET', '/users')).body).toContainEqual({ id, username });
  });
});

describe('users whom a POST creates with a password', () => {
  it('log in also if no response shows their login', async () => {
    const Shown = createObject({ 'id!': INTEGER, 'name!': TEXT });
    const sent = createObject({ 'email!': TEXT, 'password!': TEXT, name: TEXT });
    const paths: Paths = {
      ...createResourcePaths('/users/{userId}', Shown, sent),
      ...createResourcePaths('/owners/{ownerId}', createObject({ 'id!': INTEGER, 'email!': TEXT })),
      '/login': { post: { request: CREDENTIALS, response: createObject({ 'token!': TEXT }) } },
    };
    const { ask } = await startApi({ paths });
    await ask('POST', '/users', { email: 'ann@example.com', password: 'x', name: 'Ann' });
    expect(await ask('POST', '/login', { email: 'ann@example.com', password: 'x' })).toMatchObject({ status: 200 });
    expect(await ask('POST', '/login', { email: 'ann@example.com', password: 'y' })).toMatchObject({ status: 401 });
  });
});

describe('the id of an account in an entry', () => {
  it('is that of the token, also if the schema of the users is called Account and the property is optional', async () => {
    const text = { type: 'string' };
    const credentials = createObject({ 'email!': text, 'password!': text });
    const session = createObject({ 'access_token!': text, 'account!': refer('Account') });
    const paths = {
      '/accounts': { post: { request: credentials, response: session, status: 201 } },
      '/session': { post: { request: credentials, response: session } },
      '/account': { get: { response: refer('Account') } },
      ...createResourcePaths('/bookings/{bookingId}', refer('Booking'), createObject({ 'note!': text })),
      ...createResourcePaths('/reviews/{reviewId}', refer('Review'), createObject({ 'text!': text })),
    };
    const schemas = {
      Account: createObject({ 'id!': { type: 'integer' }, 'email!': text }),
      Booking: createObject({ 'id!': { type: 'integer' }, 'account_id!': { type: 'integer' }, 'note!': text }),
      Review: createObject({ 'id!': { type: 'integer' }, account_id: { type: 'integer' }, 'text!': text }),
    };
    const { ask } = await startApi({ paths, schemas, needsToken: true });
    for (const email of ['ann@example.com', 'bob@example.com']) {
      const { body } = await ask('POST', '/accounts', { email, password: 'x' });
      const headers = { Authorization: `Bearer ${body.access_token}` };
      const ids = [
        (await ask('POST', '/bookings', { note: 'n' }, headers)).body.account_id,
        (await ask('POST', '/reviews', { text: 't' }, headers)).body.account_id,
      ];
      expect(ids).toEqual([body.account.id, body.account.id]);
    }
  });
});

describe('users whom operations register and log in', () => {
  it('are shown without their login', async () => {
    const USER = createObject({ 'id!': TEXT, 'handle!': TEXT });
    const SIGN_UP = createObject({ 'email_address!': TEXT, 'handle!': TEXT, 'password!': TEXT });
    const LOGIN = createObject({ 'email_address!': TEXT, 'password!': TEXT });
    const authenticated = createObject({ 'data!': createObject({ user: refer('User'), token: TEXT }) });
    const paths: Paths = {
      '/users': {
        post: { request: createObject({ 'user!': SIGN_UP }), response: authenticated, status: 201 },
      },
      '/sessions': {
        post: { request: createObject({ 'session!': LOGIN }), response: authenticated, status: 201 },
      },
      '/sessions/current': { delete: { status: 204 } },
      '/profile': { get: { response: createObject({ 'data!': refer('User') }) } },
    };
    const { ask } = await startApi({ paths, schemas: { User: USER } });
    const session = { email_address: 'ann@example.com', password: 'x' };
    const user = { ...session, handle: 'ann' };
    expect((await ask('POST', '/users', { user })).body.data.user).toMatchObject({ handle: 'ann' });
    const { body } = await ask('POST', '/sessions', { session });
    const own = use(body.data.token);
    expect((await ask('GET', '/profile', undefined, own)).body.data).toEqual(body.data.user);
    expect((await ask('POST', '/sessions', { session: { ...session, password: 'y' } })).status).toBe(401);
    expect((await ask('DELETE', '/sessions/current', undefined, own)).status).toBe(204);
    expect((await ask('GET', '/profile', undefined, own)).status).toBe(401);
  });

  it('are not the employees whom another operation creates', async () => {
    const PERSON = createObject({ 'id!': INTEGER, 'email!': TEXT, 'name!': TEXT });
    const REGISTRATION = createObject({ 'email!': TEXT, 'name!': TEXT, 'password1!': TEXT, 'password2!': TEXT });
    const paths: Paths = {
      ...createResourcePaths('/employees/{employeeId}', refer('Employee'), createObject({ 'email!': TEXT })),
      '/users/register/': { post: { request: REGISTRATION, response: {}, status: 201 } },
      '/users/login/': { post: { request: CREDENTIALS, response: createObject({ token: TEXT }) } },
      '/users/logout/': { post: { status: 204 } },
      '/users/me/': { get: { response: refer('Person') } },
    };
    const { ask } = await startApi({
      paths,
      schemas: { Person: PERSON, Employee: createObject({ 'id!': INTEGER, 'email!': TEXT }) },
    });
    const person = { email: 'ann@example.com', name: 'Ann', password1: 'x', password2: 'x' };
    expect(await ask('POST', '/users/register/', { ...person, password2: 'y' })).toMatchObject({ status: 400 });
    expect(await ask('POST', '/users/register/', person)).toMatchObject({ status: 201 });
    const { body } = await ask('POST', '/users/login/', { email: person.email, password: 'x' });
    expect((await ask('GET', '/users/me/', undefined, use(body.token))).body).toMatchObject({ name: 'Ann' });
    expect((await ask('GET', '/employees')).body).toEqual([]);
    expect(await ask('POST', '/users/logout/', undefined, use(body.token))).toMatchObject({ status: 204 });
    expect((await ask('GET', '/users/me/', undefined, use(body.token))).status).toBe(401);
  });

  it('log in also if no operation shows them', async () => {
    const response = createObject({ 'uid!': TEXT, 'token!': TEXT, 'refresh_token!': TEXT });
    const request = createObject({ 'account!': TEXT, 'password!': TEXT, city: TEXT });
    const renewal = createObject({ 'refresh_token!': TEXT });
    const paths: Paths = {
      '/join': { post: { request, response, isPublic: true } },
      '/login': {
        post: { request: createObject({ 'account!': TEXT, 'password!': TEXT }), response, isPublic: true },
      },
      '/refresh': { post: { request: renewal, response: createObject({ 'token!': TEXT }), isPublic: true } },
      '/logout': { post: { status: 204 } },
    };
    const { ask } = await startApi({ paths, needsToken: true });
    const sent = { account: 'ann', password: 'x' };
    const { body: joined } = await ask('POST', '/join', { ...sent, city: 'Rome' });
    expect((await ask('POST', '/join', sent)).status).toBe(409);
    const { body } = await ask('POST', '/login', sent);
    expect(body.uid).toBe(joined.uid);
    expect((await ask('POST', '/login', { ...sent, password: 'y' })).status).toBe(401);
    expect((await ask('POST', '/refresh', { refresh_token: 'x' })).status).toBe(401);
    expect((await ask('POST', '/refresh', { refresh_token: body.refresh_token })).status).toBe(200);
    expect((await ask('POST', '/logout', undefined, use(body.token))).status).toBe(204);
    expect((await ask('POST', '/refresh', { refresh_token: body.refresh_token })).status).toBe(401);
    // Credentials of another server, which no login uses.
    const stored = { '/mailboxes': { post: { request, response: createObject({ token: TEXT }) } } };
    expect((await explainApi({ paths: stored, needsToken: true }))['POST /mailboxes']).toMatch(/^mocked/);
    const open = { ...paths, '/logout': {} };
    // No operation needs the token of a login.
    expect((await explainApi({ paths: open }))['POST /login']).toMatch(/^mocked/);
  });

  it('are shown beside the token in an object of the response', async () => {
    const data = createObject({ user: refer('Account'), token: TEXT });
    const request = createObject({ 'mail!': TEXT, 'password!': TEXT });
    const response = createObject({ success: { type: 'boolean' }, data });
    const paths: Paths = {
      '/register': { post: { request, response } },
      '/login': { post: { request, response } },
      '/me': { get: { response: refer('Account') } },
    };
    const Account = createObject({ 'id!': INTEGER, 'mail!': TEXT });
    const { ask } = await startApi({ paths, schemas: { Account } });
    const sent = { mail: 'ann@example.com', password: 'x' };
    const { body } = await ask('POST', '/register', sent);
    expect(body.data.user).toEqual({ id: expect.any(Number), mail: 'ann@example.com' });
    expect((await ask('POST', '/register', sent)).status).toBe(409);
    expect((await ask('POST', '/login', sent)).body.data.user).toEqual(body.data.user);
    expect((await ask('GET', '/me', undefined, use(body.data.token))).body).toEqual(body.data.user);
  });

  it('have one cookie for the access token and the refresh token', async () => {
    const paths: Paths = {
      '/login': { post: { request: CREDENTIALS, response: {} } },
      '/refresh': { post: { response: {}, cookie: 'refresh_token' } },
      '/me': { get: { response: refer('Account'), cookie: 'access_token' } },
    };
    const { ask } = await startApi({ paths, schemas });
    const { headers } = await ask('POST', '/login', { email: 'ann@example.com', password: 'x' });
    const [cookie = ''] = headers.getSetCookie();
    expect(cookie).toMatch(/^access_token=/);
    const own = { cookie: cookie.split(';')[0] ?? '' };
    expect((await ask('GET', '/me', undefined, own)).body).toMatchObject({ email: 'ann@example.com' });
    expect((await ask('POST', '/refresh', undefined, own)).status).toBe(200);
    expect((await ask('POST', '/refresh', undefined, { cookie: 'a=b' })).status).toBe(401);
  });

  it('get no other token if no operation gives them the first one', async () => {
    const renew = { post: { request: createObject({ 'refresh!': TEXT }), response: createObject({ access: TEXT }) } };
    const paths: Paths = { ...createResourcePaths('/users/{userId}', refer('Account')), '/token/refresh/': renew };
    expect((await explainApi({ paths, schemas }))['POST /token/refresh/']).toMatch(/^mocked/);
  });
});

it('A user whom only a login shows, without a login, is the one at a path such as /me', async () => {
  const User = createObject({ 'id!': TEXT, 'handle!': TEXT, displayName: TEXT });
  const session = createObject({ 'accessToken!': TEXT, 'user!': refer('Profile') });
  const sent = createObject({ 'email!': TEXT, 'password!': TEXT });
  const { ask } = await startApi({
    paths: {
      '/auth/register': {
        post: { request: createObject({ 'email!': TEXT, 'password!': TEXT, 'handle!': TEXT }), response: session },
      },
      '/auth/login': { post: { request: sent, response: session } },
      '/users/me': {
        get: { response: refer('Profile') },
        patch: { request: createObject({ displayName: TEXT }), response: refer('Profile') },
      },
      '/users/{userId}': { get: { response: refer('Profile') } },
    },
    schemas: { Profile: User },
  });
  const login = { email: 'ann@example.com', password: 'x' };
  const { user } = (await ask('POST', '/auth/register', { ...login, handle: 'ann' })).body;
  const { accessToken } = (await ask('POST', '/auth/login', login)).body;
  const ann = { id: user.id, handle: 'ann', displayName: 'Ann' };
  expect((await ask('PATCH', '/users/me', { displayName: 'Ann' }, use(accessToken))).body).toEqual(ann);
  expect((await ask('GET', '/users/me', undefined, use(accessToken))).body).toEqual(ann);
  expect((await ask('GET', `/users/${user.id}`)).body).toEqual(ann);
});

it('A PUT of the own user whose body requires nothing keeps what it lacks, and an upload creates no user', async () => {
  const User = createObject({ id: TEXT, email: TEXT, name: TEXT, bio: TEXT });
  const session = createObject({ 'token!': TEXT, 'user!': refer('User') });
  const { ask, url } = await startApi({
    paths: {
      '/register': {
        post: { request: createObject({ 'email!': TEXT, 'password!': TEXT, 'name!': TEXT }), response: session },
      },
      '/login': { post: { request: CREDENTIALS, response: session } },
      '/users/me': {
        get: { response: refer('User') },
        put: { request: createObject({ name: TEXT, bio: TEXT }), response: refer('User') },
      },
      '/users/me/photo': {
        post: {
          request: createObject({ 'file!': { type: 'string', format: 'binary' } }),
          requestType: 'multipart/form-data',
          response: refer('User'),
        },
      },
    },
    schemas: { User },
  });
  const sent = { email: 'ann@example.com', password: 'x', name: 'Ann' };
  const { token, user } = (await ask('POST', '/register', sent)).body;
  const ann = { id: user.id, email: 'ann@example.com', name: 'Ann', bio: 'Hi' };
  expect((await ask('PUT', '/users/me', { bio: 'Hi' }, use(token))).body).toEqual(ann);
  expect((await ask('GET', '/users/me', undefined, use(token))).body).toEqual(ann);
  const form = new FormData();
  form.append('file', new Blob(['x']), 'a.png');
  const upload = await fetch(`${url}/users/me/photo`, { method: 'POST', body: form, headers: use(token) });
  expect(await upload.json()).toEqual(ann);
});
