import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const USER = { 'email!': TEXT, 'name!': TEXT, 'role!': { type: 'string', enum: ['business', 'customer', 'user'] } };
const User = createObject({ 'id!': TEXT, ...USER });
const NewUser = createObject({ ...USER, 'password!': TEXT });
const CREDENTIALS = createObject({ 'email!': TEXT, 'password!': TEXT });
const users = createList(refer('User'));

/** Paths with the users of a role. No path lists all users. */
const ROLES: Paths = {
  '/users/business': { get: { response: users } },
  '/users/customers': { get: { response: users } },
};

const ACCOUNTS: Paths = {
  '/register': { post: { request: NewUser, response: refer('User'), status: 201 } },
  '/login': { post: { request: CREDENTIALS, response: createObject({ 'token!': TEXT }) } },
};

async function start(paths: Paths) {
  const shop = await startApi({ paths, schemas: { User } });
  const register = (name: string, role: string, path: string) =>
    shop.ask('POST', path, { name, role, email: `${name}@x.test`, password: 'x' });
  return { ...shop, register };
}

describe('A path whose last segment is a role', () => {
  it.each([
    ['/users', { ...createResourcePaths('/users/{id}', refer('User'), NewUser), ...ROLES }],
    ['/register', { ...ACCOUNTS, ...ROLES }],
  ])('lists the users of %s with this role', async (path, paths) => {
    const { ask, register } = await start(paths);
    await register('ann', 'business', path);
    await register('bob', 'customer', path);
    const getNames = async (list: string) =>
      (await ask('GET', list)).body.map(({ name, role }: { name: string; role: string }) => [name, role]);
    expect(await getNames('/users/business')).toContainEqual(['ann', 'business']);
    expect(await getNames('/users/customers')).toContainEqual(['bob', 'customer']);
    for (const [name, role] of await getNames('/users/customers')) expect([name, role]).toEqual([name, 'customer']);
  });

  it('lists all users if it has the name of the list', async () => {
    const paths = {
      ...createResourcePaths('/users/{id}', refer('User'), NewUser),
      '/admin/users': { get: { response: users } },
    };
    expect((await explainApi({ paths, schemas: { User } }))['GET /admin/users']).toBe('real: lists users');
  });
});

describe('The path of a user in a document without a list of users', () => {
  it('reads, changes and deletes a registered user', async () => {
    const item = {
      get: { response: refer('User') },
      patch: { request: createObject({ name: TEXT }), response: refer('User') },
      delete: { status: 204 },
    };
    const { ask, register } = await start({ ...ACCOUNTS, '/users/{userId}': item });
    const { body: ann } = await register('ann', 'business', '/register');
    expect((await ask('GET', `/users/${ann.id}`)).body).toEqual(ann);
    expect((await ask('PATCH', `/users/${ann.id}`, { name: 'Anna' })).body).toEqual({ ...ann, name: 'Anna' });
    expect((await ask('DELETE', `/users/${ann.id}`)).status).toBe(204);
    expect((await ask('GET', `/users/${ann.id}`)).status).toBe(404);
    expect((await ask('POST', '/login', { email: 'ann@x.test', password: 'x' })).status).toBe(401);
  });
});
