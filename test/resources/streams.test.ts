import { describe, expect, it } from 'vitest';
import { createObject, createResourcePaths, type Paths, refer, type Schema } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';
import { createFetchClient } from '../support/harness/start-storefront.ts';
import { openStream } from '../support/harness/streams.ts';

const EVENTS = 'text/event-stream';

const SCHEMAS = {
  Task: createObject({ 'id!': { type: 'integer', readOnly: true }, 'title!': { type: 'string' } }),
  Note: createObject({
    'id!': { type: 'integer', readOnly: true },
    'taskId!': { type: 'integer', readOnly: true },
    'text!': { type: 'string' },
  }),
};

const TASKS = createResourcePaths('/tasks/{taskId}', refer('Task'));

/** Returns the paths of tasks with a stream, whose items have this schema. */
function addStream(path: string, item: Schema, type = EVENTS): Paths {
  return { ...TASKS, [path]: { get: { operationId: 'watch', response: item, responseType: type } } };
}

/** Returns the schema of a change with this type and these other properties. */
function createChange(type: Schema, others: Readonly<Record<string, Schema>>): Schema {
  return createObject({ 'type!': type, ...others });
}

/** Starts a server with a stream of tasks at `/tasks/events`. Returns its text after a task was created, changed and deleted. */
async function changeTask(item: Schema, until: RegExp): Promise<string> {
  const server = await startApi({ paths: addStream('/tasks/events', item), schemas: SCHEMAS });
  const stream = await openStream(server, '/tasks/events');
  await stream.until(/^id: /);
  const { body } = await server.ask('POST', '/tasks', { title: 'a' });
  await server.ask('PATCH', `/tasks/${body.id}`, { title: 'b' });
  await server.ask('DELETE', `/tasks/${body.id}`);
  return removeIds(await stream.until(until));
}

function removeIds(text: string): string {
  return text.replaceAll(/^id: .*\n\n?/gm, '');
}

describe('a stream of a resource', () => {
  it('sends created and changed entries as they are committed, with ids', async () => {
    const text = await changeTask(refer('Task'), /"b"/);
    expect(text).toBe('data: {"id":1,"title":"a"}\n\ndata: {"id":1,"title":"b"}\n\n');
  });

  it.each<readonly [description: string, item: Schema, events: readonly string[]]>([
    [
      'the type of a change from an enum',
      createChange(
        { type: 'string', enum: ['task.created', 'task.updated', 'task.deleted'] },
        { 'task!': refer('Task') },
      ),
      [
        '{"task":{"id":1,"title":"a"},"type":"task.created"}',
        '{"task":{"id":1,"title":"b"},"type":"task.updated"}',
        '{"task":{"id":1,"title":"b"},"type":"task.deleted"}',
      ],
    ],
    [
      'the type of a change as in an example',
      createChange(
        { type: 'string', example: 'TASK_created' },
        { 'data!': createObject({ 'object!': refer('Task') }) },
      ),
      [
        '{"data":{"object":{"id":1,"title":"a"}},"type":"TASK_created"}',
        '{"data":{"object":{"id":1,"title":"b"}},"type":"TASK_updated"}',
        '{"data":{"object":{"id":1,"title":"b"}},"type":"TASK_deleted"}',
      ],
    ],
    [
      'alternatives, and the time of the change',
      {
        oneOf: [
          createChange(
            { const: 'created' },
            { 'task!': refer('Task'), 'at!': { type: 'string', format: 'date-time' } },
          ),
          createChange({ const: 'deleted' }, { 'taskId!': { type: 'integer' } }),
        ],
      },
      [
        '{"task":{"id":1,"title":"a"},"type":"created","at":"2025-06-01T12:00:00.000Z"}',
        '{"taskId":1,"type":"deleted"}',
      ],
    ],
  ])('shows %s', async (_, item, events) => {
    const text = await changeTask(item, /deleted/);
    expect(text).toBe(events.map((event) => `data: ${event}\n\n`).join(''));
  });

  it('sends the names of events that the schema has', async () => {
    const item = createObject({
      'event!': { enum: ['created', 'deleted'] },
      id: { type: 'string' },
      'data!': refer('Task'),
    });
    expect(await changeTask(item, /event: deleted/)).toBe(
      'event: created\ndata: {"id":1,"title":"a"}\n\nevent: deleted\ndata: {"id":1,"title":"b"}\n\n',
    );
  });

  it('sends the JSON of a data text', async () => {
    const data = { type: 'string', contentMediaType: 'application/json', contentSchema: refer('Task') };
    expect(await changeTask(createObject({ 'data!': data }), /"b"/)).toBe(
      'data: {"id":1,"title":"a"}\n\ndata: {"id":1,"title":"b"}\n\n',
    );
  });

  it('can be lines of JSON', async () => {
    const paths = addStream('/tasks/stream', refer('Task'), 'application/jsonl');
    const server = await startApi({ paths, schemas: SCHEMAS });
    const stream = await openStream(server, '/tasks/stream');
    await server.ask('POST', '/tasks', { title: 'a' });
    expect(await stream.until(/\n/)).toBe('{"id":1,"title":"a"}\n');
  });

  it('of one entry sends only the changes of this entry, and has a 404 for an unknown one', async () => {
    const server = await startApi({ paths: addStream('/tasks/{taskId}/events', refer('Task')), schemas: SCHEMAS });
    for (const title of ['a', 'b']) await server.ask('POST', '/tasks', { title });
    const stream = await openStream(server, '/tasks/2/events');
    await stream.until(/^id: /);
    for (const id of [1, 2]) await server.ask('PATCH', `/tasks/${id}`, { title: `new ${id}` });
    expect(removeIds(await stream.until(/data/))).toBe('data: {"id":2,"title":"new 2"}\n\n');
    expect((await server.ask('GET', '/tasks/3/events')).status).toBe(404);
  });

  it('below an entry sends only the changes of the entries below it', async () => {
    const notes = createResourcePaths('/tasks/{taskId}/notes/{noteId}', refer('Note'));
    const stream = { get: { operationId: 'watch', response: refer('Note'), responseType: EVENTS } };
    const paths = { ...TASKS, ...notes, '/tasks/{taskId}/notes/events': stream };
    const server = await startApi({ paths, schemas: SCHEMAS });
    for (const title of ['a', 'b']) await server.ask('POST', '/tasks', { title });
    const opened = await openStream(server, '/tasks/2/notes/events');
    await opened.until(/^id: /);
    for (const id of [1, 2]) await server.ask('POST', `/tasks/${id}/notes`, { text: `of ${id}` });
    expect(removeIds(await opened.until(/data/))).toBe('data: {"id":2,"taskId":2,"text":"of 2"}\n\n');
  });

  it('sends only the changes of its sandbox, and ends with it', async () => {
    const server = await startApi({ paths: addStream('/tasks/events', refer('Task')), schemas: SCHEMAS });
    const stream = await openStream(server, '/_sandbox/w1/tasks/events');
    await stream.until(/^id: /);
    for (const id of ['w2', 'w1']) await server.ask('POST', `/_sandbox/${id}/tasks`, { title: id });
    expect(removeIds(await stream.until(/data/))).toBe('data: {"id":1,"title":"w1"}\n\n');
    await createFetchClient(server.url)('DELETE', '/_control/sandboxes/w1');
    expect((await stream.ended).isComplete).toBe(true);
  });

  it('sends the changes of a reset and of the control API', async () => {
    const server = await startApi({ paths: addStream('/tasks/events', refer('Task')), schemas: SCHEMAS });
    const stream = await openStream(server, '/tasks/events');
    await stream.until(/^id: /);
    await createFetchClient(server.url)('PUT', '/_control/sandboxes/default/state', { tasks: [{ id: 5, title: 'x' }] });
    expect(removeIds(await stream.until(/data/))).toBe('data: {"id":5,"title":"x"}\n\n');
  });
});

describe('a client that connects again', () => {
  const PATHS = addStream('/tasks/events', refer('Task'));

  /** Returns the last id in the text of a stream. */
  const getLastId = (text: string) =>
    text
      .match(/^id: (.*)$/gm)
      ?.at(-1)
      ?.slice('id: '.length) ?? '';

  it('gets the changes since the last event that it has received', async () => {
    const server = await startApi({ paths: PATHS, schemas: SCHEMAS });
    const first = await openStream(server, '/tasks/events');
    await first.until(/^id: /);
    await server.ask('POST', '/tasks', { title: 'a' });
    const text = await first.until(/"a"/);
    first.leave();
    for (const title of ['b', 'c']) await server.ask('POST', '/tasks', { title });
    const second = await openStream(server, '/tasks/events', { 'Last-Event-ID': getLastId(text) });
    await server.ask('POST', '/tasks', { title: 'd' });
    expect((await second.until(/"d"/)).match(/"title":"."/g)).toEqual(['"title":"b"', '"title":"c"', '"title":"d"']);
  });

  it('misses nothing even if it had received no event', async () => {
    const server = await startApi({ paths: PATHS, schemas: SCHEMAS });
    const first = await openStream(server, '/tasks/events');
    const text = await first.until(/^id: .*\n\n/);
    first.leave();
    await server.ask('POST', '/tasks', { title: 'a' });
    const second = await openStream(server, '/tasks/events', { 'Last-Event-ID': getLastId(text) });
    expect(await second.until(/data/)).toContain('"title":"a"');
  });

  it('is told so if the changes are no longer known', async () => {
    const server = await startApi({ paths: PATHS, schemas: SCHEMAS });
    const first = await openStream(server, '/tasks/events');
    const id = getLastId(await first.until(/^id: .*\n\n/));
    first.leave();
    // A change of more entries than the log keeps.
    const tasks = Array.from({ length: 1_001 }, (_, index) => ({ id: index + 1, title: 'x' }));
    await createFetchClient(server.url)('PUT', '/_control/sandboxes/default/state', { tasks });
    for (const unknown of [id, 'other-5', 'x']) {
      const { status, body } = await server.ask('GET', '/tasks/events', undefined, { 'Last-Event-ID': unknown });
      expect([status, body.detail]).toEqual([410, expect.stringContaining('read the current entries')]);
    }
  });
});

describe('the explanation of a stream', () => {
  it.each<readonly [path: string, item: Schema, explanation: string]>([
    ['/tasks/events', refer('Task'), 'real: streams the changes of tasks, as they are committed (created, updated)'],
    ['/task-events', refer('Task'), 'real: streams the changes of tasks, as they are committed (created, updated)'],
    [
      '/tasks/{taskId}/stream',
      refer('Task'),
      'real: streams the changes of the task in the path, as they are committed (created, updated)',
    ],
    ['/tasks/export', refer('Task'), 'mocked: a stream whose items are no entries of a resource'],
    ['/ticks', createObject({ n: { type: 'integer' } }), 'mocked: a stream whose items are no entries of a resource'],
  ])('of %s', async (path, item, explanation) => {
    const explained = await explainApi({ paths: addStream(path, item), schemas: SCHEMAS });
    expect(explained[`GET ${path}`]).toBe(explanation);
  });
});
