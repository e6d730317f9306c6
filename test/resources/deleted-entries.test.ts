import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer, type Schema } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const NULLABLE = { type: ['integer', 'null'] };

const Category = createObject({ 'id!': INTEGER, 'name!': TEXT });
const NewCategory = createObject({ 'name!': TEXT });

/** `properties`: the properties of a task. `sent`: the properties of a new task. */
function createApi(properties: Readonly<Record<string, Schema>>, sent: Readonly<Record<string, Schema>>) {
  return {
    paths: {
      ...createResourcePaths('/categories/{categoryId}', refer('Category'), NewCategory),
      ...createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ 'title!': TEXT, ...sent })),
    },
    schemas: { Category, Task: createObject({ 'id!': INTEGER, 'title!': TEXT, ...properties }) },
  };
}

type Api = ReturnType<typeof createApi>;

/** Returns an API in which the deletion of a category has a documented 409. */
function withConflict(api: Api): Api {
  const path = '/categories/{categoryId}';
  const { delete: remove, ...others } = api.paths[path] ?? {};
  const errors = { ...remove, status: 204, errors: [404, 409] };
  return { ...api, paths: { ...api.paths, [path]: { ...others, delete: errors } } };
}

async function start(api: Api, task: Readonly<Record<string, unknown>>) {
  const { ask } = await startApi(api);
  for (const name of ['Kitchen', 'Garden']) await ask('POST', '/categories', { name });
  await ask('POST', '/tasks', { title: 'a', ...task });
  await ask('POST', '/tasks', { title: 'b' });
  return { ask };
}

describe('The id of a deleted entry in another entry', () => {
  it.each([
    ['is removed from an optional property', { categoryId: INTEGER }, { categoryId: 1 }, {}],
    ['is null in a property that can be null', { categoryId: NULLABLE }, { categoryId: 1 }, { categoryId: null }],
    [
      'is removed from a list of ids',
      { categoryIds: createList(INTEGER) },
      { categoryIds: [1, 2] },
      { categoryIds: [2] },
    ],
    ['of another category stays', { categoryId: INTEGER }, { categoryId: 2 }, { categoryId: 2 }],
  ])('%s', async (_title, properties, sent, left) => {
    const { ask } = await start(createApi(properties, properties), sent);
    await ask('DELETE', '/categories/1');
    expect((await ask('GET', '/tasks/1')).body).toEqual({ id: 1, title: 'a', ...left });
  });

  it('stays in a property that an entry needs, and is explained', async () => {
    const api = createApi({ 'categoryId!': INTEGER }, { 'categoryId!': INTEGER });
    const { ask } = await start(api, { categoryId: 1 });
    await ask('DELETE', '/categories/1');
    expect((await ask('GET', '/tasks/1')).body.categoryId).toBe(1);
    expect((await explainApi(api))['DELETE /categories/{categoryId}']).toContain('keeps: tasks.categoryId');
  });

  it('no longer selects the entry, and what it shows is null', async () => {
    const category = { anyOf: [refer('Category'), { type: 'null' }] };
    const { ask } = await start(createApi({ categoryId: INTEGER, 'category!': category }, { categoryId: INTEGER }), {
      categoryId: 1,
    });
    expect((await ask('GET', '/tasks/1')).body.category).toEqual({ id: 1, name: 'Kitchen' });
    await ask('DELETE', '/categories/1');
    const { body, headers } = await ask('GET', '/tasks/1');
    expect(body).toEqual({ id: 1, title: 'a', category: null });
    expect(headers.get('x-mocked')).toBeNull();
  });

  it('is removed when a parent is deleted with its child entries', async () => {
    const Step = createObject({ 'id!': INTEGER, 'name!': TEXT });
    const base = createApi({ stepId: INTEGER }, { stepId: INTEGER });
    const steps = createResourcePaths('/categories/{categoryId}/steps/{stepId}', refer('Step'), NewCategory);
    const top = createResourcePaths('/steps/{stepId}', refer('Step'), NewCategory);
    const paths = { ...base.paths, ...steps, '/steps/{stepId}': { get: top['/steps/{stepId}']?.get ?? {} } };
    const { ask } = await start({ ...base, paths, schemas: { ...base.schemas, Step } } as Api, {});
    await ask('POST', '/categories/1/steps', { name: 'x' });
    await ask('PATCH', '/tasks/1', { stepId: 1 });
    await ask('DELETE', '/categories/1');
    expect((await ask('GET', '/tasks/1')).body).not.toHaveProperty('stepId');
  });

  it('refuses the deletion if the document has 409', async () => {
    const api = withConflict(createApi({ categoryId: INTEGER }, { categoryId: INTEGER }));
    const { ask } = await start(api, { categoryId: 1 });
    const refused = await ask('DELETE', '/categories/1');
    expect(refused.status).toBe(409);
    expect(JSON.stringify(refused.body)).toContain('a task has this category in categoryId');
    expect((await ask('DELETE', '/categories/2')).status).toBe(204);
    await ask('PATCH', '/tasks/1', { categoryId: null });
    expect((await ask('DELETE', '/categories/1')).status).toBe(204);
  });

  describe('that only requests have', () => {
    const api = createApi({ category: refer('Category') }, { categoryId: INTEGER });

    it('is removed with the object that shows the entry', async () => {
      const { ask } = await start(api, { categoryId: 1 });
      expect((await ask('GET', '/tasks/1')).body.category).toEqual({ id: 1, name: 'Kitchen' });
      await ask('DELETE', '/categories/1');
      expect((await ask('GET', '/tasks/1')).body).toEqual({ id: 1, title: 'a' });
    });

    it('refuses the deletion if the document has 409', async () => {
      const { ask } = await start(withConflict(api), { categoryId: 1 });
      expect((await ask('DELETE', '/categories/1')).status).toBe(409);
      expect((await ask('DELETE', '/categories/2')).status).toBe(204);
      await ask('DELETE', '/tasks/1');
      expect((await ask('DELETE', '/categories/1')).status).toBe(204);
    });
  });

  it('is explained', async () => {
    const api = createApi({ categoryId: NULLABLE, categoryIds: createList(INTEGER) }, { categoryId: NULLABLE });
    const path = 'DELETE /categories/{categoryId}';
    expect((await explainApi(api))[path]).toBe(
      'real: deletes a category (sets to null: tasks.categoryId; removes: tasks.categoryIds)',
    );
    expect((await explainApi(withConflict(api)))[path]).toContain('refuses if used in: tasks.categoryId');
  });
});

describe('An entry with the time of its deletion', () => {
  const time = { type: ['string', 'null'], format: 'date-time' };
  const tasks = createList(refer('Task'));
  const task = createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ 'title!': TEXT }));
  const api = {
    paths: {
      ...createResourcePaths('/categories/{categoryId}', refer('Category'), NewCategory),
      ...task,
      '/tasks/{taskId}': { ...task['/tasks/{taskId}'], delete: { response: refer('Task') } },
      '/tasks/deleted': { get: { response: tasks } },
      '/categories/{categoryId}/tasks': {
        get: { response: tasks },
        post: { status: 201, request: createObject({ 'title!': TEXT }), response: refer('Task') },
      },
      '/statistics': { get: { response: createObject({ 'taskCount!': INTEGER }) } },
    },
    schemas: {
      Category: createObject({ 'id!': INTEGER, 'name!': TEXT, 'taskCount!': INTEGER }),
      Task: createObject({ 'id!': INTEGER, 'title!': TEXT, 'categoryId!': NULLABLE, 'deletedAt!': time }),
    },
  };

  it('is in no number and no response except the list of deleted entries', async () => {
    const { ask } = await startApi(api);
    await ask('POST', '/categories', { name: 'Kitchen' });
    for (const title of ['a', 'b']) await ask('POST', '/categories/1/tasks', { title });
    expect((await ask('GET', '/tasks/deleted')).body).toEqual([]);
    const { body } = await ask('DELETE', '/tasks/1');
    expect(body).toEqual({ id: 1, title: 'a', categoryId: 1, deletedAt: '2025-06-01T12:00:00.000Z' });
    const left = [{ id: 2, title: 'b', categoryId: 1, deletedAt: null }];
    for (const path of ['/tasks', '/categories/1/tasks']) expect((await ask('GET', path)).body).toEqual(left);
    expect((await ask('GET', '/categories/1')).body.taskCount).toBe(1);
    expect((await ask('GET', '/statistics')).body).toEqual({ taskCount: 1 });
    expect([(await ask('GET', '/tasks/1')).status, (await ask('DELETE', '/tasks/1')).status]).toEqual([404, 404]);
    expect((await ask('GET', '/tasks/deleted')).body).toEqual([body]);
  });

  it('is only in the default data if no operation deletes entries', async () => {
    const { delete: _delete, ...others } = task['/tasks/{taskId}'] ?? {};
    const paths = { ...api.paths, '/tasks/{taskId}': others };
    expect((await explainApi({ ...api, paths }))['GET /tasks/deleted']).toBe(
      'real: lists tasks (only deletedAt before now; only the default data has them)',
    );
  });
});
