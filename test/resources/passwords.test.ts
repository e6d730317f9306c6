import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';
import { createFetchClient } from '../support/harness/start-storefront.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const STATE = '/_control/sandboxes/default/state';

const schemas = {
  User: createObject({ 'id!': INTEGER, 'email!': TEXT, name: TEXT }),
  Note: createObject({ 'id!': INTEGER, 'text!': TEXT }),
};
const NEW = createObject({ 'email!': TEXT, name: TEXT, password: { ...TEXT, nullable: true, writeOnly: true } });
const USERS = [
  { id: 1, email: 'ann@example.com', password: 'ann-secret' },
  { id: 2, email: 'bob@example.com' },
];

const PATHS: Paths = {
  '/login': {
    post: { request: createObject({ 'email!': TEXT, 'password!': TEXT }), response: createObject({ 'token!': TEXT }) },
  },
  '/users': {
    get: { response: createList(refer('User')), example: USERS },
    post: { request: NEW, response: refer('User'), status: 201 },
  },
  '/users/{userId}': {
    get: { response: refer('User') },
    put: { request: NEW, response: refer('User') },
    delete: { status: 204 },
  },
  ...createResourcePaths('/users/{userId}/notes/{noteId}', refer('Note'), createObject({ 'text!': TEXT })),
};

async function start(options = {}) {
  const { ask, url } = await startApi({ paths: PATHS, schemas }, options);
  const control = createFetchClient(url);
  const logIn = async (email: string, password: string) => (await ask('POST', '/login', { email, password })).status;
  const readState = async () => (await control('GET', STATE)).text;
  return { ask, control, logIn, readState };
}

describe('the password of a user', () => {
  it('is stored as a hash if an example has it, and a PUT without a password keeps it', async () => {
    const { ask, logIn, readState } = await start();
    expect(await readState()).not.toContain('ann-secret');
    expect(await logIn('ann@example.com', 'ann-secret')).toBe(200);
    await ask('PUT', '/users/1', { email: 'ann@example.com', name: 'Ann' });
    expect(await logIn('ann@example.com', 'other')).toBe(401);
    expect(await logIn('ann@example.com', 'ann-secret')).toBe(200);
  });

  it('stays the same if a request has null, and a user whose password is null in the state has no password', async () => {
    const { ask, control, logIn, readState } = await start();
    await ask('PUT', '/users/1', { email: 'ann@example.com', name: 'Ann', password: null });
    expect([await logIn('ann@example.com', 'ann-secret'), await logIn('ann@example.com', 'null')]).toEqual([200, 401]);
    await ask('POST', '/users', { email: 'cid@example.com', password: null });
    expect(await logIn('cid@example.com', 'any')).toBe(200);
    await control('PUT', STATE, { users: [{ id: 5, email: 'fay@example.com', password: null }] });
    expect(await logIn('fay@example.com', 'any')).toBe(200);
    expect(await readState()).not.toContain('password');
  });

  it('is stored as a hash if the control API or a snapshot file sets it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'storefront-passwords-'));
    mkdirSync(join(folder, 'snapshots'));
    const users = [{ id: 5, email: 'fay@example.com', password: 'fay-secret' }];
    writeFileSync(join(folder, 'snapshots', 'one.json'), JSON.stringify({ users }));
    const { control, logIn, readState } = await start({ snapshots: join(folder, 'snapshots') });
    await control('PATCH', STATE, [{ op: 'add', path: '/users/0/password', value: 'patch-secret' }]);
    expect(await logIn('ann@example.com', 'ann-secret')).toBe(401);
    expect(await logIn('ann@example.com', 'patch-secret')).toBe(200);
    const added = await control('POST', `${STATE}/users`, { email: 'cy@example.com', password: 'cy-secret' });
    expect(added.text).not.toContain('cy-secret');
    expect(await logIn('cy@example.com', 'other')).toBe(401);
    await control('PUT', STATE, { users: [{ id: 4, email: 'dan@example.com', password: 'dan-secret' }] });
    expect(await logIn('dan@example.com', 'dan-secret')).toBe(200);
    expect(await readState()).not.toContain('secret');
    await control('POST', '/_control/sandboxes/default/snapshots/one/restore');
    expect(await logIn('fay@example.com', 'fay-secret')).toBe(200);
    expect(await readState()).not.toContain('secret');
  });
});

describe('a state that the control API changes', () => {
  it('has no two users with the same login, also if the texts differ in case', async () => {
    const { control } = await start();
    const added = await control('POST', `${STATE}/users`, { email: 'Ann@example.com' });
    expect(added.status).toBe(409);
    expect(added.body.detail).toContain('users.2.email is a login of /users/0: use another email');
    const changed = await control('PATCH', STATE, [
      { op: 'replace', path: '/users/0/email', value: 'bob@example.com' },
    ]);
    expect(changed.status).toBe(409);
    const { body } = await control('GET', STATE);
    expect((await control('PUT', STATE, body)).status).toBe(204);
  });

  it('gives no new entry the id of a removed one whose entries remain', async () => {
    const { ask, control } = await start();
    await ask('POST', '/users/2/notes', { text: 'of Bob' });
    await control('PATCH', STATE, [{ op: 'remove', path: '/users/1' }]);
    const { body } = await ask('POST', '/users', { email: 'eve@example.com' });
    expect((await ask('GET', `/users/${body.id}/notes`)).body).toEqual([]);
  });
});

it('An unknown login names a known one, if no operation creates users', async () => {
  const User = createObject({ 'id!': { type: 'integer' }, 'email!': { type: 'string', format: 'email' } });
  const request = createObject({ 'email!': { type: 'string' }, 'password!': { type: 'string' } });
  const { ask } = await startApi({
    needsToken: true,
    paths: {
      '/login': { post: { request, response: createObject({ 'token!': { type: 'string' } }) } },
      '/users': { get: { response: createList(refer('User')) } },
    },
    schemas: { User },
  });
  const { status, text } = await ask('POST', '/login', { email: 'eve@x.test', password: 'a' });
  expect(status).toBe(401);
  const [, email] = /of an existing user, such as (\S+@[\w.]+\w)/.exec(text) ?? [];
  expect(await ask('POST', '/login', { email, password: 'a' })).toMatchObject({ status: 200 });
});
