import { describe, expect, it } from 'vitest';
import { startWithControl } from '../support/harness/control.ts';
import { replaceInContract, startWithContractFile, waitForLog } from '../support/harness/live-contract.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { useSharedShop } from '../support/harness/shared-shop.ts';

const { newSandbox } = useSharedShop();

const PRODUCTS = '/operations/listProducts';

/** Returns whether a response comes from the mock. */
const isMocked = ({ headers }: { readonly headers: Headers }) => headers.get('x-mocked') === 'operation';

describe('GET /_control/sandboxes/ID/operations', () => {
  it('lists the operations in the order of the contract', async () => {
    const { sendControl } = newSandbox();
    await sendControl('PUT', '');
    const { body } = await sendControl('GET', '/operations');
    expect(body).toHaveLength(11);
    expect(body[0]).toMatchObject({
      operationId: 'listProducts',
      method: 'GET',
      path: '/api/products',
      summary: 'List or search products',
      mocked: false,
      hasHandler: true,
      hasBody: false,
    });
    expect(body[0].statuses).toContain('200');
    expect(body[0].examples).toContain('byName');
  });

  it('says why an operation is always mocked', async () => {
    const { sendControl } = await startWithControl({ mock: ['listProducts'] });
    const [operation] = (await sendControl('GET', '/default/operations')).body;
    expect(operation).toMatchObject({ mocked: true, hasHandler: false, explanation: 'by the option mock' });
    const reply = await sendControl('PUT', `/default${PRODUCTS}`, { mocked: false });
    expectProblem(reply, 409, 'no-handler');
    expect(reply.body.detail).toContain('by the option mock');
  });
});

describe('PUT /_control/sandboxes/ID/operations/OPERATION', () => {
  it('mocks an operation in one sandbox until the handler is used again', async () => {
    const [one, other] = [newSandbox(), newSandbox()];
    expect((await one.sendControl('PUT', PRODUCTS, { mocked: true })).body).toMatchObject({ mocked: true });
    expect(isMocked(await one.ask('GET', '/api/products'))).toBe(true);
    expect(isMocked(await one.ask('GET', '/api/orders'))).toBe(false);
    expect(isMocked(await other.ask('GET', '/api/products'))).toBe(false);
    expect((await one.sendControl('PUT', PRODUCTS, { mocked: false })).body).toMatchObject({ mocked: false });
    expect(isMocked(await one.ask('GET', '/api/products'))).toBe(false);
  });

  it('lets a mocked operation change nothing', async () => {
    const { sendControl, ask } = newSandbox();
    await sendControl('PUT', '/operations/createOrder', { mocked: true });
    const order = await ask('POST', '/api/orders');
    expect([order.status, isMocked(order)]).toEqual([201, true]);
    expect((await sendControl('GET', '')).body).toMatchObject({ revision: 0, counts: { orders: 2, cartItems: 2 } });
  });

  it('applies to responses that are already cached', async () => {
    const { shop, sendControl } = await startWithControl();
    const responses = [await shop.ask('GET', '/api/products'), await shop.ask('GET', '/api/products')];
    await sendControl('PUT', `/default${PRODUCTS}`, { mocked: true });
    responses.push(await shop.ask('GET', '/api/products'), await shop.ask('GET', '/api/products'));
    await sendControl('PUT', `/default${PRODUCTS}`, { mocked: false });
    responses.push(await shop.ask('GET', '/api/products'));
    expect(responses.map(isMocked)).toEqual([false, false, true, true, false]);
    expect(responses[4]?.text).toBe(responses[0]?.text);
  });

  it('is undone by PUT /_control/sandboxes/ID, but not by a reset', async () => {
    const { shop, sendControl } = await startWithControl();
    for (const [id, path] of [
      ['default', '/api/products'],
      ['w1', '/_sandbox/w1/api/products'],
    ] as const) {
      await sendControl('PUT', `/${id}${PRODUCTS}`, { mocked: true });
      await sendControl('POST', `/${id}/reset`);
      expect(isMocked(await shop.ask('GET', path)), id).toBe(true);
      await sendControl('PUT', `/${id}`);
      expect(isMocked(await shop.ask('GET', path)), id).toBe(false);
    }
  });

  it('still applies after a reload of the contract', async () => {
    const { shop, save } = await startWithContractFile();
    const sendControl = createControlClient(shop);
    await sendControl('PUT', `/default${PRODUCTS}`, { mocked: true });
    await save(replaceInContract('List or search products', 'List the products'));
    await waitForLog(shop, 'was reloaded');
    expect((await sendControl('GET', '/default/operations')).body[0]).toMatchObject({
      summary: 'List the products',
      mocked: true,
    });
    expect(isMocked(await shop.ask('GET', '/api/products'))).toBe(true);
  });

  it('rejects an unknown operation, and creates no sandbox', async () => {
    const { sendControl } = newSandbox();
    const reply = await sendControl('PUT', '/operations/createOder', { mocked: true });
    expectProblem(reply, 404, 'unknown-operation');
    expect(reply.body.detail).toContain('createOrder');
    expect((await sendControl('GET', '')).status).toBe(404);
  });
});
