// Tests the streams of a server with an EventSource in a browser: mocked events, and the live changes of a list.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { findPort, startServer } from '../console/server.js';

const ORDER = {
  type: 'object',
  required: ['id', 'status'],
  properties: { id: { type: 'integer', readOnly: true }, status: { type: 'string' } },
};
const order = { $ref: '#/components/schemas/Order' };
const json = (schema) => ({ content: { 'application/json': { schema } } });
const respond = (media) => ({ description: 'd', content: media });

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1' },
  paths: {
    '/api/orders': {
      get: { responses: { 200: { description: 'd', ...json({ type: 'array', items: order }) } } },
      post: {
        requestBody: { required: true, ...json(order) },
        responses: { 201: { description: 'd', ...json(order) } },
      },
    },
    '/api/orders/{orderId}': {
      parameters: [{ name: 'orderId', in: 'path', required: true, schema: { type: 'integer' } }],
      get: { responses: { 200: { description: 'd', ...json(order) } } },
      patch: {
        requestBody: { required: true, ...json({ type: 'object' }) },
        responses: { 200: { description: 'd', ...json(order) } },
      },
    },
    '/api/orders/events': {
      get: { operationId: 'watchOrders', responses: { 200: respond({ 'text/event-stream': { schema: order } }) } },
    },
    '/api/prices': {
      get: {
        operationId: 'watchPrices',
        responses: { 200: respond({ 'text/event-stream': { example: [{ price: 1 }, { price: 2 }, { price: 3 }] } }) },
      },
    },
  },
  components: { schemas: { Order: ORDER } },
};

const PAGE = `<!doctype html><html lang="en"><title>Orders</title><ul id="orders"></ul><ul id="prices"></ul><script>
const list = (id, path, toText) => {
  new EventSource(path).onmessage = ({ data }) => {
    const item = document.createElement('li');
    item.textContent = toText(JSON.parse(data));
    document.getElementById(id).append(item);
  };
};
list('orders', '/api/orders/events', ({ id, status }) => id + ' ' + status);
list('prices', '/api/prices?__pace=100ms&__open', ({ price }) => String(price));
</script></html>`;

test('an EventSource receives mocked events and the live changes of a list, also after the stream was cut', async ({
  page,
  request,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'storefront-streams-'));
  writeFileSync(join(folder, 'index.html'), PAGE);
  writeFileSync(join(folder, 'orders.json'), JSON.stringify(DOCUMENT));
  const port = await findPort();
  const { url, stop } = await startServer(port, '--contract', join(folder, 'orders.json'), '--static', folder);
  try {
    const faults = `${url}/_control/sandboxes/default/faults`;
    const fault = { operation: 'watchOrders', times: 1, stream: { effect: 'cut', afterItems: 1 } };
    expect((await request.post(faults, { data: fault })).ok()).toBe(true);
    await page.goto(url);
    await expect(page.locator('#prices li')).toHaveText(['1', '2', '3']);
    // The first event is followed by a cut of the connection, and the browser connects again after about 3 s.
    const opened = () => request.get(`${url}/_control/sandboxes/default/requests?operation=watchOrders`);
    await expect.poll(async () => (await (await opened()).json()).length).toBe(1);
    for (const status of ['new', 'paid']) await request.post(`${url}/api/orders`, { data: { status } });
    await request.patch(`${url}/api/orders/1`, { data: { status: 'shipped' } });
    await expect(page.locator('#orders li')).toHaveText(['1 new', '2 paid', '1 shipped']);
    await request.post(`${url}/api/orders`, { data: { status: 'late' } });
    await expect(page.locator('#orders li')).toHaveText(['1 new', '2 paid', '1 shipped', '3 late']);
  } finally {
    await stop();
  }
});
