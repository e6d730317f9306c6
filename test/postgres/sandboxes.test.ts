import { describe, expect, it } from 'vitest';
import { followEvents } from '../support/harness/events.ts';
import { createSandboxClient, listSandboxIds } from '../support/harness/sandboxes.ts';
import { NOW_MS } from '../support/harness/start-storefront.ts';
import { startServers, type TestServer } from '../support/postgres/servers.ts';

const ID = 'test-7';

/** Returns the number of cart items and of orders in the sandbox. */
async function countEntries(server: TestServer): Promise<readonly number[]> {
  const { cartItems, orders } = (await server.sendControl('GET', `/${ID}`)).body.counts;
  return [cartItems, orders];
}

describe('sandboxes of two servers with one database', () => {
  it('are created by a request to either server', async () => {
    const [one, other] = await startServers(2);
    await createSandboxClient(one, ID)('POST', '/api/orders');
    expect(await countEntries(other)).toEqual([0, 3]);
    expect((await createSandboxClient(other, ID)('POST', '/api/orders')).status).toBe(409);
    expect(await listSandboxIds(one)).toEqual(['default', ID]);
    expect(await listSandboxIds(other)).toEqual(['default', ID]);
  });

  it('are created once by 50 concurrent requests', async () => {
    const servers = await startServers(2);
    const sends = Array.from({ length: 50 }, (_, index) =>
      createSandboxClient(servers[index % 2] as TestServer, ID)('POST', '/api/orders'),
    );
    const statuses = (await Promise.all(sends)).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array(49).fill(409)]);
    expect(await countEntries(servers[1])).toEqual([0, 3]);
  });

  it('are replaced by PUT for both', async () => {
    const [one, other] = await startServers(2);
    await createSandboxClient(one, ID)('POST', '/api/orders');
    await one.sendControl('PUT', `/${ID}/clock`, { frozen: true });
    await one.sendControl('PUT', `/${ID}/snapshots/mine`);
    expect((await other.sendControl('PUT', `/${ID}`, { from: 'full-cart' })).status).toBe(200);
    const { body } = await one.sendControl('GET', `/${ID}`);
    expect(body).toMatchObject({ counts: { cartItems: 40 }, snapshots: [], requests: 0, clock: { frozen: false } });
  });

  it('have the state of an acknowledged PUT, also if another request creates them at the same time', async () => {
    const [one, other] = await startServers(2);
    for (let number = 0; number < 20; number++) {
      const id = `race-${number}`;
      const [put] = await Promise.all([
        one.sendControl('PUT', `/${id}`, { from: 'empty-cart' }),
        ...[one, other].map((server) => createSandboxClient(server, id)('GET', '/api/cart-items')),
      ]);
      expect([200, 201]).toContain(put.status);
      expect((await createSandboxClient(other, id)('GET', '/api/cart-items')).body).toEqual([]);
    }
  });

  it('do not exist after DELETE to either server, and are new afterwards', async () => {
    const [one, other] = await startServers(2);
    await createSandboxClient(one, ID)('POST', '/api/orders');
    await createSandboxClient(other, ID)('GET', '/api/orders');
    expect((await one.sendControl('DELETE', `/${ID}`)).status).toBe(204);
    expect((await other.sendControl('GET', `/${ID}`)).status).toBe(404);
    expect(await listSandboxIds(other)).toEqual(['default']);
    expect((await createSandboxClient(other, ID)('POST', '/api/orders')).status).toBe(201);
    expect(await countEntries(one)).toEqual([0, 3]);
    const requests = (await one.sendControl('GET', `/${ID}/requests`)).body;
    expect(requests).toHaveLength(1);
  });

  it('can be deleted while both servers handle requests', async () => {
    const [one, other] = await startServers(2);
    const asks = [one, other].map((server) => createSandboxClient(server, ID));
    const statuses: number[] = [];
    const order = async (index: number) => {
      for (let number = 0; number < 15; number++)
        statuses.push((await asks[index % 2]?.('POST', '/api/orders'))?.status ?? 0);
    };
    const remove = async () => {
      for (let number = 0; number < 15; number++) await one.sendControl('DELETE', `/${ID}`);
    };
    await Promise.all([...Array.from({ length: 10 }, (_, index) => order(index)), remove()]);
    // A request of a sandbox that is deleted meanwhile can be repeated.
    expect(statuses.filter((status) => ![201, 409, 503].includes(status))).toEqual([]);
    expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(16);
  });

  it('end the event streams of both servers when they are deleted', async () => {
    const [one, other] = await startServers(2);
    await createSandboxClient(one, ID)('GET', '/api/orders');
    const streams = await Promise.all([one, other].map((server) => followEvents(server, `/${ID}/requests`)));
    await one.sendControl('DELETE', `/${ID}`);
    for (const stream of streams) {
      expect((await stream.next())[0]?.event).toBe('removed');
      expect(await stream.ended).toBe(true);
    }
  });
});

describe('a sandbox that is deleted and created again by one server', () => {
  it('has a new journal at the other server too', async () => {
    const [one, other] = await startServers(2);
    const [askOne, askOther] = [createSandboxClient(one, ID), createSandboxClient(other, ID)];
    for (let number = 0; number < 5; number++) await askOther('GET', '/api/orders');
    expect((await other.sendControl('GET', `/${ID}/requests`)).body).toHaveLength(5);
    await one.sendControl('DELETE', `/${ID}`);
    await one.sendControl('PUT', `/${ID}`);
    await askOne('GET', '/api/products');
    for (const server of [one, other]) {
      const { body } = await server.sendControl('GET', `/${ID}/requests`);
      expect(body.map(({ operation }: { operation: string }) => operation)).toEqual(['listProducts']);
    }
  });
});

describe('the settings of a sandbox of two servers', () => {
  it('have one clock', async () => {
    const [one, other] = await startServers(2);
    const now = '2030-01-01T00:00:00.000Z';
    await one.sendControl('PUT', `/${ID}/clock`, { now, frozen: true });
    await other.sendControl('POST', `/${ID}/clock/advance`, { ms: 1000 });
    const nowMs = Date.parse(now) + 1000;
    for (const server of [one, other])
      expect((await server.sendControl('GET', `/${ID}/clock`)).body).toMatchObject({ nowMs, frozen: true });
    expect((await createSandboxClient(one, ID)('POST', '/api/orders')).body.orderTimeMs).toBe(nowMs);
    await one.sendControl('DELETE', `/${ID}/clock`);
    expect((await other.sendControl('GET', `/${ID}/clock`)).body).toMatchObject({ nowMs: NOW_MS, frozen: false });
  });

  it('have one sequence of ids, which is the same in each run', async () => {
    const [one, other] = await startServers(2);
    const place = async (server: TestServer, id: string) => {
      await server.sendControl('POST', `/${id}/snapshots/full-cart/restore`);
      return (await createSandboxClient(server, id)('POST', '/api/orders')).body.id;
    };
    await other.sendControl('PUT', '/a/ids', { seed: 7 });
    await one.sendControl('PUT', '/b/ids', { seed: 7 });
    const mixed = [await place(one, 'a'), await place(other, 'a'), await place(one, 'a')];
    const alone = [await place(one, 'b'), await place(one, 'b'), await place(one, 'b')];
    expect(mixed).toEqual(alone);
    expect(new Set(mixed).size).toBe(3);
  });

  it('have the same snapshots', async () => {
    const [one, other] = await startServers(2);
    const askOther = createSandboxClient(other, ID);
    await one.sendControl('PUT', `/${ID}/snapshots/mine`);
    await askOther('POST', '/api/orders');
    expect(await countEntries(one)).toEqual([0, 3]);
    expect((await other.sendControl('GET', `/${ID}`)).body.snapshots).toEqual(['mine']);
    expect((await other.sendControl('POST', `/${ID}/snapshots/mine/restore`)).status).toBe(204);
    expect(await countEntries(one)).toEqual([2, 2]);
    await one.sendControl('DELETE', `/${ID}/snapshots/mine`);
    expect((await other.sendControl('POST', `/${ID}/snapshots/mine/restore`)).status).toBe(404);
  });

  it('use the snapshots of the sandbox default for new sandboxes', async () => {
    const [one, other] = await startServers(2);
    await one.ask('POST', '/api/orders');
    await one.sendControl('PUT', '/default/snapshots/mine');
    await other.sendControl('PUT', `/${ID}`, { from: 'mine' });
    expect(await countEntries(one)).toEqual([0, 3]);
  });

  it('have the same mocked operations', async () => {
    const [one, other] = await startServers(2);
    await one.sendControl('PUT', `/${ID}/operations/createOrder`, { mocked: true });
    await createSandboxClient(other, ID)('POST', '/api/orders');
    expect(await countEntries(one)).toEqual([2, 2]);
    await other.sendControl('PUT', `/${ID}/operations/createOrder`, { mocked: false });
    await createSandboxClient(one, ID)('POST', '/api/orders');
    expect(await countEntries(other)).toEqual([0, 3]);
  });
});
