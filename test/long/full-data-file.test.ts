import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAX_FILE_BYTES } from '../../src/store/data-file.ts';
import { defaults, defaultText, getProductId } from '../support/fixtures/default-data.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const [IN_CART] = defaults.cartItems.map((item) => item.productId) as [string];
const JSON_TYPE = { 'content-type': 'application/json' };

/** The free space in the file: less than a cart item needs. */
const FREE_BYTES = 50;

describe('a data file of the maximum size', { timeout: 300_000 }, () => {
  it('causes a 507 response with remedies for a change that would enlarge it, which changes nothing', async () => {
    const shop = await fullShop();
    const refused = await addKettle(shop);
    expectProblem(refused, 507, 'insufficient-storage');
    expect(refused.headers.has('retry-after')).toBe(false);
    expect(refused.body.detail).toMatch(/larger than 90 MB.*POST \/_control\/sandboxes\/default\/reset.*edit the file/);
    expectProblem(await shop.ask('POST', '/api/orders'), 507, 'insufficient-storage');
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
    expect((await readFile(shop.dataFile ?? '')).length).toBe(MAX_FILE_BYTES - FREE_BYTES);
  });

  it('accepts a removal, and then a change that fits into the free space', async () => {
    const shop = await fullShop();
    expect((await shop.ask('DELETE', `/api/cart-items/${IN_CART}`)).status).toBe(204);
    expect((await addKettle(shop)).status).toBe(201);
    expect((await readFile(shop.dataFile ?? '')).length).toBeLessThanOrEqual(MAX_FILE_BYTES);
  });

  it('accepts a removal that arrives together with changes that are too large', async () => {
    const shop = await fullShop();
    const [first, removed, ...others] = await Promise.all([
      addKettle(shop),
      shop.ask('DELETE', `/api/cart-items/${IN_CART}`),
      shop.ask('POST', '/api/orders'),
    ]);
    expect(removed?.status).toBe(204);
    for (const { status } of [first, ...others]) expect([201, 507]).toContain(status);
  });

  it('accepts a reset', async () => {
    const shop = await fullShop();
    expect((await shop.ask('POST', '/api/reset')).status).toBe(204);
    expect((await addKettle(shop)).status).toBe(201);
  });

  it('causes a 413 response for PUT of a state that would enlarge it, and accepts a smaller state', async () => {
    const shop = await fullShop();
    const path = '/_control/sandboxes/default/state';
    const cartItems = [...defaults.cartItems, { productId: KETTLE, quantity: 1, deliveryOptionId: '1' }];
    const refused = await shop.ask('PUT', path, { cartItems }, JSON_TYPE);
    expectProblem(refused, 413, 'state-too-large');
    expect(refused.body.detail).toMatch(/^the state was not replaced: .*larger than 90 MB/);
    expect((await shop.ask('PUT', path, { cartItems: [] }, JSON_TYPE)).status).toBe(204);
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual([]);
  });

  it('has problem types whose pages explain them', async () => {
    const shop = await startStorefront();
    for (const code of ['insufficient-storage', 'state-too-large'])
      expect((await shop.ask('GET', `/problems/${code}`)).text).toContain(`<code>${code}</code>`);
  });
});

/** Starts a shop whose data file has only a few bytes of free space. */
async function fullShop(): Promise<TestShop> {
  const data = join(await tempFolder(), 'db.json');
  const [first, ...others] = defaults.products;
  const withKeyword = (keyword: string) => {
    const products = [{ ...first, keywords: [...(first?.keywords ?? []), keyword] }, ...others];
    return `${JSON.stringify({ ...defaults, products }, null, 2)}\n`;
  };
  const freeBytes = MAX_FILE_BYTES - FREE_BYTES - Buffer.byteLength(withKeyword(''));
  expect(freeBytes).toBeGreaterThan(MAX_FILE_BYTES - 2 * defaultText.length);
  await writeFile(data, withKeyword('x'.repeat(freeBytes)));
  return startStorefront({ data });
}

function addKettle(shop: TestShop) {
  return shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
}
