import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ITEM } from '../support/fixtures/cart-item.ts';
import { followEvents } from '../support/harness/events.ts';
import { getJournal, type Journal, sendRequests } from '../support/harness/journal.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { connectRaw } from '../support/harness/raw-client.ts';
import { createClient } from '../support/harness/sandboxes.ts';
import { getSandboxClient, type SandboxClient, useSharedShop } from '../support/harness/shared-shop.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const { shop, newSandbox } = useSharedShop();

describe('the event stream of a journal', () => {
  it('sends each new request as it is in the journal', async () => {
    const sandbox = newSandbox();
    await sendRequests(sandbox, 2);
    const stream = await followEvents(sandbox, `/${sandbox.id}/requests`);
    expect([stream.status, stream.headers['content-type'], stream.headers['cache-control']]).toEqual([
      200,
      'text/event-stream',
      'no-store',
    ]);
    await sandbox.ask('POST', '/api/cart-items', ITEM);
    const [first] = await stream.next();
    await sandbox.ask('GET', '/api/none');
    const [second] = await stream.next();
    const entries = await getJournal(sandbox, '?after=2');
    expect([first, second]).toEqual(
      entries.map((entry: Journal) => ({ event: 'request', id: `${entry.id}`, data: entry })),
    );
  });

  it('sends each request to each of 100 clients in the order of the journal', async () => {
    const sandbox = newSandbox();
    await sendRequests(sandbox, 1);
    const streams = await Promise.all(
      Array.from({ length: 100 }, () => followEvents(sandbox, `/${sandbox.id}/requests`)),
    );
    await sendRequests(sandbox, 20);
    const received = await Promise.all(streams.map(({ next }) => next(20)));
    const expected = await getJournal(sandbox, '?after=1');
    for (const events of received) expect(events.map(({ data }) => data)).toEqual(expected);
  });

  it.each([
    ['', { 'Last-Event-ID': '2' }, ['3', '4', '5']],
    ['?after=3', {}, ['4', '5']],
    ['?after=1', { 'Last-Event-ID': '3' }, ['4', '5']],
    ['?after=0&operation=listOrders', {}, ['1', '3', '5']],
    ['?operation=listOrders', { 'Last-Event-ID': '1' }, ['3', '5']],
    ['', { 'Last-Event-ID': '99' }, ['5']],
    ['', { 'Last-Event-ID': 'x' }, ['5']],
    ['', {}, ['5']],
  ] as const)('starts with the requests that the client missed: %s %j', async (query, headers, ids) => {
    const sandbox = newSandbox();
    for (const path of ['/api/orders', '/api/payment-summary', '/api/orders', '/api/none'])
      await sandbox.ask('GET', path);
    const stream = await followEvents(sandbox, `/${sandbox.id}/requests${query}`, headers);
    await sandbox.ask('GET', '/api/orders');
    expect((await stream.next(ids.length)).map(({ id }) => id)).toEqual(ids);
  });

  it('sends only requests for the selected operation', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('PUT', '');
    const stream = await followEvents(sandbox, `/${sandbox.id}/requests?operation=listOrders`);
    for (const path of ['/api/payment-summary', '/api/orders', '/api/none', '/api/orders'])
      await sandbox.ask('GET', path);
    expect((await stream.next(2)).map(({ id }) => id)).toEqual(['2', '4']);
  });

  it('sends the requests of its sandbox to every client that follows it', async () => {
    const [sandbox, otherSandbox] = [newSandbox(), newSandbox()];
    for (const { sendControl } of [sandbox, otherSandbox]) await sendControl('PUT', '');
    const streams = await Promise.all(
      [sandbox, sandbox, otherSandbox].map((each) => followEvents(each, `/${each.id}/requests`)),
    );
    await otherSandbox.ask('GET', '/api/orders');
    await sandbox.ask('GET', '/api/payment-summary');
    const operations = await Promise.all(streams.map(async (stream) => (await stream.next())[0]?.data.operation));
    expect(operations).toEqual(['getPaymentSummary', 'getPaymentSummary', 'listOrders']);
  });

  it('sends cached responses of the default sandbox too', async () => {
    const server = await startStorefront();
    const stream = await followEvents(server, '/default/requests');
    for (let n = 0; n < 3; n++) await server.ask('GET', '/api/products');
    expect((await stream.next(3)).map(({ id }) => id)).toEqual(['1', '2', '3']);
  });

  it('continues when the journal is cleared', async () => {
    const sandbox = newSandbox();
    await sendRequests(sandbox, 1);
    const stream = await followEvents(sandbox, `/${sandbox.id}/requests`);
    await sandbox.sendControl('DELETE', '/requests');
    await sendRequests(sandbox, 1);
    expect((await stream.next())[0]?.id).toBe('2');
  });

  it('continues when the sandbox is recreated', async () => {
    const sandbox = newSandbox();
    await sendRequests(sandbox, 1);
    const stream = await followEvents(sandbox, `/${sandbox.id}/requests`);
    await sandbox.sendControl('PUT', '');
    await sendRequests(sandbox, 1);
    expect(await stream.next()).toMatchObject([{ id: '2' }]);
  });

  it('ends when the sandbox is removed', async () => {
    const sandbox = newSandbox();
    await sendRequests(sandbox, 1);
    const stream = await followEvents(sandbox, `/${sandbox.id}/requests`);
    await sandbox.sendControl('DELETE', '');
    expect(await stream.ended).toBe(true);
  });

  it('is sent only to clients that accept text/event-stream, and JSON to others', async () => {
    const sandbox = newSandbox();
    await sendRequests(sandbox, 1);
    for (const Accept of ['*/*', 'application/json', 'text/html'])
      expect((await sandbox.sendControl('GET', '/requests', undefined, { Accept })).body, Accept).toHaveLength(1);
  });

  it('is rejected like a GET for JSON if the sandbox or the query is invalid', async () => {
    const sandbox = newSandbox();
    const headers = { Accept: 'text/event-stream' };
    expectProblem(await sandbox.sendControl('GET', '/requests', undefined, headers), 404, 'unknown-sandbox');
    await sandbox.sendControl('PUT', '');
    expectProblem(
      await sandbox.sendControl('GET', '/requests?operation=x', undefined, headers),
      404,
      'unknown-operation',
    );
    expectProblem(await sandbox.sendControl('GET', '/requests?after=x', undefined, headers), 400, 'invalid-request');
  });

  it('has no body for HEAD', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('PUT', '');
    const path = `/_control/sandboxes/${sandbox.id}/requests`;
    const reply = await createClient(shop())('HEAD', path, undefined, { Accept: 'text/event-stream' });
    expect([reply.status, reply.headers.get('content-type'), reply.text]).toEqual([200, 'text/event-stream', '']);
  });

  it('ends properly when the server closes, which does not wait for it', async () => {
    const server = await startStorefront();
    const stream = await followEvents(server, '/default/requests');
    // The server destroys open connections after 8 s: the stream would not end properly then.
    await server.close();
    expect(await stream.ended).toBe(true);
  });

  it.each<readonly [what: string, end: (sandbox: SandboxClient, server: TestShop) => Promise<unknown>]>([
    ['its sandbox is removed', ({ sendControl }) => sendControl('DELETE', '')],
    ['the server is closed', (_, { close }) => close()],
  ])('ends properly for a client that reads late if %s, with a request in progress', async (_, end) => {
    const server = await startStorefront();
    const sandbox = getSandboxClient(server, 'w1');
    await sandbox.sendControl('POST', '/faults', { operation: 'createOrder', delay: 500, phase: 'after' });
    const connection = connectRaw(server.port);
    connection.write(
      'GET /_control/sandboxes/w1/requests HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n',
    );
    await connection.until(': connected\n\n');
    connection.socket.pause();
    const ordered = sandbox.ask('POST', '/api/orders').catch(() => undefined);
    await vi.waitFor(async () => expect((await sandbox.sendControl('GET', '')).body.counts.orders).toBe(3), {
      interval: 2,
    });
    await sandbox.ask('GET', '/api/orders');
    await end(sandbox, server);
    await ordered;
    connection.socket.resume();
    // A write after the end is an unhandled error, which fails the test run.
    await connection.until(/^HTTP\/1\.1 200 .*: connected\n\n.*event: waiting\n.*\nid: 2\n.*\r\n0\r\n\r\n$/s);
    connection.socket.destroy();
    expect(connection.received()).not.toContain('id: 3');
  });

  it.each<readonly [what: string, status: number, end: (sandbox: SandboxClient, server: TestShop) => Promise<unknown>]>(
    [
      ['its sandbox is removed', 404, ({ sendControl }) => sendControl('DELETE', '')],
      ['the server is closed', 503, (_, { close }) => close()],
    ],
  )(
    'starts after the response before it on the same connection, and is rejected if meanwhile %s',
    async (_, status, end) => {
      const server = await startStorefront();
      const sandbox = getSandboxClient(server, 'w1');
      await sandbox.sendControl('POST', '/faults', { operation: 'createOrder', delay: 100, phase: 'after' });
      const connection = connectRaw(server.port);
      connection.write(
        'POST /api/orders HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Sandbox: w1\r\nContent-Length: 0\r\n\r\nGET /_control/sandboxes/w1/requests HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n',
      );
      await vi.waitFor(async () => expect((await sandbox.sendControl('GET', '')).body.counts.orders).toBe(3), {
        interval: 2,
      });
      await end(sandbox, server);
      await connection.until(new RegExp(`^HTTP/1\\.1 201 .*HTTP/1\\.1 ${status} .*"}$`, 's'));
      connection.socket.destroy();
    },
  );

  it('causes no warning of Node.js with 15 clients', async () => {
    const server = await startStorefront();
    const warnings: Error[] = [];
    const warned = (warning: Error) => void warnings.push(warning);
    process.on('warning', warned);
    onTestFinished(() => void process.off('warning', warned));
    const streams = await Promise.all(Array.from({ length: 15 }, () => followEvents(server, '/default/requests')));
    await server.ask('GET', '/api/orders');
    for (const stream of streams) await stream.next();
    expect(warnings).toEqual([]);
  });

  it('continues for other clients when one client disconnects', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('PUT', '');
    const [gone, stays] = [
      await followEvents(sandbox, `/${sandbox.id}/requests`),
      await followEvents(sandbox, `/${sandbox.id}/requests`),
    ];
    gone.leave();
    await gone.ended;
    await sendRequests(sandbox, 3);
    expect((await stays.next(3)).map(({ id }) => id)).toEqual(['1', '2', '3']);
  });
});

describe('a waiting request in the event stream of a journal', () => {
  it('is sent when it begins to wait, and again with the same number when it has ended', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('POST', '/faults', { operation: 'createOrder', hold: true });
    const stream = await followEvents(sandbox, `/${sandbox.id}/requests`);
    const held = sandbox.ask('POST', '/api/orders');
    const [waiting] = await stream.next();
    expect(waiting).toMatchObject({ event: 'waiting', data: { id: 1, state: 'waiting', forced: { faults: ['f1'] } } });
    expect(waiting?.id).toBe('');
    await sandbox.ask('GET', '/api/orders');
    expect(await stream.next()).toMatchObject([{ event: 'request', id: '2' }]);
    await sandbox.sendControl('POST', '/faults/f1/release');
    await held;
    const [ended] = await stream.next();
    expect(ended).toMatchObject({ event: 'request', data: { id: 1, response: { status: 201 } } });
    expect([ended?.id, ended?.data.state]).toEqual(['', undefined]);
  });

  it('is sent to a client that connects again, until it has ended', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('POST', '/faults', { operation: 'createOrder', hold: true });
    const held = sandbox.ask('POST', '/api/orders');
    await sandbox.sendControl('POST', '/requests/verify', { state: 'waiting', withinMs: 20_000 });
    await sandbox.ask('GET', '/api/orders');
    const events = async () => {
      const stream = await followEvents(sandbox, `/${sandbox.id}/requests`, { 'Last-Event-ID': '0' });
      const next = await stream.next(2);
      stream.leave();
      return next.map(({ event, data }) => [event, data.id]);
    };
    expect(await events()).toEqual([
      ['waiting', 1],
      ['request', 2],
    ]);
    await sandbox.sendControl('POST', '/faults/release');
    await held;
    expect(await events()).toEqual([
      ['request', 1],
      ['request', 2],
    ]);
  });
});
