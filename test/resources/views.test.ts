import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const DATE = { type: 'string', format: 'date' };

const Task = createObject({
  'id!': INTEGER,
  'title!': TEXT,
  'status!': { type: 'string', enum: ['todo', 'doing', 'done'] },
  urgent: { type: 'boolean' },
  dueDate: DATE,
  createdAt: { type: 'string', format: 'date-time' },
  likes: INTEGER,
  ownerId: INTEGER,
  projectId: { type: ['integer', 'null'] },
  notes: createList(TEXT),
});
const User = createObject({ 'id!': INTEGER, 'name!': TEXT });

/** The first task is in a project; the second has null, and the third has no value. */
const PROJECTS = [{ projectId: 5 }, { projectId: null }];

const TASKS = [
  { id: 1, title: 'Buy milk', status: 'todo', dueDate: '2024-01-01', createdAt: '2024-01-03T10:00:00Z', likes: 2 },
  { id: 2, title: 'Read', status: 'done', dueDate: '2024-02-01', createdAt: '2024-01-05T10:00:00Z', likes: 9 },
  { id: 3, title: 'Milk cow', status: 'doing', dueDate: '2999-01-01', createdAt: '2024-01-04T10:00:00Z', urgent: true },
].map((task, index) => ({ ...task, ownerId: (index % 2) + 1, notes: [`note ${index}`], ...PROJECTS[index] }));

const list = createList(refer('Task'));
const query = {
  q: TEXT,
  dueBefore: DATE,
  minLikes: INTEGER,
  likes_gt: INTEGER,
  'likes[lte]': INTEGER,
  status: TEXT,
  status_ne: TEXT,
  createdFrom: DATE,
  projectId: TEXT,
  ownerId: TEXT,
  createdTo: DATE,
};

async function replaceState(url: string, state: object): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const target = `${url}/_control/sandboxes/default/state`;
  const { status } = await fetch(target, { method: 'PUT', headers, body: JSON.stringify(state) });
  expect(status).toBeLessThan(300);
}

/** Starts a server with tasks, users and views of both. Returns a function that returns the ids of the tasks in a list. */
async function start() {
  const paths = {
    ...createResourcePaths('/users/{userId}', refer('User')),
    ...createResourcePaths('/tasks/{taskId}', refer('Task')),
    '/tasks': {
      get: { query, response: list },
      post: { request: refer('Task'), response: refer('Task'), status: 201 },
    },
    '/tasks/overdue': { get: { response: list } },
    '/tasks/upcoming': { get: { response: list } },
    '/tasks/completed': { get: { response: list } },
    '/tasks/urgent': { get: { response: list } },
    '/tasks/recent': { get: { response: list } },
    '/tasks/popular': { get: { response: list } },
    '/search': { get: { query: { 'term!': TEXT }, response: createObject({ 'results!': list }) } },
    '/users/{userId}/tasks': { get: { response: list } },
  };
  const shop = await startApi({ paths, schemas: { Task, User } });
  const users = ['Ann', 'Bob'].map((name, index) => ({ id: index + 1, name }));
  await replaceState(shop.url, { tasks: TASKS, users });
  const getIds = async (path: string) => {
    const { body } = await shop.ask('GET', path);
    const entries: readonly { readonly id: number }[] = body.results ?? body;
    return entries.map(({ id }) => id);
  };
  return { ...shop, getIds };
}

describe('a list of entries at another path', () => {
  it.each([
    ['/tasks/overdue', [1]],
    ['/tasks/upcoming', [3]],
    ['/tasks/completed', [2]],
    ['/tasks/urgent', [3]],
    ['/tasks/recent', [2, 3, 1]],
    ['/tasks/popular', [2, 1, 3]],
    ['/search?term=MILK', [1, 3]],
    ['/search?term=milk+cow', [3]],
    ['/search?term=note%202', [3]],
    ['/users/1/tasks', [1, 3]],
    ['/users/2/tasks', [2]],
  ])('shows the entries that its path names: %s', async (path, ids) => {
    const { getIds } = await start();
    expect(await getIds(path)).toEqual(ids);
  });

  it('agrees with the list after a change', async () => {
    const { ask, getIds } = await start();
    const { body } = await ask('POST', '/tasks', { id: 4, title: 'Drink milk', status: 'todo', ownerId: 1 });
    expect(await getIds('/search?term=milk')).toContain(body.id);
    expect(await getIds('/users/1/tasks')).toContain(body.id);
  });
});

describe('a query parameter of a list', () => {
  it.each([
    ['q=milk', [1, 3]],
    ['dueBefore=2024-02-01', [1]],
    ['minLikes=3', [2]],
    ['likes_gt=2', [2]],
    ['likes[lte]=2', [1]],
    ['status=todo,done', [1, 2]],
    ['projectId=null', [2, 3]],
    ['ownerId=null', []],
    ['status_ne=done', [1, 3]],
    ['createdFrom=2024-01-04', [2, 3]],
    ['createdTo=2024-01-04', [1, 3]],
    ['createdFrom=2024-01-04&createdTo=2024-01-04', [3]],
  ])('compares or searches: %s', async (search, ids) => {
    const { getIds } = await start();
    const found = await getIds(`/tasks?${search}`);
    // The third task has no likes, so its likes are generated.
    expect(search.includes('ikes') ? found.filter((id) => id !== 3) : found).toEqual(ids);
  });
});

it('a view prefers the value of a property to a date', async () => {
  const Invoice = createObject({ 'id!': INTEGER, 'status!': { enum: ['overdue', 'paid'] }, dueDate: DATE });
  const invoices = createList(refer('Invoice'));
  const paths = {
    ...createResourcePaths('/invoices/{id}', refer('Invoice')),
    '/invoices/overdue': { get: { query: { 'page!': INTEGER }, response: invoices } },
  };
  const { ask, url } = await startApi({ paths, schemas: { Invoice } });
  const entries = ['overdue', 'paid'].map((status, index) => ({ id: index + 1, status, dueDate: '2999-01-01' }));
  await replaceState(url, { invoices: entries });
  expect((await ask('GET', '/invoices/overdue?page=1')).body).toEqual(entries.slice(0, 1));
});

describe('a list that no operation changes', () => {
  const Country = createObject({ 'code!': TEXT, 'name!': TEXT });

  it('is a resource with default data, which the state can replace', async () => {
    const paths = { '/countries': { get: { query: { name: TEXT }, response: createList(Country) } } };
    const { ask, url } = await startApi({ paths });
    const { body } = await ask('GET', '/countries');
    expect(body).toHaveLength(3);
    expect((await ask('GET', `/countries?name=${encodeURIComponent(body[0].name)}`)).body).toContainEqual(body[0]);
    const countries = [{ code: 'fr', name: 'France' }];
    await replaceState(url, { countries });
    expect((await ask('GET', '/countries')).body).toEqual(countries);
  });

  it('has the examples of the document', async () => {
    const example = [{ code: 'fr', name: 'France' }];
    const paths = { '/countries': { get: { response: createList(Country), examples: { a: example } } } };
    const { ask } = await startApi({ paths });
    expect((await ask('GET', '/countries')).body).toEqual(example);
  });
});

it('A path that shows a part of an entry generates the same values as the other paths', async () => {
  const User = createObject({ 'id!': INTEGER, 'username!': TEXT, 'bio!': TEXT });
  const Profile = createObject({ 'username!': TEXT, 'bio!': TEXT });
  const paths = {
    ...createResourcePaths('/users/{userId}', refer('User'), createObject({ 'username!': TEXT })),
    '/profiles/{username}': { get: { response: createObject({ 'profile!': refer('Profile') }) } },
  };
  const { ask } = await startApi({ paths, schemas: { User, Profile } });
  const { bio } = (await ask('POST', '/users', { username: 'ann' })).body;
  expect((await ask('GET', '/profiles/ann')).body).toEqual({ profile: { username: 'ann', bio } });
});

it('a list of the overdue entries is mocked if no property says which entries are overdue', async () => {
  const Loan = createObject({ 'id!': INTEGER, 'title!': TEXT });
  const paths = {
    ...createResourcePaths('/loans/{loanId}', refer('Loan')),
    '/loans/overdue': { get: { response: createList(refer('Loan')) } },
  };
  expect((await explainApi({ paths, schemas: { Loan } }))['GET /loans/overdue']).toBe(
    'mocked: the document does not say which entries are overdue',
  );
});

it('a list for administrators shows the same users as the list for all, with more properties', async () => {
  const Person = createObject({ 'id!': TEXT, 'nickname!': TEXT, email: TEXT });
  const Row = createObject({
    ...{ 'id!': TEXT, 'nickname!': TEXT, email: TEXT },
    ...{ bannedAt: { type: 'string', format: 'date-time', nullable: true } },
  });
  const request = createObject({ 'nickname!': TEXT, 'password!': TEXT, email: TEXT });
  const response = createObject({ 'token!': TEXT, 'user!': refer('Person') });
  const paths = {
    '/register': { post: { request, response, status: 201 } },
    '/login': { post: { request, response } },
    '/users': { get: { response: createList(refer('Person')) } },
    '/admin/users': { get: { response: createList(refer('Row')) } },
    '/admin/users/{userId}/ban': { post: { response: createObject({ 'ok!': { type: 'boolean' } }) } },
  };
  const { ask } = await startApi({ paths, schemas: { Person, Row } });
  const { user } = (await ask('POST', '/register', { nickname: 'ann', password: 'secret' })).body;
  expect((await ask('GET', '/users')).body).toContainEqual(user);
  expect((await ask('POST', `/admin/users/${user.id}/ban`)).status).toBe(200);
  const banned = { id: user.id, nickname: 'ann', bannedAt: expect.any(String) };
  expect((await ask('GET', '/admin/users')).body).toContainEqual(expect.objectContaining(banned));
});

it('a search finds the entries of the list with the same name below other entries', async () => {
  const properties = { 'id!': TEXT, 'room_id!': TEXT, 'text!': TEXT };
  const [Message, Found] = [createObject(properties), createObject(properties)];
  const paths = {
    ...createResourcePaths('/rooms/{roomId}', refer('Room'), createObject({ 'name!': TEXT })),
    '/search/messages': { get: { response: createList(refer('Found')), query: { q: TEXT, room_id: TEXT } } },
    '/rooms/{roomId}/messages': { get: { response: createList(refer('Message')) } },
  };
  const Room = { ...createObject({ 'id!': TEXT, 'name!': TEXT }), example: { id: 'r1', name: 'a' } };
  const { ask } = await startApi({ paths, schemas: { Message, Found, Room } });
  const { body: messages } = await ask('GET', '/rooms/r1/messages');
  expect(messages).toHaveLength(3);
  expect((await ask('GET', '/search/messages?room_id=r1')).body).toEqual(messages);
});

it('A list of the entries of followed users is mocked if the document does not say whom a user follows', async () => {
  const Post = createObject({ 'id!': INTEGER, 'title!': TEXT });
  const feed = { get: { response: createList(Post) } };
  const paths = { ...createResourcePaths('/posts/{postId}', Post), '/posts/subscriptions_feed': feed };
  expect((await explainApi({ paths }))['GET /posts/subscriptions_feed']).toBe(
    'mocked: the document does not say which entries are subscriptions feed',
  );
});

it('Explain names a property that selects the entries of a list although no operation sets it', async () => {
  const CHOICE = { type: 'string', enum: ['a', 'b'] };
  const Board = createObject({ 'id!': INTEGER, 'name!': TEXT, role: CHOICE, kind: CHOICE });
  const paths = {
    ...createResourcePaths('/boards/{id}', refer('Board'), createObject({ 'name!': TEXT, kind: CHOICE })),
    '/boards/by-role/{role}': { get: { response: createList(refer('Board')) } },
    '/boards/by-kind/{kind}': { get: { response: createList(refer('Board')) } },
  };
  const lines = await explainApi({ paths, schemas: { Board } });
  expect(lines['GET /boards/by-role/{role}']).toContain('no operation sets: role');
  expect(lines['GET /boards/by-kind/{kind}']).not.toContain('no operation sets');
});
