import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import { defaults, defaultText, getProductId } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { expectProblem } from '../support/harness/problems.ts';
import {
  controlContract,
  createControlClient,
  createSandboxClient,
  listSandboxIds,
  SANDBOXES_PATH,
} from '../support/harness/sandboxes.ts';
import { NOW_MS, startStorefront, type TestResponse, type TestShop } from '../support/harness/start-storefront.ts';

const [IN_CART] = defaults.cartItems.map((item) => item.productId) as [string];
const KETTLE = getProductId('Cordless Electric Kettle');
const ITEM = { productId: KETTLE, quantity: 3, deliveryOptionId: '2' };
const BUILT_IN = ['empty-cart', 'full-cart', 'many-orders', 'no-products', 'one-product'];
const NOW = new Date(NOW_MS).toISOString();

/** A new sandbox as the control API returns it. */
const NEW = {
  counts: { products: 40, deliveryOptions: 3, cartItems: 2, orders: 2 },
  clock: { now: NOW, nowMs: NOW_MS, frozen: false },
  ids: { seed: null },
  faults: 0,
  requests: 0,
  snapshots: [],
  idleMs: expect.any(Number),
};

async function startWithControl(options: Parameters<typeof startStorefront>[0] = {}) {
  const shop = await startStorefront(options);
  return { shop, steer: createControlClient(shop) };
}

/** Returns the numbers of cart items, orders and products in a sandbox. */
async function countEntries(steer: TestShop['ask'], id: string): Promise<readonly number[]> {
  const { body } = await steer('GET', `/${id}/state`);
  return [body.cartItems.length, body.orders.length, body.products.length];
}

/** Returns the JSON Pointers of the violations in a response. */
function getPointers({ body }: TestResponse): readonly string[] {
  return body.violations.map(({ pointer }: { pointer: string }) => pointer);
}

describe('GET /_control/openapi.yaml', () => {
  it('returns the contract of the control API with the collections of the application, otherwise unchanged', async () => {
    const { shop } = await startWithControl();
    const { status, headers, text } = await shop.ask('GET', '/_control/openapi.yaml');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/yaml']);
    const { Counts, State, StateChange, ...schemas } = Object(load(text)).components.schemas;
    for (const schema of [Counts, State, StateChange]) {
      expect(Object.keys(schema.properties)).toEqual(['products', 'deliveryOptions', 'cartItems', 'orders']);
      expect(schema.additionalProperties).toBe(false);
    }
    expect(StateChange.properties.deliveryOptions.minItems).toBe(1);
    const file = structuredClone(Object(controlContract.document));
    expect({ ...file.components.schemas, ...schemas }).toEqual(file.components.schemas);
    const { components: _, ...served } = Object(load(text));
    const { components: __, ...others } = file;
    expect(served).toEqual(others);
  });

  it('does not affect GET /openapi.yaml, which has no path of the control API', async () => {
    const { shop } = await startWithControl();
    expect((await shop.ask('GET', '/openapi.yaml')).text).not.toContain('/_control/sandboxes');
  });
});

describe('a path of the control API with an invalid percent escape', () => {
  it.each(['/%zz', '/w1/snapshots/%E0%A4%A'])('is rejected with 400: %s', async (rest) => {
    const { shop } = await startWithControl();
    expectProblem(await shop.ask('GET', SANDBOXES_PATH + rest), 400, 'invalid-request', rest);
  });
});

describe('an unknown path of the control API', () => {
  it('is answered with 404 and lists all paths', async () => {
    const { shop } = await startWithControl();
    const paths = [...controlContract.routes.map(({ path }) => path), '/_control/openapi.yaml'];
    for (const path of [
      '/_control/',
      '/_control/sandbox',
      `${SANDBOXES_PATH}/w1/stat`,
      `${SANDBOXES_PATH}/w1/snapshots/a/b`,
    ]) {
      for (const method of ['GET', 'PUT']) {
        const reply = await shop.ask(method, path);
        expectProblem(reply, 404, 'unknown-path', path);
        for (const known of paths) expect(reply.body.detail, path).toContain(known);
      }
    }
  });

  it('is answered with a list of all paths if it is /_control itself', async () => {
    const { shop } = await startWithControl();
    expect((await shop.ask('GET', '/_control')).body.detail).toContain(SANDBOXES_PATH);
  });
});

describe('a path of the control API', () => {
  it('rejects each method that it does not support with 405 and lists its methods in Allow', async () => {
    const { shop } = await startWithControl();
    const cases: readonly [string, string, string][] = [
      ['POST', '', 'GET'],
      ['PATCH', '/w1', 'GET, PUT, DELETE'],
      ['GET', '/w1/reset', 'POST'],
      ['DELETE', '/w1/state', 'GET, PUT'],
      ['POST', '/w1/clock', 'GET, PUT, DELETE'],
      ['PUT', '/w1/clock/advance', 'POST'],
      ['POST', '/w1/ids', 'GET, PUT, DELETE'],
      ['PUT', '/w1/snapshots', 'GET'],
      ['POST', '/w1/snapshots/a', 'GET, PUT, DELETE'],
      ['PUT', '/w1/snapshots/a/restore', 'POST'],
    ];
    for (const [method, below, allow] of cases) {
      const reply = await shop.ask(method, SANDBOXES_PATH + below);
      expectProblem(reply, 405, 'method-not-allowed', below);
      const allowed = reply.headers.get('allow')?.split(', ').sort();
      expect(allowed, below).toEqual(allow.split(', ').sort());
      expect((await shop.ask('OPTIONS', SANDBOXES_PATH + below)).headers.get('allow'), below).toBe(
        reply.headers.get('allow'),
      );
    }
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });
});

describe('an invalid sandbox id or snapshot name', () => {
  it('is rejected with 400 and a JSON Pointer to the parameter', async () => {
    const { shop, steer } = await startWithControl();
    for (const below of ['/W1', '/-a', '/w_1/state', '/w1%2Fx/clock', `/${'w'.repeat(64)}`]) {
      const reply = await steer('GET', below);
      expectProblem(reply, 400, 'invalid-request', below);
      expect(reply.body.violations, below).toMatchObject([{ in: 'path', pointer: '/id' }]);
    }
    for (const name of ['A', '.a', 'a b', '%2e%2e%2fdb', 'a'.repeat(64)]) {
      const reply = await steer('PUT', `/w1/snapshots/${encodeURI(name)}`);
      expectProblem(reply, 400, 'invalid-request', name);
      expect(reply.body.violations, name).toMatchObject([{ in: 'path', pointer: '/name' }]);
    }
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });
});

describe('a sandbox that does not exist', () => {
  it('is answered with 404 by each operation that reads or deletes, and is not created', async () => {
    const { shop, steer } = await startWithControl();
    const reads = ['', '/state', '/clock', '/ids', '/snapshots', '/snapshots/empty-cart'].map((rest) => ['GET', rest]);
    const deletions = ['', '/clock', '/ids', '/snapshots/empty-cart'].map((rest) => ['DELETE', rest]);
    for (const [method = '', rest = ''] of [...reads, ...deletions]) {
      const reply = await steer(method, `/w1${rest}`);
      expectProblem(reply, 404, 'unknown-sandbox', `${method} ${rest}`);
      expect(reply.body.detail).toContain('PUT /_control/sandboxes/w1');
    }
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });

  it('is created by each operation that changes it', async () => {
    const { shop, steer } = await startWithControl();
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
      expect((await steer(method, `/w${index}${rest}`, body)).status, `${method} ${rest}`).toBeLessThan(300);
    expect(await listSandboxIds(shop)).toEqual(['default', ...changes.map((_, index) => `w${index}`)]);
  });

  it('is created only by PUT /_control/sandboxes/ID if sandboxes are declared', async () => {
    const { shop, steer } = await startWithControl({ sandboxes: 'declared' });
    for (const [method, rest, body] of [
      ['POST', '/reset', undefined],
      ['PUT', '/state', { cartItems: [] }],
      ['PUT', '/ids', { seed: 1 }],
    ] as const)
      expectProblem(await steer(method, `/w1${rest}`, body), 404, 'unknown-sandbox', rest);
    expect(await listSandboxIds(shop)).toEqual(['default']);
    expect((await steer('PUT', '/w1')).status).toBe(200);
    expect((await steer('PUT', '/w1/state', { cartItems: [] })).status).toBe(204);
  });

  it('is not created by a rejected change', async () => {
    const { shop, steer } = await startWithControl();
    await steer('PUT', '/w1/state', { cartItems: [{}] });
    await steer('POST', '/w2/snapshots/none/restore');
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });
});

describe('the sandboxes of the control API', () => {
  it('can be created, listed, read, recreated and removed', async () => {
    const { shop, steer } = await startWithControl();
    expect((await steer('PUT', '/w1', {})).body).toEqual({ id: 'w1', ...NEW });
    expect((await steer('GET', '')).body).toEqual(['default', 'w1'].map((id) => ({ id, ...NEW })));
    await createSandboxClient(shop, 'w1')('POST', '/api/orders');
    await steer('PUT', '/w1/snapshots/a');
    await steer('PUT', '/w1/ids', { seed: 5 });
    expect((await steer('GET', '/w1')).body).toMatchObject({
      counts: { cartItems: 0, orders: 3 },
      ids: { seed: 5 },
      snapshots: ['a'],
    });
    expect((await steer('PUT', '/w1')).body).toEqual({ id: 'w1', ...NEW });
    const gone = await steer('DELETE', '/w1');
    expect([gone.status, gone.text]).toEqual([204, '']);
    expectProblem(await steer('GET', '/w1'), 404, 'unknown-sandbox');
    expectProblem(await steer('DELETE', '/w1'), 404, 'unknown-sandbox');
  });

  it('can be created from a built-in snapshot or one of the default sandbox', async () => {
    const { shop, steer } = await startWithControl();
    expect((await steer('PUT', '/w1', { from: 'full-cart' })).body).toMatchObject({
      counts: { cartItems: 40, orders: 2 },
    });
    expect((await createSandboxClient(shop, 'w1')('GET', '/api/cart-items')).body).toHaveLength(40);
    await shop.ask('POST', '/api/orders');
    await steer('PUT', '/default/snapshots/mine');
    expect((await steer('PUT', '/w2', { from: 'mine' })).body).toMatchObject({ counts: { cartItems: 0, orders: 3 } });
    await steer('PUT', '/w2/snapshots/yours');
    expectProblem(await steer('PUT', '/w3', { from: 'yours' }), 404, 'unknown-snapshot');
    expect(await listSandboxIds(shop)).toEqual(['default', 'w1', 'w2']);
  });

  it('stay unchanged if they are to be recreated from an unknown snapshot', async () => {
    const { shop, steer } = await startWithControl();
    await createSandboxClient(shop, 'w1')('POST', '/api/orders');
    const reply = await steer('PUT', '/w1', { from: 'fullcart' });
    expectProblem(reply, 404, 'unknown-snapshot');
    for (const name of BUILT_IN) expect(reply.body.detail).toContain(name);
    expect((await steer('GET', '/w1')).body.counts.orders).toBe(3);
  });

  it('include the default sandbox, which cannot be removed, and keeps its snapshots when it is recreated', async () => {
    const { shop, steer } = await startWithControl();
    expectProblem(await steer('DELETE', '/default'), 409, 'default-sandbox');
    await shop.ask('POST', '/api/orders');
    await steer('PUT', '/default/snapshots/a');
    await steer('PUT', '/default/ids', { seed: 1 });
    expect((await steer('PUT', '/default')).body).toEqual({ id: 'default', ...NEW, snapshots: ['a'] });
    expect((await shop.ask('GET', '/api/orders')).body).toEqual(defaults.orders);
  });

  it('are listed in the error message for an unknown sandbox id', async () => {
    const { steer } = await startWithControl();
    await steer('PUT', '/basket-tests');
    expect((await steer('GET', '/basket-test')).body.detail).toContain('basket-tests');
  });
});

describe('a request that breaks the contract of the control API', () => {
  const bodies: readonly [string, string, unknown, string, string][] = [
    ['PUT', '/w1', { form: 'full-cart' }, '/form', 'did you mean "from"?'],
    ['PUT', '/w1', { from: '' }, '/from', ''],
    ['PUT', '/w1', { from: 7 }, '/from', ''],
    ['PUT', '/w1', [], '', ''],
    ['PUT', '/w1/state', undefined, '', ''],
    ['PUT', '/w1/state', {}, '', ''],
    ['PUT', '/w1/state', { cartItem: [] }, '/cartItem', 'did you mean "cartItems"?'],
    ['PUT', '/w1/state', { orders: {} }, '/orders', ''],
    ['PUT', '/w1/state', { orders: [1] }, '/orders/0', ''],
    ['PUT', '/w1/clock', undefined, '', ''],
    ['PUT', '/w1/clock', { frosen: true }, '/frosen', 'did you mean "frozen"?'],
    ['PUT', '/w1/clock', { now: 'tomorrow' }, '/now', ''],
    ['PUT', '/w1/clock', { now: '2025-06-01T12:00:00' }, '/now', ''],
    ['PUT', '/w1/clock', { now: -1 }, '/now', ''],
    ['PUT', '/w1/clock', { now: 1.5 }, '/now', ''],
    ['PUT', '/w1/clock', { now: null }, '/now', ''],
    ['PUT', '/w1/clock', { frozen: 'yes' }, '/frozen', ''],
    ['POST', '/w1/clock/advance', {}, '/ms', ''],
    ['POST', '/w1/clock/advance', { ms: '1' }, '/ms', ''],
    ['POST', '/w1/clock/advance', { ms: 0.5 }, '/ms', ''],
    ['POST', '/w1/clock/advance', { ms: 1, days: 1 }, '/days', ''],
    ['PUT', '/w1/ids', { seed: -1 }, '/seed', ''],
    ['PUT', '/w1/ids', { seed: 4_294_967_296 }, '/seed', ''],
    ['PUT', '/w1/ids', { sead: 1, seed: 1 }, '/sead', 'did you mean "seed"?'],
  ];

  it('is rejected with 400 and a remedy for each violation in the body, and creates no sandbox', async () => {
    const { shop, steer } = await startWithControl();
    for (const [method, below, body, pointer, message] of bodies) {
      const label = `${method} ${below} ${JSON.stringify(body)}`;
      const reply = await steer(method, below, body);
      expectProblem(reply, 400, 'invalid-request', label);
      expect(getPointers(reply), label).toContain(pointer);
      expect(reply.body.detail, label).toContain(message);
      expect(reply.body.violations[0].remedy, label).toMatch(/\S/);
    }
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });

  it('is rejected with 400 for an unknown query parameter', async () => {
    const { steer } = await startWithControl();
    const reply = await steer('GET', '?limit=1');
    expectProblem(reply, 400, 'invalid-request');
    expect(reply.body.violations).toMatchObject([{ in: 'query', pointer: '/limit' }]);
  });

  it('is rejected with 400 if its body is not valid JSON', async () => {
    const { steer } = await startWithControl();
    expectProblem(await steer('PUT', '/w1/state', '{"cartItems":'), 400, 'malformed-json');
  });
});

describe('the state of a sandbox', () => {
  it('can be read, and replaced in whole or in part', async () => {
    const { shop, steer } = await startWithControl();
    await steer('PUT', '/w1');
    expect((await steer('GET', '/w1/state')).body).toEqual(defaults);
    const reply = await steer('PUT', '/w1/state', { cartItems: [ITEM] });
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect((await steer('GET', '/w1/state')).body).toEqual({ ...defaults, cartItems: [ITEM] });
    expect((await createSandboxClient(shop, 'w1')('GET', '/api/cart-items')).body).toEqual([ITEM]);
    const whole = { ...defaults, products: defaults.products.slice(0, 3), cartItems: [], orders: [] };
    await steer('PUT', '/w1/state', whole);
    expect((await createSandboxClient(shop, 'w1')('GET', '/api/products')).body).toEqual(whole.products);
    expect((await shop.ask('GET', '/api/products')).body).toEqual(defaults.products);
  });

  it('is saved to the data file for the default sandbox, and applies to the next response', async () => {
    const { shop, steer } = await startWithControl();
    for (const quantity of [3, 4]) {
      expect((await shop.ask('GET', '/api/cart-items')).status).toBe(200);
      const cartItems = [{ ...ITEM, quantity }];
      await steer('PUT', '/default/state', { cartItems });
      expect(JSON.parse(await readFile(shop.dataFile ?? '', 'utf8'))).toEqual({ ...defaults, cartItems });
      expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(cartItems);
    }
    await shop.close();
    const { steer: after } = await startWithControl({ data: shop.dataFile });
    expect(await countEntries(after, 'default')).toEqual([1, 2, 40]);
  });

  it('is not changed by an invalid state, which is rejected with a remedy for each violation', async () => {
    const { shop, steer } = await startWithControl();
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
      await steer('PUT', `/${id}`);
      for (const [change, pointer] of cases) {
        const reply = await steer('PUT', `/${id}/state`, change);
        expectProblem(reply, 409, 'invalid-state', pointer);
        expect(getPointers(reply), pointer).toContain(pointer);
        expect(reply.body.violations[0].remedy, pointer).toMatch(/\S/);
      }
      expect((await steer('GET', `/${id}/state`)).body).toEqual(defaults);
    }
    expect(await readFile(shop.dataFile ?? '', 'utf8')).toBe(defaultText);
  });

  it('can be larger than the limit for request bodies of the shop', async () => {
    const { steer } = await startWithControl();
    const keywords = Array.from({ length: 20_000 }, (_, n) => `keyword ${n}`);
    const products = defaults.products.map((product, index) => (index === 0 ? { ...product, keywords } : product));
    expect((await steer('PUT', '/w1/state', { products })).status).toBe(204);
    expect((await steer('GET', '/w1/state')).body.products[0].keywords).toHaveLength(20_000);
  });

  it('is the default data after a reset', async () => {
    const { shop, steer } = await startWithControl();
    for (const id of ['w1', 'default']) {
      await steer('PUT', `/${id}/state`, { cartItems: [], orders: [] });
      const reply = await steer('POST', `/${id}/reset`);
      expect([reply.status, reply.text]).toEqual([204, '']);
      expect((await steer('GET', `/${id}/state`)).body).toEqual(defaults);
    }
    expect(await readFile(shop.dataFile ?? '', 'utf8')).toBe(defaultText);
  });
});

describe('a snapshot', () => {
  it('can be saved, listed, read, restored and deleted', async () => {
    const { shop, steer } = await startWithControl();
    const ask = createSandboxClient(shop, 'w1');
    await ask('POST', '/api/orders');
    const summary = { name: 'a.b_c-1', builtIn: false, counts: { ...NEW.counts, cartItems: 0, orders: 3 } };
    expect((await steer('PUT', '/w1/snapshots/a.b_c-1')).body).toEqual(summary);
    const saved = (await steer('GET', '/w1/state')).body;
    await ask('POST', '/api/reset');
    await ask('PUT', `/api/cart-items/${IN_CART}`, { quantity: 9 });
    expect((await steer('GET', '/w1/snapshots')).body).toContainEqual(summary);
    expect((await steer('GET', '/w1/snapshots/a.b_c-1')).body).toEqual(saved);
    for (const _ of [1, 2]) {
      expect((await steer('POST', '/w1/snapshots/a.b_c-1/restore')).status).toBe(204);
      expect((await steer('GET', '/w1/state')).body).toEqual(saved);
      await ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
    }
    const deleted = await steer('DELETE', '/w1/snapshots/a.b_c-1');
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/restore'],
    ] as const)
      expectProblem(await steer(method, `/w1/snapshots/a.b_c-1${rest}`), 404, 'unknown-snapshot', method);
    expect(await countEntries(steer, 'w1')).toEqual([1, 3, 40]);
  });

  it('replaces the snapshot of the same name in the same sandbox only', async () => {
    const { steer } = await startWithControl();
    await steer('PUT', '/w1/snapshots/a');
    await steer('PUT', '/w1/state', { cartItems: [] });
    await steer('PUT', '/w1/snapshots/a');
    expect((await steer('GET', '/w1')).body.snapshots).toEqual(['a']);
    expect((await steer('GET', '/w1/snapshots/a')).body.cartItems).toEqual([]);
    await steer('PUT', '/w2');
    expectProblem(await steer('GET', '/w2/snapshots/a'), 404, 'unknown-snapshot');
  });

  it('is saved to the data file when it is restored into the default sandbox', async () => {
    const { shop, steer } = await startWithControl();
    await steer('PUT', '/default/snapshots/start');
    await shop.ask('POST', '/api/orders');
    await steer('POST', '/default/snapshots/start/restore');
    expect(JSON.parse(await readFile(shop.dataFile ?? '', 'utf8'))).toEqual(defaults);
    await steer('POST', '/default/snapshots/empty-cart/restore');
    expect(JSON.parse(await readFile(shop.dataFile ?? '', 'utf8'))).toEqual({ ...defaults, cartItems: [] });
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual([]);
  });

  it('can replace another one when the limit of 100 snapshots per sandbox is reached', async () => {
    const { steer } = await startWithControl();
    for (let n = 0; n < 100; n++) await steer('PUT', `/w1/snapshots/s${n}`);
    expectProblem(await steer('PUT', '/w1/snapshots/more'), 409, 'limit-reached');
    expect((await steer('PUT', '/w1/snapshots/s7')).status).toBe(200);
    await steer('DELETE', '/w1/snapshots/s7');
    expect((await steer('PUT', '/w1/snapshots/more')).status).toBe(200);
  });

  it('has the content that its name says and is valid in every sandbox if it is built-in', async () => {
    const { shop, steer } = await startWithControl();
    await steer('PUT', '/w1');
    const listed = (await steer('GET', '/w1/snapshots')).body;
    expect(listed.map(({ name }: { name: string }) => name)).toEqual(BUILT_IN);
    const expected: Readonly<Record<string, readonly number[]>> = {
      'empty-cart': [0, 2, 40],
      'full-cart': [40, 2, 40],
      'many-orders': [2, 200, 40],
      'one-product': [0, 0, 1],
      'no-products': [0, 0, 0],
    };
    for (const name of BUILT_IN) {
      await steer('POST', `/w1/snapshots/${name}/restore`);
      const state = (await steer('GET', '/w1/state')).body;
      expect(await countEntries(steer, 'w1'), name).toEqual(expected[name]);
      expect((await steer('PUT', '/w1/state', state)).status, name).toBe(204);
      expect((await createSandboxClient(shop, 'w1')('GET', '/api/orders?expand=products')).status, name).toBe(200);
      expect((await createSandboxClient(shop, 'w1')('GET', '/api/payment-summary')).status, name).toBe(200);
    }
  });

  it('hides the built-in snapshot of the same name until it is deleted', async () => {
    const { steer } = await startWithControl();
    await steer('PUT', '/w1/snapshots/empty-cart');
    expect((await steer('GET', '/w1/snapshots/empty-cart')).body).toEqual(defaults);
    const named = (await steer('GET', '/w1/snapshots')).body.filter(
      ({ name }: { name: string }) => name === 'empty-cart',
    );
    expect(named).toMatchObject([{ builtIn: false }]);
    await steer('DELETE', '/w1/snapshots/empty-cart');
    expect((await steer('GET', '/w1/snapshots/empty-cart')).body.cartItems).toEqual([]);
    expectProblem(await steer('DELETE', '/w1/snapshots/empty-cart'), 409, 'built-in-snapshot');
  });

  it('is listed in the error message for an unknown snapshot name', async () => {
    const { steer } = await startWithControl();
    await steer('PUT', '/w1/snapshots/paid');
    expect((await steer('POST', '/w1/snapshots/payed/restore')).body.detail).toContain('paid');
  });
});

describe('a snapshot folder', () => {
  const PARTIAL = { cartItems: [ITEM] };
  const WHOLE = { ...defaults, products: defaults.products.slice(0, 2), cartItems: [], orders: [] };

  it('adds built-in snapshots: whole states, and changes to the default data', async () => {
    const snapshots = await folderWith({
      'kettles.json': JSON.stringify(PARTIAL),
      'two-products.json': `\uFEFF${JSON.stringify(WHOLE)}`,
      'empty-cart.json': JSON.stringify({ cartItems: [], orders: [] }),
      'notes.txt': 'not a snapshot',
    });
    const { steer } = await startWithControl({ snapshots });
    await steer('PUT', '/w1');
    const names = (await steer('GET', '/w1/snapshots')).body.map(({ name }: { name: string }) => name);
    expect(names).toEqual([...BUILT_IN, 'kettles', 'two-products'].sort());
    expect((await steer('GET', '/w1/snapshots/kettles')).body).toEqual({ ...defaults, ...PARTIAL });
    await steer('POST', '/w1/snapshots/two-products/restore');
    expect((await steer('GET', '/w1/state')).body).toEqual(WHOLE);
    expect((await steer('PUT', '/w2', { from: 'empty-cart' })).body).toMatchObject({
      counts: { cartItems: 0, orders: 0 },
    });
  });

  it.each([
    ['invalid JSON', '{"cartItems":', /broken\.json:1 /],
    ['a list instead of an object', '[]', /broken\.json .*not an object/],
    ['an unknown property', '{"cart":[]}', /broken\.json .*\/cart is not one of/],
    ['a reference to a missing product', JSON.stringify({ products: [] }), /broken\.json .*\/cartItems\/0\/productId/],
    ['no text', '', /broken\.json is empty/],
  ])('fails the start with a message if a file contains %s, and leaves no lock behind', async (_, text, message) => {
    const folder = await folderWith({ 'snapshots/broken.json': text, 'snapshots/good.json': '{"cartItems":[]}' });
    const data = join(folder, 'db.json');
    const starting = createStorefront({ data, snapshots: join(folder, 'snapshots') });
    await expect(starting).rejects.toThrow(message);
    await expect(starting).rejects.toMatchObject({ name: 'DataFileError' });
    expect((await startStorefront({ data })).dataFile).toBe(data);
  });

  it('fails the start with a message that names the option if it does not exist', async () => {
    const folder = await folderWith({});
    const starting = createStorefront({ snapshots: join(folder, 'none') });
    await expect(starting).rejects.toThrow(/folder of snapshots .*none .*--snapshots/);
  });

  it('has a partial snapshot that is not restored if the default data no longer fits it', async () => {
    const folder = await folderWith({ 'default.json': defaultText, 's/kettles.json': JSON.stringify(PARTIAL) });
    const defaultData = join(folder, 'default.json');
    const { steer } = await startWithControl({ snapshots: join(folder, 's'), defaultData, faultsExpected: true });
    const products = defaults.products.filter(({ id }) => id !== KETTLE);
    await writeFile(defaultData, JSON.stringify({ ...defaults, products }));
    await steer('PUT', '/w1');
    await steer('POST', '/default/snapshots/kettles/restore');
    const { body } = await steer('GET', '/default/state');
    expect((await steer('PUT', '/default/state', body)).status).toBe(204);
  });
});
