import { describe, expect, it } from 'vitest';
import { createObject, createResourcePaths } from '../support/fixtures/api-document.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { useSharedShop } from '../support/harness/shared-shop.ts';
import { startApi } from '../support/harness/start-api.ts';
import { createFetchClient } from '../support/harness/start-storefront.ts';

const { newSandbox } = useSharedShop();

const INTEGER = { type: 'integer' };
const TEXT = { type: 'string' };
const TIME = { type: 'string', format: 'date-time' };
const NewTask = createObject({ 'title!': TEXT, done: { type: 'boolean', default: false }, ownerId: INTEGER });
const Task = createObject({ id: INTEGER, title: TEXT, done: { type: 'boolean' }, ownerId: INTEGER, createdAt: TIME });
const tasks = createResourcePaths('/projects/{projectId}/tasks/{taskId}', Task);
const paths = {
  ...createResourcePaths('/owners/{ownerId}', createObject({ id: INTEGER, name: TEXT })),
  ...createResourcePaths('/projects/{projectId}', createObject({ id: TEXT, name: TEXT })),
  ...tasks,
  '/projects/{projectId}/tasks': {
    ...tasks['/projects/{projectId}/tasks'],
    post: { status: 201, request: NewTask, response: Task },
  },
};

/** Starts a server with a project, an owner and no task. */
async function startTasks() {
  const api = await startApi({ paths });
  await api.ask('POST', '/owners', { name: 'Ada' });
  const project = (await api.ask('POST', '/projects', { name: 'Garden' })).body;
  return { api, project, control: createControlClient(api) };
}

describe('the form of a collection', () => {
  it('asks for what a client may send, and names the collections of ids', async () => {
    const { api } = await startTasks();
    const { collections } = (await createFetchClient(api.url)('GET', '/_control/server')).body;
    expect(collections.find(({ name }: { name: string }) => name === 'tasks').form).toEqual({
      properties: ['$path.projectId', 'title', 'done', 'ownerId'],
      defaults: { done: false },
      references: [
        { property: '$path.projectId', collection: 'projects' },
        { property: 'ownerId', collection: 'owners' },
      ],
    });
  });
});

describe('POST /_control/sandboxes/ID/state/COLLECTION', () => {
  it('adds an entry with an id, default values and the time, which clients can read', async () => {
    const { api, project, control } = await startTasks();
    const reply = await control('POST', '/default/state/tasks', {
      $path: { projectId: project.id },
      title: 'Water the plants',
      ownerId: 1,
    });
    const task = { id: 1, title: 'Water the plants', done: false, ownerId: 1 };
    expect(reply.body).toMatchObject({ ...task, createdAt: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect((await api.ask('GET', `/projects/${project.id}/tasks`)).body).toMatchObject([task]);
  });

  it('keeps an id that the body has, and refuses it if it exists', async () => {
    const { control, project } = await startTasks();
    const task = { $path: { projectId: project.id }, id: 7, title: 'Mow' };
    expect((await control('POST', '/default/state/tasks', task)).body.id).toBe(7);
    const refused = await control('POST', '/default/state/tasks', task);
    expectProblem(refused, 409, 'invalid-state');
    expect(refused.body.violations).toMatchObject([{ pointer: '/tasks/1/id' }]);
  });

  it('refuses an invalid value at its place, and a missing parent', async () => {
    const { control } = await startTasks();
    const { violations } = (await control('POST', '/default/state/tasks', { title: 7 })).body;
    expect(violations.map(({ pointer }: { pointer: string }) => pointer)).toEqual(
      expect.arrayContaining(['/tasks/0/title']),
    );
    const orphan = (await control('POST', '/default/state/tasks', { title: 'a' })).body;
    expect(orphan.violations).toMatchObject([{ pointer: '/tasks/0/$path/projectId' }]);
  });

  it('adds an order with an id and the time of the sandbox to the shop', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('PUT', '');
    const { body } = await sandbox.sendControl('POST', '/state/orders', {
      totalCostCents: 0,
      products: defaults.orders[0]?.products,
    });
    expect(body).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), orderTimeMs: expect.any(Number) });
    expectProblem(await sandbox.sendControl('POST', '/state/cart', {}), 404, 'unknown-collection');
  });
});

describe('GET /_control/sandboxes/ID/state/COLLECTION', () => {
  it('sorts by a column, in both directions, with missing values last', async () => {
    const { control, project } = await startTasks();
    for (const [title, ownerId] of [['b10'], ['b9', 1], ['a', 2]])
      await control('POST', '/default/state/tasks', { $path: { projectId: project.id }, title, ownerId });
    const sort = async (by: string) => {
      const { entries } = (await control('GET', `/default/state/tasks?sort=${by}`)).body;
      return entries.map(({ entry }: { entry: { title: string } }) => entry.title);
    };
    expect(await sort('title')).toEqual(['a', 'b9', 'b10']);
    expect(await sort('-title')).toEqual(['b10', 'b9', 'a']);
    expect(await sort('ownerId')).toEqual(['b9', 'a', 'b10']);
    expect(await sort('-ownerId')).toEqual(['a', 'b9', 'b10']);
    const refused = await control('GET', '/default/state/tasks?sort=titel');
    expectProblem(refused, 400, 'invalid-request');
    expect(refused.body.detail).toContain('use one of title');
  });

  it('returns the entry with an id', async () => {
    const { control } = await startTasks();
    const { total, entries } = (await control('GET', '/default/state/owners?key=1')).body;
    expect([total, entries[0].entry.name]).toEqual([1, 'Ada']);
    expect((await control('GET', '/default/state/owners?key=12')).body.total).toBe(0);
  });

  it('has the columns of ids last, with the collections of their entries', async () => {
    const { control } = await startTasks();
    expect((await control('GET', '/default/state/tasks')).body.columns).toEqual([
      { title: 'title', format: 'text' },
      { title: 'done', format: 'boolean' },
      { title: 'createdAt', format: 'time' },
      { title: 'projectId', format: 'id', collection: 'projects' },
      { title: 'ownerId', format: 'id', collection: 'owners' },
      { title: 'id', format: 'id' },
    ]);
  });
});
