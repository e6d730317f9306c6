import { describe, expect, it } from 'vitest';
import { createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const TIME = { type: 'string', format: 'date-time' };

const STATUS = { type: 'string', enum: ['open', 'inProgress', 'done', 'cancelled'] };

const Task = createObject({
  'id!': { type: 'integer' },
  'title!': TEXT,
  'status!': STATUS,
  isDone: { type: 'boolean' },
  'completedAt!': { ...TIME, type: ['string', 'null'] },
  cancelledAt: TIME,
});

const act = { post: { response: refer('Task'), alsoStatus: [409] } };

const PATHS = {
  ...createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ 'title!': TEXT })),
  '/tasks/{taskId}/start': act,
  '/tasks/{taskId}/complete': act,
  '/tasks/{taskId}/cancel': act,
  '/tasks/{taskId}/reopen': act,
};

async function start() {
  const { ask } = await startApi({ paths: PATHS, schemas: { Task } });
  const { body } = await ask('POST', '/tasks', { title: 'a' });
  return { ask, created: body };
}

describe('Actions of the same entries', () => {
  it('start with the first state, also if an action leads back to it', async () => {
    expect((await start()).created).toMatchObject({ status: 'open' });
  });

  it('remove the times and booleans of the state that they take back', async () => {
    const { ask } = await start();
    const { body: done } = await ask('POST', '/tasks/1/complete');
    expect(done).toMatchObject({ status: 'done', isDone: true, completedAt: expect.any(String) });
    expect((await ask('POST', '/tasks/1/reopen')).body).toMatchObject({
      status: 'open',
      isDone: false,
      completedAt: null,
    });
    await ask('POST', '/tasks/1/cancel');
    expect((await ask('POST', '/tasks/1/reopen')).body).not.toHaveProperty('cancelledAt');
  });

  it('are refused in the final state of another action, until it is taken back', async () => {
    const { ask } = await start();
    await ask('POST', '/tasks/1/cancel');
    for (const action of ['start', 'complete'])
      expect((await ask('POST', `/tasks/1/${action}`)).status, action).toBe(409);
    expect((await ask('GET', '/tasks/1')).body).toMatchObject({ status: 'cancelled' });
    await ask('POST', '/tasks/1/reopen');
    expect((await ask('POST', '/tasks/1/start')).body).toMatchObject({ status: 'inProgress' });
  });

  it('are explained with the times that they remove', async () => {
    expect(await explainApi({ paths: PATHS, schemas: { Task } })).toMatchObject({
      'POST /tasks/{taskId}/reopen':
        'real: reopens a task: status → "open", isDone → false, removes completedAt, removes cancelledAt',
    });
  });

  it.each([
    [['suspended', 'active', 'deleted'], ['activate', 'suspend'], 'active'],
    [['draft', 'published', 'archived'], ['publish', 'unpublish'], 'draft'],
    [['cancelled', 'confirmed', 'pending'], ['confirm', 'cancel'], 'pending'],
  ])('create entries of the states %j with the actions %j as %s', async (states, actions, first) => {
    const Item = createObject({
      'id!': { type: 'integer' },
      'name!': TEXT,
      'status!': { type: 'string', enum: states },
    });
    const paths = {
      ...createResourcePaths('/items/{itemId}', refer('Item'), createObject({ 'name!': TEXT })),
      ...Object.fromEntries(actions.map((verb) => [`/items/{itemId}/${verb}`, { post: { response: refer('Item') } }])),
    };
    const { ask } = await startApi({ paths, schemas: { Item } });
    for (const name of ['a', 'b', 'c'])
      expect((await ask('POST', '/items', { name })).body).toMatchObject({ status: first });
  });

  it('have the effect of a PATCH or PUT that sets their state', async () => {
    const sent = createObject({ 'title!': TEXT, status: STATUS, isDone: { type: 'boolean' } });
    const paths = { ...PATHS, ...createResourcePaths('/tasks/{taskId}', refer('Task'), sent) };
    const { ask } = await startApi({ paths, schemas: { Task } });
    await ask('POST', '/tasks', { title: 'a' });
    const done = { status: 'done', isDone: true, completedAt: expect.any(String) };
    const open = { status: 'open', isDone: false, completedAt: null };
    expect((await ask('PATCH', '/tasks/1', { status: 'done' })).body).toMatchObject(done);
    expect((await ask('PATCH', '/tasks/1', { title: 'b' })).body).toMatchObject(done);
    expect((await ask('PATCH', '/tasks/1', { status: 'open' })).body).toMatchObject(open);
    expect((await ask('PATCH', '/tasks/1', { isDone: true })).body).toMatchObject(done);
    const progress = await ask('PATCH', '/tasks/1', { status: 'inProgress' });
    expect(progress.body).toMatchObject({ status: 'inProgress', isDone: false, completedAt: null });
    expect((await ask('PATCH', '/tasks/1', { status: 'done' })).body).toMatchObject(done);
    expect((await ask('PATCH', '/tasks/1', { status: 'cancelled' })).body).toMatchObject({
      completedAt: expect.any(String),
    });
    await ask('PATCH', '/tasks/1', { status: 'done' });
    expect((await ask('PUT', '/tasks/1', { title: 'c', status: 'open', isDone: false })).body).toMatchObject(open);
    const lines = await explainApi({ paths, schemas: { Task } });
    expect(lines['PUT /tasks/{taskId}']).toContain('sets with the state: completedAt, cancelledAt');
  });

  it('have the effect of a PATCH also if no action leads back', async () => {
    const { '/tasks/{taskId}/reopen': _reopen, ...paths } = PATHS;
    const { ask } = await startApi({ paths, schemas: { Task } });
    await ask('POST', '/tasks', { title: 'a' });
    await ask('PATCH', '/tasks/1', { status: 'done' });
    const { body } = await ask('PATCH', '/tasks/1', { status: 'open' });
    expect(body).toMatchObject({ status: 'open', isDone: false, completedAt: null });
  });
});

it('A count of a state counts the states that responses generate', async () => {
  const Project = createObject({ 'id!': { type: 'integer' }, 'name!': TEXT, 'openTaskCount!': { type: 'integer' } });
  const Job = createObject({
    'id!': { type: 'integer' },
    'title!': TEXT,
    'projectId!': { type: 'integer' },
    'taskState!': { type: 'string', enum: ['open', 'done'] },
  });
  const paths = {
    ...createResourcePaths('/projects/{projectId}', refer('Project'), createObject({ 'name!': TEXT })),
    '/projects/{projectId}/tasks': {
      get: { response: { type: 'array', items: refer('Job') }, query: { taskState: TEXT } },
      post: { status: 201, request: createObject({ 'title!': TEXT }), response: refer('Job') },
    },
    '/tasks/{taskId}': { get: { response: refer('Job') } },
  };
  const { ask } = await startApi({ paths, schemas: { Project, Job } });
  await ask('POST', '/projects', { name: 'p' });
  for (let n = 0; n < 12; n++) await ask('POST', '/projects/1/tasks', { title: `${n}` });
  const open = (await ask('GET', '/projects/1/tasks?taskState=open')).body as unknown[];
  expect(open.length).toBeGreaterThan(0);
  expect((await ask('GET', '/projects/1')).body).toMatchObject({ openTaskCount: open.length });
});
