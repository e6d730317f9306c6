import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const TIME = { type: 'string', format: 'date-time' };

const schemas = {
  Project: createObject({
    'id!': INTEGER,
    'name!': TEXT,
    'taskCount!': INTEGER,
    doneTaskCount: INTEGER,
    numberOfTasks: INTEGER,
    members: INTEGER,
  }),
  Task: createObject({
    'id!': INTEGER,
    'title!': TEXT,
    projectId: INTEGER,
    status: { type: 'string', enum: ['todo', 'done'], default: 'todo' },
    comments_count: INTEGER,
    lastCommentAt: TIME,
  }),
  Comment: createObject({ 'id!': INTEGER, 'text!': TEXT, createdAt: TIME }),
};

const Statistics = createObject({
  'taskCount!': INTEGER,
  totalProjects: INTEGER,
  doneCount: INTEGER,
  'uptime!': INTEGER,
});

const PATHS: Paths = {
  ...createResourcePaths('/projects/{projectId}', refer('Project'), createObject({ 'name!': TEXT })),
  ...createResourcePaths('/tasks/{taskId}', refer('Task')),
  ...createResourcePaths('/tasks/{taskId}/comments/{commentId}', refer('Comment'), createObject({ 'text!': TEXT })),
  '/statistics': { get: { response: Statistics } },
  '/dashboard': {
    get: {
      response: createObject({
        'recentTasks!': createList(refer('Task')),
        firstProject: refer('Project'),
        'motto!': TEXT,
      }),
    },
  },
  '/projects/{projectId}/summary': { get: { response: createObject({ 'tasks!': createList(refer('Task')) }) } },
  '/projects/{projectId}/statistics': { get: { response: createObject({ 'taskCount!': INTEGER, openTasks: TEXT }) } },
};

/** Starts a server with two projects, two tasks of the first, and a comment. */
async function start() {
  const shop = await startApi({ paths: PATHS, schemas });
  for (const name of ['a', 'b']) await shop.ask('POST', '/projects', { name });
  for (const [id, status] of [
    [1, 'todo'],
    [2, 'done'],
  ] as const)
    await shop.ask('POST', '/tasks', { id, title: 't', projectId: 1, status });
  await shop.ask('POST', '/tasks/1/comments', { text: 'c' });
  const get = async (path: string) => (await shop.ask('GET', path)).body;
  return { ...shop, get };
}

it('a latest time is removed when the last entry of which it is the time is deleted', async () => {
  const Topic = createObject({ 'id!': INTEGER, lastReplyAt: TIME });
  const Reply = createObject({ 'id!': INTEGER, 'text!': TEXT, createdAt: TIME });
  const paths = {
    ...createResourcePaths('/topics/{topicId}', refer('Topic')),
    ...createResourcePaths('/topics/{topicId}/replies/{replyId}', refer('Reply')),
  };
  const { ask } = await startApi({ paths, schemas: { Topic, Reply } });
  await ask('POST', '/topics', { id: 1 });
  const { body: reply } = await ask('POST', '/topics/1/replies', { text: 'r' });
  expect((await ask('GET', '/topics/1')).body).toEqual({ id: 1, lastReplyAt: reply.createdAt });
  await ask('DELETE', `/topics/1/replies/${reply.id}`);
  expect((await ask('GET', '/topics/1')).body).toEqual({ id: 1 });
});

describe('a value that follows from other entries', () => {
  it('is computed in each response', async () => {
    const { ask, get } = await start();
    const counts = { taskCount: 2, doneTaskCount: 1, numberOfTasks: 2 };
    expect(await get('/projects/1')).toMatchObject(counts);
    const [first, second] = await get('/projects');
    expect(first).toEqual(await get('/projects/1'));
    expect(second).toMatchObject({ taskCount: 0, doneTaskCount: 0 });
    expect(first.members).toBeUndefined();
    await ask('DELETE', '/tasks/2');
    expect(await get('/projects/1')).toMatchObject({ taskCount: 1, doneTaskCount: 0 });
    expect((await ask('PUT', '/projects/1', { name: 'c' })).body).toMatchObject({ name: 'c', taskCount: 1 });
  });

  it('is the number or the latest time of the entries below an entry', async () => {
    const { ask, get } = await start();
    const { body: comment } = await ask('POST', '/tasks/1/comments', { text: 'd' });
    expect(await get('/tasks/1')).toMatchObject({ comments_count: 2, lastCommentAt: comment.createdAt });
    expect(await get('/tasks/2')).toMatchObject({ comments_count: 0 });
    expect((await get('/tasks/2')).lastCommentAt).toBeUndefined();
  });

  it('is not stored, and what a client sends for it is ignored', async () => {
    const { ask, get, url } = await start();
    await ask('POST', '/tasks', { id: 7, title: 'x', comments_count: 99 });
    expect((await get('/tasks/7')).comments_count).toBe(0);
    const state = await (await fetch(`${url}/_control/sandboxes/default/state`)).text();
    expect(state).toContain('projects');
    expect(state).not.toContain('askCount');
  });

  it('can be compared and sorted by in a list', async () => {
    const paths = {
      ...PATHS,
      '/projects': {
        ...PATHS['/projects'],
        get: { ...PATHS['/projects']?.get, query: { minTaskCount: INTEGER, sort: TEXT } },
      },
    };
    const { ask } = await startApi({ paths, schemas });
    for (const name of ['a', 'b']) await ask('POST', '/projects', { name });
    await ask('POST', '/tasks', { id: 1, title: 't', projectId: 2 });
    const getNames = async (query: string) => {
      const projects: readonly { readonly name: string }[] = (await ask('GET', `/projects?${query}`)).body;
      return projects.map(({ name }) => name);
    };
    expect(await getNames('sort=-taskCount')).toEqual(['b', 'a']);
    expect(await getNames('minTaskCount=1')).toEqual(['b']);
  });
});

describe('a response with numbers of entries', () => {
  it('counts the stored entries, all or those of the entry in the path', async () => {
    const { ask, get } = await start();
    expect(await get('/statistics')).toMatchObject({ taskCount: 2, totalProjects: 2, doneCount: 1 });
    expect(await get('/projects/1/statistics')).toMatchObject({ taskCount: 2 });
    expect(await get('/projects/2/statistics')).toMatchObject({ taskCount: 0 });
    expect((await ask('GET', '/projects/9/statistics')).status).toBe(404);
  });

  it('shows the stored entries, all or those of the entry in the path', async () => {
    const { get } = await start();
    const tasks = await get('/tasks');
    expect(await get('/dashboard')).toEqual({
      recentTasks: tasks,
      firstProject: await get('/projects/1'),
      motto: expect.any(String),
    });
    expect(await get('/projects/1/summary')).toEqual({ tasks });
    expect(await get('/projects/2/summary')).toEqual({ tasks: [] });
  });

  it('is explained', async () => {
    expect(await explainApi({ paths: PATHS, schemas })).toMatchObject({
      'GET /statistics':
        'real: counts: taskCount, totalProjects, doneCount (tasks with status "done"); generates: uptime',
      'GET /dashboard': 'real: shows: recentTasks (tasks), firstProject (projects); generates: motto',
      'GET /projects/{projectId}':
        'real: reads a project (computes: taskCount, doneTaskCount (tasks with status "done"), numberOfTasks; id: id)',
    });
  });
});
