import { describe, expect, it, vi } from 'vitest';
import type { createWebhookDocument } from '../support/fixtures/webhook-document.ts';
import { startReceiver } from '../support/harness/receiver.ts';
import { startWithWebhooks } from '../support/harness/start-with-webhooks.ts';

const HOUR_MS = 3_600_000;

type Document = ReturnType<typeof createWebhookDocument>;

/** Returns a document whose tasks have comments, and the number of them. */
function addComments({ paths, components: { schemas }, ...document }: Document): object {
  const { Task } = schemas;
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Comment' } } };
  const newComment = { 'application/json': { schema: { type: 'object', properties: { text: { type: 'string' } } } } };
  const list = { 'application/json': { schema: { type: 'array', items: content['application/json'].schema } } };
  const comment = {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, text: { type: 'string' } },
  };
  const commentCount = { type: 'integer' };
  return {
    ...document,
    paths: {
      ...paths,
      '/tasks/{taskId}/comments': {
        parameters: [{ name: 'taskId', in: 'path', required: true, schema: { type: 'integer' } }],
        get: { responses: { 200: { description: 'Comments', content: list } } },
        post: { requestBody: { content: newComment }, responses: { 201: { description: 'Comment', content } } },
      },
    },
    components: {
      schemas: {
        ...schemas,
        Comment: comment,
        Task: {
          ...Task,
          required: [...Task.required, 'commentCount'],
          properties: { ...Task.properties, commentCount },
        },
      },
    },
  };
}

describe('an operation', () => {
  it('sends its callback and the webhook of its change', async () => {
    const receiver = await startReceiver();
    const { ask } = await startWithWebhooks({ webhookUrl: [`${receiver.url}/hooks`] });
    const { body: task } = await ask('POST', '/tasks', { title: 'Call Ann', callbackUrl: `${receiver.url}/done` });
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(2));
    const [callback, webhook] = receiver.requests;
    expect(callback).toMatchObject({ method: 'POST', path: '/done', body: task });
    expect(webhook).toMatchObject({
      method: 'POST',
      path: '/hooks',
      headers: { 'content-type': expect.stringContaining('application/json'), 'x-sandbox': 'default' },
      body: { type: 'task.created', createdAt: '2025-06-01T12:00:00.000Z', data: { task } },
    });
    expect(webhook?.body.id).toBe(webhook?.headers['webhook-id']);
  });

  it('sends the entry after an update, and the entry before a deletion', async () => {
    const receiver = await startReceiver();
    const { ask } = await startWithWebhooks({ webhookUrl: [receiver.url] });
    const { body: task } = await ask('POST', '/tasks', { title: 'Call Ann' });
    await ask('PATCH', `/tasks/${task.id}`, { title: 'Call Ben' });
    await ask('DELETE', `/tasks/${task.id}`);
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(3));
    const [, updated, deleted] = receiver.requests;
    expect([updated?.body, deleted?.body]).toEqual([
      { ...task, title: 'Call Ben' },
      { ...task, title: 'Call Ben' },
    ]);
  });

  it('sends the entry with the values that responses compute', async () => {
    const receiver = await startReceiver();
    const { ask } = await startWithWebhooks({ webhookUrl: [receiver.url], change: addComments });
    await ask('POST', '/tasks', { title: 'Call Ann' });
    for (const text of ['a', 'b']) await ask('POST', '/tasks/1/comments', { text });
    const { body: updated } = await ask('PATCH', '/tasks/1', { title: 'Call Ben' });
    expect(updated.commentCount).toBe(2);
    await ask('DELETE', '/tasks/1');
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(3));
    expect(receiver.requests.map(({ body }) => body.data?.task ?? body)).toEqual([
      { ...updated, title: 'Call Ann', commentCount: 0 },
      updated,
      updated,
    ]);
  });

  it.each<readonly [type: string, toContent: (schema: object) => object, text: RegExp]>([
    [
      'application/x-www-form-urlencoded',
      (schema) => ({ 'application/x-www-form-urlencoded': { schema } }),
      /^id=1&(?:\w+=\w+&)?title=Call\+Ann(?:&\w+=\w+)?$/,
    ],
    [
      'multipart/form-data; boundary=storefront-form-boundary',
      (schema) => ({ 'multipart/form-data': { schema } }),
      /^--storefront-form-boundary\r\nContent-Disposition: form-data; name="id"\r\n\r\n1\r\n[\s\S]*Call Ann\r\n[\s\S]*--\r\n$/,
    ],
    [
      'text/event-stream',
      (itemSchema) => ({ 'text/event-stream': { itemSchema } }),
      /^data: \{"id":1,.*"title":"Call Ann".*\}\n\n$/,
    ],
    ['application/xml', (schema) => ({ 'application/xml': { schema } }), /<Task><id>1<\/id>.*<title>Call Ann<\/title>/],
  ])('sends its entry as %s if the document asks for it', async (type, toContent, text) => {
    const receiver = await startReceiver();
    const webhooks = { 'task.created': { payload: '#/components/schemas/Task', toContent } };
    const { ask } = await startWithWebhooks({ webhooks, webhookUrl: [receiver.url] });
    await ask('POST', '/tasks', { title: 'Call Ann' });
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(1));
    const [request] = receiver.requests;
    expect([request?.headers['content-type'], request?.text]).toEqual([type, expect.stringMatching(text)]);
  });

  it('sends the header and query parameters of the document', async () => {
    const receiver = await startReceiver();
    const text = { type: 'string' };
    const create = (name: string, location: string, others: object = {}) => ({
      name,
      in: location,
      ...{ schema: text, ...others },
    });
    const parameters = [
      create('X-Event-Type', 'header'),
      create('X-GitHub-Event', 'header', { required: true }),
      create('X-Version', 'header', { example: '2025-06' }),
      create('X-Optional', 'header'),
      create('X-Tags', 'header', { schema: { type: 'array', items: text, default: ['a', 'b'] } }),
      create('Host', 'header', { example: 'example.com' }),
      create('webhook-id', 'header', { example: 'x' }),
      create('event', 'query'),
      create('version', 'query', { schema: { type: 'integer', default: 2 } }),
    ];
    const webhooks = { 'task.created': { payload: '#/components/schemas/Task', parameters } };
    const { ask } = await startWithWebhooks({ webhooks, webhookUrl: [`${receiver.url}/hooks?version=1`] });
    await ask('POST', '/tasks', { title: 'Call Ann' });
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(1));
    const [{ path, headers } = { path: '', headers: {} as Record<string, unknown> }] = receiver.requests;
    expect(path).toBe('/hooks?version=1&event=task.created');
    expect(headers).toMatchObject({
      'x-event-type': 'task.created',
      'x-github-event': 'task.created',
      'x-version': '2025-06',
      'x-tags': 'a,b',
      'webhook-id': expect.stringMatching(/^msg_/),
    });
    expect([headers['x-optional'], headers.host]).toEqual([undefined, new URL(receiver.url).host]);
  });

  it('that fails, and one that changes nothing, send nothing', async () => {
    const receiver = await startReceiver();
    const { ask, control } = await startWithWebhooks({ webhookUrl: [receiver.url] });
    await ask('POST', '/tasks', { title: 7, callbackUrl: receiver.url });
    await ask('PATCH', '/tasks/999', { title: 'Call Ben' });
    await ask('GET', '/tasks');
    expect((await control('GET', '/default/deliveries')).body).toEqual([]);
    expect(receiver.requests).toEqual([]);
  });

  it('that is mocked sends its callback with the response', async () => {
    const receiver = await startReceiver();
    const { ask } = await startWithWebhooks({ mock: true, webhookUrl: [receiver.url] });
    const { body: task } = await ask('POST', '/tasks', { title: 'Call Ann', callbackUrl: receiver.url });
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(1));
    expect(receiver.requests[0]?.body).toEqual(task);
  });

  it('whose URL for a callback is invalid says so in the journal', async () => {
    const { ask, control } = await startWithWebhooks();
    await ask('POST', '/tasks', { title: 'Call Ann', callbackUrl: 'urn:example:1' });
    expect((await control('GET', '/default/requests')).body[0].notes).toEqual([
      'the callback onDone was not sent, because its URL {$request.body#/callbackUrl} is "urn:example:1": use an absolute http or https URL',
    ]);
  });

  it('with an Idempotency-Key sends its deliveries once', async () => {
    const receiver = await startReceiver();
    const { ask, control } = await startWithWebhooks({ webhookUrl: [receiver.url] });
    for (let count = 0; count < 2; count++)
      await ask('POST', '/tasks', { title: 'Call Ann' }, { 'Idempotency-Key': 'k1' });
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(1));
    expect((await control('GET', '/default/deliveries')).body).toHaveLength(1);
  });

  it('of a user handler sends webhooks of its changes', async () => {
    const receiver = await startReceiver();
    const handlers = {
      deleteTask: async (_: unknown, { update }: { update(change: (state: object) => object): Promise<unknown> }) => {
        await update((state) => ({ next: { ...state, tasks: [] }, result: undefined }));
        return { status: 204 };
      },
    };
    const { ask } = await startWithWebhooks({ webhookUrl: [receiver.url], handlers: handlers as never });
    await ask('POST', '/tasks', { title: 'Call Ann' });
    await ask('DELETE', '/tasks/1');
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(2));
    expect(receiver.requests[1]?.body.title).toBe('Call Ann');
  });
});

describe('a sandbox', () => {
  it('sends webhooks to its own URLs', async () => {
    const [common, own] = [await startReceiver(), await startReceiver()];
    const { ask, control } = await startWithWebhooks({ webhookUrl: [common.url] });
    const { status, body } = await control('PUT', '/w1/webhooks', { urls: [own.url] });
    expect([status, body.urls]).toEqual([200, [own.url]]);
    await ask('POST', '/_sandbox/w1/tasks', { title: 'Call Ann' });
    await vi.waitFor(() => expect(own.requests).toHaveLength(1));
    expect(own.requests[0]?.headers['x-sandbox']).toBe('w1');
    expect(common.requests).toEqual([]);
  });

  it('that is reset drops its deliveries', async () => {
    const receiver = await startReceiver(() => ({ status: 503 }));
    const { ask, control } = await startWithWebhooks({ webhookUrl: [receiver.url] });
    await ask('POST', '/tasks', { title: 'Call Ann' });
    await vi.waitFor(async () =>
      expect((await control('GET', '/default/deliveries')).body).toMatchObject([{ attempts: 1 }]),
    );
    await control('POST', '/default/reset');
    expect((await control('GET', '/default/deliveries')).body).toEqual([]);
    await control('POST', '/default/clock/advance', { ms: HOUR_MS });
    expect(receiver.requests).toHaveLength(1);
  });

  it('that is reset ends the attempt in progress, and then sends new deliveries at once', async () => {
    const receiver = await startReceiver((count) => ({ isSilent: count === 1 }));
    const { ask, control } = await startWithWebhooks({ webhookUrl: [receiver.url] });
    await ask('POST', '/tasks', { title: 'Call Ann' });
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(1));
    await control('POST', '/default/reset');
    await ask('POST', '/tasks', { title: 'Call Ben' });
    await vi.waitFor(async () =>
      expect((await control('GET', '/default/deliveries')).body).toMatchObject([{ status: 'delivered' }]),
    );
    const { body: attempts } = await control('GET', '/default/requests?delivery=task.created');
    expect(attempts).toHaveLength(1);
  });

  it('that restores a snapshot neither keeps its deliveries nor gets those of the snapshot', async () => {
    const receiver = await startReceiver(() => ({ status: 503 }));
    const { ask, control } = await startWithWebhooks({ webhookUrl: [receiver.url] });
    await ask('POST', '/tasks', { title: 'Call Ann' });
    await control('PUT', '/default/snapshots/one');
    await ask('POST', '/tasks', { title: 'Call Ben' });
    await control('POST', '/default/snapshots/one/restore');
    expect((await control('GET', '/default/deliveries')).body).toEqual([]);
    expect((await ask('GET', '/tasks')).body).toHaveLength(1);
  });
});

describe('a failed attempt', () => {
  it('is repeated when the clock is advanced, in the order of the times, before the response', async () => {
    const receiver = await startReceiver((count) => (count <= 2 ? { status: 503 } : {}));
    const { ask, control } = await startWithWebhooks({ webhookUrl: [receiver.url] });
    await ask('POST', '/tasks', { title: 'Call Ann' });
    await vi.waitFor(async () =>
      expect((await control('GET', '/default/deliveries')).body).toMatchObject([
        {
          status: 'pending',
          attempts: 1,
          dueAt: '2025-06-01T12:00:05.000Z',
          lastAttempt: { status: 503, error: 'the response has status 503' },
        },
      ]),
    );
    await control('POST', '/default/clock/advance', { ms: 3 * 24 * HOUR_MS });
    expect(receiver.requests).toHaveLength(3);
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
    expect((await control('GET', '/default/deliveries')).body).toMatchObject([
      { status: 'delivered', attempts: 3, lastAttempt: { status: 200, at: '2025-06-01T12:05:05.000Z' } },
    ]);
  });

  it('is the last one after eight attempts', async () => {
    const receiver = await startReceiver(() => ({ status: 500 }));
    const { ask, control } = await startWithWebhooks({ webhookUrl: [receiver.url] });
    await ask('POST', '/tasks', { title: 'Call Ann' });
    await control('POST', '/default/clock/advance', { ms: 9 * 24 * HOUR_MS });
    expect((await control('GET', '/default/deliveries')).body).toMatchObject([{ status: 'failed', attempts: 8 }]);
    expect(receiver.requests).toHaveLength(8);
  });

  it('is repeated by a running clock', async () => {
    const receiver = await startReceiver((count) => (count === 1 ? { status: 503 } : {}));
    const { ask, control } = await startWithWebhooks({
      webhookUrl: [receiver.url],
      nowMs: () => performance.now() * 100,
    });
    await control('DELETE', '/default/clock');
    await ask('POST', '/tasks', { title: 'Call Ann' });
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(2), { timeout: 20_000 });
  });
});

it('the deliveries of a data file are sent after a restart', async () => {
  const receiver = await startReceiver((count) => (count === 1 ? { status: 503 } : {}));
  const first = await startWithWebhooks({ webhookUrl: [receiver.url] });
  await first.ask('POST', '/tasks', { title: 'Call Ann' });
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(1));
  await first.close();
  const nowMs = () => Date.UTC(2026, 0, 1);
  const second = await startWithWebhooks({ data: `${first.folder}/db.json`, nowMs });
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(2));
  expect(receiver.requests[1]?.headers['webhook-id']).toBe(receiver.requests[0]?.headers['webhook-id']);
  await vi.waitFor(async () =>
    expect((await second.control('GET', '/default/deliveries')).body).toMatchObject([{ status: 'delivered' }]),
  );
});
