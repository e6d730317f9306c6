import { expect, it } from 'vitest';
import { createObject, createResourcePaths, type Paths, refer, type Schema } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const PASSWORD = createObject({ 'password!': TEXT });
const CREDENTIALS = createObject({ 'email!': TEXT, 'password!': TEXT });
const schemas = { User: createObject({ 'id!': { type: 'integer', readOnly: true }, 'email!': TEXT }) };

/**
 * Returns an API with users and rooms.
 * `errorTexts`: the errors of the operations that delete. `room`: more properties that requests set in a room.
 */
function createApi(errorTexts: Readonly<Record<number, string>>, room: Readonly<Record<string, Schema>> = {}) {
  const remove = { status: 204, request: PASSWORD, errorTexts };
  const request = createObject({ name: TEXT, ...room });
  const Room = createObject({ 'id!': { type: 'integer', readOnly: true }, name: TEXT });
  const { '/rooms': list, '/rooms/{roomId}': item } = createResourcePaths('/rooms/{roomId}', Room, request);
  const paths: Paths = {
    '/register': { post: { request: CREDENTIALS, response: refer('User'), status: 201, isPublic: true } },
    '/login': { post: { request: CREDENTIALS, response: createObject({ 'token!': TEXT }), isPublic: true } },
    '/me': { get: { response: refer('User') }, delete: remove },
    ...{ '/rooms': list ?? {}, '/rooms/{roomId}': { ...item, delete: remove } },
  };
  return { paths, schemas, needsToken: true };
}

/** Starts a server with the user ann, and logs in as her. */
async function start(api: ReturnType<typeof createApi>) {
  const { ask } = await startApi(api);
  const ann = { email: 'ann@example.com', password: 'secret' };
  await ask('POST', '/register', ann);
  const { body } = await ask('POST', '/login', ann);
  const authorization = `Bearer ${body.token}`;
  return (method: string, path: string, sent?: unknown) => ask(method, path, sent, { authorization });
}

it.each([
  ['400 if no error names passwords', { 400: 'Invalid payload', 401: 'Invalid token' }, 400],
  ['401 if only its text names credentials', { 400: 'Invalid payload', 401: 'Invalid token or credentials' }, 401],
  ['403 if its text names the password too', { 401: 'Invalid credentials', 403: 'Wrong password' }, 403],
])('DELETE of the user with a wrong password gets %s', async (_what, errorTexts, status) => {
  const ask = await start(createApi(errorTexts));
  const refused = await ask('DELETE', '/me', { password: 'other' });
  expect([refused.status, refused.body.detail]).toEqual([
    status,
    'the password is wrong: send the password with which the user logs in',
  ]);
  expect((await ask('GET', '/me')).status).toBe(200);
  expect((await ask('DELETE', '/me', { password: 'secret' })).status).toBe(204);
  expect((await ask('GET', '/me')).status).toBe(401);
});

it('DELETE of another entry checks the password of the user of the token', async () => {
  const api = createApi({ 401: 'Invalid token or password' });
  const ask = await start(api);
  await ask('POST', '/rooms', { name: 'a' });
  expect((await ask('DELETE', '/rooms/1', { password: 'other' })).status).toBe(401);
  expect((await ask('DELETE', '/rooms/1', { password: 'secret' })).status).toBe(204);
  const lines = await explainApi(api);
  expect(lines['DELETE /rooms/{roomId}']).toContain('checks the password of the user in: password');
  expect(lines['DELETE /me']).toContain('checks the password of the user in: password');
});

it('DELETE of an entry with a password of its own does not check that of the user', async () => {
  const api = createApi({ 400: 'Wrong password' }, { password: TEXT });
  const ask = await start(api);
  await ask('POST', '/rooms', { name: 'a', password: 'of the room' });
  expect((await ask('DELETE', '/rooms/1', { password: 'of the room' })).status).toBe(204);
  expect((await explainApi(api))['DELETE /rooms/{roomId}']).not.toContain('password');
});
