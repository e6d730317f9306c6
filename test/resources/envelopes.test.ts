import { expect, it } from 'vitest';
import { createList, createObject, type Paths, refer } from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const BOOLEAN = { type: 'boolean' };

const schemas = {
  // A message has a property with the name of a part of an envelope.
  Note: createObject({ 'id!': INTEGER, 'message!': TEXT }),
  Done: createObject({ 'success!': BOOLEAN, 'message!': TEXT, 'status!': INTEGER, 'code!': TEXT, 'error!': BOOLEAN }),
};

const Wrapped = createObject({
  'success!': BOOLEAN,
  'status!': { ...TEXT, enum: ['error', 'success'] },
  'message!': { ...TEXT, example: 'Note found' },
  'data!': refer('Note'),
});

const PATHS: Paths = {
  '/notes': {
    get: {
      response: createObject({ 'ok!': BOOLEAN, 'errors!': createList(TEXT), 'data!': createList(refer('Note')) }),
    },
    post: { status: 201, request: createObject({ 'message!': TEXT }), response: Wrapped },
  },
  '/notes/{noteId}': { get: { response: Wrapped }, delete: { response: refer('Done') } },
  '/notes/export': { post: { response: refer('Done') } },
};

it('A response with a success status says that the request succeeded, beside an entry and alone', async () => {
  const { ask } = await startApi({ paths: PATHS, schemas });
  const wrapped = { success: true, status: 'success', message: 'Note found', data: { id: 1, message: 'hi' } };
  expect(await ask('POST', '/notes', { message: 'hi' })).toMatchObject({ status: 201, body: wrapped });
  expect((await ask('GET', '/notes/1')).body).toEqual(wrapped);
  expect((await ask('GET', '/notes')).body).toEqual({ ok: true, errors: [], data: [wrapped.data] });
  const done = { success: true, message: 'The response', status: 200, code: '200', error: false };
  expect((await ask('DELETE', '/notes/1')).body).toEqual(done);
  expect((await ask('POST', '/notes/export')).body).toEqual(done);
});

it('A POST shows the new entry, although its response and that of the list have the same property', async () => {
  const paths: Paths = {
    '/notes': {
      get: { response: createObject({ 'data!': createList(refer('Note')) }) },
      post: {
        status: 201,
        request: createObject({ 'message!': TEXT }),
        response: createObject({ 'data!': refer('Note') }),
      },
    },
    '/notes/{noteId}': { get: { response: createObject({ 'data!': refer('Note') }) } },
  };
  const { ask } = await startApi({ paths, schemas });
  await ask('POST', '/notes', { message: 'first' });
  expect((await ask('POST', '/notes', { message: 'second' })).body.data.message).toBe('second');
});

it('A success response with only a short name for its message has the description, also after an action', async () => {
  const User = createObject({ 'id!': INTEGER, 'name!': TEXT, 'is_admin!': BOOLEAN });
  const done = createObject({ 'msg!': TEXT });
  const paths: Paths = {
    '/users': {
      get: { response: createList(User) },
      post: { status: 201, request: createObject({ id: INTEGER, 'name!': TEXT, is_admin: BOOLEAN }), response: done },
    },
    '/users/{userId}/admin': {
      put: { request: createObject({ 'is_admin!': BOOLEAN }), response: done, responseText: 'Role updated' },
    },
  };
  const { ask } = await startApi({ paths });
  await ask('POST', '/users', { id: 1, name: 'Ann', is_admin: true });
  const changed = await ask('PUT', '/users/1/admin', { is_admin: false });
  expect(changed.body).toEqual({ msg: 'Role updated' });
  await ask('POST', '/users', { id: 2, name: 'Bob' });
  const users = await ask('GET', '/users');
  expect(users.body.map((user: { is_admin: boolean }) => user.is_admin)).toEqual([false, false]);
  expect(users.headers.get('x-mocked')).toBeNull();
});

it('A success response with only a boolean in data says that the request succeeded', async () => {
  const data = createObject({ 'data!': BOOLEAN });
  const paths: Paths = Object.fromEntries(
    ['start', 'stop', 'sync', 'reindex', 'archive'].map((name) => [`/jobs/${name}`, { post: { response: data } }]),
  );
  const { ask } = await startApi({ paths });
  for (const path of Object.keys(paths)) expect((await ask('POST', path)).body).toEqual({ data: true });
});

it('An object `data` beside a property of entries is no envelope', async () => {
  const order = createObject({ id: INTEGER, total: INTEGER });
  const request = createObject({ total: INTEGER, data: createObject({ order: createObject({ ref: TEXT }) }) });
  const paths: Paths = {
    '/orders': { get: { response: createList(order) }, post: { status: 201, request, response: order } },
    '/orders/{orderId}': { get: { response: createObject({ result: createObject({ order }) }) } },
  };
  const { ask } = await startApi({ paths });
  const sent = { total: 5, data: { order: { ref: 'a' } } };
  expect((await ask('POST', '/orders', sent)).body).toEqual({ id: 1, total: 5 });
  expect((await ask('GET', '/orders/1')).body).toEqual({ result: { order: { id: 1, total: 5 } } });
});

it('An object `data` without properties shows no property that only requests have', async () => {
  const Image = createObject({ 'id!': INTEGER, name: TEXT });
  const paths: Paths = {
    '/images': {
      get: { response: createList(Image) },
      post: { status: 201, request: createObject({ 'name!': TEXT, storageKey: TEXT }), response: Image },
    },
    '/images/{imageId}': {
      delete: { response: createObject({ data: { type: 'object' } }) },
      parameters: { imageId: INTEGER },
    },
  };
  const { ask } = await startApi({ paths });
  await ask('POST', '/images', { name: 'a', storageKey: 's' });
  expect((await ask('DELETE', '/images/1')).body).toEqual({ data: { id: 1, name: 'a' } });
});
