import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createObject } from '../support/fixtures/api-document.ts';
import { getProductId } from '../support/fixtures/default-data.ts';
import { getCoverage, getPoint, getTotal } from '../support/harness/coverage.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startWithContractFile, waitForLog, withReviews } from '../support/harness/live-contract.ts';
import { startApi } from '../support/harness/start-api.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const BOXES = {
  type: 'array',
  items: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, name: { type: 'string' } } },
};
const KETTLE = getProductId('Cordless Electric Kettle');
const ITEM = { productId: KETTLE, quantity: 1 };
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** Calls 9 of the 11 operations of the shop. Their responses have 14 documented statuses. */
async function runSuite({ ask }: TestShop, sandbox: string): Promise<void> {
  const headers = { 'X-Sandbox': sandbox };
  const send = (method: string, path: string, body?: unknown) => ask(method, path, body, headers);
  await send('GET', '/api/products?search=socks');
  await send('GET', '/api/products?search=a&search=b');
  await send('GET', '/api/delivery-options');
  await send('GET', '/api/cart-items?expand=product');
  await send('POST', '/api/cart-items', ITEM);
  await send('POST', '/api/cart-items', { ...ITEM, quantity: 99 });
  await send('POST', '/api/cart-items', { ...ITEM, productId: UNKNOWN });
  await send('PUT', `/api/cart-items/${KETTLE}`, { quantity: 3 });
  await send('PUT', `/api/cart-items/${UNKNOWN}`, { quantity: 3 });
  await send('DELETE', `/api/cart-items/${KETTLE}`);
  await send('GET', '/api/payment-summary');
  await send('POST', '/api/orders');
  await send('POST', '/api/orders');
  await send('GET', '/api/orders');
}

describe('the coverage', () => {
  it('leaves out the requests of storefront check, also if the cache responds', async () => {
    const shop = await startStorefront();
    for (const agent of ['storefront-check', 'a browser', 'storefront-check'])
      await shop.ask('GET', '/api/products', undefined, { 'User-Agent': agent });
    const { operations } = await getCoverage(shop);
    expect(operations.find(({ operationId }) => operationId === 'listProducts')?.requests).toBe(1);
  });

  it('reports the operations and statuses that a suite has used', async () => {
    const shop = await startStorefront();
    await runSuite(shop, 'w1');
    const report = await getCoverage(shop);
    expect(getTotal(report, 'operation')).toEqual({ kind: 'operation', total: 11, touched: 9, onlyForced: 0 });
    expect(getTotal(report, 'status')).toMatchObject({ touched: 14, onlyForced: 0 });
    const untouched = report.operations.filter(({ requests }) => requests === 0);
    expect(untouched.map(({ operationId, file, line }) => [operationId, file, line > 1])).toEqual([
      ['getOrder', 'openapi.yaml', true],
      ['resetData', 'openapi.yaml', true],
    ]);
    expect(report.operations.find(({ operationId }) => operationId === 'addCartItem')).toMatchObject({
      requests: 3,
      refused: 1,
      forced: 0,
    });
    expect(getPoint(report, 'addCartItem', 'property', 'body /quantity').count).toBe(2);
    expect(getPoint(report, 'listProducts', 'example', 'response 200 byKeywords').count).toBe(1);
    expect(getPoint(report, 'listProducts', 'parameter', 'query search').count).toBe(1);
  });

  it('reports the same for a suite in several sandboxes at once, also after they are removed', async () => {
    const [one, several] = await Promise.all([startStorefront(), startStorefront()]);
    for (const sandbox of ['w1', 'w2', 'w3', 'w4']) await runSuite(one, sandbox);
    await Promise.all(['w1', 'w2', 'w3', 'w4'].map((sandbox) => runSuite(several, sandbox)));
    for (const id of ['w1', 'w2', 'w3', 'w4']) await several.ask('DELETE', `/_control/sandboxes/${id}`);
    expect(await getCoverage(several)).toEqual(await getCoverage(one));
    expect(getPoint(await getCoverage(several), 'createOrder', 'status', '201').count).toBe(4);
  });

  it('counts cached responses, and more requests than the journal keeps', async () => {
    const shop = await startStorefront();
    for (let round = 0; round < 2; round++) {
      for (let index = 0; index < 600; index++) await shop.ask('GET', '/api/products?search=socks');
      await shop.ask('POST', '/api/cart-items', ITEM);
    }
    const report = await getCoverage(shop);
    expect(getPoint(report, 'listProducts', 'status', '200').count).toBe(1_200);
    expect(getPoint(report, 'listProducts', 'parameter', 'query search').count).toBe(1_200);
    expect((await getCoverage(shop)).operations).toEqual(report.operations);
  });

  it('counts forced responses apart', async () => {
    const shop = await startStorefront();
    await shop.ask('GET', '/api/orders', undefined, { Prefer: 'code=500' });
    await shop.ask('POST', '/_control/sandboxes/default/faults', { operation: 'listProducts', status: 503, times: 1 });
    await shop.ask('GET', '/api/products');
    await shop.ask('GET', '/api/products');
    await shop.ask('PUT', '/_control/sandboxes/default/operations/getPaymentSummary', { mocked: true });
    await shop.ask('GET', '/api/payment-summary');
    await shop.ask('POST', '/_control/sandboxes/default/faults', { operation: 'listCartItems', connection: 'reset' });
    await shop.ask('GET', '/api/cart-items').catch(() => {});
    const report = await getCoverage(shop);
    expect(report.operations.map(({ operationId, requests, forced }) => [operationId, requests, forced])).toEqual(
      expect.arrayContaining([
        ['listOrders', 1, 1],
        ['listProducts', 2, 1],
        ['getPaymentSummary', 1, 1],
        ['listCartItems', 1, 1],
      ]),
    );
    expect(getPoint(report, 'listOrders', 'status', '5XX')).toMatchObject({ count: 1, forced: 1 });
    expect(getPoint(report, 'listProducts', 'status', '200')).toMatchObject({ count: 1, forced: 0 });
    expect(getTotal(report, 'operation')).toMatchObject({ touched: 4, onlyForced: 3 });
  });

  it('does not count control requests, and starts at 0 after a reset', async () => {
    const shop = await startStorefront();
    await shop.ask('GET', '/_control/sandboxes');
    expect(getTotal(await getCoverage(shop), 'status').touched).toBe(0);
    await shop.ask('GET', '/api/products');
    await shop.ask('GET', '/api/products');
    expect((await shop.ask('DELETE', '/_control/coverage')).status).toBe(204);
    expect(getTotal(await getCoverage(shop), 'operation').touched).toBe(0);
    await shop.ask('GET', '/api/products');
    expect(getPoint(await getCoverage(shop), 'listProducts', 'status', '200').count).toBe(1);
  });

  it('keeps the counts of the points that a reloaded contract still has', async () => {
    const { shop, save } = await startWithContractFile();
    for (let index = 0; index < 3; index++) await shop.ask('GET', '/api/products');
    await save(withReviews);
    await waitForLog(shop, 'was reloaded');
    await shop.ask('GET', '/api/products');
    await shop.ask('GET', '/api/reviews');
    const report = await getCoverage(shop);
    expect(getPoint(report, 'listProducts', 'status', '200').count).toBe(4);
    expect(getTotal(report, 'operation')).toMatchObject({ total: 12, touched: 2 });
  });

  it('has no points that no request can touch', async () => {
    const json = (content: object) => ({ 'application/json': content });
    const parameter = (name: string, schema: object, rest = {}) => ({ name, in: 'query', schema, ...rest });
    const filter = { style: 'deepObject', explode: true, examples: { red: { value: { color: 'red' } } } };
    const operation = {
      operationId: 'listBoxes',
      parameters: [
        parameter('filter', { type: 'object', properties: { color: { type: 'string' } } }, filter),
        parameter('size', { type: ['number', 'null'], enum: [10.0, 20, null] }),
      ],
      responses: {
        200: {
          description: 'The boxes',
          content: {
            ...json({ schema: { type: 'string', enum: ['full', null] }, example: 'full' }),
            'text/plain': { schema: { type: 'string' }, example: 'full' },
          },
        },
      },
    };
    const document = {
      openapi: '3.1.0',
      info: { title: 'Boxes', version: '1' },
      paths: { '/boxes': { get: operation }, '/boxes#old': { get: { ...operation, operationId: 'listOldBoxes' } } },
    };
    const folder = await folderWith({ 'api.json': JSON.stringify(document) });
    const shop = await startStorefront({ contract: join(folder, 'api.json') });
    await shop.ask('GET', '/boxes?size=10.0&filter[color]=red', undefined, { Accept: 'application/json' });
    await shop.ask('GET', '/boxes?size=20', undefined, { Accept: 'text/plain' });
    const { operations } = await getCoverage(shop);
    const [{ points = [] } = {}, ...others] = operations;
    expect(others).toEqual([]);
    expect(points.map(({ name, count }) => [name, count])).toEqual([
      ['query filter', 1],
      ['query size', 2],
      ['query size = 10', 1],
      ['query size = 20', 1],
      ['200', 2],
      ['response 200 application/json', 1],
      ['response 200', 1],
      ['response 200 = "full"', 1],
      ['response 200 text/plain', 1],
      ['response 200 text/plain', 1],
    ]);
  });

  it('counts a request whose body the server cannot read as refused', async () => {
    const document = {
      openapi: '3.1.0',
      info: { title: 'Boxes', version: '1' },
      paths: {
        '/boxes': {
          get: {
            operationId: 'listBoxes',
            responses: { 200: { description: 'The boxes', content: { 'application/json': { schema: BOXES } } } },
          },
          post: {
            operationId: 'addBox',
            requestBody: {
              content: { 'application/json': { schema: BOXES.items }, 'text/csv': { schema: { type: 'string' } } },
            },
            responses: { 201: { description: 'The box', content: { 'application/json': { schema: BOXES.items } } } },
          },
        },
      },
    };
    const folder = await folderWith({ 'api.json': JSON.stringify(document) });
    const { url } = await startStorefront({ contract: join(folder, 'api.json') });
    const init = { method: 'POST', headers: { 'content-type': 'text/csv' }, body: 'a' };
    expect((await fetch(`${url}/boxes`, init)).status).toBe(415);
    const report = await getCoverage({ url });
    expect(report.operations.at(-1)).toMatchObject({ operationId: 'addBox', requests: 1, refused: 1 });
    expect(getPoint(report, 'addBox', 'media-type', 'body text/csv').count).toBe(0);
  });

  it('counts properties at all levels, and values of enums in requests and responses', async () => {
    const color = { type: 'string', enum: ['red', 'green'] };
    const api = await startApi({
      paths: {
        '/boxes': {
          post: {
            operationId: 'packBox',
            request: createObject({
              'name!': { type: 'string' },
              parts: { type: 'array', items: createObject({ color, size: { type: 'integer' } }) },
              next: { $ref: '#/components/schemas/Node' },
            }),
            query: { colors: { type: 'array', items: color }, sort: { type: 'string', enum: ['asc', 'desc'] } },
            response: createObject({ 'state!': { type: 'string', enum: ['open'] } }),
          },
        },
      },
      schemas: {
        Node: { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' }, id: { type: 'string' } } },
      },
    });
    const body = { name: 'a', parts: [{ color: 'red' }, { color: 'red', size: 1 }], next: { next: { id: 'x' } } };
    await api.ask('POST', '/boxes?sort=desc&colors=green', body);
    const [operation] = (await getCoverage(api)).operations;
    const touched = operation?.points.filter(({ count }) => count > 0).map(({ kind, name }) => `${kind} ${name}`);
    expect(touched).toEqual([
      'parameter query colors',
      'value query colors = "green"',
      'parameter query sort',
      'value query sort = "desc"',
      'media-type body application/json',
      'property body /name',
      'property body /parts',
      'property body /parts/*/color',
      'value body /parts/*/color = "red"',
      'property body /parts/*/size',
      'property body /next',
      'property body /next/next',
      'status 200',
      'media-type response 200 application/json',
      'value response 200 /state = "open"',
    ]);
  });
});
