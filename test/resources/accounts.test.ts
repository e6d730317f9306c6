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
    '/token/refresh': { post: { request: createObject({ 'token!': TEXT }), response: TOKENS } },
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
    for (const email of [' ', '  ']) expect((await register('eve', { email, username: email })).status).toBe(201);
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

  it('are told apart also if the request has the refresh token as `token`', async () => {
    const { ask, logIn } = await start();
    const { body } = await logIn('ann');
    expect(await ask('POST', '/token/refresh', { token: body.accessToken })).toMatchObject({ status: 401 });
    const next = (await ask('POST', '/token/refresh', { token: body.refreshToken })).body;
    expect((await ask('GET', '/me', undefined, use(next.accessToken))).body).toMatchObject({ username: 'ann' });
  });
});

describe('a change of a password', () => {
  const Sent = createObject({ 'currentPassword!': TEXT, 'newPassword!': TEXT, confirmPassword: TEXT });
  const createPasswordPaths = (errors: readonly number[]): Paths => ({
    ...createPaths(),
    '/me/password': { put: { request: Sent, status: 204, errors } },
    '/users/{userId}/change-password': {
      post: {
        request: createObject({ 'old_password!': TEXT, 'new_password!': TEXT }),
        response: refer('User'),
        errors,
      },
    },
    '/users/{userId}/password': { put: { request: createObject({ 'password!': TEXT }), status: 204, errors } },
    '/password/forgot': { post: { request: createObject({ 'email!': TEXT }), status: 204 } },
    '/password/reset': { post: { request: createObject({ 'token!': TEXT, 'newPassword!': TEXT }), status: 204 } },
  });

  async function startWith(errors: readonly number[]) {
    const { ask } = await startApi({ paths: createPasswordPaths(errors), schemas });
    const { body: ann } = await ask('POST', '/register', { email: 'ann@example.com', password: 'one' });
    const logIn = (password: string) => ask('POST', '/login', { email: 'ann@example.com', password });
    const headers = use((await logIn('one')).body.accessToken);
    const canLogIn = async (...passwords: readonly string[]) => {
      const statuses = [];
      for (const password of passwords) statuses.push((await logIn(password)).status);
      return statuses;
    };
    return { ask, ann, canLogIn, headers };
  }

  it('needs the current password, and then only the new one logs in', async () => {
    const { ask, ann, canLogIn, headers } = await startWith([400, 401]);
    const change = (sent: object) => ask('PUT', '/me/password', sent, headers);
    expect(await change({ currentPassword: 'x', newPassword: 'two' })).toMatchObject({
      status: 400,
      body: { detail: 'the currentPassword is wrong: send the password with which the user logs in' },
    });
    const unequal = { currentPassword: 'one', newPassword: 'two', confirmPassword: 'three' };
    expect(await change(unequal)).toMatchObject({ status: 400 });
    expect(await canLogIn('one', 'two')).toEqual([200, 401]);
    expect(await change({ currentPassword: 'one', newPassword: 'two' })).toMatchObject({ status: 204 });
    expect(await canLogIn('one', 'two')).toEqual([401, 200]);
    const path = `/users/${ann.id}/change-password`;
    expect(await ask('POST', path, { old_password: 'one', new_password: 'x' })).toMatchObject({ status: 400 });
    expect(await ask('POST', path, { old_password: 'two', new_password: 'three' })).toMatchObject({ body: ann });
    expect(await canLogIn('two', 'three')).toEqual([401, 200]);
    expect(await ask('PUT', `/users/${ann.id}/password`, { password: 'four' })).toMatchObject({ status: 204 });
    expect(await canLogIn('three', 'four')).toEqual([401, 200]);
    expect(await ask('PUT', '/users/0/password', { password: 'four' })).toMatchObject({ status: 404 });
  });

  it.each([
    [[401, 403], 403],
    [[401, 422], 422],
    [[401], 401],
    [[404], 400],
  ])('with another current password is refused with a documented status: %j', async (errors, status) => {
    const { ask, headers } = await startWith(errors);
    const sent = { currentPassword: 'x', newPassword: 'two' };
    expect(await ask('PUT', '/me/password', sent, headers)).toMatchObject({ status });
  });

  it('is explained, and a reset stays mocked', async () => {
    const reset = 'mocked: a reset of a forgotten password: the server sends no messages';
    expect(await explainApi({ paths: createPasswordPaths([400]), schemas })).toMatchObject({
      'PUT /me/password':
        'real: changes the password of the user who sends the request (without a token: the first one)',
      'POST /users/{userId}/change-password': 'real: changes the password of a user',
      'PUT /users/{userId}/password': 'real: changes the password of a user',
      'POST /password/forgot': reset,
      'POST /password/reset': reset,
    });
  });
});

describe('tokens in a response', () => {
  const Pair = createObject({
    'access!': createObject({ 'token!': TEXT }),
    'refresh!': createObject({ 'token!': TEXT, 'expires!': TEXT }),
  });
  const paths: Paths = {
    ...createPaths(),
    '/login': { post: { request: CREDENTIALS, response: createObject({ 'user!': refer('User'), 'tokens!': Pair }) } },
    '/auth/refresh': { post: { response: createObject({ 'access!': TEXT }) } },
  };

  it('can be in objects, and the header can have the refresh token', async () => {
    const { ask } = await startApi({ paths, schemas });
    await ask('POST', '/register', { email: 'ann@example.com', password: 'x' });
    const { user, tokens } = (await ask('POST', '/login', { email: 'ann@example.com', password: 'x' })).body;
    expect((await ask('GET', '/me', undefined, use(tokens.access.token))).body).toEqual(user);
    expect(await ask('GET', '/me', undefined, use(tokens.refresh.token))).toMatchObject({ status: 401 });
    expect(await ask('POST', '/auth/refresh', undefined, use(tokens.access.token))).toMatchObject({ status: 401 });
    const { access } = (await ask('POST', '/auth/refresh', undefined, use(tokens.refresh.token))).body;
    expect((await ask('GET', '/me', undefined, use(access))).body).toEqual(user);
    expect(await explainApi({ paths, schemas })).toMatchObject({
      'POST /auth/refresh': 'real: returns another token for a user',
    });
  });

  it('of the header get another one if logins return no refresh token', async () => {
    const { '/refresh': _refresh, ...others } = paths;
    const login = { post: { request: CREDENTIALS, response: createObject({ 'token!': TEXT }) } };
    const { ask } = await startApi({ paths: { ...others, '/login': login }, schemas });
    await ask('POST', '/register', { email: 'ann@example.com', password: 'x' });
    const { token } = (await ask('POST', '/login', { email: 'ann@example.com', password: 'x' })).body;
    const { access } = (await ask('POST', '/auth/refresh', undefined, use(token))).body;
    expect((await ask('GET', '/me', undefined, use(access))).body).toMatchObject({ email: 'ann@example.com' });
  });
});

describe('customers who log in with a phone number', () => {
  const Customer = createObject({ 'id!': INTEGER, 'name!': TEXT, 'phone!': TEXT, 'registeredAt!': TEXT });
  const Booking = createObject({ 'id!': INTEGER, 'room!': TEXT, 'customerId!': INTEGER, customer: refer('Customer') });
  const Review = createObject({
    'id!': INTEGER,
    'text!': TEXT,
    'reviewer!': createObject({ 'id!': INTEGER, 'name!': TEXT }),
  });
  const sent = createObject({ 'phone!': TEXT, 'password!': TEXT, name: TEXT });
  const Token = createObject({ 'token!': TEXT, 'customer!': refer('Customer') });
  const paths: Paths = {
    '/register': { post: { request: sent, response: Token, status: 201 } },
    '/login': { post: { request: sent, response: Token } },
    ...createResourcePaths('/customers/{customerId}', refer('Customer')),
    '/customers/{customerId}/bookings': { get: { response: createList(refer('Booking')) } },
    ...createResourcePaths('/bookings/{bookingId}', refer('Booking'), createObject({ 'room!': TEXT })),
    ...createResourcePaths('/reviews/{reviewId}', refer('Review'), createObject({ 'text!': TEXT })),
  };

  it('are those of their bookings and reviews', async () => {
    const { ask } = await startApi({ paths, schemas: { Customer, Booking, Review } });
    await ask('POST', '/register', { phone: '0170 111', password: 'x', name: 'Bob' });
    await ask('POST', '/register', { phone: '+49 (170) 222-22', password: 'x', name: 'Ann' });
    expect(await ask('POST', '/register', { phone: '+4917022222', password: 'x' })).toMatchObject({ status: 409 });
    const { token, customer } = (await ask('POST', '/login', { phone: '+49 170 22222', password: 'x' })).body;
    expect(customer).toMatchObject({ name: 'Ann', registeredAt: '2025-06-01T12:00:00.000Z' });
    const { body: booking } = await ask('POST', '/bookings', { room: 'a' }, use(token));
    expect(booking).toMatchObject({ customerId: customer.id, customer });
    expect((await ask('GET', `/customers/${customer.id}/bookings`)).body).toEqual([booking]);
    const { reviewer } = (await ask('POST', '/reviews', { text: 'a' }, use(token))).body;
    expect(reviewer).toEqual({ id: customer.id, name: 'Ann' });
  });
});

describe('A registration of a tenant with adminEmail and adminPassword', () => {
  const Tenant = createObject({ 'id!': INTEGER, 'name!': TEXT });
  const User = createObject({ 'id!': INTEGER, 'email!': TEXT, name: TEXT, tenantId: INTEGER });
  const request = createObject({ 'name!': TEXT, 'adminEmail!': TEXT, 'adminPassword!': TEXT, adminName: TEXT });
  const credentials = createObject({ 'email!': TEXT, 'password!': TEXT });
  const createApi = (response: Schema) => ({
    paths: {
      '/register-tenant': { post: { isPublic: true, request, response, status: 201, errors: [409] } },
      '/login': { post: { isPublic: true, request: credentials, response: createObject({ 'token!': TEXT }) } },
      '/me': { get: { response: refer('User') } },
      '/users': { get: { response: createList(refer('User')) } },
      '/users/{userId}': { get: { response: refer('User') } },
      '/tenants': { get: { response: createList(refer('Tenant')) } },
      '/tenants/{tenantId}': { get: { response: refer('Tenant') } },
    },
    schemas: { Tenant, User },
    needsToken: true,
  });
  const tenant = { id: 1, name: 'Acme' };
  const user = { id: expect.any(Number), email: 'ann@example.com', name: 'Ann', tenantId: 1 };

  it.each<[string, Schema, unknown]>([
    ['the tenant', refer('Tenant'), tenant],
    ['both', createObject({ 'tenant!': refer('Tenant'), 'admin!': refer('User') }), { tenant, admin: user }],
    ['an id', createObject({ 'tenantId!': INTEGER }), { tenantId: 1 }],
  ])('creates the tenant and the user, and responds with %s', async (_what, response, expected) => {
    const api = createApi(response);
    const explained = (await explainApi(api))['POST /register-tenant'];
    expect(explained).toBe('real: registers a user by email, and creates a tenant');
    const { ask } = await startApi(api);
    const sent = { name: 'Acme', adminEmail: user.email, adminPassword: 'pw', adminName: 'Ann' };
    expect((await ask('POST', '/register-tenant', sent)).body).toEqual(expected);
    expect((await ask('POST', '/login', { email: user.email, password: 'other' })).status).toBe(401);
    const { token } = (await ask('POST', '/login', { email: user.email, password: 'pw' })).body;
    const read = async (path: string) =>
      (await ask('GET', path, undefined, { Authorization: `Bearer ${token}` })).body as unknown;
    expect((await ask('POST', '/register-tenant', sent)).status).toBe(409);
    expect([await read('/me'), await read('/tenants'), await read('/tenants/1')]).toEqual([user, [tenant], tenant]);
  });

  it('is no registration if the names say that the user can already exist', async () => {
    const request = createObject({ 'deviceName!': TEXT, 'userEmail!': TEXT, 'userPassword!': TEXT });
    const { paths, ...api } = createApi(refer('Tenant'));
    const device = { post: { isPublic: true, request, response: createObject({ 'ok!': { type: 'boolean' } }) } };
    const explained = await explainApi({ ...api, paths: { ...paths, '/register-device': device } });
    expect(explained['POST /register-device']).toMatch(/^mocked: /);
  });
});
