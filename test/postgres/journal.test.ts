import { describe, expect, it } from 'vitest';
import { followEvents } from '../support/harness/events.ts';
import { createSandboxClient } from '../support/harness/sandboxes.ts';
import type { TestResponse } from '../support/harness/start-storefront.ts';
import { startServers, type TestServer } from '../support/postgres/servers.ts';

/** Sends requests to the sandbox `a` of each server in turn, one after the other. */
async function sendRequests(servers: readonly TestServer[], count: number): Promise<void> {
  const asks = servers.map((server) => createSandboxClient(server, 'a'));
  for (let number = 0; number < count; number++)
    await asks[number % asks.length]?.('GET', `/api/products?search=${number}`);
}

const getUrl = ({ request }: TestResponse['body']): string => request.url;

const verify = ({ sendControl }: TestServer, body: object) => sendControl('POST', '/a/requests/verify', body);

describe('the journal of two servers with one database', () => {
  it('has the requests to both, with the same ids at both', async () => {
    const servers = await startServers(2);
    await sendRequests(servers, 20);
    const [one, other] = await Promise.all(servers.map(({ sendControl }) => sendControl('GET', '/a/requests')));
    expect(one?.body.map(({ id }: { id: number }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(new Set(one?.body.map(getUrl)).size).toBe(20);
    expect(other?.body).toEqual(one?.body);
  });

  it('has all requests in time for a verification by either server', async () => {
    const servers = await startServers(2);
    for (let round = 1; round <= 10; round++) {
      await sendRequests(servers, 2);
      const server = servers[round % 2] as TestServer;
      expect((await verify(server, { operation: 'listProducts', times: 2 * round })).body).toMatchObject({
        verified: true,
        count: 2 * round,
      });
    }
    const count = await servers[0].sendControl('POST', '/a/requests/count', { operation: 'listProducts' });
    expect(count.body).toEqual({ count: 20 });
  });

  it('ends a wait for requests when the other server receives them', async () => {
    const [one, other] = await startServers(2);
    await one.sendControl('PUT', '/a');
    const verifying = verify(one, { operation: 'createOrder', withinMs: 60_000 });
    await createSandboxClient(other, 'a')('POST', '/api/orders');
    expect((await verifying).body).toMatchObject({ verified: true, count: 1 });
  });

  it('has the requests to the other server at the end of a wait', async () => {
    const [one, other] = await startServers(2);
    await one.sendControl('PUT', '/a');
    const verifying = verify(one, { operation: 'listOrders', times: 3, withinMs: 500 });
    for (let number = 0; number < 3; number++) await createSandboxClient(other, 'a')('GET', '/api/orders');
    expect((await verifying).body).toMatchObject({ verified: true, count: 3 });
  });

  it('is cleared by either server for both', async () => {
    const servers = await startServers(2);
    await sendRequests(servers, 4);
    await servers[0].sendControl('DELETE', '/a/requests');
    for (const { sendControl } of servers) expect((await sendControl('GET', '/a/requests')).body).toEqual([]);
    await sendRequests(servers, 2);
    for (const { sendControl } of servers) expect((await sendControl('GET', '/a/requests')).body).toHaveLength(2);
  });

  it('sends the requests to both as events', async () => {
    const servers = await startServers(2);
    await servers[0].sendControl('PUT', '/a');
    const streams = await Promise.all(servers.map((server) => followEvents(server, '/a/requests')));
    await sendRequests(servers, 6);
    for (const stream of streams) {
      const paths = (await stream.next(6)).map(({ data }) => getUrl(data));
      expect(paths.sort()).toEqual(Array.from({ length: 6 }, (_, number) => `/api/products?search=${number}`));
      stream.leave();
    }
  });

  it('sends only new requests as events', async () => {
    const [one, other] = await startServers(2);
    await sendRequests([one], 3);
    expect((await other.sendControl('GET', '/a')).body.requests).toBe(3);
    await sendRequests([one], 1);
    const stream = await followEvents(other, '/a/requests');
    await createSandboxClient(one, 'a')('GET', '/api/orders');
    expect((await stream.next())[0]).toMatchObject({ id: '5', data: { operation: 'listOrders' } });
  });

  it('shows what a request to the other server has changed', async () => {
    const [one, other] = await startServers(2);
    await createSandboxClient(one, 'a')('POST', '/api/orders');
    const { body } = await other.sendControl('GET', '/a/requests/1');
    expect(body.request).toMatchObject({ operation: 'createOrder', response: { status: 201 } });
    expect(JSON.stringify(body.changes)).toContain('cartItems');
  });

  it('keeps the last 100 requests', async () => {
    const servers = await startServers(2);
    const asks = servers.map((server) => createSandboxClient(server, 'a'));
    const sends = Array.from({ length: 250 }, (_, index) => asks[index % 2]?.('GET', '/api/delivery-options'));
    expect((await Promise.all(sends)).map((response) => response?.status)).toEqual(Array(250).fill(200));
    for (const { sendControl } of servers) {
      const ids = (await sendControl('GET', '/a/requests')).body.map(({ id }: { id: number }) => id);
      expect(ids).toEqual(Array.from({ length: 100 }, (_, index) => index + 151));
    }
  });

  it('has bodies with characters that PostgreSQL does not store', async () => {
    const servers = await startServers(2);
    const body = '{"productId":"\u0000","quantity":"\\ud800"}';
    const url = `${servers[0].url}/_sandbox/a/api/cart-items`;
    await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { body: entries } = await servers[1].sendControl('GET', '/a/requests');
    expect(entries).toMatchObject([{ request: { body } }]);
  });
});
