import { describe, expect, it } from 'vitest';
import {
  createObject,
  createResourcePaths,
  type OperationParts,
  type Paths,
  refer,
} from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const FLAG = { type: 'boolean' };
const TIME = { type: 'string', format: 'date-time' };

const Task = createObject({
  'id!': INTEGER,
  'title!': TEXT,
  'status!': { type: 'string', enum: ['todo', 'in_progress', 'done', 'cancelled'], default: 'todo', readOnly: true },
  isArchived: { ...FLAG, default: false },
  read: { ...FLAG, default: false },
  liked: { ...FLAG, default: false },
  likesCount: { ...INTEGER, default: 0 },
  assigneeId: INTEGER,
  isPinned: { ...FLAG, default: false },
  pinnedAt: { ...TIME, type: ['string', 'null'] },
  completedAt: { ...TIME, type: ['string', 'null'] },
});

const Change = createObject({ 'status!': TEXT, note: TEXT });

const task: OperationParts = { response: refer('Task') };

const PATHS = {
  ...createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ 'title!': TEXT })),
  '/tasks/{taskId}/complete': { post: { ...task, alsoStatus: [409] }, delete: task },
  '/tasks/{id}:cancel': { post: task },
  '/tasks/{taskId}/start': { put: { status: 204 } },
  '/tasks/{taskId}/archive': { post: { response: createObject({ 'success!': FLAG }) } },
  '/tasks/{taskId}/unarchive': { post: task },
  '/tasks/{taskId}/mark-as-read': { post: task },
  '/tasks/{taskId}/like': { post: task, delete: task },
  '/tasks/{taskId}/assign': { post: { ...task, request: createObject({ 'assigneeId!': INTEGER }) } },
  '/tasks/{taskId}/status': { patch: { request: Change, response: createObject({ 'success!': FLAG }) } },
  '/tasks/{taskId}/toggle': { patch: { ...task, summary: 'Toggle the pinned state of a task' } },
  '/tasks/{taskId}/toggle-archive': { post: { status: 204 } },
  '/tasks/{taskId}/priority': { patch: { request: createObject({ status: TEXT, other: TEXT }), status: 204 } },
  '/tasks/{taskId}/explode': { post: task },
};

/** Starts a server with one task. */
async function start() {
  const shop = await startApi({ paths: PATHS, schemas: { Task } });
  await shop.ask('POST', '/tasks', { title: 'a' });
  return { ...shop, read: async () => (await shop.ask('GET', '/tasks/1')).body };
}

describe('an action of an entry', () => {
  it('is explained in one line', async () => {
    expect(await explainApi({ paths: PATHS, schemas: { Task } })).toMatchObject({
      'POST /tasks/{taskId}/complete': 'real: completes a task: status → "done", completedAt → now',
      'DELETE /tasks/{taskId}/complete': 'real: undoes "complete" of a task: status → "todo", removes completedAt',
      'POST /tasks/{id}:cancel': 'real: cancels a task: status → "cancelled"',
      'PUT /tasks/{taskId}/start': 'real: starts a task: status → "in_progress"',
      'POST /tasks/{taskId}/archive': 'real: archives a task: isArchived → true',
      'POST /tasks/{taskId}/unarchive': 'real: unarchives a task: isArchived → false',
      'POST /tasks/{taskId}/mark-as-read': 'real: marks a task as read: read → true',
      'POST /tasks/{taskId}/like': 'real: likes a task: liked → true, likesCount + 1',
      'POST /tasks/{taskId}/assign': 'real: assigns a task: sets the properties in the body',
      'POST /tasks/{taskId}/explode': 'mocked: an action: the document does not say what the action changes',
    });
  });

  it('sets the value of a state and its time, is refused if it changes nothing, and is taken back', async () => {
    const { ask, read } = await start();
    const { body } = await ask('POST', '/tasks/1/complete');
    expect(body).toMatchObject({ status: 'done', completedAt: expect.stringMatching(/^\d{4}-/) });
    expect(await read()).toEqual(body);
    expect((await ask('POST', '/tasks/1/complete')).status).toBe(409);
    expect(await read()).toEqual(body);
    await ask('DELETE', '/tasks/1/complete');
    expect(await read()).toMatchObject({ status: 'todo', completedAt: null });
  });

  it.each([
    ['POST', '/tasks/1:cancel', { status: 'cancelled' }],
    ['PUT', '/tasks/1/start', { status: 'in_progress' }],
    ['POST', '/tasks/1/archive', { isArchived: true }],
    ['POST', '/tasks/1/mark-as-read', { read: true }],
    ['POST', '/tasks/1/like', { liked: true, likesCount: 1 }],
  ])('changes the stored entry: %s %s', async (method, path, expected) => {
    const { ask, read } = await start();
    const { status } = await ask(method, path);
    expect([200, 204]).toContain(status);
    expect(await read()).toMatchObject(expected);
  });

  it('counts only once for a flag, and is taken back', async () => {
    const { ask, read } = await start();
    for (const _ of [1, 2]) await ask('POST', '/tasks/1/like');
    expect(await read()).toMatchObject({ liked: true, likesCount: 1 });
    for (const _ of [1, 2]) await ask('DELETE', '/tasks/1/like');
    expect(await read()).toMatchObject({ liked: false, likesCount: 0 });
  });

  it('sets the properties in the body', async () => {
    const { ask, read } = await start();
    expect((await ask('POST', '/tasks/1/assign', { assigneeId: 3 })).body).toMatchObject({ assigneeId: 3 });
    expect(await read()).toMatchObject({ assigneeId: 3 });
  });

  it('of a status that only other requests can have starts with its first value', async () => {
    const Trip = createObject({ 'id!': INTEGER, 'to!': TEXT, status: { type: 'string', enum: ['requested', 'done'] } });
    const paths = createResourcePaths('/trips/{tripId}', refer('Trip'), createObject({ 'to!': TEXT }));
    const status = createObject({ status: { type: 'string', enum: ['requested', 'done'] } });
    const item = { ...paths['/trips/{tripId}'], patch: { request: status, response: refer('Trip') } };
    const query = { status: TEXT };
    const list = { ...paths['/trips'], get: { ...paths['/trips']?.get, query } };
    const { ask } = await startApi({ paths: { '/trips': list, '/trips/{tripId}': item }, schemas: { Trip } });
    expect((await ask('POST', '/trips', { to: 'Oslo' })).body).toEqual({ id: 1, to: 'Oslo', status: 'requested' });
    expect((await ask('GET', '/trips?status=requested')).body).toHaveLength(1);
  });

  it('of a status that no request can have starts with that in the example of the creation', async () => {
    const Trip = createObject({ 'id!': INTEGER, 'to!': TEXT, status: TEXT });
    const paths = createResourcePaths('/trips/{tripId}', refer('Trip'), createObject({ 'to!': TEXT }));
    const post = { ...paths['/trips']?.post, example: { id: 1, to: 'Rome', status: 'requested' } };
    const { ask } = await startApi({ paths: { ...paths, '/trips': { post } }, schemas: { Trip } });
    expect((await ask('POST', '/trips', { to: 'Oslo' })).body).toEqual({ id: 2, to: 'Oslo', status: 'requested' });
  });

  it('with a required date sets the time of its state to this date', async () => {
    const Job = createObject({ 'id!': INTEGER, checked: FLAG, lastCompletedAt: { type: 'string', format: 'date' } });
    const request = createObject({ 'completionDate!': { type: 'string', format: 'date' }, cost: INTEGER });
    const paths = {
      ...createResourcePaths('/jobs/{jobId}', refer('Job'), createObject({ checked: FLAG })),
      '/jobs/{jobId}/complete': { put: { request, response: refer('Job') } },
    };
    const { ask } = await startApi({ paths, schemas: { Job } });
    await ask('POST', '/jobs', {});
    const { body } = await ask('PUT', '/jobs/1/complete', { completionDate: '2025-03-04', cost: 5 });
    expect(body).toEqual({ id: 1, checked: true, lastCompletedAt: '2025-03-04' });
    const { 'PUT /jobs/{jobId}/complete': line } = await explainApi({ paths, schemas: { Job } });
    expect(line).toContain('checked → true, lastCompletedAt → completionDate of the body, ignores cost of the body');
  });

  it('starts with an entry for which it was not done', async () => {
    const Post = createObject({
      'id!': INTEGER,
      'title!': TEXT,
      'published!': FLAG,
      'likes!': INTEGER,
      'state!': { type: 'string', enum: ['closed', 'open'] },
    });
    const post: OperationParts = { response: refer('Post') };
    const paths = {
      ...createResourcePaths('/posts/{postId}', refer('Post'), createObject({ 'title!': TEXT })),
      '/posts/{postId}/publish': { post },
      '/posts/{postId}/like': { post },
      '/posts/{postId}/close': { post },
    };
    const { ask } = await startApi({ paths, schemas: { Post } });
    for (const title of ['a', 'b', 'c'])
      expect((await ask('POST', '/posts', { title })).body).toMatchObject({
        published: false,
        likes: 0,
        state: 'open',
      });
  });

  it('needs the entry', async () => {
    const { ask } = await start();
    expect((await ask('POST', '/tasks/9/complete')).status).toBe(404);
    expect((await ask('POST', '/tasks/9:cancel')).status).toBe(404);
  });
});

it('an action that names what it creates, or what an entry is, changes nothing', async () => {
  const Message = createObject({ 'id!': { type: 'integer' }, 'text!': TEXT, type: { enum: ['normal', 'pin'] } });
  const paths: Paths = {
    ...createResourcePaths('/messages/{messageId}', refer('Message')),
    '/messages/{messageId}/pin': { put: { status: 204 }, delete: { status: 204 } },
    '/messages/{messageId}/replies': { post: { request: createObject({ 'text!': TEXT }), response: refer('Message') } },
    '/messages/{messageId}/content': { put: { request: createObject({ 'text!': TEXT }), response: refer('Message') } },
  };
  expect(await explainApi({ paths, schemas: { Message } })).toMatchObject({
    'PUT /messages/{messageId}/pin': expect.stringMatching(/^mocked/),
    'DELETE /messages/{messageId}/pin': expect.stringMatching(/^mocked/),
    'POST /messages/{messageId}/replies': expect.stringMatching(/^mocked/),
    'PUT /messages/{messageId}/content': 'real: changes the content of a message: sets the properties in the body',
  });
});

describe('A toggle', () => {
  it('changes the boolean that its summary names, and its time, to the other value', async () => {
    const { ask } = await start();
    expect((await ask('PATCH', '/tasks/1/toggle')).body).toMatchObject({
      isPinned: true,
      pinnedAt: expect.any(String),
    });
    expect((await ask('PATCH', '/tasks/1/toggle')).body).toMatchObject({ isPinned: false, pinnedAt: null });
    expect((await ask('GET', '/tasks/1')).body).toMatchObject({ isArchived: false, read: false });
  });

  it('changes the boolean that its path names', async () => {
    const { ask, read } = await start();
    await ask('POST', '/tasks/1/toggle-archive');
    expect(await read()).toMatchObject({ isArchived: true, isPinned: false });
  });

  it('is mocked if nothing names one of several booleans', async () => {
    const paths = { ...PATHS, '/tasks/{taskId}/toggle': { patch: task } };
    const { 'PATCH /tasks/{taskId}/toggle': toggle } = await explainApi({ paths, schemas: { Task } });
    expect(toggle).toBe('mocked: an action: the document does not say what the action changes');
  });
});

describe('A change of a state with a note', () => {
  it('sets the state', async () => {
    const { ask, read } = await start();
    expect((await ask('PATCH', '/tasks/1/status', { status: 'done', note: 'at last' })).body).toEqual({
      success: true,
    });
    expect(await read()).toMatchObject({ status: 'done' });
    expect(await read()).not.toHaveProperty('note');
  });

  it('is explained with the note, and is mocked if its body has other properties', async () => {
    const operations = await explainApi({ paths: PATHS, schemas: { Task } });
    expect(operations).toMatchObject({
      'PATCH /tasks/{taskId}/status': 'real: changes the status of a task: sets the properties in the body except note',
      'PATCH /tasks/{taskId}/toggle': 'real: toggles a task: isPinned → true or false, sets or removes pinnedAt',
      'PATCH /tasks/{taskId}/priority': 'mocked: an action: the document does not say what the action changes',
    });
  });
});

describe('A reason in the body of an action', () => {
  const cancel = (names: readonly string[]) => ({
    paths: {
      ...createResourcePaths('/classes/{classId}', refer('Class'), createObject({ 'title!': TEXT })),
      '/classes/{classId}/cancel': {
        post: { request: createObject({ 'reason!': TEXT }), response: refer('Class'), errors: [409] },
      },
    },
    schemas: {
      Class: createObject({
        'id!': { type: 'integer' },
        'title!': TEXT,
        status: { enum: ['planned', 'cancelled'] },
        ...Object.fromEntries(names.map((name) => [name, { type: ['string', 'null'] }])),
      }),
    },
  });
  const CANCEL = 'POST /classes/{classId}/cancel';

  it.each(['cancellation_reason', 'cancelReason'])('sets the property %s', async (name) => {
    const api = cancel([name, 'rejectionReason']);
    expect(await explainApi(api)).toMatchObject({
      [CANCEL]: `real: cancels a class: status → "cancelled", ${name} → reason of the body`,
    });
    const { ask } = await startApi(api);
    await ask('POST', '/classes', { title: 'Yoga' });
    const cancelled = { status: 'cancelled', [name]: 'rain' };
    expect((await ask('POST', '/classes/1/cancel', { reason: 'rain' })).body).toMatchObject(cancelled);
    expect((await ask('POST', '/classes/1/cancel', { reason: 'snow' })).status).toBe(409);
    expect((await ask('GET', '/classes/1')).body).toMatchObject(cancelled);
  });

  it('is ignored beside the state', async () => {
    const status = { enum: ['planned', 'off'] };
    const lesson = createObject({ 'id!': { type: 'integer' }, 'title!': TEXT, status });
    const paths = {
      ...createResourcePaths('/lessons/{lessonId}', lesson, createObject({ 'title!': TEXT })),
      '/lessons/{lessonId}/cancel': { patch: { request: createObject({ 'status!': status, reason: TEXT }) } },
    };
    expect((await explainApi({ paths }))['PATCH /lessons/{lessonId}/cancel']).toBe(
      'real: cancels a lesson: sets the properties in the body except reason',
    );
    const { ask } = await startApi({ paths });
    await ask('POST', '/lessons', { title: 'Algebra' });
    await ask('PATCH', '/lessons/1/cancel', { status: 'off', reason: 'ill' });
    expect((await ask('GET', '/lessons/1')).body).toEqual({ id: 1, title: 'Algebra', status: 'off' });
  });

  it.each([[[]], [['cancellation_reason', 'cancelReason']], [['rejectionReason']]])(
    'is ignored in an entry with %j',
    async (names) => {
      expect(await explainApi(cancel(names))).toMatchObject({
        [CANCEL]: 'real: cancels a class: status → "cancelled", ignores reason of the body',
      });
    },
  );
});
