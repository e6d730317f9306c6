import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createWebhookDocument } from '../support/fixtures/webhook-document.ts';
import { startReceiver } from '../support/harness/receiver.ts';
import { startProgram } from '../support/harness/start-program.ts';
import { createFetchClient } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';
import { createDatabaseOptions, startServers } from '../support/postgres/servers.ts';

const WEBHOOKS = { 'task.created': { payload: '#/components/schemas/TaskEvent' } };

async function writeContract(): Promise<string> {
  const contract = join(await tempFolder(), 'openapi.json');
  writeFileSync(contract, JSON.stringify(createWebhookDocument(WEBHOOKS)));
  return contract;
}

it('two servers with one database send each delivery once, and repeat it when the clock of either is advanced', async () => {
  const receiver = await startReceiver((count) => (count === 1 ? { status: 503 } : {}));
  const contract = await writeContract();
  const [one, other] = await startServers(2, { contract, webhookUrl: [receiver.url], nowMs: undefined as never });
  await one.sendControl('PUT', '/default/clock', { frozen: true });
  await one.ask('POST', '/tasks', { title: 'Call Ann' });
  const list = async () => (await other.sendControl('GET', '/default/deliveries')).body;
  await vi.waitFor(async () => expect(await list()).toMatchObject([{ status: 'pending', attempts: 1 }]), 20_000);
  await other.sendControl('POST', '/default/clock/advance', { ms: 60_000 });
  expect(await list()).toMatchObject([{ status: 'delivered', attempts: 2 }]);
  await Promise.all(
    Array.from({ length: 20 }, (_, number) =>
      (number % 2 === 0 ? one : other).ask('POST', '/tasks', { title: `Task ${number}` }),
    ),
  );
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(22), 20_000);
  const ids = receiver.requests.slice(2).map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(20);
});

it('a server delivers what a killed server has left', { timeout: 120_000 }, async () => {
  const receiver = await startReceiver((count) => (count === 1 ? { isSilent: true } : {}));
  const { database, databaseSchema } = createDatabaseOptions();
  const contract = await writeContract();
  const args = [contract, '--port', '0', '--database', database, '--database-schema', databaseSchema];
  const start = () => startProgram({ onTestFinished }, [...args, '--webhook-url', receiver.url]);
  const [killed, lasting] = [await start(), await start()];
  await createFetchClient(await killed.url())('POST', '/tasks', { title: 'Call Ann' });
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(1), 20_000);
  killed.child.kill('SIGKILL');
  const ask = createFetchClient(await lasting.url());
  await expect
    .poll(async () => (await ask('GET', '/_control/sandboxes/default/deliveries')).body, {
      timeout: 90_000,
      interval: 1_000,
    })
    .toMatchObject([{ status: 'delivered' }]);
  const [first, second] = receiver.requests;
  expect([receiver.requests.length, second?.headers['webhook-id']]).toEqual([2, first?.headers['webhook-id']]);
});

const ROUNDS = 50;
const REQUESTS = 8;

it('two servers that are killed in turn, 50 times, deliver each change at least once, and invent none', {
  timeout: 900_000,
}, async () => {
  const receiver = await startReceiver();
  const { database, databaseSchema } = createDatabaseOptions();
  const args = [await writeContract(), '--port', '0', '--database', database, '--database-schema', databaseSchema];
  const start = () => startProgram({ onTestFinished }, [...args, '--webhook-url', receiver.url]);
  const servers = [await start(), await start()];
  const clients = await Promise.all(servers.map(async ({ url }) => createFetchClient(await url())));
  const acknowledged: string[] = [];
  let unsent = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const index = round % 2;
    const killed = servers[index] as (typeof servers)[0];
    const sent = Array.from({ length: REQUESTS }, async (_, number) => {
      const title = `round ${round}, task ${number}`;
      const { status } = (await clients[number % 2]?.('POST', '/tasks', { title }).catch(() => undefined)) ?? {};
      if (status === 201) acknowledged.push(title);
    });
    await Promise.race(sent);
    await setTimeout(round % 10);
    killed.child.kill('SIGKILL');
    await killed.ended;
    await Promise.all(sent);
    const received = getTitles(receiver.requests);
    unsent += acknowledged.filter((title) => !received.has(title)).length;
    servers[index] = await start();
    clients[index] = createFetchClient(await servers[index].url());
  }
  const [ask] = clients as [ReturnType<typeof createFetchClient>];
  const listPending = async () => {
    const { body } = await ask('GET', '/_control/sandboxes/default/deliveries');
    return body.filter(({ status }: { status: string }) => status === 'pending');
  };
  // A server waits for the end of the claim of a killed one.
  await expect.poll(listPending, { timeout: 120_000, interval: 1_000 }).toEqual([]);
  const stored = (await ask('GET', '/_control/sandboxes/default/state')).body.tasks as { title: string }[];
  const titles = new Set(stored.map(({ title }) => title));
  expect(getTitles(receiver.requests)).toEqual(titles);
  expect(acknowledged.filter((title) => !titles.has(title))).toEqual([]);
  // Otherwise no round has killed a server between a commit and its delivery.
  expect(unsent).toBeGreaterThan(0);
  const ids = receiver.requests.map(({ headers, body }) => `${headers['webhook-id']} ${body.data.task.title}`);
  expect(new Set(ids).size).toBe(titles.size);
});

function getTitles(requests: Awaited<ReturnType<typeof startReceiver>>['requests']): ReadonlySet<string> {
  return new Set(requests.map(({ body }) => body.data.task.title));
}
