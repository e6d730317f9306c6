import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { EventSource } from 'eventsource';
import split from 'split2';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { startApi } from '../support/harness/start-api.ts';
import { openStream } from '../support/harness/streams.ts';

const TASK = createObject({ 'id!': { type: 'integer', readOnly: true }, 'title!': { type: 'string' } });

/** Starts a server with streams of the changes of tasks: `/tasks/events` and `/tasks/lines`. */
function startTasks() {
  const watch = (operationId: string, responseType: string) => ({
    get: { operationId, response: refer('Task'), responseType },
  });
  const paths = {
    ...createResourcePaths('/tasks/{taskId}', refer('Task')),
    '/tasks/events': watch('watch', 'text/event-stream'),
    '/tasks/stream': watch('follow', 'application/x-ndjson'),
  };
  return startApi({ paths, schemas: { Task: TASK } });
}

it('the client "eventsource" receives the changes, and continues after a fault has closed the connection', async () => {
  const server = await startTasks();
  const control = createControlClient(server);
  await control('POST', '/default/faults', {
    operation: 'watch',
    times: 1,
    stream: { effect: 'cut', afterItems: 1 },
  });
  const source = new EventSource(`${server.url}/tasks/events`);
  onTestFinished(() => source.close());
  const titles: string[] = [];
  source.onmessage = ({ data }) => titles.push(JSON.parse(data).title);
  await new Promise((resolve) => {
    source.onopen = resolve;
  });
  for (const title of ['a', 'b', 'c']) await server.ask('POST', '/tasks', { title });
  await vi.waitFor(() => expect(titles).toEqual(['a', 'b', 'c']), 45_000);
});

it('the client "split2" reads lines of JSON', async () => {
  const server = await startTasks();
  const leaving = new AbortController();
  const { body } = await fetch(`${server.url}/tasks/stream`, { signal: leaving.signal });
  // The end of the test aborts the response.
  const source = Readable.fromWeb(body as ReadableStream).on('error', () => {});
  const lines = source.pipe(split(JSON.parse));
  const titles: string[] = [];
  lines.on('data', ({ title }: { title: string }) => titles.push(title));
  for (const title of ['a', 'Grüße\n', 'c']) await server.ask('POST', '/tasks', { title });
  await vi.waitFor(() => expect(titles).toEqual(['a', 'Grüße\n', 'c']));
  leaving.abort();
});

it('a stream goes on after two resets, and without a client that has left', async () => {
  const server = await startTasks();
  const control = createControlClient(server);
  const [left, stays] = [await openStream(server, '/tasks/events'), await openStream(server, '/tasks/events')];
  await Promise.all([left, stays].map((stream) => stream.until(/^id: /)));
  await server.ask('POST', '/tasks', { title: 'a' });
  left.leave();
  await Promise.all([control('POST', '/default/reset'), control('POST', '/default/reset')]);
  await server.ask('POST', '/tasks', { title: 'b' });
  expect(await stays.until(/"b"/)).toMatch(/"a"(?:.|\n)*"b"/);
  const { body } = await control('GET', '/default/requests?operation=watch');
  const notes = ['the stream sent 1 item, and ended because the client closed the connection'];
  expect(body).toContainEqual(expect.objectContaining({ notes }));
});

it('a server with 500 open streams refuses further ones, and answers other requests', async () => {
  const server = await startTasks();
  const streams = await Promise.all(Array.from({ length: 500 }, () => openStream(server, '/tasks/events')));
  expect(streams.every(({ status }) => status === 200)).toBe(true);
  const refused = await Promise.all(Array.from({ length: 100 }, () => openStream(server, '/tasks/events')));
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
  expect((await server.ask('GET', '/tasks')).status).toBe(200);
  for (const stream of streams.slice(0, 10)) stream.leave();
  await expect.poll(async () => (await openStream(server, '/tasks/events')).status).toBe(200);
});
