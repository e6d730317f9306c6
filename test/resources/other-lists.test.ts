import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const NEW = { 'title!': TEXT, 'slug!': TEXT };
const schemas = { Movie: createObject({ 'id!': TEXT, ...NEW }) };

it('Other paths list and read the same entries as the paths with the singular name', async () => {
  const paths = {
    '/admin/movie': { post: { request: createObject(NEW), response: refer('Movie'), status: 201 } },
    '/admin/movie/{movieId}': { get: { response: refer('Movie') }, delete: { status: 204 } },
    '/admin/movies': {
      get: { response: createObject({ total: { type: 'integer' }, data: createList({ type: 'object' }) }) },
    },
    '/public/movie/{movieId}': { get: { response: refer('Movie') } },
    '/movie/by-slug/{movieSlug}': { get: { response: refer('Movie') } },
  };
  const { ask } = await startApi({ paths, schemas });
  const { body: movie } = await ask('POST', '/admin/movie', { title: 'Dune', slug: 'dune' });
  expect((await ask('GET', '/admin/movies')).body).toEqual({ total: 1, data: [movie] });
  expect((await ask('GET', `/public/movie/${movie.id}`)).body).toEqual(movie);
  expect((await ask('GET', '/movie/by-slug/dune')).body).toEqual(movie);
  await ask('DELETE', `/admin/movie/${movie.id}`);
  expect((await ask('GET', '/admin/movies')).body).toEqual({ total: 0, data: [] });
  expect((await ask('GET', `/public/movie/${movie.id}`)).status).toBe(404);
});

it('A list with the name and the schema of entries shows them with further properties', async () => {
  const Job = createObject({ 'id!': { type: 'integer' }, 'title!': TEXT });
  const extended = createObject({ 'score!': { type: 'number' } });
  const paths = {
    ...createResourcePaths('/jobs/{jobId}', refer('Job'), createObject({ 'title!': TEXT })),
    '/match/jobs': { get: { response: createList({ allOf: [refer('Job'), extended] }) } },
    '/shortlist': { get: { response: createList({ allOf: [refer('Job'), extended] }) } },
  };
  expect(await explainApi({ paths, schemas: { Job } })).toMatchObject({
    'GET /match/jobs': 'real: lists jobs (generates: score)',
    'GET /shortlist': expect.not.stringContaining('lists jobs'),
  });
  const { ask } = await startApi({ paths, schemas: { Job } });
  await ask('POST', '/jobs', { title: 'a' });
  expect((await ask('GET', '/match/jobs')).body).toEqual([{ id: 1, title: 'a', score: expect.any(Number) }]);
});

it('A list with the plural name and equal objects shows the entries, also beside a path with one of several types', async () => {
  const createAccount = () => createObject({ 'id!': TEXT, 'email!': TEXT, role: TEXT });
  const type = { type: 'string', enum: ['doctor', 'patient'] };
  const paths = {
    '/admin/account': { post: { request: createObject({ 'email!': TEXT }), response: createAccount(), status: 201 } },
    '/admin/account/{id}': { get: { response: createAccount() }, delete: { status: 204 } },
    '/accounts': { get: { response: createList(createAccount()) } },
    '/accounts/{type}/search': {
      parameters: { type },
      get: { query: { surname: TEXT }, response: createList(createObject({ name: TEXT })) },
    },
  };
  const { ask } = await startApi({ paths });
  const { body: account } = await ask('POST', '/admin/account', { email: 'ann@example.com' });
  expect((await ask('GET', '/accounts')).body).toEqual([account]);
  expect((await ask('GET', '/accounts/doctor/search')).status).toBe(200);
});

it('A list with ids in its query shows the entries with these ids', async () => {
  const list = { query: { 'ids!': createList({ type: 'integer' }) }, response: createList(refer('Job')) };
  const Job = createObject({ 'id!': { type: 'integer' }, 'title!': TEXT });
  const paths = {
    ...createResourcePaths('/jobs/{jobId}', refer('Job'), createObject({ 'title!': TEXT })),
    '/jobs/batch': { get: list },
  };
  const { ask } = await startApi({ paths, schemas: { Job } });
  for (const title of ['a', 'b', 'c']) await ask('POST', '/jobs', { title });
  const { body } = await ask('GET', '/jobs/batch?ids=1&ids=3&ids=9');
  expect(body).toMatchObject([{ title: 'a' }, { title: 'c' }]);
});

it('A search in entries of another system is mocked, because no stored entry has its results', async () => {
  const Book = createObject({ 'id!': TEXT, 'title!': TEXT, shelf: TEXT });
  const Found = createObject({ 'title!': TEXT, 'source!': TEXT });
  const paths = {
    ...createResourcePaths('/books/{bookId}', refer('Book'), createObject({ 'title!': TEXT })),
    '/books/external-search': { get: { query: { 'query!': TEXT }, response: createList(Found) } },
    '/books/advanced-search': { get: { query: { 'query!': TEXT }, response: createList(refer('Book')) } },
  };
  expect(await explainApi({ paths, schemas: { Book } })).toMatchObject({
    'GET /books/external-search': 'mocked: a search whose results are no entries of a resource',
    'GET /books/advanced-search': 'real: lists books (filters: query (all texts))',
  });
});

it('A list of related users is not a list of all users', async () => {
  const User = createObject({ 'id!': { type: 'integer' }, 'name!': TEXT, 'is_blocked!': { type: 'boolean' } });
  const list = { get: { response: createList(refer('User')) } };
  const paths = {
    '/users': list,
    '/users/{id}': { get: { response: refer('User') } },
    '/users/{id}/block': { post: { status: 204 } },
    '/blocks': list,
    '/admin/users': list,
  };
  expect(await explainApi({ paths, schemas: { User } })).toMatchObject({
    'GET /blocks': 'mocked: a list of related entries: no operation says how they are related',
    'GET /admin/users': expect.stringMatching(/^real: lists users/),
  });
});

it('A path that ends with me is no resource of its own', async () => {
  const Block = createObject({ 'id!': TEXT, 'blockedUserId!': TEXT });
  const Shown = createObject({ 'id!': TEXT, 'blockedUserId!': TEXT, user: createObject({ name: TEXT }) });
  const User = createObject({ 'id!': TEXT, 'email!': TEXT });
  const credentials = createObject({ 'email!': TEXT, 'password!': TEXT });
  const paths = {
    '/register': { post: { isPublic: true, request: credentials, response: refer('User'), status: 201 } },
    '/login': { post: { isPublic: true, request: credentials, response: createObject({ 'token!': TEXT }) } },
    '/users': { get: { response: createList(refer('User')) } },
    '/blocks': {
      get: { response: createList(refer('Block')) },
      post: { request: createObject({ 'blockedUserId!': TEXT }), response: refer('Block'), status: 201, errors: [404] },
    },
    '/blocks/me': { get: { response: createList(Shown) } },
    '/blocks/me/{blockedUserId}': { delete: {} },
  };
  const api = { paths, schemas: { Block, User }, needsToken: true };
  expect(await explainApi(api)).toMatchObject({
    'POST /blocks': expect.stringMatching(/^real: creates a block/),
    'GET /blocks/me': expect.stringMatching(/^mocked/),
    'DELETE /blocks/me/{blockedUserId}': expect.stringMatching(/^mocked/),
  });
  const { ask } = await startApi(api);
  const { body: ben } = await ask('POST', '/register', { email: 'ben@example.com', password: 'b' });
  await ask('POST', '/register', { email: 'ann@example.com', password: 'a' });
  const { body: session } = await ask('POST', '/login', { email: 'ann@example.com', password: 'a' });
  const block = (id: string) =>
    ask('POST', '/blocks', { blockedUserId: id }, { Authorization: `Bearer ${session.token}` });
  expect((await block('nobody')).status).toBe(404);
  expect((await block(ben.id)).status).toBe(201);
});

describe('a singular path beside the list of its entries', () => {
  const TEXT = { type: 'string' };
  const User = createObject({ 'id!': TEXT, 'name!': TEXT });
  const Ban = createObject({ id: { type: 'integer' }, reason: TEXT, user_id: TEXT, user: User });
  const rooms = createResourcePaths('/rooms/{id}', refer('Room'), createObject({ 'name!': TEXT }));
  const done = createObject({ message: TEXT });
  const request = createObject({ 'user_id!': TEXT, reason: TEXT });
  const schemas = { Room: createObject({ 'id!': TEXT, 'name!': TEXT }), Ban };
  const list = { get: { response: createObject({ bans: createList(refer('Ban')) }) } };
  const paths: Paths = {
    ...rooms,
    '/rooms/{id}/ban': { post: { request, response: done } },
    '/rooms/{id}/ban/{userId}': { delete: { response: done } },
    '/rooms/{id}/bans': list,
  };

  it('adds entries to the list and removes them, also below another entry', async () => {
    const { ask } = await startApi({ paths, schemas });
    const [{ body: room }, { body: other }] = [
      await ask('POST', '/rooms', { name: 'a' }),
      await ask('POST', '/rooms', { name: 'b' }),
    ];
    await ask('POST', `/rooms/${room.id}/ban`, { user_id: 'u1', reason: 'spam' });
    const listBans = async ({ id }: { readonly id: string }) => (await ask('GET', `/rooms/${id}/bans`)).body.bans;
    expect(await listBans(room)).toMatchObject([{ user_id: 'u1', reason: 'spam' }]);
    expect(await listBans(other)).toEqual([]);
    expect((await ask('DELETE', `/rooms/${room.id}/ban/u1`)).status).toBe(200);
    expect(await listBans(room)).toEqual([]);
  });

  it('is an action if its body has no properties of the entries, or another operation at the path undoes it', async () => {
    const explain = async (path: Paths[string]) =>
      (await explainApi({ paths: { ...rooms, '/rooms/{id}/ban': path, '/rooms/{id}/bans': list }, schemas }))[
        'POST /rooms/{id}/ban'
      ];
    expect(await explain({ post: { request, response: done } })).toContain('real: creates a ban');
    expect(await explain({ post: { response: done } })).toContain('mocked');
    expect(await explain({ post: { request, response: done }, delete: { response: done } })).toContain('mocked');
  });

  it('leaves a list with another form of its entries mocked', async () => {
    const Category = createObject({ 'id!': TEXT, 'name!': TEXT, sequence: { type: 'integer' } });
    const Node = createObject({ 'id!': TEXT, label: TEXT, children: createList(createObject({ label: TEXT })) });
    const own: Paths = {
      ...createResourcePaths('/category/{id}', refer('Category'), createObject({ 'name!': TEXT })),
      '/categories': { get: { response: createList(refer('Node')) } },
    };
    const explained = await explainApi({
      paths: { ...own, '/category': { post: own['/category']?.post } },
      schemas: { Category, Node },
    });
    expect(explained['GET /categories']).toBe('mocked: a list without a path for its entries');
  });
});
