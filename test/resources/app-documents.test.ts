import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const BOOLEAN = { type: 'boolean' };
const TIME = { ...TEXT, format: 'date-time' };
const id = { id: INTEGER };

describe('Responses that name an entry', () => {
  const schemas = { Booking: createObject({ 'id!': INTEGER, status: { ...TEXT, enum: ['open', 'cancelled'] } }) };
  const named = createObject({
    'message!': TEXT,
    'data!': createObject({ 'booking_id!': INTEGER }),
  });
  const paths: Paths = {
    ...createResourcePaths('/bookings/{id}', refer('Booking'), createObject({ note: TEXT })),
    '/bookings/{id}/cancel': { parameters: id, post: { response: named } },
  };

  it('have the id of the entry after an action', async () => {
    const { ask } = await startApi({ paths, schemas });
    for (let count = 0; count < 2; count++) await ask('POST', '/bookings', {});
    const { body, headers } = await ask('POST', '/bookings/2/cancel');
    expect(body.data).toEqual({ booking_id: 2 });
    expect(headers.get('X-Mocked')).toBeNull();
  });

  it('have the id of the user after a registration', async () => {
    const credentials = createObject({ 'email!': TEXT, 'password!': TEXT });
    const created = createObject({ 'message!': TEXT, 'data!': createObject({ 'user_id!': INTEGER }) });
    const { ask } = await startApi({
      paths: {
        '/auth/register': { post: { status: 201, request: credentials, response: created } },
        '/auth/login': { post: { request: credentials, response: createObject({ 'token!': TEXT }) } },
        '/me': { get: { response: refer('User') } },
      },
      schemas: { User: createObject({ 'id!': INTEGER, 'email!': TEXT }) },
    });
    const ids: number[] = [];
    for (const email of ['ann@example.com', 'bob@example.com']) {
      ids.push((await ask('POST', '/auth/register', { email, password: 'x' })).body.data.user_id);
      const { token } = (await ask('POST', '/auth/login', { email, password: 'x' })).body;
      const { body } = await ask('GET', '/me', undefined, { Authorization: `Bearer ${token}` });
      expect(body).toEqual({ id: ids.at(-1), email });
    }
    expect(ids[0]).not.toBe(ids[1]);
  });
});

describe('Entries that no operation creates', () => {
  it('belong to the first entry that they must name', async () => {
    const { ask } = await startApi({
      paths: {
        ...createResourcePaths('/feeds/{feedId}', refer('Feed'), createObject({ 'name!': TEXT })),
        '/items': { get: { query: { feed_id: INTEGER }, response: createList(refer('Item')) } },
        '/items/{itemId}': { parameters: { itemId: INTEGER }, get: { response: refer('Item') } },
      },
      schemas: {
        Feed: createObject({ 'id!': INTEGER, 'name!': TEXT, 'item_count!': INTEGER }),
        Item: createObject({ 'id!': INTEGER, 'feed_id!': INTEGER, 'title!': TEXT }),
      },
    });
    const { body: first } = await ask('POST', '/feeds', { name: 'a' });
    const { body: second } = await ask('POST', '/feeds', { name: 'b' });
    for (const feed of [first, second]) {
      const { body } = await ask('GET', `/items?feed_id=${feed.id}`);
      expect((await ask('GET', `/feeds/${feed.id}`)).body.item_count).toBe(body.length);
    }
    expect(first.item_count).toBe(3);
  });
});

describe('Paths of servers and users', () => {
  const check = createObject({ name: TEXT, status: TEXT });
  const user = createObject({ 'id!': INTEGER, 'email!': TEXT, name: TEXT });
  const credentials = createObject({ 'email!': TEXT, 'password!': TEXT });
  const session = createObject({ 'token!': TEXT, 'data!': refer('User') });
  const paths: Paths = {
    '/health/ready': { get: { response: createObject({ 'ready!': BOOLEAN, checks: createList(check) }) } },
    '/countries': { get: { response: createObject({ 'updated!': TIME, countries: createList(check) }) } },
    '/auth/login': { post: { isPublic: true, request: credentials, response: session } },
    '/auth/register': { post: { isPublic: true, request: credentials, response: session } },
    '/auth/confirm-email': { get: { isPublic: true, query: { 'token!': TEXT }, response: session } },
    '/auth/update-details': {
      put: { request: createObject({ name: TEXT }), response: createObject({ 'data!': refer('User') }) },
    },
    '/auth/me': { get: { response: createObject({ 'data!': refer('User') }) } },
    '/backup/import': {
      post: {
        requestType: 'multipart/form-data',
        request: createObject({ file: { ...TEXT, format: 'binary' } }),
        response: createObject({ 'importId!': TEXT, 'inserted!': INTEGER }),
      },
    },
  };
  const api = { paths, schemas: { User: user }, needsToken: true };

  it('are no lists and no new entries if they report checks, confirm an e-mail address or import a file', async () => {
    const explained = await explainApi(api);
    expect(explained['GET /health/ready']).toMatch(/^mocked/);
    expect(explained['GET /countries']).toMatch(/^real: lists countries/);
    expect(explained['GET /auth/confirm-email']).toMatch(/^mocked: a confirmation of an e-mail address/);
    expect(explained['POST /backup/import']).toMatch(/^mocked/);
  });

  it('change the user who sends the request if they name no user', async () => {
    const { ask } = await startApi(api);
    const { token } = (await ask('POST', '/auth/register', { email: 'ann@example.com', password: 'x' })).body;
    const headers = { Authorization: `Bearer ${token}` };
    const changed = { id: expect.any(Number), email: 'ann@example.com', name: 'Ann' };
    expect((await ask('PUT', '/auth/update-details', { name: 'Ann' }, headers)).body.data).toEqual(changed);
    expect((await ask('GET', '/auth/me', undefined, headers)).body.data).toEqual(changed);
  });
});

describe('Requests with other names than entries', () => {
  it('register and change the user that responses show', async () => {
    const user = createObject({ ID: INTEGER, 'EMAIL!': TEXT, 'FIRST_NAME!': TEXT, 'LAST_NAME!': TEXT });
    const credentials = { 'email!': TEXT, 'password!': TEXT };
    const { ask } = await startApi({
      paths: {
        '/sign-up': {
          post: { status: 201, request: createObject({ ...credentials, 'name!': TEXT }), response: refer('User') },
        },
        '/sign-in': {
          post: { request: createObject(credentials), response: createObject({ 'token!': TEXT, user: refer('User') }) },
        },
        '/users/{id}': {
          parameters: id,
          get: { response: refer('User') },
          put: { request: createObject({ EMAIL: TEXT }), response: refer('User') },
        },
        '/users': { get: { response: createList(refer('User')) } },
      },
      schemas: { User: user },
    });
    const sent = { email: 'ann@example.com', password: 'x', name: 'Ann van Dyke' };
    const { body } = await ask('POST', '/sign-up', sent);
    expect(body).toMatchObject({ EMAIL: 'ann@example.com', FIRST_NAME: 'Ann', LAST_NAME: 'van Dyke' });
    expect((await ask('POST', '/sign-up', sent)).status).toBe(409);
    await ask('PUT', `/users/${body.ID}`, { EMAIL: 'new@example.com' });
    const logIn = async (email: string) => (await ask('POST', '/sign-in', { email, password: 'x' })).status;
    expect([await logIn('ann@example.com'), await logIn('new@example.com')]).toEqual([401, 200]);
  });

  it('set the property with the same words', async () => {
    const { ask } = await startApi({
      paths: createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ due_date: TEXT })),
      schemas: { Task: createObject({ 'id!': INTEGER, dueDate: TEXT }) },
    });
    expect((await ask('POST', '/tasks', { due_date: 'soon' })).body).toEqual({ id: 1, dueDate: 'soon' });
  });

  it('remove the property after the word `clear`', async () => {
    const dates = { dueDate: { type: ['string', 'null'] }, startDate: TEXT };
    const request = createObject({ ...dates, clearDueDate: BOOLEAN, clear_start_date: BOOLEAN });
    const { ask } = await startApi({
      paths: createResourcePaths('/tasks/{taskId}', refer('Task'), request),
      schemas: { Task: createObject({ 'id!': INTEGER, ...dates }) },
    });
    await ask('POST', '/tasks', { dueDate: 'soon', startDate: 'now' });
    const kept = await ask('PATCH', '/tasks/1', { clearDueDate: false, clear_start_date: false });
    expect(kept.body).toEqual({ id: 1, dueDate: 'soon', startDate: 'now' });
    const cleared = await ask('PATCH', '/tasks/1', { clearDueDate: true, clear_start_date: true });
    expect(cleared.body).toEqual({ id: 1, dueDate: null });
  });
});

describe('Default values of alternatives', () => {
  it('apply to the alternative that a request has', async () => {
    const bySnapshot = createObject({ 'link!': TEXT, published: { ...INTEGER, default: 0 } });
    const paths = createResourcePaths('/bookmarks/{id}', refer('Bookmark'), {
      oneOf: [createObject({ 'item!': INTEGER }), bySnapshot],
    });
    const schemas = { Bookmark: createObject({ 'id!': INTEGER, item: INTEGER, link: TEXT, published: INTEGER }) };
    const { ask } = await startApi({ paths, schemas });
    expect((await ask('POST', '/bookmarks', { item: 7 })).body).toEqual({ id: 1, item: 7 });
    expect((await ask('POST', '/bookmarks', { link: 'a' })).body).toEqual({ id: 2, link: 'a', published: 0 });
  });
});

describe('Other lists of entries', () => {
  const short = createObject({ 'id!': INTEGER, 'status!': TEXT });
  const long = createObject({ 'id!': INTEGER, 'status!': TEXT, note: TEXT });
  const page = createObject({ 'total!': INTEGER, 'items!': createList(refer('Short')) });

  it('have the entries of the list with the same schema', async () => {
    const { ask } = await startApi({
      paths: {
        '/bookings': {
          get: { response: page },
          post: { status: 201, request: createObject({ 'status!': TEXT }), response: refer('Long') },
        },
        '/bookings/{id}': { parameters: id, get: { response: refer('Long') } },
        '/bookings/admin/all': { get: { response: page } },
      },
      schemas: { Short: short, Long: long },
    });
    await ask('POST', '/bookings', { status: 'open' });
    const { body, headers } = await ask('GET', '/bookings/admin/all');
    expect(body).toEqual({ total: 1, items: [{ id: 1, status: 'open' }] });
    expect(headers.get('X-Mocked')).toBeNull();
  });

  it('show entries of several resources with some of their properties', async () => {
    const found = createObject({
      'feeds!': createList(createObject({ 'id!': INTEGER, 'name!': TEXT })),
      'posts!': createList(createObject({ 'id!': INTEGER, 'title!': TEXT })),
    });
    const { ask } = await startApi({
      paths: {
        ...createResourcePaths('/feeds/{feedId}', refer('Feed'), createObject({ 'name!': TEXT, url: TEXT })),
        ...createResourcePaths('/posts/{postId}', refer('Post'), createObject({ 'title!': TEXT, text: TEXT })),
        '/search': { get: { query: { 'q!': TEXT }, response: createObject({ 'data!': found }) } },
      },
      schemas: {
        Feed: createObject({ 'id!': INTEGER, 'name!': TEXT, url: TEXT }),
        Post: createObject({ 'id!': INTEGER, 'title!': TEXT, text: TEXT }),
      },
    });
    await ask('POST', '/feeds', { name: 'News' });
    await ask('POST', '/posts', { title: 'Old' });
    expect((await ask('GET', '/search?q=news')).body).toEqual({
      data: { feeds: [{ id: 1, name: 'News' }], posts: [] },
    });
  });

  it('describe the next and the previous page by an object', async () => {
    const number = createObject({ page: INTEGER, limit: INTEGER });
    const listed = createObject({
      'data!': createList(refer('Short')),
      pagination: createObject({ next: number, prev: number }),
    });
    const paths = createResourcePaths('/bookings/{id}', refer('Short'), createObject({ 'status!': TEXT }));
    const query = { page: { ...INTEGER, default: 1 }, limit: INTEGER };
    const { ask } = await startApi({
      paths: { ...paths, '/bookings': { ...paths['/bookings'], get: { query, response: listed } } },
      schemas: { Short: short },
    });
    for (const status of ['a', 'b', 'c']) await ask('POST', '/bookings', { status });
    const getPages = async (number: number) => (await ask('GET', `/bookings?limit=1&page=${number}`)).body.pagination;
    expect(await getPages(1)).toEqual({ next: { page: 2, limit: 1 } });
    expect(await getPages(2)).toEqual({ next: { page: 3, limit: 1 }, prev: { page: 1, limit: 1 } });
    expect(await getPages(3)).toEqual({ prev: { page: 2, limit: 1 } });
  });
});

describe('Verbs before the id', () => {
  const task = createObject({ 'id!': INTEGER, label: TEXT, notes: TEXT, checked: BOOLEAN, lastCompletedAt: TIME });
  const paths: Paths = {
    '/task': { get: { response: createList(refer('Task')) } },
    '/task/add': {
      post: { status: 201, request: createObject({ 'label!': TEXT, notes: TEXT }), response: refer('Task') },
    },
    '/task/{id}': { parameters: id, get: { response: refer('Task') } },
    '/task/update/{id}': {
      parameters: id,
      put: { request: createObject({ label: TEXT, notes: TEXT }), response: refer('Task') },
    },
    '/task/complete/{id}': { parameters: id, put: { response: refer('Task') } },
    '/task/uncomplete/{id}': { parameters: id, put: { response: refer('Task') } },
    '/task/repeat/{id}': { parameters: id, put: { response: refer('Task') } },
  };

  it('change the entry with the id', async () => {
    const { ask } = await startApi({ paths, schemas: { Task: task } });
    for (const label of ['a', 'b']) await ask('POST', '/task/add', { label, notes: 'n' });
    expect((await ask('PUT', '/task/update/2', { label: 'c' })).body).toMatchObject({ id: 2, label: 'c', notes: 'n' });
    const done = (await ask('PUT', '/task/complete/2')).body;
    expect(done).toMatchObject({ id: 2, checked: true, lastCompletedAt: expect.any(String) });
    expect((await ask('GET', '/task/2')).body).toEqual(done);
    expect((await ask('PUT', '/task/uncomplete/2')).body).toMatchObject({ id: 2, checked: false });
    const mocked = await ask('PUT', '/task/repeat/2');
    expect([mocked.body.id, mocked.headers.get('X-Mocked')]).toEqual([2, 'operation']);
    expect((await ask('PUT', '/task/repeat/9')).status).toBe(404);
  });
});

describe('Properties of entries', () => {
  it('are those of the changes if only requests describe entries', async () => {
    const created = createObject({ 'name!': TEXT });
    const changed = createObject({ name: TEXT, isActive: BOOLEAN });
    const { ask } = await startApi({
      paths: {
        '/habits': { get: {}, post: { status: 201, request: created } },
        '/habits/{id}': { parameters: { id: TEXT }, get: {}, patch: { request: changed } },
      },
    });
    await ask('POST', '/habits', { name: 'Read' });
    const [habit] = (await ask('GET', '/habits')).body;
    await ask('PATCH', `/habits/${habit.id}`, { isActive: false });
    expect((await ask('GET', '/habits')).body).toEqual([{ id: habit.id, name: 'Read', isActive: false }]);
  });

  it('have the id of the parent and of the user, if they are named after them and have the format of ids', async () => {
    const key = { ...TEXT, format: 'uuid' };
    const credentials = createObject({ 'email!': TEXT, 'password!': TEXT });
    const session = createObject({ 'token!': TEXT, 'data!': refer('User') });
    const camp = { campId: key };
    const { ask } = await startApi({
      paths: {
        '/auth/register': { post: { isPublic: true, request: credentials, response: session } },
        '/auth/login': { post: { isPublic: true, request: credentials, response: session } },
        ...createResourcePaths('/users/{id}', refer('User'), createObject({ email: TEXT })),
        ...createResourcePaths('/camps/{campId}', refer('Camp'), createObject({ name: TEXT })),
        '/camps/{campId}/courses': {
          parameters: camp,
          get: { response: createList(refer('Course')) },
          post: { status: 201, request: createObject({ title: TEXT }), response: refer('Course') },
        },
        '/courses': { get: { response: createList(refer('Course')) } },
      },
      schemas: {
        User: createObject({ 'id!': key, 'email!': TEXT }),
        Camp: createObject({ 'id!': key, name: TEXT }),
        Course: createObject({ 'id!': key, title: TEXT, camp: key, user: key }),
      },
      needsToken: true,
    });
    const { body } = await ask('POST', '/auth/register', { email: 'ann@example.com', password: 'x' });
    const headers = { Authorization: `Bearer ${body.token}` };
    const { id: camp1 } = (await ask('POST', '/camps', { name: 'a' }, headers)).body;
    const course = (await ask('POST', `/camps/${camp1}/courses`, { title: 'b' }, headers)).body;
    expect(course).toMatchObject({ title: 'b', camp: camp1, user: body.data.id });
    expect((await ask('GET', '/courses', undefined, headers)).body).toEqual([course]);
  });

  it('have a state in all generated entries, so that the numbers of states agree with the number of entries', async () => {
    const status = { ...TEXT, enum: ['available', 'occupied'] };
    const counts = createObject({ available: INTEGER, occupied: INTEGER });
    const { ask } = await startApi({
      paths: {
        '/spots': { get: { response: createList(refer('Spot')) } },
        '/spots/{id}': { parameters: { id: TEXT }, get: { response: refer('Spot') } },
        '/spots/statistics': { get: { response: createObject({ 'total!': INTEGER, byStatus: counts }) } },
      },
      schemas: { Spot: createObject({ 'id!': TEXT, floor: INTEGER, bay: INTEGER, status, type: TEXT }) },
    });
    const { total, byStatus } = (await ask('GET', '/spots/statistics')).body;
    expect([total, byStatus.available + byStatus.occupied]).toEqual([3, 3]);
  });
});
