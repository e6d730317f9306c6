import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const Pet = createObject({ 'id!': { type: 'integer', readOnly: true }, 'tag!': TEXT });
const Bare = createObject({ 'tag!': TEXT });

const PATHS = createResourcePaths('/pets/{petId}', Pet);

/** Returns the paths of pets with other parts of an operation. */
function withOperation(path: string, method: 'get' | 'post', parts: object): Paths {
  const { [path]: item } = PATHS;
  return { ...PATHS, [path]: { ...item, [method]: { ...item?.[method], ...parts } } };
}

describe('The keyword x-storefront', () => {
  it('mocks an operation with `off`', async () => {
    const explained = await explainApi({ paths: withOperation('/pets/{petId}', 'get', { storefront: { off: true } }) });
    expect(explained).toMatchObject({
      'GET /pets/{petId}': 'mocked: x-storefront: off',
      'GET /pets': 'real: lists pets',
      'DELETE /pets/{petId}': 'real: deletes a pet',
    });
  });

  it('mocks all operations of a path with `off`', async () => {
    const paths = { ...PATHS, '/pets/{petId}': { ...PATHS['/pets/{petId}'], storefront: { off: true } } };
    expect(await explainApi({ paths })).toMatchObject({
      'GET /pets/{petId}': 'mocked: x-storefront: off',
      'DELETE /pets/{petId}': 'mocked: x-storefront: off',
    });
  });

  it('names the resource with `resource`', async () => {
    const paths = withOperation('/pets/{petId}', 'get', { storefront: { resource: 'animals' } });
    expect(await explainApi({ paths })).toMatchObject({ 'GET /pets': 'real: lists animals' });
  });

  it('joins the resources of paths with the same `resource`', async () => {
    const Group = createObject({ 'id!': { type: 'integer', readOnly: true }, 'name!': TEXT });
    const storefront = { resource: 'groups' };
    const { ask } = await startApi({
      paths: {
        '/admin/groups': {
          post: {
            status: 201,
            request: Group,
            response: createObject({ 'made!': Group }),
            storefront: { entry: 'made' },
          },
        },
        '/admin/groups/{id}': { delete: { status: 204 }, storefront, parameters: { id: { type: 'integer' } } },
        '/groups': { get: { response: createList(Group) } },
        '/groups/{name}': { get: { response: Group }, storefront },
      },
    });
    expect((await ask('POST', '/admin/groups', { name: 'staff' })).body).toMatchObject({
      made: { id: 1, name: 'staff' },
    });
    expect((await ask('GET', '/groups/staff')).body).toMatchObject({ id: 1 });
    expect((await ask('GET', '/groups')).body).toEqual([{ id: 1, name: 'staff' }]);
    expect((await ask('DELETE', '/admin/groups/1')).status).toBe(204);
    expect((await ask('GET', '/groups/staff')).status).toBe(404);
  });

  it('names the property with the id with `id`', async () => {
    const { ask } = await startApi({ paths: withOperation('/pets/{petId}', 'get', { storefront: { id: 'tag' } }) });
    await ask('POST', '/pets', { tag: 'rex' });
    expect((await ask('GET', '/pets/rex')).body).toMatchObject({ tag: 'rex' });
  });

  it('leads to the list with `list`', async () => {
    const response = createObject({
      'box!': createObject({ 'one!': createList(Pet), 'two!': createList(Pet) }),
    });
    const paths = withOperation('/pets', 'get', { response, storefront: { list: 'box.two' } });
    const { ask } = await startApi({ paths });
    await ask('POST', '/pets', { tag: 'rex' });
    expect((await ask('GET', '/pets')).body).toMatchObject({ box: { two: [{ id: 1, tag: 'rex' }] } });
  });

  it('leads to the entry with `entry`, in the request and in the response', async () => {
    const paths = withOperation('/pets', 'post', {
      request: createObject({ 'wrap!': createObject({ 'inner!': Bare }) }),
      response: createObject({ 'wrap!': createObject({ 'inner!': Pet }) }),
      storefront: { entry: 'wrap.inner' },
    });
    const { ask } = await startApi({ paths });
    const created = await ask('POST', '/pets', { wrap: { inner: { tag: 'rex' } } });
    expect(created.body).toEqual({ wrap: { inner: { id: 1, tag: 'rex' } } });
    expect((await ask('GET', '/pets/1')).body).toEqual({ id: 1, tag: 'rex' });
  });
});
