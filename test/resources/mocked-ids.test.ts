import { expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const Step = createObject({ 'taskId!': INTEGER, 'place!': TEXT });

const paths = {
  ...createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ 'title!': TEXT })),
  '/tasks/{number}/tracking': { get: { response: createList(Step) } },
  '/reports/figures': {
    get: { query: { userId: TEXT }, response: createObject({ 'userId!': TEXT, 'figure!': INTEGER }) },
  },
};

it('A mocked response has the ids that the path and the query of the request have', async () => {
  const { ask } = await startApi({ paths, schemas: { Task: createObject({ 'id!': INTEGER, 'title!': TEXT }) } });
  for (const title of ['a', 'b']) await ask('POST', '/tasks', { title });
  for (const id of [1, 2]) {
    const { body, headers } = await ask('GET', `/tasks/${id}/tracking`);
    expect(headers.get('x-mocked')).toBe('operation');
    expect(new Set(body.map(({ taskId }: { taskId: number }) => taskId))).toEqual(new Set([id]));
  }
  expect((await ask('GET', '/reports/figures?userId=u1')).body.userId).toBe('u1');
});

it('A mocked response repeats the id in the body that names no entry', async () => {
  const { ask } = await startApi({
    paths: {
      ...paths,
      '/tasks/{taskId}/votes': {
        post: {
          request: createObject({ 'optionId!': TEXT }),
          response: createObject({ 'optionId!': TEXT }),
          status: 201,
        },
      },
    },
    schemas: { Task: createObject({ 'id!': INTEGER, 'title!': TEXT }) },
  });
  await ask('POST', '/tasks', { title: 'a' });
  expect((await ask('POST', '/tasks/1/votes', { optionId: 'yes' })).body).toEqual({ optionId: 'yes' });
});

it('The id of an unknown entry gets 404 at each path that names it, also if the operation documents no 404', async () => {
  const slot = { get: { response: createObject({ 'id!': INTEGER, total: INTEGER }), errors: [] } };
  const change = { response: createObject({ 'id!': INTEGER, message: TEXT }), errors: [] };
  const parameters = { creneau_id: INTEGER };
  const others: Paths = {
    '/visites/{creneau_id}': { ...slot, post: change, put: change, parameters },
    '/export/creneaux/{creneau_id}': { ...slot, parameters },
  };
  const Slot = createObject({ 'id!': INTEGER, 'title!': TEXT });
  const { ask } = await startApi({
    paths: { ...createResourcePaths('/creneaux/{id}', Slot, createObject({ 'title!': TEXT })), ...others },
  });
  await ask('POST', '/creneaux', { title: 'a' });
  const requests = [
    ['GET', '/visites'],
    ['POST', '/visites'],
    ['PUT', '/visites'],
    ['GET', '/export/creneaux'],
  ] as const;
  for (const [method, path] of requests) {
    expect((await ask(method, `${path}/1`)).body).toMatchObject({ id: 1 });
    expect((await ask(method, `${path}/99`)).body).toMatchObject({ detail: 'no creneau has the id 99' });
  }
});

it('A PUT without a body does not make an unknown id an entry of a list', async () => {
  const Room = createObject({ 'id!': INTEGER, name: TEXT });
  const put = { response: Room, errors: [] };
  const start = (path: string) =>
    startApi({
      paths: {
        [path]: { get: { response: createList(Room) } },
        [`${path}/{room_id}`]: { put, delete: { status: 204 }, parameters: { room_id: INTEGER } },
      },
    });
  const rooms = await start('/rooms');
  expect((await rooms.ask('PUT', '/rooms/99')).status).toBe(404);
  expect((await rooms.ask('GET', '/rooms')).body).not.toContainEqual({ id: 99 });
  const own = await start('/me/rooms');
  expect((await own.ask('PUT', '/me/rooms/99')).body).toMatchObject({ id: 99 });
});

it('The entry in a mocked response is overdue at the time of the sandbox, as in other responses', async () => {
  const [date, flag] = [{ type: 'string', format: 'date' }, { type: 'boolean' }];
  const Task = createObject({ 'id!': INTEGER, 'dueDate!': date, 'isOverdue!': flag, done: flag });
  const { ask } = await startApi({
    paths: {
      ...createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ 'dueDate!': date })),
      '/tasks/{taskId}/watch': { post: { response: refer('Task') } },
      '/tasks/{taskId}/plan': { post: { response: createObject({ 'task!': refer('Task'), 'steps!': INTEGER }) } },
    },
    schemas: { Task },
  });
  for (const dueDate of ['2025-05-01', '2026-05-01', '2025-05-02']) await ask('POST', '/tasks', { dueDate });
  const { body: tasks } = await ask('GET', '/tasks');
  for (const task of tasks) {
    const watched = await ask('POST', `/tasks/${task.id}/watch`);
    expect([watched.body, watched.headers.get('x-mocked')]).toEqual([task, 'operation']);
    expect((await ask('POST', `/tasks/${task.id}/plan`)).body.task).toEqual(task);
  }
});
