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

describe('Users and their entries in Spanish', () => {
  const INTEGER = { type: 'integer' };
  const Credentials = createObject({ 'email!': TEXT, 'password!': TEXT });
  const Reserva = createObject({
    'id!': INTEGER,
    idAlojamiento: INTEGER,
    idUsuario: INTEGER,
    estado: { type: 'string', enum: ['Pendiente', 'Cancelada'] },
  });
  const message = { response: createObject({ 'message!': TEXT }) };
  const paths: Paths = {
    '/usuarios': {
      post: {
        isPublic: true,
        request: createObject({ 'nombre!': TEXT, 'email!': TEXT, 'password!': TEXT }),
        response: createObject({ 'id!': INTEGER, 'nombre!': TEXT, 'email!': TEXT }),
        status: 201,
      },
    },
    '/usuarios/{id}': { patch: { request: createObject({ nombre: TEXT }), ...message } },
    '/usuarios/{id}/recuperar-password': {
      post: { isPublic: true, request: createObject({ 'email!': TEXT }), ...message },
    },
    '/usuarios/login': {
      post: { isPublic: true, request: Credentials, response: createObject({ 'token!': TEXT, userId: INTEGER }) },
    },
    ...createResourcePaths(
      '/alojamientos/{id}',
      createObject({ 'id!': INTEGER, titulo: TEXT }),
      createObject({ titulo: TEXT }),
    ),
    '/alojamientos/{id}/reservas': { get: { response: createList(refer('Reserva')) } },
    '/reservas': {
      post: { request: createObject({ 'idAlojamiento!': INTEGER }), response: refer('Reserva'), status: 201 },
    },
    '/reservas/mias': { get: { response: createList(refer('Reserva')) } },
    '/reservas/{id}/cancelar': { patch: { response: refer('Reserva') } },
  };

  it('are those of the registered users who log in', async () => {
    const { ask } = await startApi({ paths, schemas: { Reserva }, needsToken: true });
    const register = async (nombre: string) => {
      const credentials = { email: `${nombre}@example.com`, password: 'secret' };
      const { body: user } = await ask('POST', '/usuarios', { nombre, ...credentials });
      const { body: login } = await ask('POST', '/usuarios/login', credentials);
      expect(login.userId).toBe(user.id);
      const headers = { Authorization: `Bearer ${login.token}` };
      return { user, as: (method: string, path: string, sent?: unknown) => ask(method, path, sent, headers) };
    };
    const [ann, ben] = [await register('ann'), await register('ben')];
    expect((await ask('POST', '/usuarios/login', { email: 'ann@example.com', password: 'x' })).status).toBe(401);
    const { body: house } = await ann.as('POST', '/alojamientos', { titulo: 'a' });
    const { body: booking } = await ben.as('POST', '/reservas', { idAlojamiento: house.id });
    expect(booking).toEqual({ id: booking.id, idAlojamiento: house.id, idUsuario: ben.user.id, estado: 'Pendiente' });
    expect([(await ann.as('GET', '/reservas/mias')).body, (await ben.as('GET', '/reservas/mias')).body]).toEqual([
      [],
      [booking],
    ]);
    const { body: cancelled } = await ben.as('PATCH', `/reservas/${booking.id}/cancelar`);
    expect(cancelled).toEqual({ ...booking, estado: 'Cancelada' });
    expect((await ann.as('GET', `/alojamientos/${house.id}/reservas`)).body).toEqual([cancelled]);
    const forgotten = await ask('POST', `/usuarios/${ann.user.id}/recuperar-password`, { email: 'ben@example.com' });
    expect(forgotten.headers.get('x-mocked')).toBe('operation');
  });
});

it.each(['myinfo', 'userinfo', 'perfil'])('/users/%s shows the user who sends the request', async (word) => {
  const paths: Paths = {
    ...createResourcePaths('/users/{userId}', refer('User'), CREDENTIALS),
    '/login': { post: { request: CREDENTIALS, response: createObject({ 'token!': TEXT }) } },
    [`/users/${word}`]: { get: { response: refer('User') } },
  };
  const explained = await explainApi({ paths, schemas });
  expect(explained[`GET /users/${word}`]).toMatch(/^real: reads the user who sends the request/);
});
