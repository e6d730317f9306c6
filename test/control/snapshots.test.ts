import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import { IN_CART, KETTLE } from '../support/fixtures/cart-item.ts';
import { defaults, defaultText } from '../support/fixtures/default-data.ts';
import { BUILT_IN, countEntries, NEW_SANDBOX, startWithControl } from '../support/harness/control.ts';
import { readDataFile } from '../support/harness/edited-file.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { createSandboxClient } from '../support/harness/sandboxes.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const ITEM = { productId: KETTLE, quantity: 3, deliveryOptionId: '2' };

describe('a snapshot', () => {
  it('can be saved, listed, read, restored and deleted', async () => {
    const { shop, sendControl } = await startWithControl();
    const ask = createSandboxClient(shop, 'w1');
    await ask('POST', '/api/orders');
    const summary = { name: 'a.b_c-1', builtIn: false, counts: { ...NEW_SANDBOX.counts, cartItems: 0, orders: 3 } };
    expect((await sendControl('PUT', '/w1/snapshots/a.b_c-1')).body).toEqual(summary);
    const saved = (await sendControl('GET', '/w1/state')).body;
    await ask('POST', '/api/reset');
    await ask('PUT', `/api/cart-items/${IN_CART}`, { quantity: 9 });
    expect((await sendControl('GET', '/w1/snapshots')).body).toContainEqual(summary);
    expect((await sendControl('GET', '/w1/snapshots/a.b_c-1')).body).toEqual(saved);
    for (const _ of [1, 2]) {
      expect((await sendControl('POST', '/w1/snapshots/a.b_c-1/restore')).status).toBe(204);
      expect((await sendControl('GET', '/w1/state')).body).toEqual(saved);
      await ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
    }
    const deleted = await sendControl('DELETE', '/w1/snapshots/a.b_c-1');
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/restore'],
    ] as const)
      expectProblem(await sendControl(method, `/w1/snapshots/a.b_c-1${rest}`), 404, 'unknown-snapshot', method);
    expect(await countEntries(sendControl, 'w1')).toEqual([1, 3, 40]);
  });

  it('replaces the snapshot of the same name in the same sandbox only', async () => {
    const { sendControl } = await startWithControl();
    await sendControl('PUT', '/w1/snapshots/a');
    await sendControl('PUT', '/w1/state', { cartItems: [] });
    await sendControl('PUT', '/w1/snapshots/a');
    expect((await sendControl('GET', '/w1')).body.snapshots).toEqual(['a']);
    expect((await sendControl('GET', '/w1/snapshots/a')).body.cartItems).toEqual([]);
    await sendControl('PUT', '/w2');
    expectProblem(await sendControl('GET', '/w2/snapshots/a'), 404, 'unknown-snapshot');
  });

  it('is saved to the data file when it is restored into the default sandbox', async () => {
    const { shop, sendControl } = await startWithControl();
    await sendControl('PUT', '/default/snapshots/start');
    await shop.ask('POST', '/api/orders');
    await sendControl('POST', '/default/snapshots/start/restore');
    expect(JSON.parse(await readDataFile(shop))).toMatchObject(defaults);
    await sendControl('POST', '/default/snapshots/empty-cart/restore');
    expect(JSON.parse(await readDataFile(shop))).toMatchObject({ ...defaults, cartItems: [] });
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual([]);
  });

  it('can replace another one when the limit of 100 snapshots per sandbox is reached', async () => {
    const { sendControl } = await startWithControl();
    for (let n = 0; n < 100; n++) await sendControl('PUT', `/w1/snapshots/s${n}`);
    expectProblem(await sendControl('PUT', '/w1/snapshots/more'), 409, 'limit-reached');
    expect((await sendControl('PUT', '/w1/snapshots/s7')).status).toBe(200);
    await sendControl('DELETE', '/w1/snapshots/s7');
    expect((await sendControl('PUT', '/w1/snapshots/more')).status).toBe(200);
  });

  it('has the content that its name says and is valid in every sandbox if it is built-in', async () => {
    const { shop, sendControl } = await startWithControl();
    await sendControl('PUT', '/w1');
    const listed = (await sendControl('GET', '/w1/snapshots')).body;
    expect(listed.map(({ name }: { name: string }) => name)).toEqual(BUILT_IN);
    const expected: Readonly<Record<string, readonly number[]>> = {
      'empty-cart': [0, 2, 40],
      'full-cart': [40, 2, 40],
      'many-orders': [2, 200, 40],
      'one-product': [0, 0, 1],
      'no-products': [0, 0, 0],
    };
    for (const name of BUILT_IN) {
      await sendControl('POST', `/w1/snapshots/${name}/restore`);
      const state = (await sendControl('GET', '/w1/state')).body;
      expect(await countEntries(sendControl, 'w1'), name).toEqual(expected[name]);
      expect((await sendControl('PUT', '/w1/state', state)).status, name).toBe(204);
      expect((await createSandboxClient(shop, 'w1')('GET', '/api/orders?expand=products')).status, name).toBe(200);
      expect((await createSandboxClient(shop, 'w1')('GET', '/api/payment-summary')).status, name).toBe(200);
    }
  });

  it('hides the built-in snapshot of the same name until it is deleted', async () => {
    const { sendControl } = await startWithControl();
    await sendControl('PUT', '/w1/snapshots/empty-cart');
    expect((await sendControl('GET', '/w1/snapshots/empty-cart')).body).toEqual(defaults);
    const named = (await sendControl('GET', '/w1/snapshots')).body.filter(
      ({ name }: { name: string }) => name === 'empty-cart',
    );
    expect(named).toMatchObject([{ builtIn: false }]);
    await sendControl('DELETE', '/w1/snapshots/empty-cart');
    expect((await sendControl('GET', '/w1/snapshots/empty-cart')).body.cartItems).toEqual([]);
    expectProblem(await sendControl('DELETE', '/w1/snapshots/empty-cart'), 409, 'built-in-snapshot');
  });

  it('is listed in the error message for an unknown snapshot name', async () => {
    const { sendControl } = await startWithControl();
    await sendControl('PUT', '/w1/snapshots/paid');
    expect((await sendControl('POST', '/w1/snapshots/payed/restore')).body.detail).toMatch(
      /^Snapshot payed is neither built-in nor saved in the sandbox w1\. Save the snapshot in this sandbox, or use one of paid, empty-cart/,
    );
  });

  it('is named in the error message for another sandbox if the sandbox default has it', async () => {
    const { sendControl } = await startWithControl();
    await sendControl('PUT', '/default/snapshots/mine');
    expect((await sendControl('POST', '/w1/snapshots/mine/restore')).body.detail).toMatch(
      /nor saved in the sandbox w1\. The sandbox default has this snapshot: create the sandbox with it \(`from`\)/,
    );
  });

  it('must be built-in or saved in the sandbox default to create a sandbox from it', async () => {
    const { sendControl } = await startWithControl();
    await sendControl('PUT', '/w1/snapshots/mine');
    expect((await sendControl('PUT', '/w2', { from: 'mine' })).body.detail).toMatch(
      /^Snapshot mine is neither built-in nor saved in the sandbox default\. Save the snapshot in this sandbox, or use one of empty-cart/,
    );
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
    const { sendControl } = await startWithControl({ snapshots });
    await sendControl('PUT', '/w1');
    const names = (await sendControl('GET', '/w1/snapshots')).body.map(({ name }: { name: string }) => name);
    expect(names).toEqual([...BUILT_IN, 'kettles', 'two-products'].sort());
    expect((await sendControl('GET', '/w1/snapshots/kettles')).body).toEqual({ ...defaults, ...PARTIAL });
    await sendControl('POST', '/w1/snapshots/two-products/restore');
    expect((await sendControl('GET', '/w1/state')).body).toEqual(WHOLE);
    expect((await sendControl('PUT', '/w2', { from: 'empty-cart' })).body).toMatchObject({
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
    await expect(starting).rejects.toMatchObject({ name: 'UserError' });
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
    const { sendControl } = await startWithControl({ snapshots: join(folder, 's'), defaultData, errorsExpected: true });
    const products = defaults.products.filter(({ id }) => id !== KETTLE);
    await writeFile(defaultData, JSON.stringify({ ...defaults, products }));
    await sendControl('PUT', '/w1');
    await sendControl('POST', '/default/snapshots/kettles/restore');
    const { body } = await sendControl('GET', '/default/state');
    expect((await sendControl('PUT', '/default/state', body)).status).toBe(204);
  });
});
