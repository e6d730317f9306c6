import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaults, defaultText, getProductId } from '../support/fixtures/default-data.ts';
import { readDataFile } from '../support/harness/edited-file.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const [IN_CART] = defaults.cartItems.map((item) => item.productId) as [string];

/** The default data in an unusual format: tabs, line breaks of another system, and no final line break. */
const ODDLY_PRINTED = JSON.stringify(defaults, null, '\t').replaceAll('\n', '\r\n');

/** A request to each operation that changes something. */
const changes: readonly [string, string, unknown?][] = [
  ['POST', '/api/cart-items', { productId: KETTLE, quantity: 2 }],
  ['PUT', `/api/cart-items/${IN_CART}`, { quantity: 9, deliveryOptionId: '3' }],
  ['DELETE', `/api/cart-items/${IN_CART}`],
  ['POST', '/api/orders'],
  ['POST', '/api/reset'],
];

describe('a missing data file', () => {
  it('is created with the bytes of the default data', async () => {
    const shop = await startStorefront();
    expect(await readDataFile(shop)).toBe(defaultText);
  });

  it('is created with its folder', async () => {
    const data = join(await tempFolder(), 'not', 'there', 'db.json');
    const shop = await startStorefront({ data });
    expect(shop.dataFile).toBe(data);
    expect(await readDataFile(shop)).toBe(defaultText);
  });

  it('is created with the formatting of the default data', async () => {
    const shop = await startStorefront({ defaultData: await oddlyPrinted() });
    expect(await readDataFile(shop)).toBe(ODDLY_PRINTED);
  });

  it('is not created with --durability memory', async () => {
    const shop = await startStorefront({ data: undefined });
    expect(shop.dataFile).toBeUndefined();
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
  });
});

describe('the data file of a running server', () => {
  it.each(changes)(
    'contains the state that GET requests return once %s %s has its response',
    async (method, path, body) => {
      const shop = await startStorefront();
      await shop.ask('POST', '/api/cart-items', { productId: IN_CART, quantity: 1 });
      const answer = await shop.ask(method, path, body);
      expect(Math.floor(answer.status / 100)).toBe(2);
      const { sequences: _, ...shown } = JSON.parse(await readDataFile(shop));
      expect(shown).toEqual(await shownBy(shop));
    },
  );

  it('is pretty-printed JSON after each change, for any formatting of the default data', async () => {
    const shop = await startStorefront({ defaultData: await oddlyPrinted() });
    for (const [method, path, body] of changes.slice(0, 4)) {
      await shop.ask(method, path, body);
      const text = await readDataFile(shop);
      expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
    }
  });

  it('does not change if a request is refused', async () => {
    const shop = await startStorefront();
    const refused = await shop.ask('DELETE', `/api/cart-items/${KETTLE}`);
    expect(refused.status).toBe(404);
    expect(await readDataFile(shop)).toBe(defaultText);
  });
});

describe('POST /api/reset', () => {
  it('restores the default data byte for byte', async () => {
    const shop = await startStorefront();
    await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 2 });
    await shop.ask('POST', '/api/reset');
    expect(await readDataFile(shop)).toBe(defaultText);
  });

  it('restores the formatting of the default data', async () => {
    const shop = await startStorefront({ defaultData: await oddlyPrinted() });
    await shop.ask('POST', '/api/orders');
    await shop.ask('POST', '/api/reset');
    expect(await readDataFile(shop)).toBe(ODDLY_PRINTED);
  });

  it('restores a file that was edited while the state did not change', async () => {
    const shop = await startStorefront();
    await writeFile(shop.dataFile ?? '', JSON.stringify({ ...defaults, cartItems: [] }));
    await shop.ask('POST', '/api/reset');
    expect(await readDataFile(shop)).toBe(defaultText);
  });

  it('has the same result when it is repeated', async () => {
    const shop = await startStorefront();
    await shop.ask('POST', '/api/orders');
    await shop.ask('POST', '/api/reset');
    const once = [await readDataFile(shop), await shownBy(shop)];
    await shop.ask('POST', '/api/reset');
    expect([await readDataFile(shop), await shownBy(shop)]).toEqual(once);
  });
});

describe('a restarted server', () => {
  it('has the same state as before', async () => {
    const data = join(await tempFolder(), 'db.json');
    const first = await startStorefront({ data });
    for (const [method, path, body] of changes.slice(0, 4)) await first.ask(method, path, body);
    await first.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 3 });
    const before = [await readDataFile(first), await shownBy(first)];
    await first.close();
    const second = await startStorefront({ data });
    expect([await readDataFile(second), await shownBy(second)]).toEqual(before);
  });

  it('uses an edit of the data file that was made while it was stopped', async () => {
    const data = join(await tempFolder(), 'db.json');
    await (await startStorefront({ data })).close();
    const cartItems = [{ id: 1, productId: KETTLE, quantity: 7, deliveryOptionId: '2' }];
    await writeFile(data, JSON.stringify({ ...defaults, cartItems }));
    const second = await startStorefront({ data });
    expect((await second.ask('GET', '/api/cart-items')).body).toEqual(cartItems);
  });
});

async function shownBy(shop: TestShop) {
  const show = async (path: string) => (await shop.ask('GET', path)).body;
  return {
    products: await show('/api/products'),
    deliveryOptions: await show('/api/delivery-options'),
    cartItems: await show('/api/cart-items'),
    orders: await show('/api/orders'),
  };
}

async function oddlyPrinted(): Promise<string> {
  const path = join(await tempFolder(), 'db.json.default');
  await writeFile(path, ODDLY_PRINTED);
  return path;
}
