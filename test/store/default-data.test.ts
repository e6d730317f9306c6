import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import { defaults, defaultText, getProductId } from '../support/fixtures/default-data.ts';
import { readDataFile } from '../support/harness/edited-file.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const CUT_OFF = defaultText.slice(0, 2_000);
const OTHER = { ...defaults, cartItems: [], orders: [], products: defaults.products.slice(0, 3) };

describe('default data that changes while the server runs', () => {
  it.each(['in place', 'by renaming another file over it'])(
    'is restored by the next reset after an edit %s',
    async (how) => {
      const { shop, defaultData } = await startWithOwnDefaults();
      const text = JSON.stringify(OTHER);
      if (how === 'in place') await writeFile(defaultData, text);
      else await writeFile(`${defaultData}.new`, text).then(() => rename(`${defaultData}.new`, defaultData));
      expect((await shop.ask('POST', '/api/reset')).status).toBe(204);
      expect(await readFile(shop.dataFile ?? '', 'utf8')).toBe(text);
      expect((await shop.ask('GET', '/api/products')).body).toEqual(OTHER.products);
      expect((await shop.ask('GET', '/api/cart-items')).body).toEqual([]);
    },
  );

  it('does not affect the state before a reset', async () => {
    const { shop, defaultData } = await startWithOwnDefaults();
    await writeFile(defaultData, JSON.stringify(OTHER));
    await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
    expect((await shop.ask('GET', '/api/products')).body).toEqual(defaults.products);
    expect(JSON.parse(await readFile(shop.dataFile ?? '', 'utf8')).products).toEqual(defaults.products);
  });

  it('can be searched after a reset', async () => {
    const { shop, defaultData } = await startWithOwnDefaults();
    expect((await shop.ask('GET', '/api/products?search=zither')).body).toEqual([]);
    const [first, ...rest] = defaults.products;
    const products = [{ ...first, name: 'Zither' }, ...rest];
    await writeFile(defaultData, JSON.stringify({ ...defaults, products }));
    await shop.ask('POST', '/api/reset');
    expect((await shop.ask('GET', '/api/products?search=zither')).body).toEqual([products[0]]);
  });
});

describe('default data that is damaged while the server runs', () => {
  it.each<[string, (path: string) => Promise<void>]>([
    ['is truncated', (path) => writeFile(path, CUT_OFF)],
    ['has a cart but no products', (path) => writeFile(path, JSON.stringify({ ...defaults, products: [] }))],
    ['is deleted', (path) => rm(path)],
  ])('makes POST /api/reset return 503 with Retry-After and the path of the file if it %s', async (_damage, damage) => {
    const { shop, defaultData } = await startWithOwnDefaults();
    await damage(defaultData);
    const refused = await shop.ask('POST', '/api/reset');
    expect(refused).toMatchObject({ status: 503, body: { type: '/problems/unavailable', status: 503 } });
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(refused.body.detail).toContain(defaultData);
  });

  it('does not affect the state and the data file', async () => {
    const { shop, defaultData } = await startWithOwnDefaults();
    await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
    const before = await readDataFile(shop);
    await writeFile(defaultData, CUT_OFF);
    await shop.ask('POST', '/api/reset');
    expect(await readDataFile(shop)).toBe(before);
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(JSON.parse(before).cartItems);
  });

  it('is restored by a reset after it is fixed', async () => {
    const { shop, defaultData } = await startWithOwnDefaults();
    await shop.ask('POST', '/api/orders');
    await writeFile(defaultData, CUT_OFF);
    await shop.ask('POST', '/api/reset');
    await writeFile(defaultData, defaultText);
    expect((await shop.ask('POST', '/api/reset')).status).toBe(204);
    expect(await readFile(shop.dataFile ?? '', 'utf8')).toBe(defaultText);
  });
});

describe('default data at the start', () => {
  it('prevents the start if it is damaged, and no data file is created', async () => {
    const folder = await tempFolder();
    const defaultData = join(folder, 'db.json.default');
    const data = join(folder, 'db.json');
    await writeFile(defaultData, '{');
    await expect(createStorefront({ data, defaultData })).rejects.toThrow(`${defaultData}:1 is not JSON`);
    await expect(readFile(data)).rejects.toThrow('ENOENT');
  });

  it('prevents the start if its file is missing, with its path in the error', async () => {
    const defaultData = join(await tempFolder(), 'db.json.default');
    await expect(createStorefront({ defaultData })).rejects.toThrow(`${defaultData} does not exist`);
  });

  it('prevents the start if its file is also the data file, which does not change', async () => {
    const data = join(await tempFolder(), 'db.json');
    await writeFile(data, defaultText);
    await expect(createStorefront({ data, defaultData: data })).rejects.toThrow(data);
    expect(await readFile(data, 'utf8')).toBe(defaultText);
  });

  it('does not change an existing data file', async () => {
    const data = join(await tempFolder(), 'db.json');
    const text = JSON.stringify(OTHER);
    await writeFile(data, text);
    const shop = await startStorefront({ data });
    expect((await shop.ask('GET', '/api/products')).body).toEqual(OTHER.products);
    expect(await readFile(data, 'utf8')).toBe(text);
  });
});

async function startWithOwnDefaults() {
  const defaultData = join(await tempFolder(), 'db.json.default');
  await writeFile(defaultData, defaultText);
  return { shop: await startStorefront({ defaultData, errorsExpected: true }), defaultData };
}
