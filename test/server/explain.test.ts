import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/cli/options.ts';
import { explain } from '../../src/server/explain.ts';
import { startApplication } from '../../src/server/storefront.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { createWebhookDocument } from '../support/fixtures/webhook-document.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { createShelves, createShelvesContract } from '../support/reference-applications/shelves.ts';

const read = (...args: readonly string[]) =>
  readCommandLine({ args, environment: {}, isTerminal: false, version: '1' });

describe('storefront explain', () => {
  it.each([
    [['explain', 'a.yaml'], { contract: 'a.yaml' }],
    [['explain'], {}],
    [['--contract', 'a.yaml', 'explain', '--json'], { contract: 'a.yaml' }],
    [['explain', 'a.yaml', '--mock', 'b,c', '--handlers', 'h.mjs'], { mock: ['b', 'c'], handlers: 'h.mjs' }],
  ])('parses %j', (args, options) => {
    expect(read(...args)).toMatchObject({ kind: 'explain', options });
  });

  it('lists the operations of the shop in a table, with the reasons why some are mocked', async () => {
    const folder = await folderWith({ 'handlers.mjs': 'export const listOrders = () => ({ body: [] })' });
    const { text: table } = await explain({ mock: ['listProducts'], handlers: join(folder, 'handlers.mjs') });
    const lines = table.trimEnd().split('\n');
    expect(lines.slice(0, 2)).toEqual([
      'GET     /api/products                listProducts         mocked: by the option mock',
      'GET     /api/delivery-options        listDeliveryOptions  real: built-in handler',
    ]);
    expect(lines).toContain('GET     /api/orders                  listOrders           your handler');
    expect(lines.slice(-2)).toEqual(['', '11 operations: 9 real, 1 your handler, 1 mocked.']);
  });

  it('lists the documented headers that the mock leaves out, because only the server sets them', async () => {
    const headers = { Date: { schema: {} }, 'Access-Control-Allow-Origin': { schema: {} }, ETag: { schema: {} } };
    const get = (operationId: string) => ({ operationId, responses: { 200: { description: 'd', headers } } });
    const contract = await writeDocument({ paths: { '/a': { get: get('getA') }, '/b': { get: get('getB') } } });
    expect((await explain({ contract })).text.trimEnd().split('\n').at(-1)).toBe(
      'The server sets these headers itself, and leaves out the documented values: Date (getA, getB); Access-Control-Allow-Origin (getA, getB).',
    );
  });

  it('returns the operations as data', async () => {
    const [first] = (await explain({})).operations;
    expect(first).toEqual({
      method: 'GET',
      path: '/api/products',
      operationId: 'listProducts',
      mocked: false,
      explanation: 'built-in handler',
    });
  });

  it('returns the webhooks and callbacks as data', async () => {
    const webhooks = { 'task.created': { payload: '#/components/schemas/Task' } };
    const folder = await folderWith({ 'openapi.json': JSON.stringify(createWebhookDocument(webhooks)) });
    expect((await explain({ contract: join(folder, 'openapi.json') })).webhooks).toEqual([
      { name: 'task.created', kind: 'webhook', method: 'POST', explanation: 'sent when an entry of tasks is created' },
      expect.objectContaining({ name: 'onDone', kind: 'callback', operation: 'createTask' }),
    ]);
  });

  it('says the same as the control API', async () => {
    const { ask } = await startStorefront({ mock: ['listOrders'] });
    const { body } = await ask('GET', '/_control/sandboxes/default/operations');
    expect(body).toHaveLength(11);
    expect(body).toContainEqual(
      expect.objectContaining({ operationId: 'listOrders', mocked: true, explanation: 'by the option mock' }),
    );
    expect(body).toContainEqual(
      expect.objectContaining({ operationId: 'listProducts', mocked: false, explanation: 'built-in handler' }),
    );
  });

  it('refuses a contract that does not exist', async () => {
    await expect(explain({ contract: 'none.yaml' })).rejects.toThrow('none.yaml does not exist');
  });
});

describe('The log of the start', () => {
  const startShelves = async (count: number, options: Parameters<typeof startStorefront>[0] = {}) => {
    const names = Array.from({ length: count }, (_, index) => [`list${index}`, {}]);
    const folder = await folderWith({ 'contract.json': createShelvesContract(Object.fromEntries(names)) });
    const contract = join(folder, 'contract.json');
    const start = (all: Parameters<typeof startApplication>[1]) => startApplication(createShelves(contract), all);
    const { log } = await startStorefront({ start, ...options });
    return { lines: log.slice(2), contract };
  };

  it('lists the operations of an application that explains them', async () => {
    const { lines } = await startShelves(1, { mock: ['add-list0'] });
    expect(lines).toMatchObject([
      {
        level: 30,
        msg: '2 operations: 1 real, 1 mocked.',
        notes: ['GET   /list0  list-list0  real: lists list0', 'POST  /list0  add-list0   mocked: by the option mock'],
      },
    ]);
  });

  it('has the command that lists them if there are more than 30', async () => {
    const { lines, contract } = await startShelves(16);
    expect(lines.map(({ msg }) => msg)).toEqual([
      `32 operations: 32 real, 0 mocked. List them with: npx storefront explain ${contract}`,
    ]);
  });

  it('has no table if all operations are mocked by an option, or if the application explains nothing', async () => {
    expect((await startShelves(1, { mock: true })).lines).toEqual([]);
    expect((await startStorefront()).log).toHaveLength(2);
  });
});
