import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startReceiver } from '../support/harness/receiver.ts';
import { startWithWebhooks } from '../support/harness/start-with-webhooks.ts';

/** Starts a receiver that sends its body without end. */
async function startEndlessReceiver(): Promise<string> {
  const server = createServer((_, res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => res.write('"'), 1_000);
    res.once('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('an attempt ends after 10 seconds, also if the response has begun', { timeout: 120_000 }, async () => {
  const silent = await startReceiver(() => ({ isSilent: true }));
  const { control } = await startWithWebhooks();
  for (const url of [silent.url, await startEndlessReceiver()]) {
    const { body } = await control('POST', '/default/webhooks/task.created/send', { url });
    expect(body).toMatchObject([
      { status: 'pending', attempts: 1, lastAttempt: { status: null, error: 'no response within 10 s' } },
    ]);
  }
});
