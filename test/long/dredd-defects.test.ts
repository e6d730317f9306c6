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

interface DreddDefect {
  readonly what: string;
  readonly options: Options;
  /** The name of the failed transaction. */
  readonly name: string;
  readonly message: string;
}

const DEFECTS: readonly DreddDefect[] = [
  {
    what: 'a value of another type',
    options: withChangedResponse(
      'getPaymentSummary',
      withBody((body: object) => ({ ...body, taxCents: '1080' })),
    ),
    name: 'getPaymentSummary 200',
    message: "body: At '/taxCents' Invalid type: string (expected integer)",
  },
  {
    what: 'an undocumented property',
    options: withChangedResponse(
      'listOrders',
      withBody((body: object[]) => body.map((order) => ({ ...order, note: '' }))),
    ),
    name: 'listOrders 200',
    message: 'body: data/0 should NOT have additional properties, at /0/note',
  },
  {
    what: 'a missing property',
    options: withChangedResponse(
      'updateCartItem',
      withBody(({ deliveryOptionId, ...item }: Record<string, unknown>) => item),
    ),
    name: 'updateCartItem 200',
    message: "body: At '/deliveryOptionId' Missing required property: deliveryOptionId",
  },
  {
    what: 'an id that is not a UUID',
    options: withChangedResponse(
      'addCartItem',
      withBody((body: object) => ({ ...body, productId: 'kettle' })),
    ),
    name: 'addCartItem 201',
    message: 'body: data/productId should match format "uuid"',
  },
  {
    what: 'a number out of its range',
    options: withChangedResponse(
      'listDeliveryOptions',
      withBody((body: object[]) => body.map((one) => ({ ...one, priceCents: -1 }))),
    ),
    name: 'listDeliveryOptions 200',
    message: 'body: data/0/priceCents should be >= 0',
  },
  {
    what: 'an undocumented status',
    options: withChangedResponse('removeCartItem', () => ({ status: 200, body: {} })),
    name: 'removeCartItem 204',
    message: 'Status 200 instead of 204',
  },
  {
    what: 'a missing error response',
    options: withHandler('getOrder', () => ({ body: defaults.orders[0] })),
    name: 'getOrder 404',
    message: 'Status 200 instead of 404',
  },
  {
    what: 'a Location that does not exist',
    options: withChangedResponse('createOrder', (answer) => ({ ...answer, headers: { Location: '/api/order/1' } })),
    name: 'createOrder 201',
    message: 'Location /api/order/1 leads to status 404',
  },
  {
    what: 'a Location of another resource',
    options: withChangedResponse('createOrder', (answer) => ({ ...answer, headers: { Location: '/api/orders' } })),
    name: 'createOrder 201',
    message: 'Location /api/orders leads to a resource with a different body',
  },
  {
    what: 'a missing Location',
    options: withChangedResponse('createOrder', ({ body }) => ({ body })),
    name: 'createOrder 201',
    message: "headers: At '/location' Missing required property: location",
  },
];

/** Groups the defects by the runs of dredd that find them: a run has at most one defect of each operation. */
function groupByRun(): readonly { readonly names: string; readonly defects: readonly DreddDefect[] }[] {
  const runs: DreddDefect[][] = [];
  for (const defect of DEFECTS) {
    const free = runs.find((run) => run.every(({ name }) => name !== defect.name));
    if (free) free.push(defect);
    else runs.push([defect]);
  }
  return runs.map((defects) => ({ names: defects.map(({ what }) => what).join(', '), defects }));
}

describe('a defect that runDredd reports', () => {
  it.each(groupByRun())('is $names', async ({ defects }) => {
    const handlers = Object.assign({}, ...defects.map(({ options }) => options.handlers));
    const verdict = await runWith({ handlers });
    for (const { name, message } of defects)
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
