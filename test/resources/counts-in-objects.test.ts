import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const BOOLEAN = { type: 'boolean' };
const NUMBER = { type: 'number' };
const STATUS = { type: 'string', enum: ['todo', 'doing', 'completed', 'cancelled'], default: 'todo' };
const NOW = '2030-01-10T12:00:00Z';

const stats = createObject({
  'taskCount!': INTEGER,
  'completedTaskCount!': INTEGER,
  'overdueTaskCount!': INTEGER,
  'views!': INTEGER,
});
const newTask = createObject({ 'title!': TEXT, status: STATUS, dueDate: { type: 'string', format: 'date' } });

const schemas = {
  Project: createObject({
    'id!': INTEGER,
    'name!': TEXT,
    'stats!': stats,
    _count: createObject({ 'tasks!': INTEGER, 'members!': INTEGER }),
    taskSummary: createObject({ 'total!': INTEGER, 'completed!': INTEGER, 'overdue!': INTEGER }),
    tasksByStatus: createObject({ todo: INTEGER, doing: INTEGER, completed: INTEGER, cancelled: INTEGER }),
    openTasks: INTEGER,
    'overdueTaskCount!': INTEGER,
    activeMembersCount: INTEGER,
  }),
  Task: createObject({
    'id!': INTEGER,
    'title!': TEXT,
    'status!': STATUS,
    dueDate: { type: 'string', format: 'date' },
    'isOverdue!': BOOLEAN,
  }),
  Member: createObject({ 'id!': INTEGER, 'name!': TEXT, 'active!': BOOLEAN }),
};

const paths = {
  ...createResourcePaths('/projects/{projectId}', refer('Project'), createObject({ 'name!': TEXT })),
  ...createResourcePaths('/projects/{projectId}/tasks/{taskId}', refer('Task'), newTask),
  ...createResourcePaths(
    '/projects/{projectId}/members/{memberId}',
    refer('Member'),
    createObject({ 'name!': TEXT, active: BOOLEAN }),
  ),
  '/statistics': { get: { response: createObject({ 'totalTasks!': INTEGER, 'overdueTasks!': INTEGER }) } },
};

/** Starts a server with a project that has three tasks before their due date, after it and done, and two members. */
async function start() {
  const { ask } = await startApi({ paths, schemas }, { nowMs: () => Date.parse(NOW) });
  await ask('POST', '/projects', { name: 'a' });
  for (const [status, dueDate] of [
    ['todo', '2030-01-09'],
    ['doing', '2030-01-10'],
    ['completed', '2030-01-01'],
    ['cancelled', '2030-01-01'],
  ] as const)
    await ask('POST', '/projects/1/tasks', { title: 'a', status, dueDate });
  for (const active of [true, false]) await ask('POST', '/projects/1/members', { name: 'a', active });
  return ask;
}

describe('An entry with numbers of other entries', () => {
  it('has the numbers in objects, and those that depend on the state and on the time', async () => {
    const ask = await start();
    const { body, headers } = await ask('GET', '/projects/1');
    expect(body).toMatchObject({
      stats: { taskCount: 4, completedTaskCount: 1, overdueTaskCount: 1 },
      _count: { tasks: 4, members: 2 },
      taskSummary: { total: 4, completed: 1, overdue: 1 },
      tasksByStatus: { todo: 1, doing: 1, completed: 1, cancelled: 1 },
      openTasks: 2,
      overdueTaskCount: 1,
      activeMembersCount: 1,
    });
    expect(headers.get('x-mocked')).toBe('/stats/views');
    expect((await ask('GET', '/statistics')).body).toEqual({ totalTasks: 4, overdueTasks: 1 });
    await ask('PATCH', '/projects/1/tasks/1', { status: 'completed' });
    expect((await ask('GET', '/projects')).body).toMatchObject([{ stats: { completedTaskCount: 2 }, openTasks: 1 }]);
    expect((await ask('GET', '/statistics')).body).toEqual({ totalTasks: 4, overdueTasks: 0 });
  });

  it('says that a task is overdue as long as it is neither done nor cancelled', async () => {
    const ask = await start();
    const { body } = await ask('GET', '/projects/1/tasks');
    expect((body as { isOverdue: boolean }[]).map(({ isOverdue }) => isOverdue)).toEqual([true, false, false, false]);
    expect((await ask('PATCH', '/projects/1/tasks/1', { dueDate: '2030-02-01' })).body).toMatchObject({
      isOverdue: false,
    });
  });

  it('is explained', async () => {
    const {
      'GET /projects/{projectId}': project,
      'GET /projects/{projectId}/tasks': tasks,
      'GET /statistics': statistics,
    } = await explainApi({ paths, schemas });
    const overdue = 'status not "completed" and status not "cancelled" and dueDate before now';
    expect(project).toContain('stats.completedTaskCount (tasks with status "completed")');
    expect(project).toContain('overdueTaskCount (tasks with isOverdue true)');
    expect(project).toContain('generates: stats.views');
    expect(tasks).toContain(`isOverdue (${overdue})`);
    expect(statistics).toContain('overdueTasks (tasks with isOverdue true)');
  });
});

describe('The average rating of an entry', () => {
  it.each([
    ['averageRating', 'ratingCount', 'rating'],
    ['rating_avg', 'ratings_count', 'stars'],
    ['rating', 'reviewCount', 'rating'],
  ])('%s and %s are about the same reviews', async (average, count, own) => {
    const product = { 'id!': INTEGER, 'name!': TEXT, [`${average}!`]: NUMBER, [`${count}!`]: INTEGER };
    const { ask } = await startApi({
      paths: {
        ...createResourcePaths('/products/{productId}', refer('Product'), createObject({ 'name!': TEXT })),
        ...createResourcePaths(
          '/products/{productId}/reviews/{reviewId}',
          refer('Review'),
          createObject({ [`${own}!`]: INTEGER }),
        ),
      },
      schemas: {
        Product: createObject(product),
        Review: createObject({ 'id!': INTEGER, [`${own}!`]: INTEGER, text: TEXT }),
      },
    });
    expect((await ask('POST', '/products', { name: 'a' })).body).toMatchObject({ [average]: 0, [count]: 0 });
    for (const value of [3, 4]) await ask('POST', '/products/1/reviews', { [own]: value });
    expect((await ask('GET', '/products/1')).body).toMatchObject({ [average]: 3.5, [count]: 2 });
  });
});

describe('A query parameter such as overdue', () => {
  const dates = {
    due_date: { type: 'string', format: 'date' },
    returned_at: { type: ['string', 'null'], format: 'date-time' },
  };
  const Loan = createObject({ 'id!': INTEGER, ...dates });
  const loans = createResourcePaths('/loans/{loanId}', refer('Loan'), createObject(dates));
  const api = {
    paths: {
      ...loans,
      '/loans': { ...loans['/loans'], get: { ...loans['/loans']?.get, query: { overdue: BOOLEAN } } },
    },
    schemas: { Loan },
  };

  it('selects the entries past their due date that have not ended', async () => {
    const { ask } = await startApi(api, { nowMs: () => Date.parse(NOW) });
    await ask('POST', '/loans', { due_date: '2030-01-01' });
    await ask('POST', '/loans', { due_date: '2030-01-01', returned_at: NOW });
    await ask('POST', '/loans', { due_date: '2030-02-01' });
    const list = async (query: string) =>
      ((await ask('GET', `/loans${query}`)).body as { id: number }[]).map(({ id }) => id);
    expect(await Promise.all(['', '?overdue=true', '?overdue=false'].map(list))).toEqual([[1, 2, 3], [1], [2, 3]]);
  });

  it('has the same effect as the path /loans/past-due', async () => {
    const paths = {
      ...api.paths,
      '/loans/past-due': { get: { response: createList(refer('Loan')) } },
      '/statistics': { get: { response: createObject({ 'pastDueLoans!': INTEGER }) } },
    };
    const { ask } = await startApi({ paths, schemas: api.schemas }, { nowMs: () => Date.parse(NOW) });
    for (const due_date of ['2030-01-01', '2030-02-01']) await ask('POST', '/loans', { due_date });
    expect((await ask('GET', '/loans/past-due')).body).toMatchObject([{ id: 1 }]);
    expect((await ask('GET', '/statistics')).body).toEqual({ pastDueLoans: 1 });
  });

  it('is explained', async () => {
    const { 'GET /loans': text } = await explainApi(api);
    expect(text).toContain('overdue (returned_at null and due_date before now)');
  });
});
