import { describe, expect, it } from 'vitest';
import {
  createList,
  createObject,
  createResourcePaths,
  type Paths,
  refer,
  type Schema,
} from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const TEXTS = createList(TEXT);
const URL = 'https://example.com/a.png';

/** Returns what an entry shows in `owner` after a request with another kind of value. */
async function getShown(sent: Schema, shown: Schema, value: unknown) {
  const entry = createObject({ 'id!': INTEGER, owner: shown });
  const paths = createResourcePaths('/things/{thingId}', refer('Thing'), createObject({ owner: sent }));
  const { ask } = await startApi({ paths, schemas: { Thing: entry } });
  expect((await ask('POST', '/things', { owner: value })).status).toBe(201);
  return (await ask('GET', '/things/1')).body.owner;
}

describe('A text in a request, if entries have an object', () => {
  const user = createObject({ 'id!': INTEGER, 'login!': TEXT, name: TEXT });
  const team = createObject({ id: INTEGER, name: TEXT, slug: TEXT });

  it.each<[string, Schema, Schema, unknown, unknown]>([
    ['the login of a user', TEXT, user, 'ann', { login: 'ann' }],
    ['the logins of several users', TEXTS, createList(user), ['ann', 'bo'], [{ login: 'ann' }, { login: 'bo' }]],
    ['the only name', TEXT, createObject({ id: INTEGER, name: TEXT, color: TEXT }), 'bug', { name: 'bug' }],
    ['the key in the description', { ...TEXT, description: 'The slug of the team' }, team, 'a', { slug: 'a' }],
    ['an e-mail address', TEXT, createObject({ email: TEXT, login: TEXT }), 'a@b.com', { email: 'a@b.com' }],
    ['an id that is a text', TEXT, createObject({ id: TEXT, name: TEXT }), 'x', { id: 'x' }],
    ['a number', INTEGER, createObject({ id: INTEGER, name: TEXT }), 5, { id: 5 }],
  ])('is shown as the property of the object that it means: %s', async (_, sent, shown, value, expected) => {
    expect(await getShown(sent, shown, value)).toMatchObject(expected as object);
  });

  it.each<[string, Schema, Schema, unknown]>([
    ['several properties can be meant', TEXT, team, 'a'],
    ['no property is a name', TEXT, createObject({ ref: TEXT, sha: TEXT }), 'main'],
    ['it is a URL', TEXT, createObject({ name: TEXT, url: TEXT }), URL],
  ])('is not shown if %s', async (_, sent, shown, value) => {
    expect(JSON.stringify((await getShown(sent, shown, value)) ?? null)).not.toContain(value);
  });
});

describe('A text that names an entry of another resource', () => {
  const schemas = {
    User: createObject({ 'id!': INTEGER, 'username!': TEXT, 'city!': TEXT }),
    Task: createObject({ 'id!': INTEGER, assignee: refer('User'), 'watchers!': createList(refer('User')) }),
  };
  const paths: Paths = {
    ...createResourcePaths('/users/{userId}', refer('User')),
    ...createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ assignee: TEXT, watchers: TEXTS })),
  };
  const ann = { id: 7, username: 'ann', city: 'Oslo' };

  it('shows this entry, also after a change of the entry', async () => {
    const { ask } = await startApi({ paths, schemas });
    await ask('POST', '/users', ann);
    const { body } = await ask('POST', '/tasks', { assignee: 'ann', watchers: ['bo', 'ann'] });
    expect([body.assignee, body.watchers[1]]).toEqual([ann, ann]);
    expect(body.watchers[0]).toMatchObject({ username: 'bo' });
    await ask('PUT', '/users/7', { ...ann, city: 'Rome' });
    expect((await ask('GET', '/tasks/1')).body.assignee.city).toBe('Rome');
  });
});
