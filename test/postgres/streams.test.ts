import { describe, expect, it } from 'vitest';
import { createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { writeApi } from '../support/harness/start-api.ts';
import { openStream } from '../support/harness/streams.ts';
import { startServers, type TestServer } from '../support/postgres/servers.ts';

const TASK = createObject({ 'id!': { type: 'integer', readOnly: true }, 'title!': { type: 'string' } });

/** Starts two servers with one database and the stream `/tasks/events`. */
async function startPair() {
  const watch = { operationId: 'watch', response: refer('Task'), responseType: 'text/event-stream' };
  const paths = { ...createResourcePaths('/tasks/{taskId}', refer('Task')), '/tasks/events': { get: watch } };
  return startServers(2, { contract: await writeApi({ paths, schemas: { Task: TASK } }) });
}

const add = (server: TestServer, title: string) => server.ask('POST', '/tasks', { title });

/** Returns the titles of the tasks in the text of a stream. */
const getTitles = (text: string) => Array.from(text.matchAll(/"title":"(.*?)"/g), ([, title]) => title);

const getIds = (text: string) => Array.from(text.matchAll(/^id: (.*)$/gm), ([, id]) => id as string);

describe('a stream of a resource on two servers with one database', () => {
  it('sends each commit of both servers, with the same ids', async () => {
    const [one, other] = await startPair();
    const streams = await Promise.all([one, other].map((server) => openStream(server, '/tasks/events')));
    await Promise.all(streams.map((stream) => stream.until(/^id: /)));
    for (const [index, title] of ['a', 'b', 'c', 'd'].entries()) await add(index % 2 ? other : one, title);
    await one.ask('PATCH', '/tasks/1', { title: 'e' });
    await one.ask('PATCH', '/tasks/1', { title: 'f' });
    const texts = await Promise.all(streams.map((stream) => stream.until(/"f"/)));
    expect(texts.map(getTitles)).toEqual([1, 2].map(() => ['a', 'b', 'c', 'd', 'e', 'f']));
    expect(getIds(texts[0] as string)).toEqual(getIds(texts[1] as string));
  });

  it('continues on a server that has had no stream before', async () => {
    const [one, other] = await startPair();
    const stream = await openStream(one, '/tasks/events');
    await stream.until(/^id: /);
    await add(one, 'a');
    const lastId = getIds(await stream.until(/"a"/)).at(-1) as string;
    stream.leave();
    for (const title of ['b', 'c']) await add(one, title);
    const resumed = await openStream(other, '/tasks/events', { 'Last-Event-ID': lastId });
    await add(other, 'd');
    expect(getTitles(await resumed.until(/"d"/))).toEqual(['b', 'c', 'd']);
  });

  it('continues in the middle of a commit', async () => {
    const [one, other] = await startPair();
    const stream = await openStream(one, '/tasks/events');
    const tasks = ['a', 'b', 'c'].map((title, index) => ({ id: index + 1, title }));
    await stream.until(/^id: /);
    await one.sendControl('PUT', '/default/state', { tasks });
    const [, , middle = ''] = getIds(await stream.until(/"c"/));
    const resumed = await openStream(other, '/tasks/events', { 'Last-Event-ID': middle });
    await add(one, 'd');
    expect(getTitles(await resumed.until(/"d"/))).toEqual(['c', 'd']);
  });

  it('is refused if the database has merged the changes', async () => {
    const [one, other] = await startPair();
    const stream = await openStream(one, '/tasks/events');
    const [startId = ''] = getIds(await stream.until(/^id: .*\n/));
    stream.leave();
    // Two states of 1.2 million characters are merged.
    for (const title of ['x', 'y']) {
      const tasks = Array.from({ length: 12 }, (_, id) => ({ id: id + 1, title: title.repeat(100_000) }));
      await one.sendControl('PUT', '/default/state', { tasks });
    }
    await expect
      .poll(async () => (await other.ask('GET', '/tasks/events', undefined, { 'Last-Event-ID': startId })).status)
      .toBe(410);
  });
});
