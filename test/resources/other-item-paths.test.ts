import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const Title = createObject({ 'title!': TEXT });
const schemas = {
  Project: createObject({ 'id!': TEXT, 'title!': TEXT }),
  Task: createObject({ 'id!': TEXT, 'title!': TEXT, subtasks: createList(refer('Subtask')) }),
  Subtask: createObject({ 'id!': TEXT, 'title!': TEXT, isDone: { type: 'boolean' } }),
};

const PATHS: Paths = {
  ...createResourcePaths('/projects/{projectId}', refer('Project'), Title),
  ...createResourcePaths('/projects/{projectId}/t/{taskId}', refer('Task'), Title),
  '/projects/{projectId}/t/{taskId}/subtasks': { post: { request: Title, response: refer('Task'), status: 201 } },
};

/** The operations on a subtask, whose path does not name the task. */
const SUBTASK: Paths[string] = {
  put: { request: createObject({ 'isDone!': { type: 'boolean' } }), response: refer('Task') },
  delete: { status: 204 },
};

describe('The path of an entry that leads past its list', () => {
  it.each([
    '/projects/{projectId}/st/{subtaskId}',
    '/projects/{projectId}/subtasks/{subtaskId}',
    '/subtasks/{subtaskId}',
  ])('changes and deletes the entry, and shows the entry above: %s', async (template) => {
    const { ask } = await startApi({ paths: { ...PATHS, [template]: SUBTASK }, schemas });
    const { body: project } = await ask('POST', '/projects', { title: 'a' });
    const tasks = `/projects/${project.id}/t`;
    const { body: first } = await ask('POST', tasks, { title: 'b' });
    const { body: task } = await ask('POST', tasks, { title: 'c' });
    const { body: created } = await ask('POST', `${tasks}/${task.id}/subtasks`, { title: 'd' });
    const [subtask] = created.subtasks;
    const path = template.replace('{projectId}', project.id).replace('{subtaskId}', subtask.id);
    const changed = { ...task, subtasks: [{ ...subtask, isDone: true }] };
    expect((await ask('PUT', path, { isDone: true })).body).toEqual(changed);
    expect((await ask('GET', `${tasks}/${task.id}`)).body).toEqual(changed);
    expect((await ask('DELETE', path)).status).toBe(204);
    expect((await ask('GET', `${tasks}/${task.id}`)).body.subtasks).toEqual([]);
    expect((await ask('GET', `${tasks}/${first.id}`)).body.subtasks).toEqual([]);
    expect((await ask('PUT', path, { isDone: true })).status).toBe(404);
  });

  it.each([
    '/projects/{projectId}/pinned/{subtaskId}',
    '/projects/{projectId}/s/{stepId}',
    '/users/{userId}/subtasks/{subtaskId}',
  ])('is mocked if it can have something else: %s', async (template) => {
    const explained = await explainApi({ paths: { ...PATHS, [template]: SUBTASK }, schemas });
    expect(explained[`DELETE ${template}`]).toMatch(/^mocked: /);
  });

  it('is the plural or the singular of the path of the entry', async () => {
    const PART = createObject({ title: TEXT, pages: { type: 'integer' } });
    const BOOK = createObject({ id: TEXT, title: TEXT, pages: { type: 'integer' } });
    const paths: Paths = {
      '/book': { post: { request: PART, response: createObject({ id: TEXT }), status: 201 } },
      '/book/{id}': { put: { request: PART, response: BOOK } },
      '/books/{id}': { get: { response: BOOK }, delete: { status: 204 } },
      '/books/{id}/pages': { get: { response: createObject({ pageSize: { type: 'integer' } }) } },
    };
    const { ask } = await startApi({ paths });
    const { body } = await ask('POST', '/book', { title: 'a', pages: 1 });
    expect((await ask('GET', `/books/${body.id}`)).body).toEqual({ ...body, title: 'a', pages: 1 });
    expect((await ask('PUT', `/book/${body.id}`, { title: 'b', pages: 2 })).body).toMatchObject({ title: 'b' });
    expect((await ask('DELETE', `/books/${body.id}`)).status).toBe(204);
    expect((await ask('GET', `/books/${body.id}`)).status).toBe(404);
  });
});
