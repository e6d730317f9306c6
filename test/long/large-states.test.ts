import { describe, expect, it } from 'vitest';
import { defaults } from '../support/fixtures/default-data.ts';
import { createOrdersText } from '../support/fixtures/large-states.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { connectRaw } from '../support/harness/raw-client.ts';
import { createControlClient, createSandboxClient, listSandboxIds } from '../support/harness/sandboxes.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

/** The number of entries of a large state: many times more than one slice of the validation. */
const MANY = 8_000;

describe('PUT /_control/sandboxes/ID/state with a large state', () => {
  it('validates in slices, so that a later request gets its response first', async () => {
    const shop = await startStorefront({ durability: 'memory' });
    const order: string[] = [];
    const large = createControlClient(shop)('PUT', '/w1/state', createOrdersText(MANY)).then(({ status }) =>
      order.push(`PUT ${status}`),
    );
    // Sends one GET after the other until the large state is stored.
    const small = (async () => {
      while (!order.some((done) => done.startsWith('PUT'))) {
        order.push(`GET ${(await createSandboxClient(shop, 'w2')('GET', '/api/delivery-options')).status}`);
      }
    })();
    await Promise.all([large, small]);
    const before = order.slice(0, order.indexOf('PUT 204'));
    expect(before.length).toBeGreaterThan(5);
    expect(new Set(before)).toEqual(new Set(['GET 200']));
  });

  it.each([
    ['two properties with the same name', '{"orders":[1],"orders":[]}', 204],
    ['a byte order mark', '\ufeff{"orders":[]}', 204],
    ['an integer that JavaScript cannot represent', '{"orders":[9007199254740993]}', 400],
    ['a text that is not JSON', '{"orders":[],,}', 400],
  ])('has the same response as a small state with %s', async (_what, body, status) => {
    const shop = await startStorefront({ durability: 'memory' });
    const sendControl = createControlClient(shop);
    const small = await sendControl('PUT', '/w1/state', body);
    const large = await sendControl('PUT', '/w1/state', body + ' '.repeat(200_000));
    expect([small.status, large.status]).toEqual([status, status]);
    expect(large.body).toEqual(small.body);
  });

  it('rejects a body above 16 MB with 413 and creates no sandbox', async () => {
    const shop = await startStorefront({ durability: 'memory' });
    const reply = await createControlClient(shop)('PUT', '/w1/state', `{"orders":[]${' '.repeat(16 * 1024 * 1024)}}`);
    expectProblem(reply, 413, 'body-too-large');
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });

  it('rejects a body above 1,200,000 values with 413 and creates no sandbox', async () => {
    const shop = await startStorefront({ durability: 'memory' });
    const sendControl = createControlClient(shop);
    for (const body of [`{"orders":[${'{},'.repeat(3_000_000)}{}]}`, `{"orders":[${'1,'.repeat(1_300_000)}1]}`]) {
      const reply = await sendControl('PUT', '/w1/state', body);
      expectProblem(reply, 413, 'body-too-large');
      expect(reply.body.detail).toContain('more than 1200000 objects, arrays, properties and array items');
    }
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });

  it('accepts any number of commas and brackets within a string', async () => {
    const shop = await startStorefront({ durability: 'memory' });
    const [first, ...others] = defaults.products;
    const products = [{ ...first, name: `"${'\\"{,['.repeat(500_000)}` }, ...others];
    const reply = await createControlClient(shop)('PUT', '/w1/state', JSON.stringify({ products }));
    expect(reply.status).toBe(204);
  });

  it('succeeds while 60 other clients send their bodies slowly', async () => {
    const shop = await startStorefront({ durability: 'memory' });
    const slow = Array.from({ length: 60 }, (_, n) => {
      const connection = connectRaw(Number(new URL(shop.url).port));
      const type = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue';
      connection.write(`PUT /_control/sandboxes/s${n}/state HTTP/1.1\r\nHost: localhost\r\n${type}\r\n\r\n`);
      return connection;
    });
    await Promise.all(slow.map(({ until }) => until('100 Continue')));
    for (const { write } of slow) write('1\r\n{\r\n');
    expect((await createControlClient(shop)('PUT', '/w1/state', createOrdersText(MANY))).status).toBe(204);
    expect(slow.map(({ received }) => received()).filter((text) => /HTTP\/1.1 [2-5]/.test(text))).toEqual([]);
    for (const { socket } of slow) socket.destroy();
  });

  it('reports at most 1,000 violations of an invalid state', async () => {
    const shop = await startStorefront({ durability: 'memory' });
    const sendControl = createControlClient(shop);
    for (const [status, body] of [
      [400, `{"orders":[${'1,'.repeat(1_000_000)}1]}`],
      [409, `{"products":[${'{},'.repeat(100_000)}{}]}`],
    ] as const) {
      const reply = await sendControl('PUT', '/w1/state', body);
      expect(reply.status).toBe(status);
      expect(reply.body.violations.length).toBeLessThanOrEqual(1_000);
    }
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });

  it('does not overwrite a change made meanwhile to another part of the state', async () => {
    const shop = await startStorefront({ durability: 'memory' });
    const [sendControl, ask] = [createControlClient(shop), createSandboxClient(shop, 'w1')];
    await ask('GET', '/api/cart-items');
    const [replaced, removed] = await Promise.all([
      sendControl('PUT', '/w1/state', createOrdersText(MANY)),
      ask('DELETE', `/api/cart-items/${(await ask('GET', '/api/cart-items')).body[0].productId}`),
    ]);
    expect([replaced.status, removed.status]).toEqual([204, 204]);
    const { body } = await sendControl('GET', '/w1/state');
    expect([body.orders.length, body.cartItems.length]).toEqual([MANY, 1]);
  });

  it('succeeds for eight clients at once', async () => {
    const shop = await startStorefront({ durability: 'memory' });
    const text = createOrdersText(2_000);
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, n) => createControlClient(shop)('PUT', `/w${n}/state`, text)),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(204));
  });
});

describe('GET /_control/sandboxes/ID/state of a large state', () => {
  it('returns the same JSON as a small state, also as a snapshot', async () => {
    const shop = await startStorefront({ durability: 'memory' });
    const sendControl = createControlClient(shop);
    await sendControl('PUT', '/w1/state', createOrdersText(MANY));
    const { body: orders } = await createSandboxClient(shop, 'w1')('GET', '/api/orders');
    await sendControl('PUT', '/w1/snapshots/large');
    for (const path of ['/w1/state', '/w1/snapshots/large']) {
      const response = await fetch(`${shop.url}/_control/sandboxes${path}`);
      const text = await response.text();
      expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
      const state = JSON.parse(text);
      expect(text === JSON.stringify(state)).toBe(true);
      expect(state).toEqual({ ...defaults, orders });
    }
  });
});

describe('a body of another operation of the control API', () => {
  it('is rejected above 100 kB', async () => {
    const shop = await startStorefront({ durability: 'memory' });
    const reply = await createControlClient(shop)('PUT', '/w1/faults', `[${' '.repeat(110_000)}]`);
    expectProblem(reply, 413, 'body-too-large');
  });
});
