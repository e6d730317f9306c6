import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const credentials = createObject({ 'email!': TEXT, 'password!': TEXT });

const schemas = {
  User: createObject({
    ...{ 'id!': INTEGER, 'email!': TEXT, 'assigned_task_count!': INTEGER, 'open_task_count!': INTEGER },
    'project_count!': { ...INTEGER, description: 'Number of projects the user owns' },
  }),
  Project: createObject({
    ...{ 'id!': INTEGER, 'name!': TEXT, owner_id: INTEGER, 'done!': INTEGER, 'tasks_open!': INTEGER },
    'completed_count!': INTEGER,
    'progress!': { ...INTEGER, minimum: 0, maximum: 100 },
    'completion_rate!': { type: 'number', minimum: 0, maximum: 1 },
  }),
  Tag: createObject({ 'id!': INTEGER, 'name!': TEXT, 'task_count!': INTEGER }),
  Task: createObject({
    ...{ 'id!': INTEGER, 'project_id!': INTEGER, 'status!': { enum: ['todo', 'in_progress', 'done', 'cancelled'] } },
    ...{ assignee_id: INTEGER, created_by_id: INTEGER, closed_by_id: INTEGER },
    'tags!': createList(createObject({ 'id!': INTEGER, 'name!': TEXT })),
  }),
};

const NewTask = createObject({
  ...{ 'project_id!': INTEGER, status: TEXT, assignee_id: INTEGER, tag_ids: createList(INTEGER) },
});

const paths = {
  '/users': { get: { response: createList(refer('User')) } },
  '/me': { get: { response: refer('User') } },
  '/register': {
    post: { request: credentials, response: createObject({ 'token!': TEXT, 'user!': refer('User') }), status: 201 },
  },
  ...createResourcePaths('/projects/{projectId}', refer('Project'), createObject({ 'name!': TEXT })),
  ...createResourcePaths('/tags/{tagId}', refer('Tag'), createObject({ 'name!': TEXT })),
  ...createResourcePaths('/tasks/{taskId}', refer('Task'), NewTask),
  '/tasks/{taskId}': {
    get: { response: refer('Task') },
    patch: { request: createObject({ status: TEXT, tag_ids: createList(INTEGER) }), response: refer('Task') },
    delete: { status: 204 },
  },
};

/** Starts a server with a user, a project, two tags and four tasks. */
async function start() {
  const { ask } = await startApi({ paths, schemas });
  const { token, user } = (await ask('POST', '/register', { email: 'ann@a.test', password: 'x' })).body;
  const send = async (method: string, path: string, body?: unknown) =>
    (await ask(method, path, body, { Authorization: `Bearer ${token}` })).body;
  await send('POST', '/projects', { name: 'p' });
  for (const name of ['a', 'b']) await send('POST', '/tags', { name });
  const task = { project_id: 1, status: 'todo' };
  await send('POST', '/tasks', { ...task, assignee_id: user.id, tag_ids: [1, 2] });
  await send('POST', '/tasks', { ...task, status: 'in_progress', assignee_id: user.id, tag_ids: [2] });
  for (const status of ['done', 'cancelled']) await send('POST', '/tasks', { ...task, status, tag_ids: [] });
  return send;
}

it('Numbers of an entry count the entries below it in a state, and show their share', async () => {
  const send = await start();
  expect(await send('GET', '/projects/1')).toMatchObject({
    ...{ done: 1, completed_count: 1, tasks_open: 2, progress: 25, completion_rate: 0.25 },
  });
  await send('PATCH', '/tasks/1', { status: 'done' });
  expect(await send('GET', '/projects/1')).toMatchObject({ done: 2, tasks_open: 1, progress: 50 });
});

it('Numbers of a tag and of a user count the entries that name them', async () => {
  const send = await start();
  const countTags = async () =>
    (await send('GET', '/tags')).map(({ task_count }: { task_count: number }) => task_count);
  expect(await countTags()).toEqual([1, 2]);
  await send('PATCH', '/tasks/2', { tag_ids: [1], status: 'done' });
  expect(await countTags()).toEqual([2, 1]);
  expect(await send('GET', '/me')).toMatchObject({ assigned_task_count: 2, open_task_count: 1, project_count: 1 });
  await send('DELETE', '/tasks/1');
  expect(await countTags()).toEqual([1, 0]);
  expect(await send('GET', '/me')).toMatchObject({ assigned_task_count: 1, open_task_count: 0 });
});

it('explain names what the numbers count', async () => {
  const text = JSON.stringify(await explainApi({ paths, schemas }));
  for (const part of [
    'task_count (tasks by tag_ids)',
    'progress (percentage of tasks with status',
    'open_task_count (tasks',
  ])
    expect(text).toContain(part);
  expect(text).not.toContain('generates: progress');
});

it('A state that several kinds of entries have is counted in the entries that another number counts', async () => {
  const Feed = createObject({ 'id!': INTEGER, 'name!': TEXT, 'item_count!': INTEGER, 'unread_count!': INTEGER });
  const entry = createObject({ 'id!': INTEGER, feed_id: INTEGER, unread: { type: 'boolean' } });
  const explained = await explainApi({
    paths: {
      ...createResourcePaths('/feeds/{id}', refer('Feed'), createObject({ 'name!': TEXT })),
      ...createResourcePaths('/items/{id}', refer('Item')),
      ...createResourcePaths('/bookmarks/{id}', refer('Bookmark')),
    },
    schemas: { Feed, Item: entry, Bookmark: entry },
  });
  expect(explained['GET /feeds']).toContain('computes: item_count, unread_count (items with unread true)');
});

describe('A list of ids of other entries that no request can have', () => {
  const Plant = createObject({ 'id!': INTEGER, 'name!': TEXT, room: TEXT });
  const Sensor = createObject({ 'id!': INTEGER, 'name!': TEXT, roomId: INTEGER });
  const Room = createObject({
    'id!': INTEGER,
    'name!': TEXT,
    'plants!': createList(INTEGER),
    sensorIds: createList(TEXT),
  });
  const paths = {
    ...createResourcePaths('/rooms/{roomId}', refer('Room'), createObject({ 'name!': TEXT })),
    ...createResourcePaths('/plants/{plantId}', refer('Plant'), createObject({ 'name!': TEXT, room: TEXT })),
    ...createResourcePaths('/sensors/{sensorId}', refer('Sensor'), createObject({ 'name!': TEXT, roomId: INTEGER })),
  };
  const api = { paths, schemas: { Plant, Sensor, Room } };

  it('has those that name the entry by its id or its name', async () => {
    const { ask } = await startApi(api);
    for (const name of ['Kitchen', 'Bath']) await ask('POST', '/rooms', { name });
    for (const room of ['Kitchen', '1', 'Bath', 'Attic']) await ask('POST', '/plants', { name: 'a', room });
    await ask('POST', '/sensors', { name: 'a', roomId: 1 });
    const list = async () => (await ask('GET', '/rooms')).body;
    expect(await list()).toMatchObject([
      { plants: [1, 2], sensorIds: ['1'] },
      { plants: [3], sensorIds: [] },
    ]);
    await ask('PATCH', '/plants/1', { room: 'Bath' });
    await ask('DELETE', '/sensors/1');
    expect(await list()).toMatchObject([
      { plants: [2], sensorIds: [] },
      { plants: [1, 3], sensorIds: [] },
    ]);
  });

  it('is explained', async () => {
    const { 'GET /rooms': text } = await explainApi(api);
    expect(text).toContain('computes: plants (ids of plants by room), sensorIds (ids of sensors)');
  });
});

it('A number that requests for new entries must have is not computed', async () => {
  const Plan = createObject({ 'id!': INTEGER, 'totalLessons!': INTEGER });
  const Lesson = createObject({ 'id!': INTEGER, 'planId!': INTEGER });
  const own = {
    ...createResourcePaths('/plans/{planId}', refer('Plan'), createObject({ 'totalLessons!': INTEGER })),
    ...createResourcePaths('/lessons/{lessonId}', refer('Lesson'), createObject({ 'planId!': INTEGER })),
  };
  const { ask } = await startApi({ paths: own, schemas: { Plan, Lesson } });
  await ask('POST', '/plans', { totalLessons: 12 });
  await ask('POST', '/lessons', { planId: 1 });
  expect((await ask('GET', '/plans/1')).body).toEqual({ id: 1, totalLessons: 12 });
});

it('The total count beside the count of entries in a state is the number of these entries', async () => {
  const Epic = createObject({ 'id!': INTEGER, 'title!': TEXT, doneCount: INTEGER, totalCount: INTEGER });
  const Ticket = createObject({ 'id!': INTEGER, 'epicId!': INTEGER, status: { enum: ['todo', 'done'] } });
  const NewTicket = createObject({ 'epicId!': INTEGER, status: TEXT });
  const own = {
    ...createResourcePaths('/epics/{epicId}', refer('Epic'), createObject({ 'title!': TEXT })),
    ...createResourcePaths('/tickets/{ticketId}', refer('Ticket'), NewTicket),
  };
  const { ask } = await startApi({ paths: own, schemas: { Epic, Ticket } });
  await ask('POST', '/epics', { title: 'a' });
  for (const status of ['done', 'todo']) await ask('POST', '/tickets', { epicId: 1, status });
  expect((await ask('GET', '/epics/1')).body).toMatchObject({ doneCount: 1, totalCount: 2 });
});
