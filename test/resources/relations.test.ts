import { describe, expect, it } from 'vitest';
import {
  createList,
  createObject,
  type OperationParts,
  type Paths,
  refer,
  type Schema,
} from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const CREDENTIALS = createObject({ 'email!': TEXT, 'password!': TEXT });
const schemas = {
  User: createObject({ 'id!': { ...INTEGER, readOnly: true }, 'email!': TEXT, name: TEXT }),
  Friend: createObject({ 'friend!': { allOf: [refer('User')], readOnly: true }, since: TEXT }),
  Relationship: createObject({ 'user!': refer('User'), 'type!': { enum: ['friend', 'blocked'] } }),
  Summary: createObject({ 'id!': INTEGER, 'email!': TEXT }),
};

/** Returns an API with users and the friends of a user. `entry`: a friend. `request`: what adds one. */
function createApi(entry: Schema, request: Schema, { errorTexts, item = 'friend_id' }: Options = {}) {
  const paths: Paths = {
    '/register': { post: { request: CREDENTIALS, response: refer('User'), status: 201, isPublic: true } },
    '/login': { post: { request: CREDENTIALS, response: createObject({ 'token!': TEXT }), isPublic: true } },
    '/me': { get: { response: refer('User') } },
    '/users': { get: { response: createList(refer('User')) } },
    '/users/{user_id}': { get: { response: refer('User') }, parameters: { user_id: INTEGER } },
    '/me/friends': {
      get: { response: createList(entry) },
      post: { request, response: entry, status: 201, ...(errorTexts && { errorTexts }) },
    },
    [`/me/friends/{${item}}`]: { delete: { status: 204 }, parameters: { [item]: INTEGER } },
  };
  return { paths, schemas, needsToken: true };
}

interface Options {
  readonly errorTexts?: OperationParts['errorTexts'];
  readonly item?: string;
}

/** Starts a server with the users ann and bob, and logs in as ann. */
async function start(api: ReturnType<typeof createApi>) {
  const { ask } = await startApi(api);
  const register = async (name: string) => {
    const email = `${name}@example.com`;
    const { id } = (await ask('POST', '/register', { email, password: 'x' })).body;
    const { token } = (await ask('POST', '/login', { email, password: 'x' })).body;
    const headers = { authorization: `Bearer ${token}` };
    return { id, email, ask: (method: string, path: string, sent?: unknown) => ask(method, path, sent, headers) };
  };
  return { ann: await register('ann'), bob: await register('bob') };
}

const ERRORS = { 404: 'User not found', 409: 'Already a friend, or the user is yourself' };

describe.each<[string, Schema, Schema, string]>([
  ['an object with the user', refer('Friend'), createObject({ 'friend_user_id!': INTEGER }), 'friend_user_id'],
  ['an object and friend_id', refer('Friend'), createObject({ 'friend_id!': INTEGER }), 'friend_id'],
  ['users', refer('User'), createObject({ 'friend_user_id!': INTEGER }), 'friend_user_id'],
  ['users and friend_id', refer('User'), createObject({ 'friend_id!': INTEGER }), 'friend_id'],
  ['some properties of users', refer('Summary'), createObject({ 'target_id!': INTEGER }), 'target_id'],
])('A list of friends with %s', (_what, entry, request, from) => {
  const getUser = (friend: Readonly<Record<string, unknown>>) => friend.friend ?? friend;

  it('shows the users whom requests name, and finds them by their ids', async () => {
    const { ann, bob } = await start(createApi(entry, request, { errorTexts: ERRORS }));
    const added = await ann.ask('POST', '/me/friends', { [from]: bob.id });
    expect([added.status, getUser(added.body)]).toEqual([201, { id: bob.id, email: bob.email }]);
    const { body } = await ann.ask('GET', '/me/friends');
    expect(body.map(getUser)).toEqual([{ id: bob.id, email: bob.email }]);
    expect((await bob.ask('GET', '/me/friends')).body).toEqual([]);
    expect((await ann.ask('DELETE', `/me/friends/${bob.id}`)).status).toBe(204);
    expect((await ann.ask('GET', '/me/friends')).body).toEqual([]);
    expect((await ann.ask('GET', `/users/${bob.id}`)).status).toBe(200);
  });

  it('refuses unknown users, the user itself, and a user twice', async () => {
    const { ann, bob } = await start(createApi(entry, request, { errorTexts: ERRORS }));
    const add = async (id: number) => (await ann.ask('POST', '/me/friends', { [from]: id })).status;
    expect([await add(99), await add(ann.id), await add(bob.id), await add(bob.id)]).toEqual([404, 409, 201, 409]);
  });
});

it('A friend can be named by a login that entries lack', async () => {
  const { ann, bob } = await start(createApi(refer('Friend'), createObject({ 'email!': TEXT, since: TEXT })));
  const { body } = await ann.ask('POST', '/me/friends', { email: bob.email, since: '2020' });
  expect(body).toEqual({ friend: { id: bob.id, email: bob.email }, since: '2020' });
  expect((await ann.ask('POST', '/me/friends', { email: 'eve@example.com' })).status).toBe(404);
});

it('A user is no friend of itself only if the document says so', async () => {
  const request = createObject({ 'friend_id!': INTEGER });
  const { ann } = await start(createApi(refer('Friend'), request, { errorTexts: { 409: 'Already a friend' } }));
  expect((await ann.ask('POST', '/me/friends', { friend_id: ann.id })).status).toBe(201);
});

it('Explain names the property with the user, and entries with an id of their own have none', async () => {
  const request = createObject({ 'friend_id!': INTEGER });
  const Named = createObject({ 'id!': { ...INTEGER, readOnly: true }, 'friend!': refer('User') });
  const explain = async (entry: Schema) => (await explainApi(createApi(entry, request)))['POST /me/friends'];
  expect(await explain(refer('Friend'))).toContain('refers to a user by: friend_id');
  expect(await explain(Named)).not.toContain('refers to a user by');
});

it('A request for a friend adds to the list of relationships that shows it', async () => {
  const Relationship = refer('Relationship');
  const { paths } = createApi(refer('Friend'), createObject({ 'friend_id!': INTEGER }));
  const { '/me/friends': _list, '/me/friends/{friend_id}': _item, ...users } = paths;
  const send = { summary: 'Send a friend request', request: createObject({ 'email!': TEXT }), response: Relationship };
  const summary = 'Lists the relationships of the authenticated user';
  const api = {
    paths: {
      ...users,
      '/relationships': { get: { summary, response: createList(Relationship) } },
      '/relationships/friends': { post: { ...send, errorTexts: { 404: 'User not found', 409: 'Cannot act on self' } } },
      '/relationships/{target_id}': { delete: { status: 204 }, parameters: { target_id: INTEGER } },
    },
    schemas,
    needsToken: true,
  };
  const { ann, bob } = await start(api);
  const add = (email: string) => ann.ask('POST', '/relationships/friends', { email });
  expect([(await add('eve@example.com')).status, (await add(ann.email)).status]).toEqual([404, 409]);
  expect((await add(bob.email)).body).toMatchObject({ user: { id: bob.id } });
  expect((await ann.ask('GET', '/relationships')).body).toMatchObject([{ user: { id: bob.id, email: bob.email } }]);
  expect((await bob.ask('GET', '/relationships')).body).toEqual([]);
  expect((await ann.ask('DELETE', `/relationships/${bob.id}`)).status).toBe(204);
  expect((await ann.ask('GET', '/relationships')).body).toEqual([]);
});

it('Without a login, the friends are those of the first user', async () => {
  const { paths } = createApi(refer('Friend'), createObject({ 'friend_user_id!': INTEGER }));
  const { '/register': _register, '/login': _login, '/me': _me, ...others } = paths;
  const { ask } = await startApi({ paths: { ...others, '/me/': { get: { response: refer('User') } } }, schemas });
  const [, user] = (await ask('GET', '/users')).body;
  expect((await ask('POST', '/me/friends', { friend_user_id: user.id })).body).toEqual({ friend: user });
  expect((await ask('GET', '/me/friends')).body).toEqual([{ friend: user }]);
});

it.each([
  ['users', refer('User')],
  ['objects with users', createObject({ 'friend!': refer('User') })],
])(
  'The boolean is_friend says whether a user is in the list of friends, if the friends are %s',
  async (_what, entry) => {
    const User = createObject({ 'id!': INTEGER, 'email!': TEXT, 'is_friend!': { type: 'boolean' } });
    const api = { ...createApi(entry, createObject({ 'friend_id!': INTEGER })), schemas: { ...schemas, User } };
    expect((await explainApi(api))['GET /users/{user_id}']).toContain('computes: is_friend (friends)');
    const { ann, bob } = await start(api);
    const isFriend = async (user: typeof ann, id: number) =>
      (await user.ask('GET', `/users/${id}`)).body.is_friend as boolean;
    expect(await isFriend(ann, bob.id)).toBe(false);
    const { body } = await ann.ask('POST', '/me/friends', { friend_id: bob.id });
    expect(body.friend ?? body).toEqual({ id: bob.id, email: bob.email, is_friend: true });
    expect([await isFriend(ann, bob.id), await isFriend(bob, ann.id)]).toEqual([true, false]);
    await ann.ask('DELETE', `/me/friends/${bob.id}`);
    expect(await isFriend(ann, bob.id)).toBe(false);
  },
);

it('PUT and DELETE of a path such as /relationships/blocks/{id} add and end a relationship of this type', async () => {
  const { paths } = createApi(refer('Friend'), createObject({ 'friend_id!': INTEGER }));
  const { '/me/friends': _list, '/me/friends/{friend_id}': _item, ...users } = paths;
  const change = { put: { response: refer('Relationship') }, delete: { status: 204 }, parameters: { id: INTEGER } };
  const get = { summary: 'Relationships of the current user', response: createList(refer('Relationship')) };
  const api = {
    paths: {
      ...users,
      '/relationships': { get },
      '/relationships/{id}': { delete: { status: 204 }, parameters: { id: INTEGER } },
      '/relationships/friends/{id}': change,
      '/relationships/blocks/{id}': change,
    },
    schemas,
    needsToken: true,
  };
  expect((await explainApi(api))['PUT /relationships/blocks/{id}']).toContain('sets: type → "blocked"');
  const { ann, bob } = await start(api);
  const list = async () => (await ann.ask('GET', '/relationships')).body;
  expect((await ann.ask('PUT', '/relationships/blocks/99')).status).toBe(404);
  for (const [path, type] of [
    ['friends', 'friend'],
    ['blocks', 'blocked'],
  ]) {
    const { body } = await ann.ask('PUT', `/relationships/${path}/${bob.id}`);
    expect(body).toEqual({ user: { id: bob.id, email: bob.email }, type });
    expect(await list()).toEqual([body]);
  }
  expect((await bob.ask('GET', '/relationships')).body).toEqual([]);
  expect((await ann.ask('DELETE', `/relationships/friends/${bob.id}`)).status).toBe(404);
  expect((await ann.ask('DELETE', `/relationships/blocks/${bob.id}`)).status).toBe(204);
  expect(await list()).toEqual([]);
});

it('PUT of a path such as /blocks/{id} adds the user with this id to the own list', async () => {
  const { paths } = createApi(refer('Friend'), createObject({ 'friend_id!': INTEGER }));
  const { '/me/friends': _list, '/me/friends/{friend_id}': _item, ...users } = paths;
  const Block = createObject({ 'user!': refer('User') });
  const get = { summary: 'List blocked users of the current user', response: createList(Block) };
  const item = { put: { status: 204 }, delete: { status: 204 }, parameters: { id: INTEGER } };
  const { ann, bob } = await start({
    paths: { ...users, '/blocks': { get }, '/blocks/{id}': item },
    schemas,
    needsToken: true,
  });
  expect((await ann.ask('PUT', '/blocks/99')).status).toBe(404);
  expect((await ann.ask('PUT', `/blocks/${bob.id}`)).status).toBe(204);
  expect((await ann.ask('GET', '/blocks')).body).toEqual([{ user: { id: bob.id, email: bob.email } }]);
  expect((await bob.ask('GET', '/blocks')).body).toEqual([]);
});

it.each<[string, Schema]>([
  ['the schema of a user', refer('User')],
  ['some properties of users', refer('Summary')],
  ['an inline schema', createObject({ 'id!': INTEGER, 'email!': TEXT })],
])('PUT of a friend with %s refuses unknown users, and the user itself', async (_what, entry) => {
  const { paths } = createApi(entry, createObject({ 'friend_id!': INTEGER }));
  const { '/me/friends': _list, '/me/friends/{friend_id}': _item, ...users } = paths;
  const put = { status: 204, errorTexts: { 404: 'Unknown user', 409: 'You cannot befriend yourself' } };
  const { ann, bob } = await start({
    paths: {
      ...users,
      '/me/friends': { get: { response: createList(entry) } },
      '/me/friends/{userId}': { put, delete: { status: 204 }, parameters: { userId: INTEGER } },
    },
    schemas,
    needsToken: true,
  });
  expect((await ann.ask('PUT', '/me/friends/99')).status).toBe(404);
  expect((await ann.ask('PUT', `/me/friends/${ann.id}`)).status).toBe(409);
  expect((await ann.ask('PUT', `/me/friends/${bob.id}`)).status).toBe(204);
  expect((await ann.ask('GET', '/me/friends')).body).toEqual([{ id: bob.id, email: bob.email }]);
});

it('A member with an object for the user, and no id of its own, has the id of the user in its path', async () => {
  const Group = createObject({ 'id!': INTEGER, 'name!': TEXT });
  const Member = createObject({ 'user!': refer('User'), role: TEXT });
  const Details = createObject({ 'id!': INTEGER, 'name!': TEXT, 'members!': createList(Member) });
  const { paths, schemas: own } = createApi(refer('Friend'), createObject({ 'friend_id!': INTEGER }));
  const { ann, bob } = await start({
    paths: {
      ...paths,
      '/groups': { post: { request: createObject({ 'name!': TEXT }), response: Group, status: 201 } },
      '/groups/{groupId}': { get: { response: Details }, parameters: { groupId: INTEGER } },
      '/groups/{groupId}/members': {
        post: { request: createObject({ 'userId!': INTEGER }), status: 201 },
        parameters: { groupId: INTEGER },
      },
      '/groups/{groupId}/members/{userId}': {
        delete: { status: 204 },
        parameters: { groupId: INTEGER, userId: INTEGER },
      },
    },
    schemas: own,
    needsToken: true,
  });
  for (const name of ['A', 'B']) {
    const { id } = (await ann.ask('POST', '/groups', { name })).body;
    expect((await ann.ask('POST', `/groups/${id}/members`, { userId: bob.id })).status).toBe(201);
  }
  expect((await ann.ask('POST', '/groups/1/members', { userId: 99 })).status).toBe(404);
  const members = async (id: number) => (await ann.ask('GET', `/groups/${id}`)).body.members;
  expect(await members(1)).toEqual([{ user: { id: bob.id, email: bob.email } }]);
  expect((await ann.ask('DELETE', `/groups/1/members/${bob.id}`)).status).toBe(204);
  expect(await members(1)).toEqual([]);
  expect(await members(2)).toHaveLength(1);
});
