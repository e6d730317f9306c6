import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import { startReceiver } from '../support/harness/receiver.ts';
import { startWithWebhooks } from '../support/harness/start-with-webhooks.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

it('the published package verifies the signature, and refuses it for another secret', async () => {
  const receiver = await startReceiver();
  const { ask } = await startWithWebhooks({ webhookUrl: [receiver.url], webhookSecret: SECRET, nowMs: Date.now });
  await ask('POST', '/tasks', { title: 'Grüße' });
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(1));
  const [{ text, headers, body } = { text: '', headers: {}, body: undefined }] = receiver.requests;
  expect(new Webhook(SECRET).verify(text, headers as Record<string, string>)).toEqual(body);
  const other = new Webhook('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD');
  expect(() => other.verify(text, headers as Record<string, string>)).toThrow('No matching signature found');
});

it('the secret is in no message', async () => {
  const webhookSecret = 'whsec_c2VjcmV0';
  await expect(createStorefront({ webhookSecret })).rejects.toThrow(
    'Invalid option webhookSecret of the server: use "whsec_" and the Base64 of 24 to 64 random bytes.',
  );
  const receiver = await startReceiver(() => ({ status: 500 }));
  const { ask, control, log } = await startWithWebhooks({ webhookUrl: [receiver.url], webhookSecret: SECRET });
  await ask('POST', '/tasks', { title: 'Call Ann' });
  await control('POST', '/default/clock/advance', { ms: 1e9 });
  const shown = ['/default/deliveries', '/default/requests', '/default/webhooks'].map((path) => control('GET', path));
  const texts = (await Promise.all(shown)).map(({ text }) => text);
  expect([...texts, JSON.stringify(log)].join()).not.toContain(SECRET.slice(6));
});

it.each([
  ['http://192.0.2.1/hook', '192.0.2.1 is not a loopback address: start the server with --allow-callback 192.0.2.1'],
  ['http://[2001:db8::1]/hook', '2001:db8::1 is not a loopback address'],
  ['http://0.0.0.0/hook', '0.0.0.0 is not a loopback address'],
  ['http://169.254.169.254/latest', '169.254.169.254 is not a loopback address'],
  ['http://user:secret@localhost/hook', 'the target has a user name or a password'],
  ['http://localhost:3000/_control/sandboxes/default/reset', 'the target is a control API'],
  ['http://localhost:3000//_control/sandboxes', 'the target is a control API'],
])('a callback to %s is refused for good', async (callbackUrl, error) => {
  const { ask, control, log } = await startWithWebhooks();
  await ask('POST', '/tasks', { title: 'Call Ann', callbackUrl });
  await vi.waitFor(async () => {
    const { body } = await control('GET', '/default/deliveries');
    expect(body).toMatchObject([{ status: 'failed', attempts: 1, lastAttempt: { status: null } }]);
    expect(body[0].lastAttempt.error).toContain(error);
  });
  expect(log.some(({ level, msg = '' }) => level === 40 && msg.includes(error))).toBe(true);
  expect(JSON.stringify(log)).not.toContain('secret@');
});

it('a host name that resolves to another address is refused, unless it is allowed', async () => {
  // RFC 6761: this name never exists.
  const callbackUrl = 'http://receiver.invalid/hook';
  const { ask, control } = await startWithWebhooks({ allowCallback: ['192.0.2.1'] });
  await ask('POST', '/tasks', { title: 'Call Ann', callbackUrl });
  await vi.waitFor(async () => {
    const { body } = await control('GET', '/default/deliveries');
    expect(body).toMatchObject([{ status: 'pending', attempts: 1 }]);
  });
});

it.each(['127.0.0.1', 'localhost'])('a public server sends a callback to %s only if it is allowed', async (host) => {
  const receiver = await startReceiver();
  const callbackUrl = receiver.url.replace('127.0.0.1', host);
  const refusing = await startWithWebhooks({ host: '0.0.0.0' });
  await refusing.ask('POST', '/tasks', { title: 'Call Ann', callbackUrl });
  const message = `${host} is not allowed for the callbacks of a public server: start the server with --allow-callback ${host}`;
  await vi.waitFor(() => expect(refusing.log.some(({ msg = '' }) => msg.includes(message))).toBe(true));
  expect(receiver.requests).toEqual([]);
  const { ask } = await startWithWebhooks({ host: '0.0.0.0', allowCallback: [host] });
  await ask('POST', '/tasks', { title: 'Call Ann', callbackUrl });
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(1));
});

it('redirects are not followed', async () => {
  const target = await startReceiver();
  const receiver = await startReceiver(() => ({ status: 307, headers: { location: target.url } }));
  const { ask, control } = await startWithWebhooks();
  await ask('POST', '/tasks', { title: 'Call Ann', callbackUrl: receiver.url });
  await vi.waitFor(async () =>
    expect((await control('GET', '/default/deliveries')).body).toMatchObject([
      { attempts: 1, lastAttempt: { error: 'the response has status 307: redirects are not followed' } },
    ]),
  );
  expect(target.requests).toEqual([]);
});

it('a response without end is read up to 64 kB, and a closed connection is a failed attempt', async () => {
  let bytes = 0;
  const part = 'x'.repeat(65_536);
  const server = createServer((req, res) => {
    if (req.url === '/close') return void res.destroy();
    const write = () => {
      while (!res.destroyed && bytes < 100_000_000) {
        bytes += part.length;
        if (!res.write(part)) return void res.once('drain', write);
      }
    };
    write();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { control } = await startWithWebhooks();
  const send = async (path: string) =>
    (await control('POST', '/default/webhooks/taskUpdated/send', { url: url + path })).body;
  expect(await send('/')).toMatchObject([{ status: 'delivered', lastAttempt: { status: 200 } }]);
  expect(bytes).toBeLessThan(20_000_000);
  expect(await send('/close')).toMatchObject([{ status: 'pending', lastAttempt: { error: 'socket hang up' } }]);
});

it('a receiver that says that it is gone gets no further attempt', async () => {
  const receiver = await startReceiver(() => ({ status: 410 }));
  const { ask, control } = await startWithWebhooks({ webhookUrl: [receiver.url] });
  await ask('POST', '/tasks', { title: 'Call Ann' });
  await control('POST', '/default/clock/advance', { ms: 1e9 });
  expect((await control('GET', '/default/deliveries')).body).toMatchObject([{ status: 'failed', attempts: 1 }]);
});

/** Returns different URLs at which nothing listens. */
function createUrls(length: number): readonly string[] {
  return Array.from({ length }, (_, index) => `http://127.0.0.1:9/hook/${index}`);
}

it('at most 1,000 deliveries of a sandbox are pending', async () => {
  const { ask, control } = await startWithWebhooks({ webhookUrl: createUrls(600) });
  await Promise.all([1, 2].map((number) => ask('POST', '/tasks', { title: `Task ${number}` })));
  const { body } = await control('GET', '/default/deliveries');
  expect(body).toHaveLength(1_000);
});

it('the bodies of the pending deliveries of a sandbox have at most 10 MB together', async () => {
  const webhooks = { 'task.created': { payload: '#/components/schemas/Task' } };
  const webhookUrl = createUrls(100);
  const { ask, control, log } = await startWithWebhooks({ webhooks, webhookUrl });
  for (let count = 0; count < 2; count++) await ask('POST', '/tasks', { title: 'é'.repeat(45_000) });
  const { body } = await control('GET', '/default/deliveries');
  const contentBytes = Buffer.byteLength(JSON.stringify(body[0].body));
  expect(body).toHaveLength(Math.floor((10 * 1024 * 1024) / contentBytes));
  expect(log.some(({ msg = '' }) => /deliveries of webhooks were dropped, because .* 10 MB/.test(msg))).toBe(true);
});

it.each([
  ['itself', 1],
  ['another server that sends them back', 2],
])('webhooks of a server to %s cause no further webhooks', async (_, count) => {
  const webhooks = { 'task.created': { payload: '#/components/schemas/Task' } };
  const servers = await Promise.all(Array.from({ length: count }, () => startWithWebhooks({ webhooks })));
  const [first, last] = [servers[0], servers.at(-1)] as [(typeof servers)[0], (typeof servers)[0]];
  await first.control('PUT', '/default/webhooks', { urls: [`${last.url}/tasks`] });
  if (last !== first) await last.control('PUT', '/default/webhooks', { urls: [`${first.url}/tasks`] });
  await first.ask('POST', '/tasks', { title: 'Call Ann' });
  await vi.waitFor(async () =>
    expect((await first.control('GET', '/default/deliveries')).body).toMatchObject([{ status: 'delivered' }]),
  );
  const { body: received } = await last.control('GET', '/default/requests?operation=createTask');
  expect(received.flatMap(({ notes }: { notes?: readonly string[] }) => notes)).toContain(
    'task.created was not sent, because the request is a webhook or a callback itself: this prevents endless loops',
  );
  const sent = await Promise.all(servers.map(({ control }) => control('GET', '/default/deliveries')));
  expect(sent.flatMap(({ body }) => body)).toHaveLength(1);
});
