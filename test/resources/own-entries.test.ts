import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const credentials = createObject({ 'email!': TEXT, 'password!': TEXT });

const schemas = {
  User: createObject({ 'id!': INTEGER, 'email!': TEXT }),
  Task: createObject({ 'id!': INTEGER, 'title!': TEXT, 'status!': { enum: ['open', 'done'] } }),
  Project: createObject({ 'id!': INTEGER, 'name!': TEXT, taskCount: INTEGER }),
  Step: createObject({ 'id!': INTEGER, 'text!': TEXT }),
  Note: createObject({ 'id!': INTEGER, 'text!': TEXT, ownerId: INTEGER }),
  Book: createObject({ 'id!': INTEGER, 'title!': TEXT, 'price!': INTEGER }),
  Item: createObject({ 'id!': INTEGER, 'bookId!': INTEGER, 'quantity!': INTEGER, 'price!': INTEGER }),
  Cart: createObject({ 'items!': createList(refer('Item')), 'itemCount!': INTEGER }),
  Purchase: createObject({
    'id!': INTEGER,
    'items!': createList(createObject({ 'bookId!': INTEGER, 'quantity!': INTEGER, 'price!': INTEGER })),
  }),
  Settings: createObject({ 'theme!': { type: 'string', default: 'light' } }),
};
const NewTask = createObject({ 'title!': TEXT });
const NewItem = createObject({ 'bookId!': INTEGER, 'quantity!': INTEGER });

const ACCOUNTS = {
  '/register': {
    post: { isPublic: true, request: credentials, response: createObject({ 'token!': TEXT }), status: 201 },
  },
  '/login': { post: { isPublic: true, request: credentials, response: createObject({ 'token!': TEXT }) } },
  '/me': { get: { response: refer('User') }, delete: { status: 204 } },
};

const PATHS = {
  ...ACCOUNTS,
  ...createResourcePaths('/me/tasks/{taskId}', refer('Task'), NewTask),
  '/me/tasks/{taskId}/complete': { post: { response: refer('Task') } },
  '/me/stats': { get: { response: createObject({ 'taskCount!': INTEGER }) } },
  ...createResourcePaths('/my/projects/{projectId}', refer('Project'), createObject({ 'name!': TEXT })),
  ...createResourcePaths('/my/projects/{projectId}/steps/{stepId}', refer('Step'), createObject({ 'text!': TEXT })),
  ...createResourcePaths('/notes/{noteId}', refer('Note'), createObject({ 'text!': TEXT })),
  '/me/notes': { get: { response: createList(refer('Note')) } },
  '/me/notes/{noteId}': { get: { response: refer('Note') }, delete: { status: 204 } },
  '/settings': {
    get: { response: refer('Settings') },
    patch: { request: createObject({ theme: TEXT }), response: refer('Settings') },
  },
  ...createResourcePaths('/books/{bookId}', refer('Book'), createObject({ 'title!': TEXT, 'price!': INTEGER })),
  '/cart': { get: { response: refer('Cart') }, delete: { status: 204 } },
  '/cart/items': { post: { status: 201, request: NewItem, response: refer('Cart') } },
  '/cart/items/{itemId}': { delete: { status: 204 } },
  '/cart/checkout': { post: { status: 201, response: refer('Purchase') } },
  '/purchases': { get: { response: createList(refer('Purchase')) } },
  '/purchases/{purchaseId}': { get: { response: refer('Purchase') } },
  '/wishlist': {
    get: { response: createList(refer('Book')) },
    post: { status: 201, request: createObject({ 'bookId!': INTEGER }), response: refer('Book') },
  },
  '/wishlist/{bookId}': { delete: { status: 204 } },
};

/** Starts a server, and registers Ann and Bob. */
async function start() {
  const { ask } = await startApi({ paths: PATHS, schemas, needsToken: true });
  const register = async (email: string) => {
    const { body } = await ask('POST', '/register', { email, password: 'x' });
    return (method: string, path: string, sent?: unknown) =>
      ask(method, path, sent, { Authorization: `Bearer ${body.token}` });
  };
  return { ask, register, ann: await register('ann@example.com'), bob: await register('bob@example.com') };
}

describe('an entry below /me', () => {
  it('is listed, read, changed and deleted only by its user', async () => {
    const { ann, bob } = await start();
    const { body: own } = await ann('POST', '/me/tasks', { title: 'a' });
    const { body: other } = await bob('POST', '/me/tasks', { title: 'b' });
    expect(own.id).not.toBe(other.id);
    expect((await ann('GET', '/me/tasks')).body).toEqual([own]);
    expect((await bob('GET', '/me/tasks')).body).toEqual([other]);
    const path = `/me/tasks/${own.id}`;
    expect((await ann('GET', path)).body).toEqual(own);
    for (const [method, target, sent] of [
      ['GET', path],
      ['PUT', path, { title: 'c' }],
      ['PATCH', path, { title: 'c' }],
      ['DELETE', path],
      ['POST', `${path}/complete`],
    ] as const)
      expect(await bob(method, target, sent), method).toMatchObject({ status: 404 });
    expect((await ann('GET', path)).body).toEqual(own);
    expect((await ann('POST', `${path}/complete`)).body).toEqual({ ...own, status: 'done' });
  });

  it('is the same as below the path of the user', async () => {
    const Job = createObject({ 'id!': INTEGER, 'title!': TEXT, createdBy: INTEGER, assigneeId: INTEGER });
    const { ask } = await startApi({
      schemas: { ...schemas, Job },
      paths: {
        ...ACCOUNTS,
        '/users/{userId}': { get: { response: refer('User') } },
        '/users/{userId}/jobs': { get: { response: createList(refer('Job')) } },
        '/me/jobs': { get: { response: createList(refer('Job')) } },
        '/me/stats': { get: { response: createObject({ 'jobCount!': INTEGER }) } },
        ...createResourcePaths('/jobs/{jobId}', refer('Job'), createObject({ 'title!': TEXT, assigneeId: INTEGER })),
      },
    });
    const { token } = (await ask('POST', '/register', { email: 'ann@example.com', password: 'x' })).body;
    const ann = (method: string, path: string, sent?: unknown) =>
      ask(method, path, sent, { Authorization: `Bearer ${token}` });
    const { id } = (await ann('GET', '/me')).body;
    await ann('POST', '/jobs', { title: 'a' });
    const { body: own } = await ann('POST', '/jobs', { title: 'b', assigneeId: id });
    for (const path of ['/me/jobs', `/users/${id}/jobs`]) expect((await ann('GET', path)).body).toEqual([own]);
    expect((await ann('GET', '/me/stats')).body).toEqual({ jobCount: 1 });
  });

  it('is counted only for its user', async () => {
    const { ann, bob } = await start();
    await ann('POST', '/me/tasks', { title: 'a' });
    expect((await ann('GET', '/me/stats')).body).toEqual({ taskCount: 1 });
    expect((await bob('GET', '/me/stats')).body).toEqual({ taskCount: 0 });
  });

  it('has the entries below it to itself', async () => {
    const { ann, bob } = await start();
    const { body } = await ann('POST', '/my/projects', { name: 'p' });
    const steps = `/my/projects/${body.id}/steps`;
    const { body: step } = await ann('POST', steps, { text: 's' });
    expect((await ann('GET', steps)).body).toEqual([step]);
    for (const path of [steps, `${steps}/${step.id}`]) expect(await bob('GET', path)).toMatchObject({ status: 404 });
    expect(await bob('POST', steps, { text: 't' })).toMatchObject({ status: 404 });
  });

  it('is found at another path by all users, and by its owner at the path below /me', async () => {
    const { ann, bob } = await start();
    const { body: note } = await ann('POST', '/notes', { text: 'n' });
    const path = `/me/notes/${note.id}`;
    expect((await bob('GET', `/notes/${note.id}`)).body).toEqual(note);
    expect((await ann('GET', path)).body).toEqual(note);
    expect((await bob('GET', '/me/notes')).body).toEqual([]);
    for (const method of ['GET', 'DELETE']) expect(await bob(method, path)).toMatchObject({ status: 404 });
  });

  it('can name another user', async () => {
    const { ask } = await startApi({
      schemas: {
        User: createObject({ 'username!': TEXT, name: TEXT }),
        Contact: createObject({ 'id!': INTEGER, 'username!': TEXT, user: refer('User') }),
        Mention: createObject({ 'id!': INTEGER, 'text!': TEXT, 'username!': TEXT }),
      },
      paths: {
        '/register': {
          post: {
            status: 201,
            request: createObject({ 'username!': TEXT, 'password!': TEXT }),
            response: createObject({ 'token!': TEXT }),
          },
        },
        '/login': {
          post: {
            request: createObject({ 'username!': TEXT, 'password!': TEXT }),
            response: createObject({ 'token!': TEXT }),
          },
        },
        '/users': { get: { response: createList(refer('User')) } },
        '/users/{username}': { get: { response: refer('User') } },
        '/me': { get: { response: refer('User') }, delete: { status: 204 } },
        ...createResourcePaths('/me/contacts/{contactId}', refer('Contact'), createObject({ 'username!': TEXT })),
        ...createResourcePaths('/notes/{noteId}', refer('Mention'), createObject({ 'text!': TEXT })),
        '/me/mentions': { get: { response: createList(refer('Mention')) } },
      },
    });
    const register = async (username: string) => {
      const { body } = await ask('POST', '/register', { username, password: 'x' });
      return (method: string, path: string, sent?: unknown) =>
        ask(method, path, sent, { Authorization: `Bearer ${body.token}` });
    };
    const [ann, bob] = [await register('ann'), await register('bob')];
    const { body: contact } = await ann('POST', '/me/contacts', { username: 'bob' });
    expect(contact).toEqual({ id: 1, username: 'bob', user: { username: 'bob' } });
    expect((await ann('GET', '/me/contacts')).body).toEqual([contact]);
    expect((await bob('GET', '/me/contacts')).body).toEqual([]);
    expect((await bob('POST', '/notes', { text: 'a' })).body).toMatchObject({ username: 'bob' });
    const mentions = await bob('GET', '/me/mentions');
    expect(mentions.headers.get('x-mocked')).toBe('operation');
    await bob('DELETE', '/me');
    expect((await ann('GET', '/me/contacts')).body).toEqual([contact]);
  });

  it('is deleted with its user', async () => {
    const { ann, bob, register } = await start();
    const { body: own } = await ann('POST', '/me/tasks', { title: 'a' });
    const { body: other } = await bob('POST', '/me/tasks', { title: 'b' });
    await ann('DELETE', '/me');
    const next = await register('ann@example.com');
    expect((await next('GET', '/me/tasks')).body).toEqual([]);
    expect(await next('GET', `/me/tasks/${own.id}`)).toMatchObject({ status: 404 });
    expect((await bob('GET', '/me/tasks')).body).toEqual([other]);
  });
});

describe('a list below /me that no operation creates', () => {
  it('has generated entries for each user, also for a new one', async () => {
    const Notice = createObject({ 'id!': INTEGER, 'text!': TEXT, 'read!': { type: 'boolean', default: false } });
    const { ask } = await startApi({
      schemas: { ...schemas, Notice },
      paths: {
        ...ACCOUNTS,
        '/me/notices': { get: { response: createList(refer('Notice')) } },
        '/me/notices/{noticeId}/read': { post: { response: refer('Notice') } },
        '/me/notices/unread-count': { get: { response: createObject({ 'count!': INTEGER }) } },
      },
      needsToken: true,
    });
    const register = async (email: string) => {
      const { body } = await ask('POST', '/register', { email, password: 'x' });
      return (method: string, path: string) => ask(method, path, undefined, { Authorization: `Bearer ${body.token}` });
    };
    const [ann, bob] = [await register('ann@example.com'), await register('bob@example.com')];
    const [first] = (await ann('GET', '/me/notices')).body.filter(({ read }: { read: boolean }) => !read);
    const { count } = (await ann('GET', '/me/notices/unread-count')).body;
    const before = (await bob('GET', '/me/notices')).body;
    expect(before).toHaveLength(3);
    await ann('POST', `/me/notices/${first.id}/read`);
    expect((await ann('GET', '/me/notices/unread-count')).body).toEqual({ count: count - 1 });
    expect((await bob('GET', '/me/notices')).body).toEqual(before);
  });
});

describe('what each user has alone behind a login', () => {
  it('is one object for each user', async () => {
    const { ann, bob } = await start();
    expect((await ann('PATCH', '/settings', { theme: 'dark' })).body).toEqual({ theme: 'dark' });
    expect((await ann('GET', '/settings')).body).toEqual({ theme: 'dark' });
    expect((await bob('GET', '/settings')).body).toEqual({ theme: 'light' });
  });

  it('is one basket for each user, also in its items and at a checkout', async () => {
    const { ann, bob } = await start();
    await ann('POST', '/books', { title: 'Dune', price: 10 });
    await ann('POST', '/cart/items', { bookId: 1, quantity: 2 });
    const { body: mine } = await bob('POST', '/cart/items', { bookId: 1, quantity: 5 });
    expect(mine).toMatchObject({ items: [{ quantity: 5 }], itemCount: 1 });
    expect((await ann('GET', '/cart')).body).toMatchObject({ items: [{ quantity: 2 }], itemCount: 1 });
    expect(await ann('DELETE', `/cart/items/${mine.items[0].id}`)).toMatchObject({ status: 404 });
    expect((await ann('POST', '/cart/checkout')).body.items).toEqual([{ bookId: 1, quantity: 2, price: 10 }]);
    expect((await ann('GET', '/cart')).body.items).toEqual([]);
    expect((await bob('GET', '/cart')).body.items).toEqual(mine.items);
    await bob('DELETE', '/cart');
    expect((await bob('GET', '/cart')).body.items).toEqual([]);
  });

  it('is not in other paths with the same name: /items/{itemId} beside /cart/items/{id}', async () => {
    const item = createObject({ 'item_id!': TEXT, 'quantity!': INTEGER });
    const { ask } = await startApi({
      needsToken: true,
      paths: {
        ...ACCOUNTS,
        '/cart/items': { post: { status: 201, request: item } },
        '/cart/items/{id}': { delete: { status: 204 }, patch: { request: createObject({ quantity: INTEGER }) } },
        '/items/{itemId}': { get: { errors: [404] } },
      },
      schemas,
    });
    const { body } = await ask('POST', '/register', { email: 'ann@x.test', password: 'secret' });
    const headers = { Authorization: `Bearer ${body.token}` };
    expect((await ask('GET', '/items/7', undefined, headers)).status).toBe(200);
  });

  it('is a list of existing entries for each user', async () => {
    const { ann, bob } = await start();
    const { body: book } = await ann('POST', '/books', { title: 'Dune', price: 10 });
    await ann('POST', '/wishlist', { bookId: book.id });
    expect((await bob('GET', '/wishlist')).body).toEqual([]);
    await bob('POST', '/wishlist', { bookId: book.id });
    expect(await ann('DELETE', `/wishlist/${book.id}`)).toMatchObject({ status: 204 });
    expect((await ann('GET', '/wishlist')).body).toEqual([]);
    expect((await bob('GET', '/wishlist')).body).toEqual([book]);
  });

  it('is explained', async () => {
    const explained = await explainApi({ paths: PATHS, schemas, needsToken: true });
    expect(explained['GET /me/tasks']).toBe('real: lists tasks of the user who sends the request');
    expect(explained['GET /me/tasks/{taskId}']).toBe('real: reads a task of the user who sends the request (id: id)');
    expect(explained['GET /settings']).toBe('real: reads settings of the user who sends the request');
    expect(explained['DELETE /me']).toMatch(
      '(also deletes: settings, cart, tasks, projects, items, wishlist; keeps: notes)',
    );
    expect(explained['GET /me/stats']).toBe('real: counts: taskCount of the user who sends the request');
  });

  it('is one for all users without a login', async () => {
    const paths = { '/settings': PATHS['/settings'], '/cart': PATHS['/cart'], '/cart/items': PATHS['/cart/items'] };
    const explained = await explainApi({ paths, schemas, needsToken: true });
    expect(Object.values(explained).join()).not.toMatch('who sends');
    const open = await explainApi({ paths: { ...ACCOUNTS, ...paths }, schemas });
    expect(open['GET /settings']).toBe('real: reads settings');
  });
});

describe('a list of the entries that are assigned to the user', () => {
  it.each([
    [{ assigneeId: INTEGER }, (id: number) => ({ assigneeId: id }), 'assigneeId'],
    [{ assignee: refer('User') }, (id: number) => ({ assignee: { id, email: 'bob@example.com' } }), 'assignee.id'],
    [{ assignee: refer('User') }, (id: number) => ({ assigneeId: id }), 'assigneeId', { assigneeId: INTEGER }],
  ])(
    'has those with the user as the assignee, and not as the creator',
    async (more, assign, property, sent: object = more) => {
      const Ticket = createObject({ 'id!': INTEGER, 'title!': TEXT, createdBy: INTEGER, ...more });
      const paths = {
        ...ACCOUNTS,
        ...createResourcePaths('/tickets/{ticketId}', refer('Ticket'), createObject({ 'title!': TEXT, ...sent })),
        '/me/tickets': { get: { summary: 'Tickets assigned to me', response: createList(refer('Ticket')) } },
      };
      const api = { paths, schemas: { ...schemas, Ticket }, needsToken: true };
      const { ask } = await startApi(api);
      const register = async (email: string) => {
        const { body } = await ask('POST', '/register', { email, password: 'x' });
        const headers = { Authorization: `Bearer ${body.token}` };
        return { headers, id: (await ask('GET', '/me', undefined, headers)).body.id };
      };
      const [ann, bob] = [await register('ann@example.com'), await register('bob@example.com')];
      await ask('POST', '/tickets', { title: 'a', ...assign(bob.id) }, ann.headers);
      expect((await ask('GET', '/me/tickets', undefined, bob.headers)).body).toMatchObject([{ title: 'a' }]);
      expect((await ask('GET', '/me/tickets', undefined, ann.headers)).body).toEqual([]);
      expect((await explainApi(api))['GET /me/tickets']).toContain(`only with the user in ${property}`);
    },
  );
});
