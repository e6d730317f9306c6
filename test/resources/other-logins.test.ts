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
import { folderWith } from '../support/harness/folder-with.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const Token = createObject({ 'token!': TEXT });

/** Returns the operations of a document whose users have a login and a secret with these names. */
function createPaths(login: string, secret: string, logIn: string): Paths {
  const request = createObject({ [`${login}!`]: TEXT, [`${secret}!`]: TEXT });
  return {
    '/members': {
      get: { response: createList(refer('Member')) },
      post: { status: 201, request, response: refer('Member') },
    },
    [logIn]: { post: { request, response: Token } },
    '/me': { get: { response: refer('Member') } },
  };
}

const createSchemas = (login: string): Readonly<Record<string, Schema>> => ({
  Member: createObject({ 'id!': INTEGER, [`${login}!`]: TEXT, nickname: TEXT }),
});

describe('a login', () => {
  it('finds the users whom an operation creates with a password, if the document has two lists of users', async () => {
    const user = createObject({ 'id!': INTEGER, 'email!': TEXT, 'role!': TEXT });
    const member = createObject({ 'id!': INTEGER, 'email!': TEXT });
    const request = createObject({ 'email!': TEXT, 'password!': TEXT });
    const { ask } = await startApi({
      paths: {
        '/admin/users': { get: { response: createList(user) } },
        '/admin/users/{userId}': {
          get: { response: user },
          patch: { request: createObject({ role: TEXT }), response: user },
        },
        '/org/users': { get: { response: createList(member) }, post: { status: 201, request, response: member } },
        '/org/users/{userId}': { get: { response: member }, delete: { status: 204 } },
        '/login': { post: { request, response: Token } },
      },
    });
    const ann = { email: 'ann@x.test', password: 'secret' };
    await ask('POST', '/org/users', ann);
    expect((await ask('POST', '/login', ann)).status).toBe(200);
    expect((await ask('POST', '/login', { ...ann, password: 'wrong' })).status).toBe(401);
  });

  it.each([
    ['handle', 'passphrase', '/login'],
    ['nickname', 'secret', '/sessions'],
    ['account', 'passcode', '/auth/sign-in'],
    ['employee_id', 'pin', '/auth/token'],
    ['memberNumber', 'pinCode', '/member-login'],
  ])('by %s and %s at %s finds the user and checks the secret', async (login, secret, path) => {
    const { ask } = await startApi({ paths: createPaths(login, secret, path), schemas: createSchemas(login) });
    const ann = { [login]: 'a1', [secret]: '1234' };
    const { body: member } = await ask('POST', '/members', ann);
    expect(member).not.toHaveProperty(secret);
    expect(await ask('POST', '/members', ann)).toMatchObject({ status: 409 });
    const { body } = await ask('POST', path, ann);
    const headers = { Authorization: `Bearer ${body.token}` };
    expect((await ask('GET', '/me', undefined, headers)).body).toEqual(member);
    expect(await ask('POST', path, { ...ann, [secret]: '9' })).toMatchObject({ status: 401 });
    expect(await ask('POST', path, { ...ann, [login]: 'b' })).toMatchObject({ status: 401 });
  });

  it('by a user name is one by the e-mail address if users have no user name', async () => {
    const request = createObject({ 'username!': TEXT, 'password!': TEXT });
    const person = createObject({ 'email!': TEXT, 'password!': TEXT });
    const people = {
      get: { response: createList(refer('Member')) },
      post: { status: 201, request: person, response: refer('Member') },
    };
    const paths = { '/members': people, '/login': { post: { request, response: Token } } };
    const api = { paths, schemas: { Member: createObject({ 'id!': INTEGER, 'email!': TEXT }) } };
    expect((await explainApi(api))['POST /login']).toBe('real: logs in a member by username (the email)');
    const { ask } = await startApi(api);
    await ask('POST', '/members', { email: 'ann@example.com', password: 'x' });
    expect((await ask('POST', '/login', { username: 'ann@example.com', password: 'x' })).status).toBe(200);
    const { status, body } = await ask('POST', '/login', { username: 'ann', password: 'x' });
    expect([status, body.detail]).toEqual([401, 'no member has this username: send the email of an existing member']);
  });

  it('is none if no user has the property, or if the path is about something else', async () => {
    const schemas = { ...createSchemas('email'), Key: createObject({ 'id!': INTEGER }) };
    const request = createObject({ 'account!': TEXT, 'secret!': TEXT });
    const explained = await explainApi({
      schemas,
      paths: {
        ...createPaths('email', 'password', '/login'),
        '/token': { post: { request, response: Token } },
        '/payments/check': {
          post: { request: createObject({ 'email!': TEXT, 'pin!': TEXT }), response: refer('Key') },
        },
      },
    });
    expect(explained['POST /token']).toMatch('mocked');
    expect(explained['POST /payments/check']).toMatch('mocked');
  });
});

describe('a user of the default data', () => {
  it('logs in with the password in the data, which no response has, and the file keeps it', async () => {
    const folder = await folderWith({
      'data.json': JSON.stringify({
        members: [
          { id: 1, email: 'ann@example.com', password: 'secret-1' },
          { id: 2, email: 'bob@example.com' },
        ],
      }),
    });
    const { ask, url } = await startApi(
      { paths: createPaths('email', 'password', '/login'), schemas: createSchemas('email') },
      { defaultData: `${folder}/data.json` },
    );
    const logIn = (email: string, password: string) => ask('POST', '/login', { email, password });
    expect(await logIn('ann@example.com', 'secret-1')).toMatchObject({ status: 200 });
    expect(await logIn('ann@example.com', 'x')).toMatchObject({ status: 401 });
    expect(await logIn('bob@example.com', 'x')).toMatchObject({ status: 200 });
    expect((await ask('GET', '/members')).text).not.toMatch('secret-1');
    expect(await (await fetch(`${url}/_control/sandboxes/default/state`)).text()).not.toMatch('secret-1');
  });

  it('keeps the token and the lists of names when the name changes', async () => {
    const schemas = {
      User: createObject({ 'username!': TEXT }),
      Team: createObject({ 'id!': INTEGER, members: createList(TEXT) }),
    };
    const credentials = createObject({ 'username!': TEXT, 'password!': TEXT });
    const folder = await folderWith({
      'data.json': JSON.stringify({
        users: [{ username: 'ann', password: 'x' }, { username: 'bob' }],
        teams: [{ id: 1, members: ['bob', 'ann'] }],
      }),
    });
    const { ask } = await startApi(
      {
        schemas,
        paths: {
          '/login': { post: { request: credentials, response: Token } },
          '/users': { get: { response: createList(refer('User')) } },
          '/users/{username}': { get: { response: refer('User') } },
          '/me': {
            get: { response: refer('User') },
            patch: { request: createObject({ username: TEXT }), response: refer('User') },
            delete: { status: 204 },
          },
          '/teams': { get: { response: createList(refer('Team')) } },
          '/teams/{teamId}': { get: { response: refer('Team') }, delete: { status: 204 } },
        },
      },
      { defaultData: `${folder}/data.json` },
    );
    const { body } = await ask('POST', '/login', { username: 'ann', password: 'x' });
    const headers = { Authorization: `Bearer ${body.token}` };
    await ask('PATCH', '/me', { username: 'anna' }, headers);
    expect((await ask('GET', '/me', undefined, headers)).body).toEqual({ username: 'anna' });
    expect((await ask('GET', '/teams/1')).body.members).toEqual(['bob', 'anna']);
    expect(await ask('POST', '/login', { username: 'anna', password: 'x' })).toMatchObject({ status: 200 });
    await ask('DELETE', '/me', undefined, headers);
    expect((await ask('GET', '/teams/1')).body.members).toEqual(['bob']);
  });
});

describe('a password', () => {
  const credentials = createObject({ 'email!': TEXT, 'password!': { type: 'string', minLength: 6 } });

  it('that a response requires is masked, and named in X-Mocked', async () => {
    const User = createObject({ 'id!': INTEGER, 'email!': TEXT, 'password!': { type: 'string', minLength: 6 } });
    const { ask } = await startApi({
      schemas: { User },
      paths: {
        '/register': { post: { status: 201, request: credentials, response: refer('User') } },
        '/login': {
          post: { request: credentials, response: createObject({ 'token!': TEXT, 'user!': refer('User') }) },
        },
        '/users': { get: { response: createList(refer('User')) } },
      },
    });
    const sent = { email: 'ann@example.com', password: 'secret-1' };
    const registered = await ask('POST', '/register', sent);
    expect(registered.body).toMatchObject({ email: 'ann@example.com', password: '********' });
    expect(registered.headers.get('x-mocked')).toBe('/password');
    const { body, headers } = await ask('POST', '/login', sent);
    expect(body.user).toEqual(registered.body);
    expect(headers.get('x-mocked')).toBe('/user/password');
    expect((await ask('GET', '/users')).body).toContainEqual(registered.body);
  });

  it('with another name is masked as well, but only in a user', async () => {
    const pin = createObject({ 'email!': TEXT, 'pin!': TEXT });
    const { ask } = await startApi({
      schemas: {
        User: createObject({ 'id!': INTEGER, 'email!': TEXT, 'pin!': TEXT }),
        Card: createObject({ 'id!': INTEGER, 'pin!': TEXT }),
      },
      paths: {
        '/register': { post: { status: 201, request: pin, response: refer('User') } },
        '/login': { post: { request: pin, response: createObject({ 'token!': TEXT }) } },
        '/users': { get: { response: createList(refer('User')) } },
        ...createResourcePaths('/cards/{cardId}', refer('Card'), createObject({ pin: TEXT })),
      },
    });
    const { body } = await ask('POST', '/register', { email: 'ann@example.com', pin: '4711' });
    expect(body).toMatchObject({ email: 'ann@example.com', pin: '********' });
    expect((await ask('POST', '/cards', {})).body.pin).not.toContain('*');
  });

  it('and other secrets of a user are in no response without a schema', async () => {
    const request = createObject({ 'email!': TEXT, 'password!': TEXT, apiKey: TEXT, name: TEXT });
    const { ask } = await startApi({
      paths: {
        '/users': { get: {}, post: { status: 201, request } },
        '/users/{userId}': { get: {} },
      },
    });
    const sent = { email: 'a@example.com', password: 'secret-1', apiKey: 'key-1', name: 'Ann' };
    await ask('POST', '/users', sent);
    const { body } = await ask('GET', '/users');
    expect(body).toMatchObject([{ email: 'a@example.com', name: 'Ann' }]);
    for (const path of ['/users', `/users/${body[0].id}`])
      expect((await ask('GET', path)).text).not.toMatch(/secret-1|key-1/);
  });
});

describe('a path that logs in, shows, changes and logs out the user', () => {
  const User = createObject({ 'id!': INTEGER, 'name!': TEXT, 'email!': TEXT });
  const credentials = createObject({ 'email!': TEXT, 'password!': TEXT });
  const profile = createObject({ 'name!': TEXT, 'email!': TEXT, password: TEXT });
  const paths: Paths = {
    '/me': {
      get: { response: refer('User') },
      post: { isPublic: true, request: credentials, response: Token },
      put: { request: profile, response: createObject({ token: TEXT }) },
      delete: { summary: 'Log the current user out', status: 204 },
    },
    '/users': { post: { status: 201, request: profile, response: refer('User') } },
    '/users/{userId}': { delete: { status: 204 } },
  };
  const options = { paths, schemas: { User }, needsToken: true };

  it('is explained by its words', async () => {
    expect(await explainApi(options)).toMatchObject({
      'POST /me': 'real: logs in a user by email, and creates the first one',
      'PUT /me': 'real: replaces the user who sends the request',
      'DELETE /me': 'real: logs out the user who sends the request',
    });
  });

  it.each([
    ['Delete my account', 'You are logged out everywhere.', 'real: deletes the user who sends the request'],
    ['End the session of the user', '', 'real: logs out the user who sends the request'],
    ["Delete the user's session", '', 'real: logs out the user who sends the request'],
  ])('has a DELETE with the summary %s that is explained by its words', async (summary, description, expected) => {
    const deletion = { '/me': { ...paths['/me'], delete: { summary, description, status: 204 } } };
    const explained = await explainApi({ ...options, paths: { ...paths, ...deletion } });
    expect(explained['DELETE /me']).toContain(expected);
  });

  it('changes the user and the password, and ends the token', async () => {
    const { ask } = await startApi(options);
    const logIn = (email: string, password: string) => ask('POST', '/me', { email, password });
    const { body } = await logIn('ann@a.test', 'one');
    const ann = { Authorization: `Bearer ${body.token}` };
    expect(await logIn('bob@a.test', 'one')).toMatchObject({ status: 401 });
    const changed = { name: 'Ann', email: 'ann@a.test', password: 'two' };
    expect(await ask('PUT', '/me', changed, ann)).toMatchObject({ status: 200, body: {} });
    expect((await ask('GET', '/me', undefined, ann)).body).toEqual({ id: 1, name: 'Ann', email: 'ann@a.test' });
    expect(await logIn('ann@a.test', 'one')).toMatchObject({ status: 401 });
    expect(await ask('DELETE', '/me', undefined, ann)).toMatchObject({ status: 204 });
    expect(await ask('GET', '/me', undefined, ann)).toMatchObject({ status: 401 });
    expect(await logIn('ann@a.test', 'two')).toMatchObject({ status: 200 });
  });
});

describe('people who have other properties than the user of the login', () => {
  const ids = { 'id!': INTEGER, 'name!': TEXT, 'email!': TEXT };
  const paths: Paths = {
    '/auth/login': {
      post: {
        request: createObject({ 'email!': TEXT, 'password!': TEXT }),
        response: createObject({ 'token!': TEXT, 'user!': createObject({ ...ids, 'role!': TEXT }) }),
      },
    },
    '/auth/register': {
      post: {
        status: 201,
        request: createObject({ 'email!': TEXT, 'password!': TEXT }),
        response: createObject({ 'user_id!': INTEGER }),
      },
    },
    ...createResourcePaths('/students/{studentId}', refer('Student'), createObject({ 'name!': TEXT, 'email!': TEXT })),
    ...createResourcePaths('/profiles/{profileId}', refer('Profile'), createObject({ 'title!': TEXT, email: TEXT })),
  };
  const schemas = {
    Student: createObject({ ...ids, 'roll_number!': TEXT }),
    Profile: createObject({ ...ids, 'title!': TEXT, 'phone!': TEXT }),
  };

  it('do not log in', async () => {
    expect(await explainApi({ paths, schemas })).toMatchObject({
      'POST /auth/login': 'real: logs in a user by email',
      'POST /auth/register': 'real: registers a user by email',
    });
    const { ask } = await startApi({ paths, schemas });
    await ask('POST', '/auth/register', { email: 'ann@a.test', password: 'x' });
    expect(await ask('GET', '/students')).toMatchObject({ body: [] });
    expect(await ask('GET', '/profiles')).toMatchObject({ body: [] });
  });
});

describe('a document that leaves out the bodies of responses', () => {
  const credentials = createObject({ 'email!': TEXT, 'password!': TEXT });
  const User = createObject({ 'id!': INTEGER, 'email!': TEXT, name: TEXT, 'createdAt!': TEXT });
  const signed = createObject({ 'token!': TEXT, 'user!': User });
  const change = createObject({ name: TEXT, email: TEXT });
  const paths: Paths = {
    '/register': { post: { status: 201, request: credentials, response: signed } },
    '/login': { post: { request: credentials, response: signed } },
    '/users': { get: {}, post: { status: 201, request: createObject({ 'email!': TEXT, name: TEXT }) } },
    '/users/{id}': { get: {}, patch: { request: change }, delete: {}, parameters: { id: INTEGER } },
    '/me': { get: {}, patch: { request: change } },
  };

  it('shows the user at /me, and the entry after a change', async () => {
    const { ask } = await startApi({ paths });
    const { body } = await ask('POST', '/register', { email: 'ann@a.test', password: 'x' });
    const { body: again } = await ask('POST', '/login', { email: 'ann@a.test', password: 'x' });
    expect(again.user).toEqual(body.user);
    const ann = { Authorization: `Bearer ${again.token}` };
    expect(await ask('PATCH', '/me', { name: 'Ann' }, ann)).toMatchObject({ body: { ...body.user, name: 'Ann' } });
    expect((await ask('GET', '/me', undefined, ann)).body).toEqual({ ...body.user, name: 'Ann' });
    expect((await ask('GET', `/users/${body.user.id}`)).body).toEqual({ ...body.user, name: 'Ann' });
    expect(await ask('POST', '/users', { email: 'bob@a.test' })).toMatchObject({ body: { email: 'bob@a.test' } });
    expect(await ask('DELETE', `/users/${body.user.id}`)).toMatchObject({ status: 200, body: undefined });
  });
});
