import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createUuidFrom } from '../../src/resources/entries/server-values.ts';
import type { Resource } from '../../src/resources/resource.ts';
import { createToken, endToken, findByToken } from '../../src/resources/users/tokens.ts';
import type { Entry } from '../../src/store/state.ts';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { startApi, writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };

const schemas = {
  User: createObject({ 'id!': INTEGER, 'email!': TEXT, name: TEXT }),
  Note: createObject({ 'id!': INTEGER, 'text!': TEXT, authorId: INTEGER }),
};

const credentials = createObject({ 'email!': TEXT, 'password!': TEXT });
const Session = createObject({ 'token!': TEXT, 'user!': refer('User') });

const PATHS = {
  '/users': { get: { response: createList(refer('User')) } },
  '/auth/login': { post: { request: credentials, response: Session } },
  '/auth/register': { post: { request: credentials, response: Session, status: 201 } },
  '/auth/logout': { post: { status: 204 } },
  '/me': { get: { response: refer('User') }, delete: { status: 204 } },
  '/dashboard': { get: { response: createObject({ 'user!': refer('User'), 'notes!': createList(refer('Note')) }) } },
  '/me/notes': { get: { response: createList(refer('Note')) } },
  ...createResourcePaths('/notes/{noteId}', refer('Note'), createObject({ 'text!': TEXT, authorId: INTEGER })),
};

const BEARER = { scheme: { type: 'http', scheme: 'bearer' } };

/** Starts a server whose notes require a token, which `POST /oauth/token` returns, with two users. */
async function startProtected(
  auth?: readonly string[],
  security: readonly object[] = [{ scheme: [] }],
  handlers: object = {},
) {
  const grant = createObject({
    'grant_type!': { enum: ['password', 'client_credentials', 'refresh_token'] },
    ...{ username: TEXT, password: TEXT, client_id: TEXT, client_secret: TEXT, refresh_token: TEXT },
  });
  const token = createObject({
    ...{ 'access_token!': TEXT, 'token_type!': TEXT, refresh_token: TEXT },
    'expires_in!': { ...INTEGER, maximum: 3_600 },
  });
  const contract = await writeApi({
    paths: { ...PATHS, '/oauth/token': { post: { request: grant, response: token } } },
    schemas,
  });
  const document = JSON.parse(await readFile(contract, 'utf8'));
  document.components.securitySchemes = BEARER;
  document.security = security;
  for (const path of ['/auth/login', '/auth/register', '/oauth/token']) document.paths[path].post.security = [];
  const form = document.paths['/oauth/token'].post.requestBody.content;
  form['application/x-www-form-urlencoded'] = form['application/json'];
  delete form['application/json'];
  await writeFile(contract, JSON.stringify(document));
  const users = [
    { id: 1, email: 'ann@example.com' },
    { id: 2, email: 'bob@example.com' },
  ];
  const defaultData = join(dirname(contract), 'users.json');
  await writeFile(defaultData, JSON.stringify({ users }));
  const shop = await startStorefront({ contract, defaultData, handlers, ...(auth ? { auth } : {}) } as never);
  const getToken = (fields: Record<string, string>) =>
    shop.ask('POST', '/oauth/token', new URLSearchParams(fields).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    });
  const use = (bearer: string) => ({ Authorization: `Bearer ${bearer}` });
  return { ...shop, getToken, use };
}

describe('a token', () => {
  it('of the password grant of OAuth 2 is that of the user, and so is one of the refresh grant', async () => {
    const { ask, getToken, use } = await startProtected();
    const { body } = await getToken({ grant_type: 'password', username: 'bob@example.com', password: 'x' });
    expect(body.token_type).toBe('Bearer');
    const refreshed = await getToken({ grant_type: 'refresh_token', refresh_token: body.refresh_token });
    for (const { access_token } of [body, refreshed.body])
      expect((await ask('GET', '/me', undefined, use(access_token))).body).toMatchObject({ id: 2 });
    expect(await getToken({ grant_type: 'refresh_token', refresh_token: 'x' })).toMatchObject({ status: 401 });
    expect(await getToken({ grant_type: 'password', username: 'eve@example.com' })).toMatchObject({ status: 401 });
  });

  it('stays ended after many later logouts, is refused before a wrong body, and if a part of it is missing', async () => {
    const { ask, getToken, use } = await startProtected();
    const logIn = async (username: string) =>
      use((await getToken({ grant_type: 'password', username, password: 'x' })).body.access_token);
    const ended = await logIn('ann@example.com');
    await ask('POST', '/auth/logout', undefined, ended);
    for (let index = 0; index < 101; index++)
      await ask('POST', '/auth/logout', undefined, await logIn('ann@example.com'));
    const refused = [
      await ask('GET', '/me', undefined, ended),
      await ask('POST', '/notes', {}, ended),
      await ask('GET', '/me/notes', undefined, { ...ended, Prefer: 'code=200' }),
      await ask('GET', '/me', undefined, {
        Authorization: (await logIn('bob@example.com')).Authorization.slice(0, -6),
      }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect(refused[3]?.body.detail).toBe('a part of the token is missing: send the whole token, or log in again');
  });

  it('of a login is accepted beside those of the option auth, but not one that looks like it without a login', async () => {
    const { ask, getToken, use } = await startProtected(['ann-token=@1']);
    const { body } = await getToken({ grant_type: 'password', username: 'bob@example.com', password: 'x' });
    expect((await ask('GET', '/me', undefined, use(body.access_token))).body).toMatchObject({ id: 2 });
    expect((await ask('GET', '/me', undefined, use('ann-token'))).body).toMatchObject({ id: 1 });
    expect(await ask('GET', '/me', undefined, use('other'))).toMatchObject({ status: 401 });
    const contract = await writeApi({ paths: { '/notes': { get: { response: createList(refer('Note')) } } }, schemas });
    const document = JSON.parse(await readFile(contract, 'utf8'));
    document.components.securitySchemes = BEARER;
    await writeFile(contract, JSON.stringify({ ...document, security: [{ scheme: [] }] }));
    const other = await startStorefront({ contract, auth: ['ann-token'] });
    expect(await other.ask('GET', '/notes', undefined, use(body.access_token))).toMatchObject({ status: 401 });
  });

  it('of the client credentials grant of OAuth 2 is accepted, and names no user', async () => {
    const { ask, getToken, use } = await startProtected();
    const { body } = await getToken({ grant_type: 'client_credentials', client_id: 'c', client_secret: 's' });
    const created = await ask('POST', '/notes', { text: 'a' }, use(body.access_token));
    expect(created).toMatchObject({ status: 201 });
    expect(created.body.authorId).toBeUndefined();
  });

  it('that a logout has ended is refused by all operations that require one', async () => {
    const { ask, getToken, use } = await startProtected();
    const { body } = await getToken({ grant_type: 'password', username: 'bob@example.com', password: 'x' });
    const headers = use(body.access_token);
    expect(await ask('GET', '/notes', undefined, headers)).toMatchObject({ status: 200 });
    expect(await ask('POST', '/auth/logout', undefined, headers)).toMatchObject({ status: 204 });
    for (const [method, path] of [
      ['GET', '/notes'],
      ['GET', '/dashboard'],
      ['POST', '/notes'],
    ] as const)
      expect(await ask(method, path, method === 'POST' ? { text: 'a' } : undefined, headers)).toMatchObject({
        status: 401,
      });
    expect(await ask('GET', '/notes', undefined, use('other'))).toMatchObject({ status: 401 });
    expect(await ask('POST', '/auth/logout', undefined, headers)).toMatchObject({ status: 401 });
    expect((await getToken({ grant_type: 'password', username: 'bob@example.com' })).status).toBe(200);
  });

  it("that a logout has ended is refused by builtIn() in a user's handler", async () => {
    const getNotes = (_: unknown, { builtIn }: { readonly builtIn: () => Promise<unknown> }) => builtIn();
    const { ask, getToken, use } = await startProtected(undefined, undefined, { getNotes });
    const { body } = await getToken({ grant_type: 'password', username: 'bob@example.com', password: 'x' });
    const headers = use(body.access_token);
    expect(await ask('GET', '/notes', undefined, headers)).toMatchObject({ status: 200 });
    await ask('POST', '/auth/logout', undefined, headers);
    expect(await ask('GET', '/notes', undefined, headers)).toMatchObject({ status: 401 });
  });

  it('that no login has returned is refused, unless the login has a handler of the user', async () => {
    const { ask, use } = await startProtected();
    const refused = await ask('GET', '/notes', undefined, use('garbage'));
    expect(refused).toMatchObject({ status: 401 });
    expect(refused.body.detail).toBe(
      'the credentials are invalid: send the header Authorization: Bearer TOKEN with the token of a login',
    );
    const postOauthToken = () => ({ access_token: 'own', token_type: 'Bearer' });
    const own = await startProtected(undefined, undefined, { postOauthToken });
    expect(await own.ask('GET', '/notes', undefined, use('own'))).toMatchObject({ status: 200 });
  });

  it('is refused at its end, which the login states', async () => {
    const { ask, getToken, use } = await startProtected();
    const { body } = await getToken({ grant_type: 'password', username: 'bob@example.com', password: 'x' });
    const { exp, iat } = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString());
    expect(exp - iat).toBe(body.expires_in);
    const now = new Date(exp * 1_000).toISOString();
    await ask('PUT', '/_control/sandboxes/default/clock', { now });
    const refused = await ask('GET', '/notes', undefined, use(body.access_token));
    expect([refused.status, refused.body.detail]).toEqual([401, 'the token has expired: log in again']);
    const { refresh_token } = body;
    expect(await getToken({ grant_type: 'refresh_token', refresh_token })).toMatchObject({ status: 401 });
  });

  it('is refused with the reason', async () => {
    const { ask, getToken, use } = await startProtected();
    const logIn = async () => (await getToken({ grant_type: 'password', username: 'bob@example.com' })).body;
    const explain = async (token: string) => (await ask('GET', '/notes', undefined, use(token))).body.detail;
    const [ended, other] = [await logIn(), await logIn()];
    await ask('POST', '/auth/logout', undefined, use(ended.access_token));
    expect(await explain(ended.access_token)).toBe('a logout has ended the token: log in again');
    expect(await explain(other.refresh_token)).toBe('it is a refresh token: send the access token');
    await ask('DELETE', '/me', undefined, use(other.access_token));
    expect(await explain(other.access_token)).toBe('the user of the token does not exist: log in again');
  });

  it('of the option auth is that of the user whom it names by id or login', async () => {
    const { ask, use } = await startProtected(['a=@1', 'b=read+@bob@example.com', 'c=@nobody', 'd']);
    expect((await ask('GET', '/me', undefined, use('a'))).body).toMatchObject({ id: 1 });
    for (const _ of [1, 2]) expect((await ask('GET', '/me', undefined, use('b'))).body).toMatchObject({ id: 2 });
    expect((await ask('POST', '/notes', { text: 'n' }, use('b'))).body).toMatchObject({ authorId: 2 });
    expect((await ask('GET', '/me/notes', undefined, use('a'))).body).toEqual([]);
    expect(await ask('GET', '/me', undefined, use('c'))).toMatchObject({
      status: 401,
      body: {
        detail:
          'no user has the id or the login nobody, which the option --auth names for the token: correct the option',
      },
    });
    expect((await ask('GET', '/me', undefined, use('d'))).body).toMatchObject({ id: 1 });
    expect(await ask('GET', '/me', undefined, use('e'))).toMatchObject({ status: 401 });
  });

  it('names the user also if credentials are optional', async () => {
    const { ask, use } = await startProtected(['b=@2'], [{}, { scheme: [] }]);
    expect((await ask('GET', '/me', undefined, use('b'))).body).toMatchObject({ id: 2 });
  });
});

it('The last 1,000 ended tokens of a user stay ended', () => {
  const tokens = Array.from({ length: 1_001 }, (_, index) => {
    const id = createUuidFrom(String(index));
    return createToken({ sub: '1', key: undefined }, { nowMs: 0, id, type: 'access' });
  });
  const user = tokens.reduce(
    (next: Entry, token) => endToken(next, { headers: { authorization: `Bearer ${token}` } }),
    { id: 1 },
  );
  const key = { parameter: 'id', property: 'id', name: 'id', schema: '' };
  const users: Resource = {
    ...{ name: 'users', singular: 'user', kind: 'collection', schema: '', id: key, mounts: [] },
    ...{ canCreate: true, canPost: true, canDelete: true },
  };
  const valid = tokens.filter((token) => findByToken(users, { users: [user] }, token, 'access') !== undefined);
  expect(valid).toEqual(tokens.slice(0, 1));
});

it('names no token of a user in X-Mocked, if the server has created it', async () => {
  const Account = createObject({ 'email!': TEXT, 'token!': TEXT, 'bio!': TEXT });
  const { ask } = await startApi({
    paths: {
      '/users': { post: { request: credentials, response: createObject({ 'user!': refer('Account') }), status: 201 } },
      '/users/login': { post: { request: credentials, response: createObject({ 'user!': refer('Account') }) } },
      '/user': { get: { response: createObject({ 'user!': refer('Account') }) } },
    },
    schemas: { Account },
  });
  const body = { email: 'ann@x.test', password: 'secret' };
  for (const path of ['/users', '/users/login']) {
    const { headers } = await ask('POST', path, body);
    expect(headers.get('x-mocked')).toBe('/user/bio');
  }
});
