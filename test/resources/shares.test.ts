import { expect, it } from 'vitest';
import { createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const ID = { type: 'integer' };
const NUMBER = { type: 'number' };

const schemas = {
  Project: createObject({ 'id!': ID, 'name!': TEXT, 'averageEffort!': { type: ['number', 'null'] } }),
  Task: createObject({
    'id!': ID,
    'title!': TEXT,
    'status!': { enum: ['open', 'done'], type: 'string' },
    dueDate: { type: 'string', format: 'date' },
    effort: ID,
  }),
  Stats: createObject({
    'total!': ID,
    'open!': ID,
    'done!': ID,
    'overdue!': ID,
    'completionRate!': { ...NUMBER, minimum: 0, maximum: 1 },
    'donePercentage!': ID,
    'averageEffort!': NUMBER,
  }),
};

const task = createObject({ 'title!': TEXT, status: TEXT, dueDate: TEXT, effort: ID });
const PATHS = {
  ...createResourcePaths('/projects/{projectId}', refer('Project'), createObject({ 'name!': TEXT })),
  ...createResourcePaths('/projects/{projectId}/tasks/{taskId}', refer('Task'), task),
  '/projects/{projectId}/stats': { get: { response: refer('Stats') } },
};

it('Statistics have the overdue entries, shares and averages', async () => {
  const { ask } = await startApi({ paths: PATHS, schemas }, { nowMs: () => Date.parse('2030-01-10T12:00:00Z') });
  for (const name of ['a', 'b']) await ask('POST', '/projects', { name });
  const stats = async () => (await ask('GET', '/projects/1/stats')).body;
  expect(await stats()).toMatchObject({ overdue: 0, completionRate: 0, donePercentage: 0, averageEffort: 0 });
  expect((await ask('GET', '/projects/1')).body).toMatchObject({ averageEffort: null });
  for (const [status, day, effort] of [
    ['open', '09', 1],
    ['done', '09', 4],
    ['open', '11', 5],
    ['done', '11', 8],
  ] as const)
    await ask('POST', '/projects/1/tasks', { title: 'a', status, dueDate: `2030-01-${day}`, effort });
  expect(await stats()).toEqual({
    total: 4,
    open: 2,
    done: 2,
    overdue: 1,
    completionRate: 0.5,
    donePercentage: 50,
    averageEffort: 4.5,
  });
  expect((await ask('GET', '/projects/1')).body).toMatchObject({ averageEffort: 4.5 });
  expect((await ask('GET', '/projects/2/stats')).body).toMatchObject({ total: 0, overdue: 0, completionRate: 0 });
});

it('Statistics are explained', async () => {
  const { 'GET /projects/{projectId}/stats': text } = await explainApi({ paths: PATHS, schemas });
  expect(text).toContain('overdue (tasks with status not "done" and dueDate before now)');
  expect(text).toContain('completionRate (share of tasks with status "done")');
  expect(text).toContain('averageEffort (average effort of tasks)');
  expect(text).not.toContain('generates');
});

it('An object with the numbers of a resource has the overdue entries, and the response its own time', async () => {
  const inside = createObject({ 'total!': ID, 'open!': ID, 'done!': ID, 'overdue!': ID, 'unknown!': ID });
  const report = createObject({ 'tasks!': inside, 'generatedAt!': { type: 'string', format: 'date-time' } });
  const paths = {
    ...createResourcePaths('/tasks/{taskId}', refer('Task'), task),
    '/reports': { get: { response: report } },
  };
  const now = '2030-01-10T12:00:00Z';
  const { ask } = await startApi({ paths, schemas }, { nowMs: () => Date.parse(now) });
  for (const status of ['open', 'open', 'done'])
    await ask('POST', '/tasks', { title: 'a', status, dueDate: '2030-01-09', effort: 1 });
  await ask('PATCH', '/tasks/1', { dueDate: '2030-02-01' });
  const { body } = await ask('GET', '/reports');
  expect(body).toMatchObject({ tasks: { total: 3, open: 2, done: 1, overdue: 1 } });
  expect(Date.parse((body as { generatedAt: string }).generatedAt)).toBe(Date.parse(now));
  const { 'GET /reports': text } = await explainApi({ paths, schemas });
  expect(text).toContain('tasks.overdue (tasks with status not "done" and dueDate before now)');
  expect(text).toContain('generates: tasks.unknown');
});
