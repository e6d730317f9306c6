import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createWebhookDocument } from '../support/fixtures/webhook-document.ts';
import { startReceiver } from '../support/harness/receiver.ts';
import { startProgram } from '../support/harness/start-program.ts';
import { createFetchClient } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const ROUNDS = 50;
const REQUESTS = 12;

it('a server that is killed between commits and deliveries delivers each change at least once, and invents none, 50 times', {
  timeout: 900_000,
}, async () => {
  const receiver = await startReceiver();
  const folder = await tempFolder();
  const contract = join(folder, 'openapi.json');
  const webhooks = { 'task.created': { payload: '#/components/schemas/TaskEvent' } };
  writeFileSync(contract, JSON.stringify(createWebhookDocument(webhooks)));
  const args = [contract, '--port', '0', '--data', join(folder, 'db.json'), '--webhook-url', receiver.url];
  const acknowledged: string[] = [];
  let unsent = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { url, child, ended } = await startProgram({ onTestFinished }, args);
    const ask = createFetchClient(await url());
    const first = createSignal();
    const sent = Array.from({ length: REQUESTS }, async (_, number) => {
      const title = `round ${round}, task ${number}`;
      const { status } = await ask('POST', '/tasks', { title }).catch(() => ({ status: 0 }));
      if (status !== 201) return;
      acknowledged.push(title);
      first.resolve();
    });
    // A commit has several changes, whose deliveries are sent one after the other.
    await first.promise;
    await setTimeout(round % 10);
    child.kill('SIGKILL');
    await ended;
    await Promise.all(sent);
    const received = getTitles(receiver.requests);
    unsent += acknowledged.filter((title) => !received.has(title)).length;
  }
  const { url } = await startProgram({ onTestFinished }, args);
  const ask = createFetchClient(await url());
  const listPending = async () => {
    const { body } = await ask('GET', '/_control/sandboxes/default/deliveries');
    return body.filter(({ status }: { status: string }) => status === 'pending');
  };
  await expect.poll(listPending, { timeout: 60_000 }).toEqual([]);
  const stored = (await ask('GET', '/_control/sandboxes/default/state')).body.tasks as { title: string }[];
  const titles = new Set(stored.map(({ title }) => title));
  expect(getTitles(receiver.requests)).toEqual(titles);
  expect(acknowledged.filter((title) => !titles.has(title))).toEqual([]);
  // Otherwise no round has killed the server between a commit and its delivery.
  expect(unsent).toBeGreaterThan(0);
  // Repeated deliveries have the same id.
  const ids = receiver.requests.map(({ headers, body }) => `${headers['webhook-id']} ${body.data.task.title}`);
  expect(new Set(ids).size).toBe(titles.size);
});

function createSignal() {
  let resolve = () => {};
  const promise = new Promise<void>((end) => {
    resolve = end;
  });
  return { promise, resolve };
}

function getTitles(requests: Awaited<ReturnType<typeof startReceiver>>['requests']): ReadonlySet<string> {
  return new Set(requests.map(({ body }) => body.data.task.title));
}
