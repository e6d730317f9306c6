import { describe, expect, it, onTestFinished } from 'vitest';
import { followEvents } from '../support/harness/events.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { createSandboxClient, listSandboxIds } from '../support/harness/sandboxes.ts';
import {
  expectUsable,
  fill,
  sendUntilServed,
  startWithDatabase,
  TABLES,
  WAIT,
} from '../support/postgres/lost-tables.ts';
import { listNotes, NoteWriters, writeNotesDocument } from '../support/postgres/notes.ts';
import { startServer, type TestServer } from '../support/postgres/servers.ts';

/** The ways in which a database loses its content. */
const LOSSES = {
  'has lost its schema': 'DROP SCHEMA storefront CASCADE',
  'has lost its tables': `DROP TABLE ${TABLES}, versions`,
  'has lost all tables but one': `DROP TABLE ${TABLES}`,
  'was emptied': `TRUNCATE ${TABLES}`,
  'was emptied, also its versions,': `TRUNCATE ${TABLES}, versions`,
  'has lost its sandboxes': 'DELETE FROM sandboxes',
} as const;

const getWarnings = ({ log }: TestServer) => log.map(({ msg = '' }) => msg).filter((msg) => msg.includes('has lost'));

/** Expects servers to have the default data, and to share their state, sandboxes, journals and idempotency keys. */
async function expectNew(servers: readonly TestServer[]): Promise<void> {
  const [one, other] = servers as [TestServer, TestServer];
  for (const server of servers) {
    for (const id of ['default', 'a']) {
      const { body } = await sendUntilServed(() => createSandboxClient(server, id)('GET', '/api/orders'));
      expect(body).toHaveLength(2);
    }
    expect((await server.ask('GET', '/_control/ready')).status).toBe(200);
    expect((await server.sendControl('GET', '/default')).body.snapshots).toEqual([]);
    expect(getWarnings(server).join('\n')).toContain("has lost the sandbox 'default' (revision");
  }
  const order = (server: TestServer) =>
    createSandboxClient(server, 'a')('POST', '/api/orders', undefined, { 'Idempotency-Key': 'a-key' });
  const first = await order(one);
  expect([first.status, (await order(other)).text]).toEqual([201, first.text]);
  for (const server of servers) {
    expect((await createSandboxClient(server, 'a')('GET', '/api/orders')).body).toHaveLength(3);
    const verification = { operation: 'createOrder', times: 2 };
    expect((await server.sendControl('POST', '/a/requests/verify', verification)).body).toMatchObject({ count: 2 });
    expect(await listSandboxIds(server)).toEqual(['default', 'a']);
  }
  expect((await one.ask('POST', '/api/orders')).status).toBe(201);
  expect((await other.sendControl('POST', '/default/reset')).status).toBe(204);
}

describe.each([2, 4])('%i servers whose database', (count) => {
  it.each(Object.entries(LOSSES))('%s use the default data without a restart', async (_, statements) => {
    const { database, servers, options } = await startWithDatabase(count);
    await fill(servers);
    await database.run(statements);
    await Promise.all(servers.map((server) => sendUntilServed(() => server.ask('GET', '/api/orders'))));
    // A server registers again with its next heartbeat.
    await expect.poll(() => database.run('SELECT id FROM servers'), WAIT).toHaveLength(count);
    await expectNew(servers);
    const late = await startServer(options);
    expect((await late.ask('GET', '/api/orders')).body).toHaveLength(2);
  });

  it('was deleted and created again use the default data without a restart', async () => {
    const { database, servers } = await startWithDatabase(count);
    await fill(servers);
    await database.recreate();
    await Promise.all(servers.map((server) => sendUntilServed(() => server.ask('GET', '/api/orders'))));
    // A server registers again with its next heartbeat.
    await expect.poll(() => database.run('SELECT id FROM servers'), WAIT).toHaveLength(count);
    await expectNew(servers);
  });
});

describe('two servers whose database has lost its content', () => {
  it('log what was lost', async () => {
    const { database, servers } = await startWithDatabase(2);
    const [one, other] = servers;
    await one.ask('POST', '/api/orders');
    await createSandboxClient(one, 'b')('POST', '/api/orders');
    await other.ask('GET', '/api/orders');
    await database.run(LOSSES['has lost its schema']);
    for (const { ask } of servers) await sendUntilServed(() => ask('GET', '/api/orders'));
    expect(getWarnings(one)).toContainEqual(
      "The database has lost the sandbox 'default' (revision 1), and the sandboxes b, including all snapshots, journals and idempotency keys. The sandbox 'default' was created again from the default data.",
    );
    expect(getWarnings(other)).toContainEqual(expect.stringContaining("the sandbox 'default' (revision 1), including"));
    const created = servers.flatMap(getWarnings).filter((message) => message.includes('created all tables again'));
    expect(created).toHaveLength(1);
  });

  it('never write into the new database what they have in memory', async () => {
    const contract = await writeNotesDocument();
    const { database, servers } = await startWithDatabase(2, { contract });
    const urls = servers.map(({ url }) => url);
    for (let round = 0; round < 3; round++) {
      const writers = new NoteWriters(urls, 8, `${round}-`);
      await expect.poll(() => writers.acknowledged.length, WAIT).toBeGreaterThan(50);
      const sent = new Set(writers.sent);
      const { length: before } = writers.acknowledged;
      await (round === 2
        ? database.recreate()
        : database.run(LOSSES[round === 0 ? 'has lost its schema' : 'was emptied']));
      await expect.poll(() => writers.acknowledged.length - before, WAIT).toBeGreaterThan(100);
      await writers.stop();
      expect(writers.unexpected).toEqual([]);
      // At most the requests in progress at the time of the loss, one for each client, were sent before and stored afterwards.
      const stored = await listNotes(urls[0] as string);
      expect(stored.filter((text) => !text.startsWith(`${round}-`))).toEqual([]);
      expect(stored.filter((text) => sent.has(text)).length).toBeLessThanOrEqual(8);
      expect(await listNotes(urls[1] as string)).toEqual(stored);
      const isKept = new Set(stored);
      const last = writers.acknowledged.slice(-50);
      expect(last.filter((text) => !isKept.has(text))).toEqual([]);
    }
  });

  it('do not restore or copy a snapshot of the lost database', async () => {
    const { database, servers } = await startWithDatabase(2);
    const [one, other] = servers;
    await one.sendControl('PUT', '/default/state', { orders: [], cartItems: [] });
    await one.sendControl('PUT', '/default/snapshots/mine');
    for (let round = 0; round < 10; round++) {
      const requests = Array.from({ length: 10 }, (_, index) => [
        one.sendControl('POST', '/default/snapshots/mine/restore'),
        one.sendControl('PUT', `/c${index}`, { from: 'mine' }),
      ]).flat();
      const lost = round === 0 ? database.run(LOSSES['was emptied']) : undefined;
      for (const response of await Promise.all(requests)) expectUsable(response);
      await lost;
    }
    for (const id of ['default', 'c0', 'c9']) {
      const { body } = await sendUntilServed(() => createSandboxClient(other, id)('GET', '/api/orders'));
      expect(body, id).toHaveLength(2);
    }
    expectProblem(await one.sendControl('POST', '/default/snapshots/mine/restore'), 404, 'unknown-snapshot');
  });

  it('refuse the change of a request in progress, and accept its repetition', async () => {
    let continueHandler = () => {};
    const resetData = async (
      _: unknown,
      { update }: { update: (change: (state: object) => unknown) => Promise<unknown> },
    ) => {
      await new Promise<void>((resolve) => {
        continueHandler = resolve;
      });
      await update((state) => ({ next: { ...state, cartItems: [] }, result: undefined }));
      return {};
    };
    const { database, servers } = await startWithDatabase(2, { handlers: { resetData } as never });
    const [one, other] = servers;
    const send = () => one.ask('POST', '/api/reset', undefined, { 'Idempotency-Key': 'a-key' });
    const response = send();
    await expect
      .poll(() => database.run('SELECT key FROM idempotency_keys').then((rows) => JSON.stringify(rows)), WAIT)
      .toContain('a-key');
    await database.run(LOSSES['has lost its schema']);
    expect((await sendUntilServed(() => other.ask('GET', '/api/cart-items'))).body).toHaveLength(2);
    // The handler runs again if its server has loaded the new state in the meantime.
    const continuing = setInterval(() => continueHandler(), 20);
    onTestFinished(() => clearInterval(continuing));
    expectProblem(await response, 503, 'unavailable');
    expect((await sendUntilServed(() => other.ask('GET', '/api/cart-items'))).body).toHaveLength(2);
    expect((await sendUntilServed(send)).status).toBe(204);
    expect((await other.ask('GET', '/api/cart-items')).body).toEqual([]);
  });

  it('continue the event streams of the sandbox default, and end those of the others', async () => {
    const { database, servers } = await startWithDatabase(2);
    const [one, other] = servers;
    for (let number = 0; number < 5; number++) await one.ask('GET', '/api/delivery-options');
    await one.sendControl('PUT', '/a');
    const streams = await Promise.all(servers.map((server) => followEvents(server, '/default/requests')));
    const ending = await followEvents(other, '/a/requests');
    // No request: the servers notice the loss because they follow the journals.
    await database.run(LOSSES['was emptied']);
    expect((await ending.next())[0]?.event).toBe('removed');
    for (const server of servers) await expect.poll(() => getWarnings(server).length, WAIT).toBeGreaterThan(0);
    for (const path of ['/api/products', '/api/orders']) expect((await one.ask('GET', path)).status).toBe(200);
    for (const stream of streams) {
      const events = (await stream.next(2)).map(({ id, data }) => [id, data.operation]);
      expect(events).toEqual([
        ['1', 'listProducts'],
        ['2', 'listOrders'],
      ]);
      stream.leave();
    }
  });
});
