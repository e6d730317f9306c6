import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { getRejection } from '../support/harness/rejection.ts';
import { startApi } from '../support/harness/start-api.ts';

const INTEGER = { type: 'integer' };
const TEXT = { type: 'string' };

describe('the default values of nested objects', () => {
  const Retry = createObject({ times: { ...INTEGER, default: 3 }, name: TEXT });
  const Job = createObject({
    id: INTEGER,
    retry: refer('Retry'),
    maybe: { anyOf: [refer('Retry'), { type: 'null' }] },
    steps: createList(createObject({ name: TEXT, on: { type: 'boolean', default: true } })),
    byName: { type: 'object', additionalProperties: refer('Retry') },
  });
  const api = { paths: createResourcePaths('/jobs/{id}', refer('Job')), schemas: { Job, Retry } };

  it('are set in the objects that a new entry has', async () => {
    const { ask } = await startApi(api);
    const body = {
      retry: {},
      maybe: { name: 'm' },
      steps: [{ name: 'a' }, { name: 'b', on: false }],
      byName: { x: {} },
    };
    const expected = {
      id: 1,
      retry: { times: 3 },
      maybe: { name: 'm', times: 3 },
      steps: [
        { name: 'a', on: true },
        { name: 'b', on: false },
      ],
      byName: { x: { times: 3 } },
    };
    expect((await ask('POST', '/jobs', body)).body).toEqual(expected);
    expect((await ask('POST', '/jobs', { maybe: null })).body).toEqual({ id: 2, maybe: null });
    expect((await ask('PUT', '/jobs/2', body)).body).toEqual({ ...expected, id: 2 });
  });

  it('are set in default values, at any depth', async () => {
    const Inner = createObject({ left: { ...INTEGER, default: 1 } });
    const Middle = createObject({ inner: { ...Inner, default: {} } });
    const Loop = { ...createObject({ self: { allOf: [refer('Loop')], default: {} } }), maxProperties: 1 };
    const Outer = createObject({ id: INTEGER, middle: { ...Middle, default: {} }, loop: { allOf: [refer('Loop')] } });
    const { ask } = await startApi({
      paths: createResourcePaths('/outers/{id}', refer('Outer')),
      schemas: { Outer, Loop },
    });
    for (const [index, body] of [{}, { middle: {} }, { middle: { inner: {} } }].entries())
      expect((await ask('POST', '/outers', body)).body, JSON.stringify(body)).toEqual({
        id: index + 1,
        middle: { inner: { left: 1 } },
      });
    const { body } = await ask('POST', '/outers', { loop: {} });
    expect(JSON.stringify(body.loop)).toMatch(/^(\{"self":){5}/);
  });

  it('are not set by a merge patch', async () => {
    const { ask } = await startApi(api);
    await ask('POST', '/jobs', {});
    expect((await ask('PATCH', '/jobs/1', { retry: { name: 'n' } })).body).toEqual({
      id: 1,
      maybe: null,
      retry: { name: 'n' },
    });
  });
});

describe('an object in an entry', () => {
  const place = { oneOf: [createObject({ 'city!': TEXT, zip: TEXT }), createObject({ 'lat!': INTEGER })] };
  const Shop = createObject({ 'id!': INTEGER, 'name!': TEXT, 'place!': place });
  const paths: Paths = {
    '/shops': { post: { status: 201, request: refer('Shop'), response: refer('Shop') } },
    '/shops/{shopId}': {
      get: { response: refer('Shop') },
      // Because this body requires less than that of the POST, the PUT changes only the properties in the body.
      put: { request: createObject({ name: TEXT, place }), response: refer('Shop') },
      patch: { request: { type: 'object' }, response: refer('Shop') },
    },
  };

  it('is replaced by a PUT, and changed by a PATCH', async () => {
    const { ask } = await startApi({ paths, schemas: { Shop } });
    const shop = { id: 1, name: 'a', place: { city: 'Oslo', zip: '1' } };
    await ask('POST', '/shops', shop);
    const patched = await ask('PATCH', '/shops/1', { place: { zip: '2' } });
    expect(patched.body).toEqual({ ...shop, place: { city: 'Oslo', zip: '2' } });
    expect((await ask('PUT', '/shops/1', { place: { lat: 5 } })).body).toEqual({ ...shop, place: { lat: 5 } });
  });
});

describe('a flat list of entries that are created below their parents', () => {
  const Post = createObject({ id: INTEGER, title: TEXT });
  const Comment = createObject({ id: INTEGER, postId: INTEGER, text: TEXT });
  const postId = { postId: INTEGER };
  const schemas = { Comment };
  const list = createList(refer('Comment'));
  const createBlog = (flat: Paths): Paths => ({
    ...createResourcePaths('/posts/{postId}', Post),
    '/posts/{postId}/comments': {
      parameters: postId,
      get: { response: list },
      post: { status: 201, request: refer('Comment'), response: refer('Comment') },
    },
    ...flat,
  });

  it.each([
    ['by its name', createBlog({ '/comments': { get: { response: list, query: postId } } })],
    [
      'by x-storefront',
      createBlog({
        '/recent': { storefront: { resource: 'comments' }, get: { response: list, query: postId } },
      }),
    ],
  ])('has the entries of all parents, and filters them: found %s', async (_, paths) => {
    const { ask } = await startApi({ paths, schemas });
    for (const title of ['p', 'q']) await ask('POST', '/posts', { title });
    await ask('POST', '/posts/1/comments', { text: 'c' });
    await ask('POST', '/posts/2/comments', { text: 'd' });
    const path = Object.keys(paths).at(-1) ?? '';
    const texts = async (target: string) => (await ask('GET', target)).body.map(({ text }: { text: string }) => text);
    expect(await texts(path)).toEqual(['c', 'd']);
    expect(await texts(`${path}?postId=2`)).toEqual(['d']);
    expect(await texts(`${path}?postId=3`)).toEqual([]);
    await ask('DELETE', '/posts/1');
    expect(await texts(path)).toEqual(['d']);
  });

  it('is an error with its place if x-storefront names a resource that the path does not have', async () => {
    const Other = createObject({ total: INTEGER });
    const paths = createBlog({ '/stats': { storefront: { resource: 'comments' }, get: { response: Other } } });
    const { message } = await getRejection(startApi({ paths, schemas }), Error);
    expect(message).toMatch(/openapi\.json:\d+:\d+ #\/paths\/~1stats\/x-storefront\/resource has no effect, because/);
  });
});
