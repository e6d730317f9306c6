import { describe, expect, it } from 'vitest';
import { createList, createObject, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const schemas = { User: createObject({ id: { type: 'integer' }, name: TEXT, city: TEXT }) };
const USER = refer('User');
const DRAFT = createObject({ 'name!': TEXT, city: TEXT });
const create = { request: DRAFT, response: USER, status: 201, headers: { 'Location!': TEXT } };
const change = { request: DRAFT, response: USER };
const UPDATE = createObject({ 'id!': { type: 'integer' }, name: TEXT, city: TEXT });

/** The same operations with verbs at several places of the paths. */
const styles: readonly (readonly [name: string, paths: Paths, requests: readonly string[]])[] = [
  [
    'after the list and the entry',
    {
      '/users/list': { get: { response: createList(USER) } },
      '/users/create': { post: create },
      '/users/{id}/get': { get: { response: USER } },
      '/users/{id}/update': { post: change },
      '/users/{id}/delete': { post: { status: 204 } },
    },
    ['POST /users/create', 'GET /users/list', 'GET /users/1/get', 'POST /users/1/update', 'POST /users/1/delete'],
  ],
  [
    'before the id',
    {
      '/users/all': { get: { response: createList(USER) } },
      '/users/add': { post: create },
      '/users/view/{id}': { get: { response: USER } },
      '/users/edit/{id}': { patch: change },
      '/users/remove/{id}': { delete: { status: 204 } },
    },
    ['POST /users/add', 'GET /users/all', 'GET /users/view/1', 'PATCH /users/edit/1', 'DELETE /users/remove/1'],
  ],
  [
    'in the names of the segments',
    {
      '/api/getAllUsers': { get: { response: createList(USER) } },
      '/api/createUser': { post: create },
      '/api/getUserById/{id}': { get: { response: USER } },
      '/api/update-user/{id}': { patch: change },
      '/api/deleteUser/{id}': { delete: { status: 204 } },
    },
    [
      ...['POST /api/createUser', 'GET /api/getAllUsers', 'GET /api/getUserById/1', 'PATCH /api/update-user/1'],
      'DELETE /api/deleteUser/1',
    ],
  ],
];

describe('Verbs in paths', () => {
  it.each(styles)('say what the operations do %s', async (_name, paths, [add, list, read, update, remove]) => {
    const { ask: send } = await startApi({ paths, schemas });
    const ask = (request = '', body?: object) => {
      const [method = '', path = ''] = request.split(' ');
      return send(method, path, body);
    };
    const created = await ask(add, { name: 'Ann', city: 'Rome' });
    expect(created.body).toEqual({ id: 1, name: 'Ann', city: 'Rome' });
    expect(created.headers.get('location')).toBe(read?.split(' ')[1]);
    expect((await ask(update, { name: 'Eve' })).body).toEqual({ id: 1, name: 'Eve', city: 'Rome' });
    expect((await ask(read)).body).toEqual({ id: 1, name: 'Eve', city: 'Rome' });
    expect((await ask(list)).body).toHaveLength(1);
    expect((await ask(remove)).status).toBe(204);
    expect((await ask(read)).status).toBe(404);
  });

  it('change the entry whose id is in the body or in the query', async () => {
    const paths = {
      '/users': { get: { response: createList(USER) }, post: create },
      '/users/update': { post: { request: UPDATE, response: USER } },
      '/users/delete': { delete: { query: { 'id!': TEXT }, status: 204 } },
    };
    const { ask } = await startApi({ paths, schemas });
    for (const name of ['Ann', 'Bob']) await ask('POST', '/users', { name, city: 'Rome' });
    expect((await ask('POST', '/users/update', { id: 2, name: 'Eve' })).body).toEqual({
      id: 2,
      name: 'Eve',
      city: 'Rome',
    });
    expect((await ask('DELETE', '/users/delete?id=1')).status).toBe(204);
    expect((await ask('GET', '/users')).body).toEqual([{ id: 2, name: 'Eve', city: 'Rome' }]);
  });

  it('are actions where the document does not say what they change', async () => {
    const paths = {
      '/users': { get: { response: createList(USER) }, post: create },
      '/users/{id}': { get: { response: USER }, delete: { status: 204 } },
      '/users/create': { post: create },
      '/users/delete': { delete: { status: 204 } },
      '/users/{id}/add': { post: { request: DRAFT } },
      '/addToList': { post: { request: DRAFT } },
      '/createReport': { post: { request: DRAFT, response: createObject({ url: TEXT }), status: 201 } },
      '/getBalance': { get: { response: createObject({ amount: { type: 'integer' } }) } },
    };
    const operations = Object.entries(await explainApi({ paths, schemas }));
    expect(operations.filter(([, text]) => text.startsWith('mocked')).map(([name]) => name)).toEqual([
      ...[
        'POST /users/create',
        'DELETE /users/delete',
        'POST /users/{id}/add',
        'POST /addToList',
        'POST /createReport',
      ],
      'GET /getBalance',
    ]);
  });

  it('create entries whose properties only the response describes', async () => {
    const open = { request: { type: 'object' }, response: USER, status: 201 };
    const paths: Paths = {
      '/user/list': { get: { response: createList(USER) } },
      '/user/new': { post: open },
      '/user/{id}': { get: { response: USER } },
    };
    const { ask } = await startApi({ paths, schemas });
    const { body } = await ask('POST', '/user/new', { name: 'Ann', city: 'Rome' });
    expect(body).toEqual({ id: 1, name: 'Ann', city: 'Rome' });
    expect((await ask('GET', '/user/list')).body).toEqual([body]);
  });
});
