import { describe, expect, it } from 'vitest';
import { createSandboxClient } from '../support/harness/sandboxes.ts';
import { startServers, type TestServer } from '../support/postgres/servers.ts';

const REQUESTS = 1_000;
const CLIENTS = 32;

/** The number of times that 1,000 requests are sent. */
const ROUNDS = Number(process.env.ROUNDS ?? 2);

/** Sends requests with concurrent clients in turn to the servers. Returns the number of responses by status. */
async function sendRequests(servers: readonly TestServer[], id: string): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  const asks = servers.map((server) => createSandboxClient(server, id));
  let sent = 0;
  const run = async () => {
    while (sent < REQUESTS) {
      const response = await asks[sent++ % asks.length]?.('GET', '/api/delivery-options');
      const status = response?.status ?? 0;
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, run));
  return counts;
}

describe('faults of four servers with one database', () => {
  it('apply exactly once with times: 1, in 1,000 requests', async () => {
    const servers = await startServers(4);
    for (let round = 0; round < ROUNDS; round++) {
      const server = servers[round % 4] as TestServer;
      const { body } = await server.sendControl('POST', '/a/faults', { status: 418, times: 1 });
      expect(await sendRequests(servers, 'a')).toEqual(
        new Map([
          [418, 1],
          [200, REQUESTS - 1],
        ]),
      );
      for (const { sendControl } of servers) {
        const fault = (await sendControl('GET', `/a/faults/${body.id}`)).body;
        expect(fault).toMatchObject({ applied: 1, expired: true });
      }
    }
  });

  it('count requests to all servers for skip and probability', async () => {
    const servers = await startServers(4);
    const definition = { status: 418, skip: 100, probability: 0.5, seed: 3 };
    const { body } = await servers[0].sendControl('POST', '/a/faults', definition);
    const counts = await sendRequests(servers, 'a');
    const fault = (await servers[3]?.sendControl('GET', `/a/faults/${body.id}`))?.body;
    expect(fault).toMatchObject({ matched: REQUESTS, applied: counts.get(418) });
    expect(counts.get(418)).toBeGreaterThan(350);
    expect(counts.get(418)).toBeLessThan(550);
  });

  it('are listed, replaced and removed for all servers', async () => {
    const [one, other] = await startServers(2);
    await one.sendControl('PUT', '/a/faults', [{ status: 418 }, { status: 503, operation: 'createOrder' }]);
    expect((await other.sendControl('GET', '/a/faults')).body).toHaveLength(2);
    expect((await createSandboxClient(other, 'a')('GET', '/api/products')).status).toBe(418);
    await other.sendControl('DELETE', '/a/faults/f1');
    expect((await createSandboxClient(one, 'a')('GET', '/api/products')).status).toBe(200);
    expect((await one.sendControl('POST', '/a/faults', { status: 500 })).body.id).toBe('f3');
    await one.sendControl('DELETE', '/a/faults');
    expect((await createSandboxClient(other, 'a')('POST', '/api/orders')).status).toBe(201);
  });
});
