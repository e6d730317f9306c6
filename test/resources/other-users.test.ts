import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const CREDENTIALS = createObject({ 'email!': TEXT, 'password!': TEXT });
const schemas = { User: createObject({ 'id!': { ...INTEGER, readOnly: true }, 'email!': TEXT }) };

const USERS: Paths = {
  '/register': { post: { request: CREDENTIALS, response: refer('User'), status: 201, isPublic: true } },
  '/login': { post: { request: CREDENTIALS, response: createObject({ 'token!': TEXT }), isPublic: true } },
  '/me': { get: { response: refer('User') } },
  '/users': { get: { response: createList(refer('User')) } },
  '/users/{userId}': { get: { response: refer('User') } },
};

/** Returns what the creation of a bot at `/bots` sets. `properties`: those of a bot beside its id and its name. */
async function explainBots(properties: object) {
  const Bot = createObject({ 'id!': { ...INTEGER, readOnly: true }, name: TEXT, ...properties });
  const paths = { ...USERS, ...createResourcePaths('/bots/{botId}', Bot, createObject({ 'name!': TEXT })) };
  const lines = await explainApi({ paths, schemas, needsToken: true });
  return [lines['POST /bots'], lines['GET /bots/{botId}']].map((line = '') => line.replace(/; id: id|^real: /g, ''));
}

describe('The object `user` of an entry', () => {
  it.each(['owner_id', 'author_id', 'created_by'])('is another user beside %s', async (name) => {
    const [create] = await explainBots({ [`${name}!`]: INTEGER, 'user!': refer('User') });
    expect(create).toContain(`sets to the user who sends the request: ${name}`);
    expect(create).not.toContain('user,');
    expect(create).not.toContain(', user');
  });

  it.each([
    ['user_id', { 'user_id!': INTEGER, 'user!': refer('User') }, 'user_id, user'],
    ['no id', { 'user!': refer('User') }, 'user'],
    ['the id of a reviewer', { 'reviewer_id!': INTEGER, 'user!': refer('User') }, 'user'],
  ])('is the user of the token beside %s', async (_what, properties, expected) => {
    const [create] = await explainBots(properties);
    expect(create).toMatch(new RegExp(`sets to the user who sends the request: ${expected}[;)]`));
  });
});

/** Returns what the operation that reads an own entry does. `properties`: those of an entry beside its id. */
async function explainOwn(path: string, properties: object) {
  const Entry = createObject({ 'id!': { ...INTEGER, readOnly: true }, ...properties });
  const { [path.slice(0, path.lastIndexOf('/'))]: list = {}, [path]: item = {} } = createResourcePaths(path, Entry);
  const request = createObject({ note: TEXT });
  const paths: Paths = {
    ...USERS,
    [path.slice(0, path.lastIndexOf('/'))]: { ...list, post: { ...list.post, request } },
    [path]: { get: item.get, delete: item.delete },
  };
  const lines = await explainApi({ paths, schemas, needsToken: true });
  return lines[`GET ${path}`];
}

describe('In the own list of a user, the object `user`', () => {
  it.each(['/me/friends/{friendId}', '/me/blocks/{blockId}', '/me/relationships/{relationshipId}'])(
    'is another user at %s',
    async (path) => {
      expect(await explainOwn(path, { note: TEXT, 'user!': refer('User') })).toContain('shows: user (users)');
    },
  );

  it.each([
    ['/me/notes/{noteId}', { note: TEXT, 'user!': refer('User') }],
    ['/me/contacts/{contactId}', { note: TEXT, email: TEXT, 'user!': refer('User') }],
    ['/me/friends/{friendId}', { note: TEXT, 'target_id!': INTEGER, 'user!': refer('User') }],
  ])('is the user to whom the list belongs at %s with %j', async (path, properties) => {
    expect(await explainOwn(path, properties)).toContain('shows: user (users in the path)');
  });
});

it('A friend is not shown as the user to whom the list belongs', async () => {
  const Friend = createObject({ 'id!': INTEGER, 'user!': refer('User') });
  const example = [{ id: 1, user: { id: 77, email: 'bob@example.com' } }];
  const friends = { get: { response: createList(Friend), example, summary: 'My friends' } };
  const paths = { ...USERS, '/me/friends': friends, '/me/friends/{friendId}': { delete: { status: 204 } } };
  const { ask } = await startApi({ paths, schemas, needsToken: true });
  const ann = { email: 'ann@example.com', password: 'secret' };
  await ask('POST', '/register', ann);
  const { body } = await ask('POST', '/login', ann);
  const { body: shown } = await ask('GET', '/me/friends', undefined, { authorization: `Bearer ${body.token}` });
  expect(shown).toEqual(example);
});
