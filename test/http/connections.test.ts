import { describe, expect, it, vi } from 'vitest';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { connectRaw, parseRawResponses, type RawResponse, sendRaw } from '../support/harness/raw-client.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const HOST = 'Host: localhost\r\n';
const ITEM = JSON.stringify({ productId: getProductId('Cordless Electric Kettle'), quantity: 1 });
const POST = `POST /api/cart-items HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;
const POSTED = `${POST}Content-Length: ${ITEM.length}\r\n\r\n${ITEM}`;
const LAST = `GET /api/payment-summary HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;

function statuses(replies: readonly RawResponse[]): readonly number[] {
  return replies.map(({ status }) => status);
}

async function expectOpen(shop: TestShop): Promise<void> {
  expect((await shop.ask('GET', '/api/cart-items')).status).toBe(200);
}

describe('an HTTP connection', () => {
  it('serves several requests one after the other', async () => {
    const { port } = await startStorefront();
    const connection = connectRaw(port);
    connection.write(POSTED);
    await connection.until('"deliveryOptionId"');
    connection.write(LAST);
    expect(statuses(parseRawResponses(await connection.end()))).toEqual([201, 200]);
  });

  it('sends the responses to pipelined requests in order', async () => {
    const { port } = await startStorefront();
    const get = (path: string) => `GET ${path} HTTP/1.1\r\n${HOST}\r\n`;
    const bytes = [POSTED, get('/api/cart-items'), get('/api/nothing'), POSTED, get('/api/cart-items'), LAST].join('');
    const replies = await sendRaw(port, bytes);
    expect(statuses(replies)).toEqual([201, 200, 404, 201, 200, 200]);
    expect([replies[0]?.body.quantity, replies[3]?.body.quantity]).toEqual([1, 2]);
  });

  it('sends the response to a request before the error for the invalid data after it', async () => {
    const { port } = await startStorefront();
    const replies = await sendRaw(port, `POST /api/orders HTTP/1.1\r\n${HOST}\r\nGARBAGE\r\n\r\n`);
    expect(statuses(replies).slice(0, 1)).toEqual([201]);
  });

  it('is closed after the response to an HTTP/1.0 request', async () => {
    const { port } = await startStorefront();
    expect(await sendRaw(port, `GET /api/cart-items HTTP/1.0\r\n${HOST}\r\n`)).toMatchObject([
      { status: 200, body: defaults.cartItems },
    ]);
  });

  it('accepts request targets in absolute form', async () => {
    const { port } = await startStorefront();
    const bytes = `GET http://localhost/api/cart-items?expand=a&expand=b HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
    expect((await sendRaw(port, bytes))[0]?.body).toMatchObject({ status: 400, instance: '/api/cart-items' });
    expect((await sendRaw(port, bytes.replace('expand=a&expand=b', '')))[0]?.body).toEqual(defaults.cartItems);
  });

  it('gets 100 Continue if the request expects it', async () => {
    const { port } = await startStorefront();
    const connection = connectRaw(port);
    connection.write(`${POST}Expect: 100-continue\r\nConnection: close\r\nContent-Length: ${ITEM.length}\r\n\r\n`);
    await connection.until('HTTP/1.1 100 Continue\r\n\r\n');
    connection.write(ITEM);
    expect(statuses(parseRawResponses(await connection.end()))).toEqual([100, 201]);
  });
});

describe('a client that disconnects', () => {
  it('before its request is complete changes nothing', async () => {
    const shop = await startStorefront();
    for (const bytes of [
      `GET /api/products HTTP/1.1\r\n${HOST}X-`,
      `${POST}Content-Length: 99\r\n\r\n{"productId"`,
      `${POST}Transfer-Encoding: chunked\r\n\r\n20\r\n{"productId"`,
      `${POST}Transfer-Encoding: chunked\r\n\r\n${ITEM.length.toString(16)}\r\n${ITEM}\r\n`,
    ]) {
      for (const leave of ['end', 'destroy'] as const) {
        const connection = connectRaw(shop.port);
        connection.socket.write(bytes, () => connection.socket[leave]());
        for (const reply of parseRawResponses(await connection.end()))
          expectProblem(reply, 400, 'malformed-request', bytes);
      }
    }
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
  });

  it('while its response is generated does not affect the server', async () => {
    let finish: (answer: { body: [] }) => void = () => {};
    let begun: () => void = () => {};
    const isBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const listOrders = () => {
      begun();
      return new Promise<{ body: [] }>((resolve) => {
        finish = resolve;
      });
    };
    const shop = await startStorefront({ handlers: { listOrders } });
    const connection = connectRaw(shop.port);
    connection.write(`GET /api/orders HTTP/1.1\r\n${HOST}\r\n`);
    await isBegun;
    connection.socket.destroy();
    await vi.waitFor(() => expect(shop.log.at(-1)).toMatchObject({ notes: ['the client closed the connection'] }), {
      timeout: 60_000,
    });
    expect(shop.log.at(-1)).not.toHaveProperty('status');
    finish({ body: [] });
    await expectOpen(shop);
  });
});
