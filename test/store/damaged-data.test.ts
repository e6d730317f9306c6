import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import { defaults, defaultText } from '../support/fixtures/default-data.ts';
import { openTestState } from '../support/harness/open-store.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const LINES = defaultText.split('\n').length;
const [PRODUCT] = defaults.products;

/** What a file holds, and what the sentence says after the file's path. */
const notJson: readonly [string, string | Buffer, string][] = [
  ['empty', '', ' is empty'],
  ['cut off', defaultText.slice(0, -6), `:${LINES - 2} is not JSON`],
  ['plain text', 'my shop\n\n', ':1 is not JSON'],
  ['JSON but for a comma too many', defaultText.replace('"products": [', '"products": [,'), ':2 is not JSON'],
  [
    'JSON but for a word without quotation marks',
    defaultText.replace('"image": "', '"image": pic "'),
    ':5 is not JSON',
  ],
  ['JSON but for a comma that lacks', defaultText.replace('.svg",', '.svg"'), ':6 is not JSON'],
  ['text in UTF-16', Buffer.from(`\uFEFF${defaultText}`, 'utf16le'), ' is not UTF-8 text'],
  ['text in Latin-1', Buffer.from(defaultText.replace('Trail', 'Café'), 'latin1'), ' is not UTF-8 text'],
];

/** What stands in the default data at a place (JSON Pointer) where it should not, undefined where it lacks, and the place that is named. */
const misplaced: readonly [string, string, unknown, string?][] = [
  ['no orders', '/orders', undefined],
  ['an object for a list', '/cartItems', {}],
  ['a list of nothing', '/products', [null], '/products/0'],
  ['a list that no shop has', '/cart', []],
  ['no delivery option', '/deliveryOptions', []],
  ['a price as text', '/products/1/priceCents', '499'],
  ['a price below nothing', '/products/1/priceCents', -1],
  ['a fraction of a cent', '/deliveryOptions/2/priceCents', 9.99],
  ['a product without a name', '/products/0/name', undefined],
  ['an id that is no uuid', '/products/0/id', 'shoes'],
  ['a field that a product has not', '/products/3/colour', 'red'],
  ['a field that a rating has not', '/products/3/rating/best', 5],
  ['keywords that are one text', '/products/0/keywords', 'shoes, sports'],
  ['a fraction of a product in the cart', '/cartItems/0/quantity', 1.5],
  ['a quantity of none in the cart', '/cartItems/0/quantity', 0],
  ['a quantity past the limit in the cart', '/cartItems/0/quantity', 1_000_001],
  ['a product within a cart item', '/cartItems/0/product', PRODUCT],
  ['an unknown product in the cart', '/cartItems/1/productId', UNKNOWN],
  ['an unknown delivery option in the cart', '/cartItems/0/deliveryOptionId', '9'],
  ['a delivery option as a number', '/cartItems/0/deliveryOptionId', 1],
  ['an estimate in a delivery option', '/deliveryOptions/0/estimatedDeliveryTimeMs', 1_749_384_000_000],
  ['an order of nothing', '/orders/0/products', []],
  ['an order at a moment as text', '/orders/0/orderTimeMs', '2025-06-01'],
  ['an unknown product in an order', '/orders/1/products/0/productId', UNKNOWN],
  ['a product within an order', '/orders/0/products/1/product', PRODUCT],
  ['a product twice', '/products/40', PRODUCT, '/products/40/id'],
  ['a delivery option twice', '/deliveryOptions/3', defaults.deliveryOptions[0], '/deliveryOptions/3/id'],
  ['a product twice in the cart', '/cartItems/2', defaults.cartItems[0], '/cartItems/2/productId'],
  ['an order twice', '/orders/2', defaults.orders[0], '/orders/2/id'],
];

describe('a shop does not start over a data file, and leaves it as it is,', () => {
  it.each(notJson)('that is %s', async (_what, content, said) => {
    const data = await fileWith(content);
    await expect(opened(data)).rejects.toThrow(`${data}${said}`);
    expect(await readFile(data)).toEqual(Buffer.from(content));
  });

  it.each(misplaced)('that has %s', async (_what, pointer, value, named = pointer) => {
    const text = JSON.stringify(dataWith(pointer, value));
    const data = await fileWith(text);
    await expect(opened(data)).rejects.toThrow(`${data} is not a valid state: ${named} `);
    expect(await readFile(data, 'utf8')).toBe(text);
  });

  it.each(['[]', 'null', '42', '"db"'])('that is %s', async (text) => {
    const data = await fileWith(text);
    await expect(opened(data)).rejects.toThrow(`${data} is not a valid state: its content is not an object`);
    expect(await readFile(data, 'utf8')).toBe(text);
  });

  it('that has a list named __proto__', async () => {
    const text = defaultText.replace('{', '{ "__proto__": [],');
    const data = await fileWith(text);
    await expect(opened(data)).rejects.toThrow(`${data} is not a valid state: /__proto__ `);
    expect(await readFile(data, 'utf8')).toBe(text);
  });

  it('that is a folder', async () => {
    const data = join(await tempFolder(), 'db.json');
    await mkdir(data);
    await expect(opened(data)).rejects.toThrow(`${data} is a folder`);
    expect(await readdir(data)).toEqual([]);
  });
});

describe('the sentence about a damaged data file', () => {
  it('names the first three flaws and counts the rest', async () => {
    const cartItems = [1, 2, 3, 4, 5].map(() => ({ productId: UNKNOWN, quantity: -1, deliveryOptionId: '1' }));
    const data = await fileWith(JSON.stringify({ ...defaults, cartItems }));
    await expect(opened(data)).rejects.toThrow(
      /\/cartItems\/0\/quantity .*; \/cartItems\/1\/quantity .*; \/cartItems\/2\/quantity .*; and 2 more/,
    );
  });

  it('is one line', async () => {
    const data = await fileWith('{\n  "products": [,\n');
    await expect(opened(data)).rejects.toThrow(/^[^\n]+$/);
  });

  it('is what a program gets that starts the shop', async () => {
    const data = await fileWith(JSON.stringify({ ...defaults, orders: {} }));
    await expect(createStorefront({ data })).rejects.toThrow(`${data} is not a valid state: /orders is not a list`);
  });

  it('says what to do', async () => {
    const data = await fileWith('');
    await expect(opened(data)).rejects.toThrow(
      `The file was not changed. Fix it, or run \`storefront repair --data ${data}\`, which saves a copy beside it`,
    );
  });
});

describe('a data file that stops the start', () => {
  const CAUSE =
    'A power cut with --durability os can cause this. The file was not changed. Fix it, or run `storefront repair';

  it.each<[string, string | Buffer]>([
    ['empty', ''],
    ['cut off', defaultText.slice(0, 4_096)],
    ['zeros', Buffer.alloc(4_096)],
  ])('is said to be what a power cut under --durability os can leave, with the remedy: %s', async (_what, content) => {
    await expect(opened(await fileWith(content))).rejects.toThrow(CAUSE);
  });

  it('is not said to come from a power cut where it is whole JSON', async () => {
    const reason = await opened(await fileWith('{}')).catch(String);
    expect(reason).toContain('The file was not changed.');
    expect(reason).not.toContain('power cut');
  });
});

describe('a shop starts over a data file', () => {
  it.each<[string, string]>([
    ['in one line', JSON.stringify(defaults)],
    ['that begins with a byte order mark', `\uFEFF${defaultText}`],
    ['whose lists come in another order', JSON.stringify(dataReversed())],
    [
      'with nothing sold, in the cart or ordered',
      JSON.stringify({ ...defaults, products: [], cartItems: [], orders: [] }),
    ],
  ])('%s', async (_what, text) => {
    const data = await fileWith(text);
    const { store } = await opened(data);
    expect(store.read().state).toEqual(JSON.parse(text.replace('\uFEFF', '')));
    expect(await readFile(data, 'utf8')).toBe(text);
  });
});

/** What a start does with its data file. */
function opened(data: string) {
  return openTestState({ data });
}

async function fileWith(content: string | Buffer): Promise<string> {
  const path = join(await tempFolder(), 'db.json');
  await writeFile(path, content);
  return path;
}

/** The default data with `value` at `pointer`. */
function dataWith(pointer: string, value: unknown): unknown {
  const data = structuredClone(defaults);
  const steps = pointer.split('/').slice(1);
  const last = steps.pop() ?? '';
  // biome-ignore lint/suspicious/noExplicitAny: leads to whatever there is.
  const place = steps.reduce<any>((node, step) => node[step], data);
  place[last] = value;
  return data;
}

function dataReversed(): unknown {
  return Object.fromEntries(Object.entries(defaults).toReversed());
}
