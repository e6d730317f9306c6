import { describe, expect, it } from 'vitest';
import type { Options } from '../../src/index.ts';
import { runDredd } from '../../tools/dredd/dredd.ts';
import { defaults, projectFile } from '../support/fixtures/default-data.ts';
import { runCommand } from '../support/harness/commands.ts';
import {
  contractFile,
  documented,
  getFailures,
  runWith,
  startProxy,
  startShop,
  withBody,
  withChangedResponse,
  withHandler,
} from '../support/harness/dredd.ts';

describe('a defect that runDredd reports', () => {
  it.each<[string, Options, string, string]>([
    [
      'a value of another type',
      withChangedResponse(
        'getPaymentSummary',
        withBody((body: object) => ({ ...body, taxCents: '1080' })),
      ),
      'getPaymentSummary 200',
      "body: At '/taxCents' Invalid type: string (expected integer)",
    ],
    [
      'an undocumented property',
      withChangedResponse(
        'listOrders',
        withBody((body: object[]) => body.map((order) => ({ ...order, note: '' }))),
      ),
      'listOrders 200',
      'body: data/0 should NOT have additional properties, at /0/note',
    ],
    [
      'a missing property',
      withChangedResponse(
        'updateCartItem',
        withBody(({ deliveryOptionId, ...item }: Record<string, unknown>) => item),
      ),
      'updateCartItem 200',
      "body: At '/deliveryOptionId' Missing required property: deliveryOptionId",
    ],
    [
      'an id that is not a UUID',
      withChangedResponse(
        'addCartItem',
        withBody((body: object) => ({ ...body, productId: 'kettle' })),
      ),
      'addCartItem 201',
      'body: data/productId should match format "uuid"',
    ],
    [
      'a number out of its range',
      withChangedResponse(
        'listDeliveryOptions',
        withBody((body: object[]) => body.map((one) => ({ ...one, priceCents: -1 }))),
      ),
      'listDeliveryOptions 200',
      'body: data/0/priceCents should be >= 0',
    ],
    [
      'an undocumented status',
      withChangedResponse('removeCartItem', () => ({ status: 200, body: {} })),
      'removeCartItem 204',
      'Status 200 instead of 204',
    ],
    [
      'a missing error response',
      withHandler('getOrder', () => ({ body: defaults.orders[0] })),
      'getOrder 404',
      'Status 200 instead of 404',
    ],
    [
      'a Location that does not exist',
      withChangedResponse('createOrder', (answer) => ({ ...answer, headers: { Location: '/api/order/1' } })),
      'createOrder 201',
      'Location /api/order/1 leads to status 404',
    ],
    [
      'a Location of another resource',
      withChangedResponse('createOrder', (answer) => ({ ...answer, headers: { Location: '/api/orders' } })),
      'createOrder 201',
      'Location /api/orders leads to a resource with a different body',
    ],
    [
      'a missing Location',
      withChangedResponse('createOrder', ({ body }) => ({ body })),
      'createOrder 201',
      "headers: At '/location' Missing required property: location",
    ],
  ])('%s', async (_what, options, name, message) => {
    const verdict = await runWith(options);
    expect(getFailures(verdict)).toContainEqual([name, expect.stringContaining(message)]);
    expect(verdict.errors).toEqual([]);
  });

  it('is an undocumented content type', async () => {
    const url = await startProxy(await startShop(), (headers) => {
      if (headers['content-type'] === 'application/problem+json') headers['content-type'] = 'application/json';
    });
    const failed = getFailures(await runDredd({ url, contractFile })).map(([name]) => name);
    expect(failed).toContain('getOrder 404');
    expect(failed).not.toContain('getOrder 200');
  });

  it('is an Allow header with other methods than the path has', async () => {
    const url = await startProxy(await startShop(), (headers) => {
      if (headers.allow) headers.allow = 'GET, PUT, OPTIONS';
    });
    const failures = getFailures(await runDredd({ url, contractFile }));
    expect(failures).toContainEqual([
      '/api/orders 405',
      'Allow is "GET, PUT, OPTIONS", but the path supports GET, POST',
    ]);
  });

  it('has the commands to reproduce it and the response', async () => {
    const verdict = await runWith(withChangedResponse('removeCartItem', () => ({ status: 200, body: { id: 1 } })));
    const failed = verdict.transactions.find(({ isPassed }) => !isPassed);
    expect(failed?.response).toBe('200 application/json\n{"id":1}');
    const shown = await runCommand('sh', ['-c', failed?.curl ?? ''], { cwd: projectFile('.') });
    expect(shown.output).toContain('{"id":1}');
  });

  it('is a failed reset, which is reported for every transaction', async () => {
    const failures = getFailures(await runWith(withHandler('resetData', () => ({ status: 500, body: {} }))));
    expect(failures).toHaveLength(documented.length);
    expect(failures[0]?.[1]).toBe('The preceding request POST /api/reset received status 500: {}');
  });
});
