import { describe, expect, it } from 'vitest';
import { defaults } from '../support/fixtures/default-data.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { connectRaw, parseRawResponses, type RawResponse, sendRaw } from '../support/harness/raw-client.ts';
import { listSandboxIds } from '../support/harness/sandboxes.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const [IN_CART] = defaults.cartItems.map(({ productId }) => productId) as [string];
const JSON_TYPE = 'Content-Type: application/json';

/** Requests that change something without a body. */
const CHANGES: readonly [string, ...string[]][] = [
  ['POST /api/orders'],
  ['POST /api/orders', 'Origin: http://localhost'],
  ['POST /api/orders', 'X-Sandbox: default'],
  ['DELETE /api/cart-items/ID'.replace('ID', IN_CART)],
  ['DELETE /api/cart-items/ID'.replace('ID', IN_CART), 'X-Sandbox: default'],
  ['POST /api/reset'],
  ['POST /api/reset', 'X-Sandbox: default'],
  ['POST /api/reset', 'X-Sandbox: w1'],
  ['PUT /api/cart-items/ID'.replace('ID', IN_CART), JSON_TYPE],
  ['POST /_control/sandboxes/default/reset', JSON_TYPE],
  ['PUT /_control/sandboxes/w1', JSON_TYPE],
  ['POST /_control/sandboxes/w1/reset', JSON_TYPE],
  ['DELETE /_control/sandboxes/default/requests'],
];

/** Chunked bodies with invalid chunks or trailers. */
const INVALID = ['ZZ\r\n', '3\r\nabc\r\nZZ\r\n', '3\r\nabc\r\n0\r\nbad trailer\r\n\r\n', '0\r\nbad trailer\r\n\r\n'];

function head(start: string, ...headers: readonly string[]): string {
  return `${start} HTTP/1.1\r\n${['Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
}

/** Starts a shop whose state differs from the default data, and returns its visible state. */
async function startChanged() {
  const shop = await startStorefront();
  await shop.ask('PUT', `/api/cart-items/${IN_CART}`, { quantity: 7 });
  return { shop, before: await readVisibleState(shop) };
}

/** Returns the visible state of a shop and the first request in its journal. */
async function readVisibleState(shop: TestShop) {
  const journal = (await shop.ask('GET', '/_control/sandboxes/default/requests')).body as { request: object }[];
  const [cart, orders] = [await shop.ask('GET', '/api/cart-items'), await shop.ask('GET', '/api/orders')];
  return { cart: cart.body, orders: orders.body, sandboxes: await listSandboxIds(shop), first: journal[0]?.request };
}

describe('a request whose body is not HTTP', () => {
  it.each(CHANGES)('changes nothing: %s %s', async (start, ...headers) => {
    const { shop, before } = await startChanged();
    for (const tail of INVALID) {
      const replies = await sendRaw(shop.port, head(start, ...headers, 'Transfer-Encoding: chunked') + tail);
      expect(replies, tail).toHaveLength(1);
      expectProblem(replies[0] as RawResponse, 400, 'malformed-request', tail);
    }
    expect(await readVisibleState(shop)).toEqual(before);
  });

  it('changes nothing if a later part is invalid', async () => {
    const { shop, before } = await startChanged();
    for (const [start, ...headers] of CHANGES) {
      const connection = connectRaw(shop.port);
      connection.write(`${head(start, ...headers, 'Expect: 100-continue', 'Transfer-Encoding: chunked')}1\r\n \r\n`);
      await connection.until('100 Continue');
      connection.write('ZZ\r\n');
      const [, reply, ...more] = parseRawResponses(await connection.end());
      expectProblem(reply as RawResponse, 400, 'malformed-request', start);
      expect(more).toEqual([]);
    }
    expect(await readVisibleState(shop)).toEqual(before);
  });

  it('gets at most one response if it is a GET, and the next request on the connection is not handled', async () => {
    const shop = await startStorefront();
    const next = head('POST /api/reset');
    for (const path of ['/api/products', '/', '/images/products/nothing.jpg', '/_control/sandboxes', '/api/nothing']) {
      await shop.ask('GET', path);
      for (const tail of INVALID) {
        const bytes = head(`GET ${path}`, 'Origin: http://localhost', 'Transfer-Encoding: chunked') + tail + next;
        const replies = await sendRaw(shop.port, bytes);
        expect(replies.length, path).toBeLessThanOrEqual(1);
        for (const { status } of replies) expect(status, path).not.toBe(204);
      }
    }
  });
});

describe('a request whose client disconnects before its body is complete', () => {
  it.each(['end', 'destroy'] as const)('changes nothing: %s', async (leave) => {
    const { shop, before } = await startChanged();
    for (const [start, ...headers] of CHANGES) {
      for (const [framing, part] of [
        ['Content-Length: 5', ' '],
        ['Transfer-Encoding: chunked', '3\r\nabc\r\n'],
      ] as const) {
        const connection = connectRaw(shop.port);
        connection.socket.write(head(start, ...headers, framing) + part, () => connection.socket[leave]());
        for (const reply of parseRawResponses(await connection.end()))
          expectProblem(reply, 400, 'malformed-request', start);
      }
    }
    expect(await readVisibleState(shop)).toEqual(before);
  });
});

/** One byte more than the maximum size of a body that no handler reads. */
const TOO_MANY_BYTES = 10_000_001;

describe('a body that no handler reads', () => {
  it('is received before the next request on the connection is handled', async () => {
    const shop = await startStorefront();
    for (const start of ['GET /api/products', 'POST /api/reset', `DELETE /api/cart-items/${IN_CART}`]) {
      const connection = connectRaw(shop.port);
      connection.write(`${head(start, 'Expect: 100-continue', 'Content-Length: 5')}12`);
      await connection.until('100 Continue');
      connection.write(`345${head('GET /api/nothing', 'Connection: close')}`);
      const statuses = [...(await connection.end()).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
      expect(statuses, start).toEqual(['100', start.startsWith('GET') ? '200' : '204', '404']);
    }
  });

  it('is accepted up to 10 MB and rejected with 413 above', async () => {
    const { shop, before } = await startChanged();
    for (const start of ['POST /api/orders', 'POST /api/reset', 'GET /api/products', 'DELETE /_control/sandboxes/w1']) {
      const bytes = head(start, `Content-Length: ${TOO_MANY_BYTES}`, 'Connection: close');
      const [reply] = await sendRaw(shop.port, bytes + ' '.repeat(TOO_MANY_BYTES));
      expectProblem(reply as RawResponse, 413, 'body-too-large', start);
    }
    expect(await readVisibleState(shop)).toEqual(before);
  });
});
