import { expect, it } from 'vitest';
import {
  createList,
  createObject,
  createResourcePaths,
  type Paths,
  refer,
  type Schema,
} from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const BOOLEAN = { type: 'boolean' };
const STATUS = { type: 'string', enum: ['todo', 'in_progress', 'done'] };
const TIME = { type: ['string', 'null'], format: 'date-time' };

const schemas = {
  Task: createObject({ 'id!': INTEGER, 'title!': TEXT, 'status!': STATUS }),
  Alert: createObject({ 'id!': INTEGER, 'text!': TEXT, 'isRead!': BOOLEAN, readAt: TIME }),
  Bill: createObject({
    'id!': INTEGER,
    'name!': TEXT,
    'status!': { type: 'string', enum: ['open', 'paid'] },
    'isPaid!': BOOLEAN,
    'paymentStatus!': { type: 'string', enum: ['unpaid', 'paid'] },
    paidAt: TIME,
  }),
  Message: createObject({ 'id!': INTEGER, 'text!': TEXT, read_at: TIME }),
  Topic: createObject({ 'id!': INTEGER, 'name!': TEXT, 'parentId!': { type: ['integer', 'null'] } }),
};

const ALERTS = [1, 2, 3].map((id) => ({ id, text: 'x', isRead: false }));

const COUNTS = { 'total!': INTEGER, 'todo!': INTEGER, 'inProgress!': INTEGER, 'done!': INTEGER };

const PATHS: Paths = {
  ...createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ 'title!': TEXT, status: STATUS })),
  '/tasks/stats': { get: { response: createObject({ ...COUNTS, 'rate!': { type: 'number' } }) } },
  '/dashboard': {
    get: {
      response: createObject({
        'doneTasks!': INTEGER,
        'tasksByStatus!': { type: 'object', additionalProperties: INTEGER },
        'tasks!': createObject(COUNTS),
      }),
    },
  },
  '/alerts': { get: { response: createList(refer('Alert')), example: ALERTS } },
  '/alerts/{alertId}/read': { post: { status: 204 } },
  '/alerts/read-all': { post: { status: 204 } },
  '/alerts/unread-count': { get: { response: createObject({ 'count!': INTEGER }) } },
  ...createResourcePaths('/messages/{messageId}', refer('Message'), createObject({ 'text!': TEXT })),
  '/messages/{messageId}/read': { post: { response: refer('Message') } },
  '/messages/unread-count': { get: { response: createObject({ 'unread!': INTEGER }) } },
  '/bills/{billId}/match-analysis': { post: { request: createObject({ 'name!': TEXT }) } },
  ...createResourcePaths('/bills/{billId}', refer('Bill'), createObject({ 'name!': TEXT })),
  '/bills/{billId}/pay': { post: { response: refer('Bill') } },
  ...createResourcePaths(
    '/topics/{topicId}',
    refer('Topic'),
    createObject({ 'name!': TEXT, parentId: { type: ['integer', 'null'] } }),
  ),
  '/topics/{topicId}/children': { get: { response: createList(refer('Topic')) } },
};

it('Numbers with the names of states count the entries in each state', async () => {
  const { ask } = await startApi({ paths: PATHS, schemas });
  for (const status of ['todo', 'done', 'done']) await ask('POST', '/tasks', { title: 'x', status });
  const counts = { total: 3, todo: 1, inProgress: 0, done: 2 };
  expect((await ask('GET', '/tasks/stats')).body).toMatchObject(counts);
  const tasksByStatus = { todo: 1, in_progress: 0, done: 2 };
  expect((await ask('GET', '/dashboard')).body).toEqual({ doneTasks: 2, tasksByStatus, tasks: counts });
});

it('Numbers of states are explained, and the numbers that nothing explains', async () => {
  expect(await explainApi({ paths: PATHS, schemas })).toMatchObject({
    'GET /tasks/stats':
      'real: counts: todo (tasks with status "todo"), inProgress (tasks with status "in_progress"), done (tasks with status "done"), total; generates: rate',
    'GET /alerts/unread-count': 'real: counts: count (alerts with isRead false)',
    'POST /alerts/read-all': 'real: marks all alerts as read: isRead → true, readAt → now',
    'POST /messages/{messageId}/read': 'real: marks a message as read: read_at → now',
    'GET /messages/unread-count': 'real: counts: unread (messages without read_at)',
    'POST /bills/{billId}/match-analysis': expect.stringMatching(/^mocked: an action/),
    'POST /bills/{billId}/pay':
      'real: pays a bill: status → "paid", isPaid → true, paymentStatus → "paid", paidAt → now',
  });
});

it('An action below a list without a path for its entries changes one entry or all entries', async () => {
  const { ask } = await startApi({ paths: PATHS, schemas });
  const list = async () => (await ask('GET', '/alerts')).body.map((alert: { isRead: boolean }) => alert.isRead);
  expect(await ask('POST', '/alerts/2/read')).toMatchObject({ status: 204 });
  expect(await list()).toEqual([false, true, false]);
  expect((await ask('GET', '/alerts/unread-count')).body).toEqual({ count: 2 });
  expect(await ask('POST', '/alerts/9/read')).toMatchObject({ status: 404 });
  await ask('POST', '/alerts/read-all');
  expect(await list()).toEqual([true, true, true]);
  expect((await ask('GET', '/alerts/unread-count')).body).toEqual({ count: 0 });
});

it('An action sets each property that says the same about the state', async () => {
  const { ask } = await startApi({ paths: PATHS, schemas });
  const open = { status: 'open', isPaid: false, paymentStatus: 'unpaid' };
  expect((await ask('POST', '/bills', { name: 'x' })).body).toMatchObject(open);
  const paid = { status: 'paid', isPaid: true, paymentStatus: 'paid', paidAt: expect.any(String) };
  expect((await ask('POST', '/bills/1/pay')).body).toMatchObject(paid);
  expect((await ask('GET', '/bills/1')).body).toMatchObject(paid);
});

it('parentId names an entry of the same list, and null is at the top', async () => {
  const { ask } = await startApi({ paths: PATHS, schemas });
  expect((await ask('POST', '/topics', { name: 'a' })).body).toEqual({ id: 1, name: 'a', parentId: null });
  const { body: child } = await ask('POST', '/topics', { name: 'b', parentId: 1 });
  expect((await ask('GET', '/topics/1/children')).body).toEqual([child]);
  expect((await ask('GET', '/topics/2/children')).body).toEqual([]);
});

it('Numbers below an entry count the states and the overdue ones of the only entries that have them', async () => {
  const task = { 'title!': TEXT, status: STATUS, dueDate: { ...TEXT, format: 'date' } };
  const groups = createObject({ todo: INTEGER, in_progress: INTEGER, done: INTEGER });
  const { ask } = await startApi({
    paths: {
      ...createResourcePaths('/projects/{projectId}', refer('Project'), createObject({ 'title!': TEXT })),
      ...createResourcePaths('/projects/{projectId}/tasks/{taskId}', refer('Task'), createObject(task)),
      ...createResourcePaths('/projects/{projectId}/notes/{noteId}', refer('Note'), createObject({ 'title!': TEXT })),
      '/projects/{projectId}/statistics': {
        get: { response: createObject({ 'taskCount!': INTEGER, 'overdueCount!': INTEGER, 'byStatus!': groups }) },
      },
    },
    schemas: {
      Project: createObject({ 'id!': INTEGER, 'title!': TEXT }),
      Task: createObject({ 'id!': INTEGER, ...task }),
      Note: createObject({ 'id!': INTEGER, 'title!': TEXT }),
    },
  });
  for (const title of ['a', 'b']) await ask('POST', '/projects', { title });
  for (const status of ['todo', 'done', 'done'])
    await ask('POST', '/projects/1/tasks', { title: 'x', status, dueDate: '2000-01-01' });
  await ask('POST', '/projects/1/tasks', { title: 'x', status: 'todo', dueDate: '2999-01-01' });
  await ask('POST', '/projects/2/tasks', { title: 'x', status: 'todo', dueDate: '2000-01-01' });
  expect((await ask('GET', '/projects/1/statistics')).body).toEqual({
    taskCount: 4,
    overdueCount: 1,
    byStatus: { todo: 2, in_progress: 0, done: 2 },
  });
});

it('Lists with numbers rank the users and the texts that entries name, beside the numbers of the same entries', async () => {
  const PRIORITY = { type: 'string', enum: ['low', 'high'] };
  const User = createObject({ 'id!': INTEGER, 'name!': TEXT, 'email!': TEXT });
  const task = { 'title!': TEXT, status: STATUS, priority: PRIORITY, tags: createList(TEXT) };
  const Task = createObject({ 'id!': INTEGER, ...task, 'assigneeId!': { type: ['integer', 'null'] } });
  const Person = createObject({ 'id!': INTEGER, 'name!': TEXT });
  const users = ['Ann', 'Bob', 'Cy'].map((name, at) => ({ id: at + 1, name, email: `${name}@x.test` }));
  const api = {
    paths: {
      '/users': { get: { response: createList(refer('User')), example: users } },
      ...createResourcePaths(
        '/tasks/{taskId}',
        refer('Task'),
        createObject({ ...task, assigneeId: { type: ['integer', 'null'] } }),
      ),
      ...createResourcePaths('/notes/{noteId}', createObject({ 'id!': INTEGER, 'text!': TEXT })),
      '/tags': { get: { response: createList(createObject({ 'name!': TEXT, 'count!': INTEGER })) } },
      '/stats': {
        get: {
          response: createObject({
            'total!': INTEGER,
            'unassigned!': INTEGER,
            'byStatus!': createObject({ todo: INTEGER, in_progress: INTEGER, done: INTEGER }),
            'byPriority!': createObject({ low: INTEGER, high: INTEGER }),
            'topAssignees!': createList(createObject({ 'user!': refer('Person'), 'count!': INTEGER })),
            'tasksByAssignee!': createList(
              createObject({ 'assigneeId!': INTEGER, 'assigneeName!': TEXT, 'taskCount!': INTEGER }),
            ),
          }),
        },
      },
    },
    schemas: { User, Task, Person },
  };
  const { ask } = await startApi(api);
  for (const [assigneeId, priority, tags] of [
    [1, 'low', ['a']],
    [2, 'high', ['b', 'a']],
    [2, 'high', ['b', 'b']],
    [null, 'low', ['b']],
  ] as const)
    await ask('POST', '/tasks', { title: 'x', status: 'todo', assigneeId, priority, tags });
  const { body, headers } = await ask('GET', '/stats');
  expect(body).toEqual({
    total: 4,
    unassigned: 1,
    byStatus: { todo: 4, in_progress: 0, done: 0 },
    byPriority: { low: 2, high: 2 },
    topAssignees: [
      { user: { id: 2, name: 'Bob' }, count: 2 },
      { user: { id: 1, name: 'Ann' }, count: 1 },
    ],
    tasksByAssignee: [
      { assigneeId: 2, assigneeName: 'Bob', taskCount: 2 },
      { assigneeId: 1, assigneeName: 'Ann', taskCount: 1 },
    ],
  });
  expect(headers.get('x-mocked')).toBeNull();
  const ranked = [
    { name: 'b', count: 3 },
    { name: 'a', count: 2 },
  ];
  expect((await ask('GET', '/tags')).body).toEqual(ranked);
  await ask('DELETE', '/tasks/1');
  expect((await ask('GET', '/stats')).body.topAssignees).toEqual([{ user: { id: 2, name: 'Bob' }, count: 2 }]);
  expect((await explainApi(api))['GET /tags']).toBe('real: counts: tasks by tags');
});

it('Numbers of a part of the entries, and objects, are no numbers of all entries by a property', async () => {
  const type = { ...TEXT, enum: ['compact', 'standard'] };
  const groups = (schema: Schema) => createObject({ compact: schema, standard: schema });
  const explained = await explainApi({
    paths: {
      ...createResourcePaths('/spots/{spotId}', refer('Spot'), createObject({ type, status: STATUS })),
      '/availability': { get: { response: createObject({ totalTodo: INTEGER, byType: groups(INTEGER) }) } },
      '/occupancy': {
        get: { response: createObject({ byStatus: createObject({ todo: createObject({ rate: INTEGER }) }) }) },
      },
    },
    schemas: { Spot: createObject({ 'id!': INTEGER, type, 'status!': STATUS }) },
  });
  expect(explained['GET /availability']).not.toContain('byType (');
  expect(explained['GET /occupancy']).toMatch(/^mocked/);
});

it('The number `open` beside others counts the entries in no final state', async () => {
  const status = { type: 'string', enum: ['todo', 'done', 'cancelled'] };
  const Task = createObject({ 'id!': { type: 'integer' }, 'status!': status });
  const resources = createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ 'status!': status }));
  const number = { type: 'integer' };
  const response = createObject({ 'total!': number, 'todo!': number, 'done!': number, 'open!': number });
  const { ask } = await startApi({ paths: { ...resources, '/stats': { get: { response } } }, schemas: { Task } });
  for (const one of ['todo', 'todo', 'done', 'cancelled']) await ask('POST', '/tasks', { status: one });
  expect((await ask('GET', '/stats')).body).toEqual({ total: 4, todo: 2, done: 1, open: 2 });
});

it('An average number of entries for each other entry is computed', async () => {
  const number = { type: 'number' };
  const { ask } = await startApi({
    paths: {
      ...createResourcePaths('/alerts/{alertId}', refer('Alert'), createObject({ 'text!': TEXT })),
      ...createResourcePaths('/messages/{messageId}', refer('Message'), createObject({ 'text!': TEXT })),
      '/statistics': {
        get: { response: createObject({ 'averageMessagesPerAlert!': number, 'avg_alerts_per_message!': INTEGER }) },
      },
    },
    schemas,
  });
  const read = async () => (await ask('GET', '/statistics')).body;
  expect(await read()).toEqual({ averageMessagesPerAlert: 0, avg_alerts_per_message: 0 });
  for (const text of ['a', 'b', 'c']) await ask('POST', '/alerts', { text });
  for (const text of ['a', 'b']) await ask('POST', '/messages', { text });
  expect(await read()).toEqual({ averageMessagesPerAlert: 0.67, avg_alerts_per_message: 2 });
});
