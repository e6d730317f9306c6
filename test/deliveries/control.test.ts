import { expect, it, vi } from 'vitest';
import { readCommandLine } from '../../src/cli/options.ts';
import { runControlCommand } from '../../src/cli/run-control-command.ts';
import { startReceiver } from '../support/harness/receiver.ts';
import { startWithWebhooks } from '../support/harness/start-with-webhooks.ts';

it('GET /webhooks lists the webhooks and callbacks with what sends them', async () => {
  const { control } = await startWithWebhooks({ webhookUrl: ['http://localhost:1/?token=t'] });
  expect((await control('GET', '/default/webhooks')).body).toEqual({
    urls: [expect.not.stringContaining('token=t')],
    isSigned: false,
    webhooks: [
      { name: 'task.created', kind: 'webhook', method: 'POST', explanation: 'sent when an entry of tasks is created' },
      { name: 'taskUpdated', kind: 'webhook', method: 'POST', explanation: 'sent when an entry of tasks is updated' },
      { name: 'task-deleted', kind: 'webhook', method: 'POST', explanation: 'sent when an entry of tasks is deleted' },
      {
        name: 'onDone',
        kind: 'callback',
        method: 'POST',
        operation: 'createTask',
        expression: '{$request.body#/callbackUrl}',
        explanation: 'sent when createTask succeeds',
      },
    ],
  });
});

it('a URL that is set twice gets each webhook once', async () => {
  const receiver = await startReceiver();
  const { ask, control } = await startWithWebhooks({ webhookUrl: [receiver.url, receiver.url] });
  const create = async () => {
    await ask('POST', '/tasks', { title: 'Call Ann' });
    await control('POST', '/default/clock/advance', { ms: 1 });
    return (await control('GET', '/default/deliveries')).body.length;
  };
  expect(await create()).toBe(1);
  const urls = [receiver.url, receiver.url.replace('http:', 'HTTP:')];
  expect((await control('PUT', '/default/webhooks', { urls })).body.urls).toHaveLength(1);
  expect(await create()).toBe(2);
});

it('a webhook is sent by hand, with the newest entry or with other data, and again', async () => {
  const receiver = await startReceiver();
  const { ask, control } = await startWithWebhooks();
  const { body: task } = await ask('POST', '/tasks', { title: 'Call Ann' });
  const send = (body: object) => control('POST', '/default/webhooks/taskUpdated/send', { url: receiver.url, ...body });
  expect((await send({})).body).toMatchObject([{ name: 'taskUpdated', status: 'delivered', body: task, attempts: 1 }]);
  const { body } = await send({ data: { id: 'seven' } });
  expect(body).toMatchObject([{ status: 'delivered', body: { id: 'seven' }, notes: expect.any(Array) }]);
  await control('POST', `/default/deliveries/${body[0].id}/retry`);
  expect(receiver.requests.map((request) => request.body)).toEqual([task, { id: 'seven' }, { id: 'seven' }]);
  expect(receiver.requests[2]?.headers['webhook-id']).toBe(body[0].id);
});

it.each([
  ['/default/webhooks/taskUpdate/send', {}, 404, 'did you mean "taskUpdated"?'],
  ['/default/webhooks/taskUpdated/send', {}, 400, 'start the server with --webhook-url URL'],
  ['/default/webhooks/onDone/send', {}, 400, 'The callback onDone has no URL of its own'],
  ['/default/webhooks/taskUpdated/send', { url: 'http://192.0.2.1/' }, 400, '--allow-callback 192.0.2.1'],
  ['/default/deliveries/msg_1/retry', undefined, 404, 'The sandbox has no deliveries.'],
])('POST %s with %j is refused with %i', async (path, body, status, detail) => {
  const { control } = await startWithWebhooks();
  const response = await control('POST', path, body);
  expect([response.status, response.body.detail]).toEqual([status, expect.stringContaining(detail)]);
});

it('storefront webhook send names its option for the URL of the receiver, if there is none', async () => {
  const { url } = await startWithWebhooks();
  for (const name of ['taskUpdated', 'onDone']) {
    const args = ['webhook', 'send', name, '--url', url];
    const request = readCommandLine({ args, environment: {}, isTerminal: false, version: '1' });
    if (request.kind !== 'control') throw new Error(`${args} sends nothing`);
    await expect(runControlCommand(request.options, { print() {} })).rejects.toThrow(/set --to\.$/);
  }
});

it('GET /deliveries lists the newest deliveries, those after another one, or those with a status', async () => {
  const receiver = await startReceiver((count) => (count === 2 ? { status: 410 } : {}));
  const { control } = await startWithWebhooks();
  for (const id of [1, 2, 3])
    await control('POST', '/default/webhooks/taskUpdated/send', { url: receiver.url, data: { id } });
  const list = async (search = '') => {
    const { body } = await control('GET', `/default/deliveries${search}`);
    return body.map((delivery: { body: { id: number } }) => delivery.body.id);
  };
  const [first] = (await control('GET', '/default/deliveries')).body;
  const lists = [list(), list('?limit=2'), list(`?after=${first.id}`), list(`?after=${first.id}&limit=1`)];
  expect(await Promise.all(lists)).toEqual([[1, 2, 3], [2, 3], [2, 3], [3]]);
  expect([await list('?status=failed'), await list('?status=pending')]).toEqual([[2], []]);
  const { status, body } = await control('GET', '/default/deliveries?after=msg_1');
  expect([status, body.detail]).toEqual([404, expect.stringContaining('Delivery msg_1 does not exist')]);
  expect((await control('GET', '/default/deliveries?limit=0')).status).toBe(400);
});

it('the journal has each attempt with the response, judged by the contract', async () => {
  const receiver = await startReceiver((count) => (count === 1 ? { status: 503 } : { body: { ok: 'yes' } }));
  const { ask, control } = await startWithWebhooks({ webhookUrl: [`${receiver.url}/hooks?token=t`] });
  await ask('POST', '/tasks', { title: 'Call Ann' });
  await control('POST', '/default/clock/advance', { ms: 10_000 });
  const { body } = await control('GET', '/default/requests?delivery=task.created');
  const id = expect.stringMatching(/^msg_/);
  expect(body).toMatchObject([
    {
      delivery: { id, name: 'task.created', attempt: 1 },
      request: { method: 'POST', url: expect.stringContaining('/hooks?token='), body: { type: 'task.created' } },
      response: { status: 503 },
      responseViolations: [expect.stringContaining('status 503 is not documented')],
      notes: ['the response has status 503'],
    },
    {
      delivery: { id, name: 'task.created', attempt: 2 },
      response: { status: 200, body: { ok: 'yes' } },
      responseViolations: [expect.stringContaining('body/ok')],
    },
  ]);
  expect(JSON.stringify(body)).not.toContain('token=t');
});

it('tests verify deliveries, and received requests alone by default', async () => {
  const receiver = await startReceiver();
  const { ask, control } = await startWithWebhooks({ webhookUrl: [receiver.url] });
  await ask('POST', '/tasks', { title: 'Call Ann' });
  const verify = async (body: object) => (await control('POST', '/default/requests/verify', body)).body;
  const where = { body: { data: { task: { title: 'Call Ann' } } } };
  await vi.waitFor(async () =>
    expect(await verify({ delivery: 'task.created', where, status: 200, times: 1 })).toMatchObject({ verified: true }),
  );
  expect(await verify({ times: 1 })).toMatchObject({ verified: true, count: 1 });
  expect(await verify({ delivery: 'taskUpdated' })).toMatchObject({
    verified: false,
    nearMisses: [
      { reasons: expect.arrayContaining(['delivery: expected taskUpdated, got task.created']) },
      expect.anything(),
    ],
  });
});
