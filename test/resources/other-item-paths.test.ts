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

describe('The path of an entry that is only a part of other paths', () => {
  const ID = { type: 'integer' };
  const boards = {
    Board: createObject({ 'id!': ID, 'title!': TEXT }),
    List: createObject({ 'id!': ID, boardId: ID, 'title!': TEXT }),
    Card: createObject({ 'id!': ID, listId: ID, 'title!': TEXT }),
  };
  const Move = createObject({ title: TEXT, listId: ID });
  const paths: Paths = {
    ...createResourcePaths('/boards/{boardId}', refer('Board'), Title),
    ...createResourcePaths('/boards/{boardId}/lists/{id}', refer('List'), Title),
    ...createResourcePaths('/lists/{listId}/cards/{id}', refer('Card'), Title),
    '/lists/{listId}/cards/{id}/move': { put: { request: Move, response: refer('Card') } },
    '/cards/{id}/duplicate': { post: { response: refer('Card') } },
  };

  /** Starts a server with a board, two lists and a card in the first one. */
  async function startBoard() {
    const { ask } = await startApi({ paths, schemas: boards });
    const { body: board } = await ask('POST', '/boards', { title: 'a' });
    const lists = `/boards/${board.id}/lists`;
    const [{ body: first }, { body: second }] = [
      await ask('POST', lists, { title: 'b' }),
      await ask('POST', lists, { title: 'c' }),
    ];
    const cards = `/lists/${first.id}/cards`;
    const { body: card } = await ask('POST', cards, { title: 'd' });
    return { ask, board, lists, first, second, cards, card };
  }

  it('leads to entries below another path', async () => {
    const { ask, board, lists, first, second, cards, card } = await startBoard();
    expect((await ask('GET', '/lists/999/cards')).status).toBe(404);
    expect((await ask('POST', '/lists/999/cards', { title: 'e' })).status).toBe(404);
    const { body: copy } = await ask('POST', `/cards/${card.id}/duplicate`);
    expect((await ask('GET', cards)).body).toEqual([card, copy]);
    expect((await ask('DELETE', `${lists}/${first.id}`)).status).toBe(204);
    expect((await ask('GET', cards)).status).toBe(404);
    expect((await ask('DELETE', `/boards/${board.id}`)).status).toBe(204);
    expect((await ask('GET', `/lists/${second.id}/cards`)).status).toBe(404);
  });

  it('is that of another parent after a request with its id', async () => {
    const { ask, first, second, cards, card } = await startBoard();
    expect((await ask('PUT', `${cards}/${card.id}/move`, { listId: 999 })).status).toBe(404);
    const { body: moved } = await ask('PUT', `${cards}/${card.id}/move`, { listId: second.id });
    expect(moved).toEqual({ ...card, listId: second.id });
    expect([(await ask('GET', cards)).body, (await ask('GET', `/lists/${second.id}/cards`)).body]).toEqual([
      [],
      [moved],
    ]);
    expect((await ask('PUT', `/lists/${second.id}/cards/${card.id}/move`, { title: 'f' })).body).toMatchObject({
      title: 'f',
      listId: second.id,
    });
    expect((await ask('GET', `/lists/${first.id}/cards`)).body).toEqual([]);
  });
});

it('A list shows the entries that only other paths create and change, and /books/id/{id} reads one of them', async () => {
  const Book = { 'id!': { type: 'string' }, 'title!': { type: 'string' }, 'stock!': { type: 'integer' } };
  const done = createObject({ 'msg!': { type: 'string' } });
  const { ask } = await startApi({
    paths: {
      '/books': { get: { response: createList(createObject(Book)) } },
      '/books/id/{id}': { get: { response: createObject({ ...Book }), errors: [404] } },
      '/admin/books': {
        post: { request: createObject({ 'title!': { type: 'string' } }), response: done, status: 201 },
      },
      '/admin/books/{id}': {
        put: { request: createObject({ title: { type: 'string' }, stock: { type: 'integer' } }), response: done },
        delete: { response: done },
      },
    },
  });
  await ask('POST', '/admin/books', { title: 'Dune' });
  const [{ id }] = (await ask('GET', '/books')).body;
  await ask('PUT', `/admin/books/${id}`, { stock: 4 });
  expect((await ask('GET', '/books')).body).toEqual([{ id, title: 'Dune', stock: 4 }]);
  expect((await ask('GET', `/books/id/${id}`)).body).toEqual({ id, title: 'Dune', stock: 4 });
  await ask('DELETE', `/admin/books/${id}`);
  expect((await ask('GET', '/books')).body).toEqual([]);
  expect((await ask('GET', `/books/id/${id}`)).status).toBe(404);
});

it('An entry without a path of its own is the parent of the entries below its id, and explain names an omitted list', async () => {
  const TITLE = { 'title!': { type: 'string' } };
  const Channel = createObject({ 'id!': { type: 'integer' }, ...TITLE, threadCount: { type: 'integer' } });
  const Thread = createObject({ 'id!': { type: 'integer' }, ...TITLE });
  const Post = createObject({ 'id!': { type: 'integer' }, 'text!': { type: 'string' } });
  const request = createObject(TITLE);
  const api = {
    paths: {
      ...createResourcePaths('/groups/{groupId}', createObject({ 'id!': { type: 'integer' }, ...TITLE }), request),
      '/groups/{groupId}/channels': {
        get: { response: createList(Channel) },
        post: { request, response: Channel, status: 201 },
      },
      '/channels/{channelId}/threads': {
        get: { response: createList(Thread) },
        post: { request, response: Thread, status: 201 },
      },
      '/threads/{threadId}': { get: { response: createObject({ 'thread!': Thread, posts: createList(Post) }) } },
    },
  };
  const { ask } = await startApi(api);
  await ask('POST', '/groups', { title: 'a' });
  await ask('POST', '/groups/1/channels', { title: 'b' });
  expect((await ask('POST', '/channels/1/threads', { title: 'c' })).body).toEqual({ id: 1, title: 'c' });
  expect((await ask('POST', '/channels/9/threads', { title: 'd' })).status).toBe(404);
  expect((await ask('GET', '/groups/1/channels')).body).toEqual([{ id: 1, title: 'b', threadCount: 1 }]);
  expect((await ask('GET', '/threads/1')).body).toEqual({ thread: { id: 1, title: 'c' } });
  expect((await explainApi(api))['GET /threads/{threadId}']).toContain('leaves out: posts');
});

it('An entry with the id of another one beside its own is not the parent of entries below this other id', async () => {
  const Student = createObject({ 'id!': { type: 'integer' }, 'studentId!': { type: 'integer' } });
  const Grade = createObject({ 'id!': { type: 'integer' }, 'mark!': { type: 'integer' } });
  const course = createObject({ 'title!': { type: 'string' } });
  const paths = {
    ...createResourcePaths('/courses/{courseId}', createObject({ 'id!': { type: 'integer' }, 'title!': {} }), course),
    '/courses/{courseId}/students': {
      get: { response: createList(Student) },
      post: { request: createObject({ 'studentId!': { type: 'integer' } }), response: Student, status: 201 },
    },
    '/students/{studentId}/grades': {
      get: { response: createList(Grade) },
      post: { request: createObject({ 'mark!': { type: 'integer' } }), response: Grade, status: 201 },
    },
  };
  const { ask } = await startApi({ paths });
  expect((await ask('POST', '/students/77/grades', { mark: 1 })).status).toBe(201);
});
