import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { defaults } from '../support/fixtures/default-data.ts';
import { type SandboxClient, useSharedShop } from '../support/harness/shared-shop.ts';

const { newSandbox } = useSharedShop();

// A retry comes within 250 ms of a reset. The time almost stands still, so that no pause of a busy machine is longer.
let lastMs = performance.now();
beforeAll(() => void vi.spyOn(performance, 'now').mockImplementation(() => (lastMs += 0.01)));
afterAll(() => void vi.mocked(performance.now).mockRestore());

const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/141.0.0.0 Safari/537.36';
const CURL = 'curl/8.14.1';
const LOGO = '/images/logo.png';

const ITEM = JSON.stringify({ productId: defaults.products[0]?.id, quantity: 1 });
const ITEM_HEADERS = `Content-Type: application/json\r\nContent-Length: ${ITEM.length}\r\n`;

/** Opens a keep-alive connection for several requests. */
async function connection({ port, id }: SandboxClient, userAgent: string) {
  const socket: Socket = connect({ port, host: '127.0.0.1' });
  await new Promise((resolve) => socket.once('connect', resolve));
  const headers = `Host: localhost\r\nX-Sandbox: ${id}\r\nUser-Agent: ${userAgent}\r\n`;
  /** Sends a text. Returns the status of the next response; undefined if the connection is reset. */
  const write = (text: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      let received = '';
      socket.removeAllListeners();
      socket.setTimeout(60_000, () => socket.destroy(new Error(`no response to ${text}`)));
      socket.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNRESET') resolve(undefined);
        else reject(error);
      });
      socket.on('data', (part) => {
        received += part.toString('latin1');
        const [head = '', body] = received.split('\r\n\r\n');
        const length = Number(/^content-length: (\d+)\r?$/im.exec(head)?.[1] ?? 0);
        if (body !== undefined && body.length >= length) resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]));
      });
      socket.write(text);
    });
  return {
    write,
    send: (method: string, path: string) => write(`${method} ${path} HTTP/1.1\r\n${headers}Content-Length: 0\r\n\r\n`),
    /** Sends the head of a request to add an item, without its body. */
    begin: () => socket.write(`POST /api/cart-items HTTP/1.1\r\n${headers}${ITEM_HEADERS}\r\n`),
    add: () => write(`POST /api/cart-items HTTP/1.1\r\n${headers}${ITEM_HEADERS}\r\n${ITEM}`),
    close: () => socket.destroy(),
  };
}

/** Creates a client that retries like Chromium: on another connection, if a connection that had a response before is reset. */
async function browser(here: SandboxClient, userAgent = BROWSER) {
  const pool = [await connection(here, userAgent), await connection(here, userAgent)];
  for (const reused of pool) await reused.send('GET', '/api/payment-summary');
  return async (method: string, path: string): Promise<number | undefined> => {
    for (let reused = pool.pop(); reused; reused = pool.pop()) {
      const status = await reused.send(method, path);
      if (status === undefined) continue;
      pool.push(reused);
      return status;
    }
    const fresh = await connection(here, userAgent);
    const status = await fresh.send(method, path);
    if (status !== undefined) pool.push(fresh);
    return status;
  };
}

/** Opens a connection of a browser that has received a response. */
async function reused(here: SandboxClient) {
  const one = await connection(here, BROWSER);
  await one.send('GET', '/api/payment-summary');
  return one;
}

async function countOrders({ sendControl }: SandboxClient): Promise<number> {
  return (await sendControl('GET', '')).body.counts.orders;
}

describe.each([BROWSER, CURL])('a connection reset with a client that retries: %s', (userAgent) => {
  it.each([
    ['before', 1, [undefined, 201, 409], 3],
    ['before', 2, [undefined, undefined, 201], 3],
    ['after', 1, [undefined, 409, 409], 3],
    ['after', 2, [undefined, undefined, 409], 3],
  ] as const)(
    'occurs as often as the fault defines: %s the operation, %i times',
    async (phase, times, seen, orders) => {
      const here = newSandbox();
      await here.sendControl('POST', '/faults', { operation: 'createOrder', connection: 'reset', times, phase });
      const send = await browser(here, userAgent);
      const statuses: (number | undefined)[] = [];
      for (let n = 0; n < 3; n++) statuses.push(await send('POST', '/api/orders'));
      expect(statuses).toEqual(seen);
      expect(await countOrders(here)).toBe(orders);
      expect((await here.sendControl('GET', '/faults')).body).toMatchObject([
        { matched: times, applied: times, expired: true },
      ]);
      const count = await here.sendControl('POST', '/requests/count', { operation: 'createOrder' });
      expect(count.body).toEqual({ count: 3 });
    },
  );

  it('occurs once if the fault cuts a response without a body', async () => {
    const here = newSandbox();
    await here.sendControl('POST', '/faults', { operation: 'resetData', connection: 'cut', times: 1 });
    const send = await browser(here, userAgent);
    expect([await send('POST', '/api/reset'), await send('POST', '/api/reset')]).toEqual([undefined, 204]);
  });

  it.each([1, 2])('occurs for an image as often as the fault defines: %i times', async (times) => {
    const here = newSandbox();
    await here.sendControl('POST', '/faults', { where: { path: '/images/*' }, connection: 'reset', times });
    const send = await browser(here, userAgent);
    const statuses = [await send('GET', LOGO), await send('GET', LOGO), await send('GET', LOGO)];
    expect(statuses).toEqual([undefined, times === 1 ? 200 : undefined, 200]);
    expect((await here.sendControl('GET', '/faults')).body).toMatchObject([
      { matched: times, applied: times, expired: true },
    ]);
    const journal = (await here.sendControl('GET', '/requests')).body;
    expect(journal.filter(({ request }: { request: { path: string } }) => request.path === LOGO)).toHaveLength(times);
  });
});

describe('identical requests of a client that retries', () => {
  it('are not handled as a retry if they started before the reset', async () => {
    const here = newSandbox();
    await here.sendControl('POST', '/faults', { operation: 'addCartItem', connection: 'reset', times: 1 });
    const [one, other, next] = [await reused(here), await reused(here), await reused(here)];
    one.begin();
    other.begin();
    // Its response comes after both heads were received.
    await next.send('GET', '/api/payment-summary');
    expect(await one.write(ITEM)).toBeUndefined();
    expect(await other.write(ITEM)).toBe(201);
    expect(await next.add()).toBeUndefined();
  });

  it('are handled as a retry on a connection that was opened before the reset', async () => {
    const here = newSandbox();
    await here.sendControl('POST', '/faults', { operation: 'addCartItem', connection: 'reset', times: 1 });
    const one = await reused(here);
    // The request is sent first, so the server receives it before it accepts the connection.
    const [first, spare] = await Promise.all([one.add(), connection(here, BROWSER)]);
    expect(first).toBeUndefined();
    expect(await spare.add()).toBeUndefined();
    const fresh = await connection(here, BROWSER);
    expect(await fresh.add()).toBeUndefined();
    const next = await connection(here, BROWSER);
    expect(await next.add()).toBe(201);
    next.close();
  });

  it('include one retry for each reset', async () => {
    const here = newSandbox();
    await here.sendControl('POST', '/faults', { operation: 'addCartItem', connection: 'reset', times: 2 });
    const pool = [await reused(here), await reused(here)];
    expect(await Promise.all(pool.map(({ add }) => add()))).toEqual([undefined, undefined]);
    const retrying = [await connection(here, BROWSER), await connection(here, BROWSER)];
    expect(await Promise.all(retrying.map(({ add }) => add()))).toEqual([undefined, undefined]);
    const next = await connection(here, BROWSER);
    expect(await next.add()).toBe(201);
    next.close();
  });
});

describe('a connection reset with a client that does not retry', () => {
  it.each([
    'node',
    'Mozilla/5.0',
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 jsdom/26.1.0',
    'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 HappyDOM/20.0.0',
    'Mozilla/5.0 Chrome/141.0.0.0 Node.js/24',
  ])('occurs as often as the fault defines, even if the next request is identical: %s', async (userAgent) => {
    const here = newSandbox();
    await here.sendControl('POST', '/faults', { operation: 'createOrder', connection: 'reset', times: 1 });
    const reused = await connection(here, userAgent);
    expect(await reused.send('GET', '/api/orders')).toBe(200);
    expect(await reused.send('POST', '/api/orders')).toBeUndefined();
    const next = await connection(here, userAgent);
    expect(await next.send('POST', '/api/orders')).toBe(201);
    next.close();
  });

  it('affects another request of a browser only if the request matches the fault', async () => {
    const here = newSandbox();
    await here.sendControl('POST', '/faults', { operation: 'createOrder', connection: 'reset', times: 1 });
    const reused = await connection(here, BROWSER);
    await reused.send('GET', '/api/orders');
    expect(await reused.send('POST', '/api/orders')).toBeUndefined();
    const next = await connection(here, BROWSER);
    expect(await next.send('GET', '/api/orders')).toBe(200);
    next.close();
  });
});
