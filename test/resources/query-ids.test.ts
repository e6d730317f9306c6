import { describe, expect, it } from 'vitest';
import { createList, createObject, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const schemas = {
  Plan: createObject({ _id: TEXT, name: TEXT, days: { type: 'integer' } }),
  Account: createObject({ id: { type: 'integer' }, google_id: TEXT, name: TEXT }),
};
const PLAN = refer('Plan');
const ID = { 'planId!': TEXT };

/** One path for all operations on a plan. */
const PLANS: Paths = {
  '/plan': {
    get: { query: ID, response: PLAN },
    post: { request: PLAN, response: { type: 'string', description: 'id of the plan' }, status: 201 },
    put: { query: ID, request: PLAN, response: PLAN, status: 201 },
    delete: { query: ID },
  },
};

const Draft = createObject({ 'name!': TEXT });
const Grade = createObject({ id: TEXT, name: TEXT });

/** A list whose entries are changed by an id in the query. */
const GRADES: Paths = {
  '/grades': {
    get: { response: createList(Grade) },
    post: { request: Draft, response: Grade, status: 201 },
    patch: { query: { id: TEXT }, request: Draft, response: Grade },
    delete: { query: { id: TEXT }, status: 204, errors: [400, 404] },
  },
};

describe('An id in the query', () => {
  it('selects the entry to read, replace and delete', async () => {
    const { ask } = await startApi({ paths: PLANS, schemas });
    await ask('PUT', '/plan?planId=A', { _id: 'A', name: 'Push' });
    await ask('PUT', '/plan?planId=B', { name: 'Pull' });
    expect((await ask('GET', '/plan?planId=A')).body).toEqual({ _id: 'A', name: 'Push' });
    expect((await ask('GET', '/plan?planId=B')).body).toEqual({ _id: 'B', name: 'Pull' });
    expect((await ask('DELETE', '/plan?planId=A')).status).toBe(200);
    expect((await ask('GET', '/plan?planId=A')).status).toBe(404);
    expect((await ask('GET', '/plan?planId=B')).status).toBe(200);
  });

  it('is the one that a POST returns', async () => {
    const { ask } = await startApi({ paths: PLANS, schemas });
    const { body: id } = await ask('POST', '/plan', { name: 'Legs', days: 2 });
    expect((await ask('GET', `/plan?planId=${id}`)).body).toEqual({ _id: id, name: 'Legs', days: 2 });
  });

  it('selects an entry of a list', async () => {
    const { ask } = await startApi({ paths: GRADES });
    const { body: a } = await ask('POST', '/grades', { name: 'A' });
    const { body: b } = await ask('POST', '/grades', { name: 'B' });
    expect((await ask('PATCH', `/grades?id=${a.id}`, { name: 'A+' })).body).toEqual({ id: a.id, name: 'A+' });
    expect((await ask('DELETE', `/grades?id=${b.id}`)).status).toBe(204);
    expect((await ask('GET', '/grades')).body).toEqual([{ id: a.id, name: 'A+' }]);
    expect((await ask('DELETE', '/grades?id=none')).status).toBe(404);
  });

  it('is needed to delete an entry', async () => {
    const { ask } = await startApi({ paths: GRADES });
    await ask('POST', '/grades', { name: 'A' });
    const { status, body } = await ask('DELETE', '/grades');
    expect([status, body.detail]).toEqual([400, 'the query has no id: add the id of the entry']);
    expect((await ask('GET', '/grades')).body).toHaveLength(1);
  });

  it('is explained with its parameter', async () => {
    expect(await explainApi({ paths: PLANS, schemas })).toEqual({
      'GET /plan': 'real: reads a plan (id: _id in the query parameter planId)',
      'POST /plan': 'real: creates a plan',
      'PUT /plan': 'real: replaces a plan (id: _id in the query parameter planId)',
      'DELETE /plan': 'real: deletes a plan (id: _id in the query parameter planId)',
    });
  });
});

describe('A PUT of a list with the documented status 201', () => {
  it('changes the entry whose id is in the body, and creates one without an id', async () => {
    const put = { request: PLAN, response: PLAN, status: 201 };
    const { ask } = await startApi({ paths: { '/plans': { get: { response: createList(PLAN) }, put } }, schemas });
    const { body: plan } = await ask('PUT', '/plans', { name: 'Push' });
    await ask('PUT', '/plans', { _id: plan._id, name: 'Pull' });
    const own = (await ask('GET', '/plans')).body.filter(({ _id }: { readonly _id: string }) => _id === plan._id);
    expect(own).toEqual([{ _id: plan._id, name: 'Pull' }]);
  });
});

describe('Another property in the query', () => {
  it('selects the entry that a GET returns', async () => {
    const account = { request: refer('Account'), response: { type: 'integer' }, status: 201 };
    const read = { query: { 'googleId!': TEXT }, response: refer('Account') };
    const { ask } = await startApi({ paths: { '/account': { get: read, post: account } }, schemas });
    expect((await ask('POST', '/account', { google_id: 'g1', name: 'Ann' })).body).toBe(1);
    expect((await ask('POST', '/account', { google_id: 'g2', name: 'Bob' })).body).toBe(2);
    expect((await ask('GET', '/account?googleId=g2')).body).toEqual({ id: 2, google_id: 'g2', name: 'Bob' });
    expect((await ask('GET', '/account?googleId=g3')).status).toBe(404);
  });
});

/** The operations on an item at the paths that a test needs, with one property that a client sends. */
function createItemPaths(get: string, create: string, update: string, remove: string, list: string): Paths {
  const ITEM = createObject({ 'id!': { type: 'integer' }, 'name!': TEXT });
  const query = { 'id!': { type: 'integer' } };
  const parts = [
    [get, { get: { query, response: ITEM } }],
    [create, { post: { request: Draft, response: ITEM, status: 201, headers: { Location: TEXT } } }],
    [update, { put: { query, request: Draft, response: ITEM } }],
    [remove, { delete: { query, status: 204 } }],
    [list, { get: { response: createList(ITEM) } }],
  ] as const;
  const paths: Record<string, object> = {};
  for (const [path, one] of parts) paths[path] = { ...paths[path], ...one };
  return paths as Paths;
}

describe('An id in the query of a path', () => {
  it.each([
    ['with a verb', ['/items/get', '/items/create', '/items/update', '/items/delete', '/items/all']],
    ['that is singular', ['/item', '/item', '/item', '/item', '/items']],
  ] as const)('%s selects one entry of the list', async (_name, [get, create, update, remove, list]) => {
    const { ask } = await startApi({ paths: createItemPaths(get, create, update, remove, list) });
    const created = await ask('POST', create, { name: 'a' });
    expect([created.body, created.headers.get('location')]).toEqual([{ id: 1, name: 'a' }, `${get}?id=1`]);
    await ask('POST', create, { name: 'b' });
    expect((await ask('PUT', `${update}?id=2`, { name: 'B' })).body).toEqual({ id: 2, name: 'B' });
    expect((await ask('GET', `${get}?id=2`)).body).toEqual({ id: 2, name: 'B' });
    expect((await ask('DELETE', `${remove}?id=7`)).status).toBe(404);
    expect((await ask('DELETE', `${remove}?id=1`)).status).toBe(204);
    expect((await ask('GET', list)).body).toEqual([{ id: 2, name: 'B' }]);
  });

  it('means the same entry as the id in another path', async () => {
    const paths = createItemPaths('/item', '/item', '/item', '/item', '/items');
    const { ask } = await startApi({ paths: { ...paths, '/items/{itemId}': { delete: { status: 204 } } } });
    for (const name of ['a', 'b', 'c']) await ask('POST', '/item', { name });
    expect((await ask('DELETE', '/items/1')).status).toBe(204);
    expect((await ask('DELETE', '/item?id=2')).status).toBe(204);
    expect((await ask('GET', '/item?id=2')).status).toBe(404);
    expect((await ask('GET', '/items')).body).toEqual([{ id: 3, name: 'c' }]);
  });

  it('selects an entry whose only other property a client sends', async () => {
    const ITEM = createObject({ 'id!': { type: 'integer' }, 'name!': TEXT });
    const query = { 'id!': { type: 'integer' } };
    const item = { get: { query, response: ITEM }, put: { query, request: Draft, response: ITEM, status: 201 } };
    const { ask } = await startApi({ paths: { '/item': { ...item, delete: { query, status: 204 } } } });
    for (const id of [1, 2]) await ask('PUT', `/item?id=${id}`, { name: `item ${id}` });
    expect((await ask('DELETE', '/item?id=1')).status).toBe(204);
    expect((await ask('GET', '/item?id=2')).body).toEqual({ id: 2, name: 'item 2' });
  });

  it('of a part does not delete the whole object', async () => {
    const Cart = createObject({ note: TEXT, total: { type: 'integer' } });
    const item = { get: { response: Cart }, put: { request: Cart, response: Cart } };
    const byQuery = { ...item, delete: { query: { 'itemId!': TEXT }, status: 204 } };
    const byBody = { ...item, delete: { request: createObject({ itemId: TEXT }), status: 204 } };
    const operations = await explainApi({ paths: { '/cart': byQuery, '/basket': byBody } });
    expect(operations).toMatchObject({
      'DELETE /cart': expect.stringContaining('mocked'),
      'DELETE /basket': expect.stringContaining('mocked'),
    });
  });
});
