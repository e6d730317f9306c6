import { describe, expect, it } from 'vitest';
import { KETTLE } from '../support/fixtures/cart-item.ts';
import { defaults, defaultText } from '../support/fixtures/default-data.ts';
import { BUILT_IN, countEntries, NEW_SANDBOX, startWithControl } from '../support/harness/control.ts';
import { readDataFile } from '../support/harness/edited-file.ts';
import { expectProblem, getPointers } from '../support/harness/problems.ts';
import { createSandboxClient, listSandboxIds } from '../support/harness/sandboxes.ts';

const ITEM = { productId: KETTLE, quantity: 3, deliveryOptionId: '2' };

describe('a sandbox that does not exist', () => {
  it('causes a 404 response of each operation that reads or deletes, and is not created', async () => {
    const { shop, sendControl } = await startWithControl();
    const reads = ['', '/state', '/clock', '/ids', '/snapshots', '/snapshots/empty-cart'].map((rest) => ['GET', rest]);
    const deletions = ['', '/clock', '/ids', '/snapshots/empty-cart'].map((rest) => ['DELETE', rest]);
    for (const [method = '', rest = ''] of [...reads, ...deletions]) {
      const reply = await sendControl(method, `/w1${rest}`);
      expectProblem(reply, 404, 'unknown-sandbox', `${method} ${rest}`);
      expect(reply.body.detail).toContain('PUT /_control/sandboxes/w1');
    }
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });

  it('is created by each operation that changes it', async () => {
    const { shop, sendControl } = await startWithControl();
    const changes: readonly [string, string, object?][] = [
      ['PUT', ''],
      ['POST', '/reset'],
      ['PUT', '/state', { cartItems: [] }],
      ['PUT', '/clock', { frozen: true }],
      ['POST', '/clock/advance', { ms: 1 }],
      ['PUT', '/ids', { seed: 1 }],
      ['PUT', '/snapshots/a'],
      ['POST', '/snapshots/empty-cart/restore'],
    ];
    for (const [index, [method, rest, body]] of changes.entries())
      expect((await sendControl(method, `/w${index}${rest}`, body)).status, `${method} ${rest}`).toBeLessThan(300);
    expect(await listSandboxIds(shop)).toEqual(['default', ...changes.map((_, index) => `w${index}`)]);
  });

  it('is created only by PUT /_control/sandboxes/ID if sandboxes are declared', async () => {
    const { shop, sendControl } = await startWithControl({ sandboxes: 'declared' });
    for (const [method, rest, body] of [
      ['POST', '/reset', undefined],
      ['PUT', '/state', { cartItems: [] }],
      ['PUT', '/ids', { seed: 1 }],
    ] as const)
      expectProblem(await sendControl(method, `/w1${rest}`, body), 404, 'unknown-sandbox', rest);
    expect(await listSandboxIds(shop)).toEqual(['default']);
    expect((await sendControl('PUT', '/w1')).status).toBe(200);
    expect((await sendControl('PUT', '/w1/state', { cartItems: [] })).status).toBe(204);
  });

  it('is not created by a rejected change', async () => {
    const { shop, sendControl } = await startWithControl();
    await sendControl('PUT', '/w1/state', { cartItems: [{}] });
    await sendControl('POST', '/w2/snapshots/none/restore');
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });
});

describe('the sandboxes of the control API', () => {
  it('can be created, listed, read, recreated and removed', async () => {
    const { shop, sendControl } = await startWithControl();
    expect((await sendControl('PUT', '/w1', {})).body).toEqual({ id: 'w1', ...NEW_SANDBOX });
    expect((await sendControl('GET', '')).body).toEqual(['default', 'w1'].map((id) => ({ id, ...NEW_SANDBOX })));
    await createSandboxClient(shop, 'w1')('POST', '/api/orders');
    await sendControl('PUT', '/w1/snapshots/a');
    await sendControl('PUT', '/w1/ids', { seed: 5 });
    expect((await sendControl('GET', '/w1')).body).toMatchObject({
      counts: { cartItems: 0, orders: 3 },
      ids: { seed: 5 },
      snapshots: ['a'],
    });
    expect((await sendControl('PUT', '/w1')).body).toEqual({ id: 'w1', ...NEW_SANDBOX });
    const gone = await sendControl('DELETE', '/w1');
    expect([gone.status, gone.text]).toEqual([204, '']);
    expectProblem(await sendControl('GET', '/w1'), 404, 'unknown-sandbox');
    expectProblem(await sendControl('DELETE', '/w1'), 404, 'unknown-sandbox');
  });

  it('can be created from a built-in snapshot or one of the default sandbox', async () => {
    const { shop, sendControl } = await startWithControl();
    expect((await sendControl('PUT', '/w1', { from: 'full-cart' })).body).toMatchObject({
      counts: { cartItems: 40, orders: 2 },
    });
    expect((await createSandboxClient(shop, 'w1')('GET', '/api/cart-items')).body).toHaveLength(40);
    await shop.ask('POST', '/api/orders');
    await sendControl('PUT', '/default/snapshots/mine');
    expect((await sendControl('PUT', '/w2', { from: 'mine' })).body).toMatchObject({
      counts: { cartItems: 0, orders: 3 },
    });
    await sendControl('PUT', '/w2/snapshots/yours');
    expectProblem(await sendControl('PUT', '/w3', { from: 'yours' }), 404, 'unknown-snapshot');
    expect(await listSandboxIds(shop)).toEqual(['default', 'w1', 'w2']);
  });

  it('stay unchanged if they are to be recreated from an unknown snapshot', async () => {
    const { shop, sendControl } = await startWithControl();
    await createSandboxClient(shop, 'w1')('POST', '/api/orders');
    const reply = await sendControl('PUT', '/w1', { from: 'fullcart' });
    expectProblem(reply, 404, 'unknown-snapshot');
    for (const name of BUILT_IN) expect(reply.body.detail).toContain(name);
    expect((await sendControl('GET', '/w1')).body.counts.orders).toBe(3);
  });

  it('include the default sandbox, whose clock follows the time of the machine again when it is recreated', async () => {
    const { sendControl } = await startWithControl();
    await sendControl('PUT', '/default/clock', { now: '2030-01-01T00:00:00.000Z', frozen: true });
    const { clock } = (await sendControl('PUT', '/default')).body;
    expect(clock).toEqual(NEW_SANDBOX.clock);
    expect((await sendControl('GET', '/default/clock')).body).toEqual(clock);
  });

  it('include the default sandbox, which cannot be removed, and keeps its snapshots when it is recreated', async () => {
    const { shop, sendControl } = await startWithControl();
    expectProblem(await sendControl('DELETE', '/default'), 409, 'default-sandbox');
    await shop.ask('POST', '/api/orders');
    await sendControl('PUT', '/default/snapshots/a');
    await sendControl('PUT', '/default/ids', { seed: 1 });
    expect((await sendControl('PUT', '/default')).body).toEqual({
      id: 'default',
      ...NEW_SANDBOX,
      revision: 2,
      snapshots: ['a'],
    });
    expect((await shop.ask('GET', '/api/orders')).body).toEqual(defaults.orders);
  });

  it('are listed in the error message for an unknown sandbox id', async () => {
    const { sendControl } = await startWithControl();
    await sendControl('PUT', '/basket-tests');
    expect((await sendControl('GET', '/basket-test')).body.detail).toContain('basket-tests');
  });
});

describe('the state of a sandbox', () => {
  it('can be read, and replaced in whole or in part', async () => {
    const { shop, sendControl } = await startWithControl();
    await sendControl('PUT', '/w1');
    expect((await sendControl('GET', '/w1/state')).body).toEqual(defaults);
    const reply = await sendControl('PUT', '/w1/state', { cartItems: [ITEM] });
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect((await sendControl('GET', '/w1/state')).body).toEqual({ ...defaults, cartItems: [ITEM] });
    expect((await createSandboxClient(shop, 'w1')('GET', '/api/cart-items')).body).toEqual([{ id: 1, ...ITEM }]);
    const whole = { ...defaults, products: defaults.products.slice(0, 3), cartItems: [], orders: [] };
    await sendControl('PUT', '/w1/state', whole);
    expect((await createSandboxClient(shop, 'w1')('GET', '/api/products')).body).toEqual(whole.products);
    expect((await shop.ask('GET', '/api/products')).body).toEqual(defaults.products);
  });

  it('is saved to the data file for the default sandbox, and applies to the next response', async () => {
    const { shop, sendControl } = await startWithControl();
    for (const quantity of [3, 4]) {
      expect((await shop.ask('GET', '/api/cart-items')).status).toBe(200);
      const cartItems = [{ ...ITEM, quantity }];
      await sendControl('PUT', '/default/state', { cartItems });
      expect(JSON.parse(await readDataFile(shop))).toEqual({ ...defaults, cartItems });
      expect((await shop.ask('GET', '/api/cart-items')).body).toEqual([{ id: 1, ...ITEM, quantity }]);
    }
    await shop.close();
    const { sendControl: after } = await startWithControl({ data: shop.dataFile });
    expect(await countEntries(after, 'default')).toEqual([1, 2, 40]);
  });

  it('is not changed by an invalid state, which is rejected with a remedy for each violation', async () => {
    const { shop, sendControl } = await startWithControl();
    const [product] = defaults.products;
    const [order] = defaults.orders;
    const cases: readonly [object, string][] = [
      [{ cartItems: [{ ...ITEM, productId: '00000000-0000-4000-8000-000000000000' }] }, '/cartItems/0/productId'],
      [{ cartItems: [{ ...ITEM, deliveryOptionId: '9' }] }, '/cartItems/0/deliveryOptionId'],
      [{ cartItems: [ITEM, ITEM] }, '/cartItems/1/productId'],
      [{ cartItems: [{ ...ITEM, quantity: 0 }] }, '/cartItems/0/quantity'],
      [{ cartItems: [{ ...ITEM, colour: 'red' }] }, '/cartItems/0/colour'],
      [{ cartItems: [{ ...ITEM, product }] }, '/cartItems/0/product'],
      [{ orders: [order, order] }, '/orders/1/id'],
      [{ products: [] }, '/cartItems/0/productId'],
      [{ products: [{ ...product, priceCents: -1 }] }, '/products/0/priceCents'],
    ];
    for (const id of ['w1', 'default']) {
      await sendControl('PUT', `/${id}`);
      for (const [change, pointer] of cases) {
        const reply = await sendControl('PUT', `/${id}/state`, change);
        expectProblem(reply, 409, 'invalid-state', pointer);
        expect(getPointers(reply), pointer).toContain(pointer);
        expect(reply.body.violations[0].remedy, pointer).toMatch(/\S/);
      }
      expect((await sendControl('GET', `/${id}/state`)).body).toEqual(defaults);
    }
    expect(await readDataFile(shop)).toBe(defaultText);
  });

  it('can be larger than the limit for request bodies of the shop', async () => {
    const { sendControl } = await startWithControl();
    const keywords = Array.from({ length: 20_000 }, (_, n) => `keyword ${n}`);
    const products = defaults.products.map((product, index) => (index === 0 ? { ...product, keywords } : product));
    expect((await sendControl('PUT', '/w1/state', { products })).status).toBe(204);
    expect((await sendControl('GET', '/w1/state')).body.products[0].keywords).toHaveLength(20_000);
  });

  it('is the default data after a reset', async () => {
    const { shop, sendControl } = await startWithControl();
    for (const id of ['w1', 'default']) {
      await sendControl('PUT', `/${id}/state`, { cartItems: [], orders: [] });
      const reply = await sendControl('POST', `/${id}/reset`);
      expect([reply.status, reply.text]).toEqual([204, '']);
      expect((await sendControl('GET', `/${id}/state`)).body).toEqual(defaults);
    }
    expect(await readDataFile(shop)).toBe(defaultText);
  });
});
