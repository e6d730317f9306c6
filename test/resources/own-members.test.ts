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
const ID = { ...INTEGER, readOnly: true };
const CREDENTIALS = createObject({ 'email!': TEXT, 'password!': TEXT });
const schemas = {
  User: createObject({ 'id!': ID, 'email!': TEXT }),
  Guild: createObject({ 'id!': ID, name: TEXT }),
  Member: createObject({ 'id!': INTEGER, email: TEXT, nick: TEXT }),
  Membership: createObject({ id: INTEGER, 'user_id!': INTEGER, nick: TEXT }),
  Badge: createObject({ 'id!': INTEGER, nick: TEXT }),
};

/** Returns an API of guilds whose entries at a path have the schema `entry`, and one of them is that of the sender. */
function createApi(entry: Schema, { list = 'members', parameter = 'member_id' } = {}) {
  const collection = `/guilds/{guild_id}/${list}`;
  const change = { request: createObject({ nick: TEXT }), response: entry };
  const paths: Paths = {
    '/register': { post: { request: CREDENTIALS, response: refer('User'), status: 201, isPublic: true } },
    '/login': { post: { request: CREDENTIALS, response: createObject({ 'token!': TEXT }), isPublic: true } },
    '/users/me': { get: { response: refer('User') } },
    '/users/{user_id}': { get: { response: refer('User') } },
    ...createResourcePaths('/guilds/{guild_id}', refer('Guild')),
    [collection]: { get: { response: createList(entry) }, post: { request: entry, response: entry, status: 201 } },
    [`${collection}/{${parameter}}`]: { get: { response: entry }, patch: change, delete: { status: 204 } },
    [`${collection}/me`]: { get: { response: entry }, patch: change, delete: { status: 204 } },
  };
  return { paths, schemas, needsToken: true };
}

/** Starts a server with the users ann and bob, and with two guilds. */
async function start(api: ReturnType<typeof createApi>) {
  const { ask } = await startApi(api);
  const register = async (name: string) => {
    const email = `${name}@example.com`;
    const { id } = (await ask('POST', '/register', { email, password: 'x' })).body;
    const { token } = (await ask('POST', '/login', { email, password: 'x' })).body;
    const headers = { authorization: `Bearer ${token}` };
    return { id, email, ask: (method: string, path: string, sent?: unknown) => ask(method, path, sent, headers) };
  };
  const [ann, bob] = [await register('ann'), await register('bob')];
  for (const name of ['a', 'b']) await ann.ask('POST', '/guilds', { name });
  return { ann, bob };
}

type User = Awaited<ReturnType<typeof start>>['ann'];

describe.each<[string, Schema, (user: User) => object]>([
  ['the properties of users', refer('Member'), ({ id, email }) => ({ id, email })],
  ['the id of a user', refer('Membership'), ({ id }) => ({ user_id: id })],
])('The member `me` with %s', (_what, entry, create) => {
  it('is the member of the user who sends the request', async () => {
    const { ann, bob } = await start(createApi(entry));
    await ann.ask('POST', '/guilds/1/members', create(bob));
    const { body: own } = await ann.ask('POST', '/guilds/1/members', create(ann));
    expect((await ann.ask('GET', '/guilds/1/members/me')).body).toEqual(own);
    await ann.ask('PATCH', '/guilds/1/members/me', { nick: 'Annie' });
    expect((await ann.ask('GET', `/guilds/1/members/${own.id}`)).body).toEqual({ ...own, nick: 'Annie' });
    expect((await ann.ask('DELETE', '/guilds/1/members/me')).status).toBe(204);
    expect((await ann.ask('GET', `/guilds/1/members/${own.id}`)).status).toBe(404);
    expect((await bob.ask('GET', '/guilds/1/members/me')).status).toBe(200);
  });

  it('does not exist in other guilds', async () => {
    const { ann, bob } = await start(createApi(entry));
    await ann.ask('POST', '/guilds/1/members', create(ann));
    const paths = ['/guilds/2/members/me', '/guilds/9/members/me'];
    for (const path of paths) expect((await ann.ask('GET', path)).status).toBe(404);
    expect((await bob.ask('GET', '/guilds/1/members/me')).status).toBe(404);
  });

  it('is explained', async () => {
    const lines = await explainApi(createApi(entry));
    expect(lines['DELETE /guilds/{guild_id}/members/me']).toBe(
      'real: deletes the member of /guilds/{guild_id} that is the user who sends the request',
    );
  });
});

it('A member with the e-mail address of another user is not the user with its id', async () => {
  const { ann, bob } = await start(createApi(refer('Member')));
  await ann.ask('POST', '/guilds/1/members', { id: ann.id, email: bob.email });
  expect((await ann.ask('GET', '/guilds/1/members/me')).status).toBe(404);
  expect((await bob.ask('GET', '/guilds/1/members/me')).body).toMatchObject({ id: ann.id });
});

it('A member with an id that is that of another user is not this user', async () => {
  const { ann, bob } = await start(createApi(refer('Membership')));
  await ann.ask('POST', '/guilds/1/members', { id: bob.id, user_id: ann.id });
  expect((await ann.ask('GET', `/guilds/1/members/${bob.id}`)).status).toBe(200);
  expect((await bob.ask('GET', '/guilds/1/members/me')).status).toBe(404);
});

it('The id of a path with the id of a user is that of the user', async () => {
  const { ann } = await start(createApi(refer('Badge'), { parameter: 'user_id' }));
  await ann.ask('POST', '/guilds/1/members', { id: ann.id });
  expect((await ann.ask('GET', '/guilds/1/members/me')).body).toEqual({ id: ann.id });
});

it('The member `me` is mocked if members do not say which users they are', async () => {
  const lines = await explainApi(createApi(refer('Badge')));
  expect(lines['GET /guilds/{guild_id}/members/me']).toBe(
    'mocked: the document does not say which member is the user who sends the request',
  );
  const others = await explainApi(createApi(refer('Badge'), { list: 'badges', parameter: 'badge_id' }));
  expect(others['GET /guilds/{guild_id}/badges/me']).not.toContain('that is the user');
});
