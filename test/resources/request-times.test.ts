import { expect, it } from 'vitest';
import { createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';
import { NOW_MS } from '../support/harness/start-storefront.ts';

const NOW = new Date(NOW_MS).toISOString();
const TEXT = { type: 'string' };
const TIME = { type: 'string', format: 'date-time' };
const NEW = { 'status!': { type: 'string', enum: ['open', 'cancelled'] } };
const Order = createObject({ 'id!': TEXT, ...NEW });
const Cancelled = createObject({ 'id!': TEXT, 'status!': TEXT, 'cancelledAt!': TIME });
const Receipt = createObject({ 'message!': TEXT, 'refundedAt!': TIME, 'printedAt!': TIME });

it('A response has the current time as the time of what the request does, although entries lack it', async () => {
  const paths = {
    ...createResourcePaths('/orders/{orderId}', refer('Order'), createObject(NEW)),
    '/orders/{orderId}/cancel': { post: { response: Cancelled } },
    '/orders/{orderId}/refund': { post: { response: Receipt } },
  };
  const { ask } = await startApi({ paths, schemas: { Order } });
  const { body: order } = await ask('POST', '/orders', { status: 'open' });
  const { body: cancelled, headers } = await ask('POST', `/orders/${order.id}/cancel`);
  expect(cancelled).toEqual({ id: order.id, status: 'cancelled', cancelledAt: NOW });
  expect(headers.get('X-Mocked')).toBeNull();
  const { body: receipt } = await ask('POST', `/orders/${order.id}/refund`);
  expect(receipt.refundedAt).toBe(NOW);
  expect(receipt.printedAt).not.toBe(receipt.refundedAt);
});

it('A value that only the response of an action has, and that is generated, is explained', async () => {
  const Response = createObject({
    'id!': TEXT,
    'status!': TEXT,
    'cancelledAt!': TIME,
    'fee!': TEXT,
    'ok!': { type: 'boolean' },
  });
  const paths = {
    ...createResourcePaths('/orders/{orderId}', refer('Order'), createObject(NEW)),
    '/orders/{orderId}/cancel': { post: { response: Response } },
  };
  const explained = await explainApi({ paths, schemas: { Order } });
  expect(explained['POST /orders/{orderId}/cancel']).toBe(
    'real: cancels an order: status → "cancelled" (generates: fee, ok)',
  );
});
