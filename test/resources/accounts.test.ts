import { describe, expect, it } from 'vitest';
import { createList, createObject, type Paths, refer } from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const CREDENTIALS = createObject({ 'email!': TEXT, 'password!': TEXT });
const CHANGES = createObject({ email: TEXT, username: TEXT, phone: TEXT, bio: TEXT });
const NEW = createObject({ 'email!': TEXT, 'password!': TEXT, username: TEXT, phone: TEXT });
const TOKENS = createObject({ 'accessToken!': TEXT, 'refreshToken!': TEXT });

const schemas = {
  User: createObject({ 'id!': INTEGER, 'email!': TEXT, username: TEXT, phone: TEXT, bio: TEXT }),
  Note: createObject({ 'id!': INTEGER, 'text!': TEXT }),
};

/** `errors`: the error statuses that the operations document, which can refuse a login that another user has. */
function createPaths(errors?: readonly number[]): Paths {
  return {
    '/register': { post: { request: NEW, response: refer('User'), status: 201, ...(errors && { errors }) } },
    '/login': { post: { request: CREDENTIALS, response: TOKENS } },
    '/refresh': { post: { request: createObject({ 'refreshToken!': TEXT }), response: TOKENS } },
    '/me': {
      get: { response: refer('User') },
      patch: { request: CHANGES, response: refer('User'), ...(errors && { errors }) },
    },
    '/users': {
      get: { response: createList(refer('User')) },
      post: { request: NEW, response: refer('User'), status: 201 },
    },
    '/users/{userId}': {
      get: { response: refer('User') },
      put: { request: CHANGES, response: refer('User') },
      delete: { status: 204 },
    },
  };
}

/** Starts a server, and registers Ann and Bob. */
async function start(errors?: readonly number[]) {
  const { ask } = await startApi({ paths: createPaths(errors), schemas });
  const register = (name: string, more: object = {}) =>
    ask('POST', '/register', { email: `${name}@example.com`, username: name, password: 'x', ...more });
  const logIn = async (name: string) => {
    const response = await ask('POST', '/login', { email: `${name}@example.com`, password: 'x' });
    return { ...response, headers: use(response.body.accessToken) };
  };
  const { body: ann } = await register('ann', { phone: '+49 170 1234' });
  const { body: bob } = await register('bob');
  return { ask, register, logIn, ann, bob };
}

const use = (token: string) => ({ Authorization: `Bearer ${token}` });

describe('the e-mail address and the user name of a user', () => {
  it('can be those of no other user, in any case', async () => {
    const { ask, logIn, register, bob, ann } = await start();
    const { headers } = await logIn('bob');
    const taken = [
      await ask('PATCH', '/me', { email: 'Ann@Example.com' }, headers),
      await ask('PATCH', '/me', { username: 'ANN' }, headers),
      await ask('PUT', `/users/${bob.id}`, { email: 'ann@example.com' }),
      await ask('POST', '/users', { email: 'ann@example.com', password: 'x' }),
      await register('ann'),
    ];
    expect(taken.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409]);
    expect(taken[0]?.body.detail).toBe('a user with this email already exists: use another email');
    expect((await ask('GET', `/users/${bob.id}`)).body).toEqual(bob);
    const own = { email: 'ann@example.com', bio: 'b' };
    expect((await ask('PUT', `/users/${ann.id}`, own)).body).toMatchObject(own);
    expect(await ask('PATCH', '/me', { username: 'bob', phone: '+491701234' }, headers)).toMatchObject({ status: 200 });
  });

  it.each([
    [[400, 409, 422], 409],
    [[400, 422], 422],
    [[400, 404], 400],
    [[404], 409],
  ])('are refused with a documented status: %j', async (errors, status) => {
    const { ask, logIn, register } = await start(errors);
    expect((await register('ann')).status).toBe(status);
    const { headers } = await logIn('bob');
    expect((await ask('PATCH', '/me', { email: 'ann@example.com' }, headers)).status).toBe(status);
  });
});

describe('a registered user', () => {
  it('is shown and deleted as other users are, and then has no login and no tokens', async () => {
    const { ask, logIn, bob, register } = await start();
    const { headers, body } = await logIn('bob');
    expect((await ask('GET', '/users')).body).toContainEqual(bob);
    expect((await ask('GET', `/users/${bob.id}`)).body).toEqual(bob);
    expect(await ask('DELETE', `/users/${bob.id}`)).toMatchObject({ status: 204 });
    expect((await ask('GET', '/users')).body).not.toContainEqual(bob);
    expect(await ask('POST', '/login', { email: 'bob@example.com', password: 'x' })).toMatchObject({ status: 401 });
    // The next user can have the same id.
    expect((await register('eve')).status).toBe(201);
    expect(await ask('GET', '/me', undefined, headers)).toMatchObject({ status: 401 });
    expect(await ask('POST', '/refresh', { refreshToken: body.refreshToken })).toMatchObject({ status: 401 });
  });
});

describe('an access token and a refresh token', () => {
  it('are not accepted instead of each other', async () => {
    const { ask, logIn } = await start();
    const { body } = await logIn('ann');
    expect(await ask('POST', '/refresh', { refreshToken: body.accessToken })).toMatchObject({ status: 401 });
    expect(await ask('GET', '/me', undefined, use(body.refreshToken))).toMatchObject({
      status: 401,
      body: { type: '/problems/invalid-token' },
    });
    const next = (await ask('POST', '/refresh', { refreshToken: body.refreshToken })).body;
    expect((await ask('GET', '/me', undefined, use(next.accessToken))).body).toMatchObject({ username: 'ann' });
    expect(await ask('POST', '/refresh', { refreshToken: next.refreshToken })).toMatchObject({ status: 200 });
  });
});
