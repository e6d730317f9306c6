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

/** The content of a file, and the error message after the path of the file. */
const notJson: readonly [string, string | Buffer, string][] = [
  ['empty', '', ' is empty'],
  ['truncated', defaultText.slice(0, -6), `:${LINES - 2} is not JSON`],
  ['plain text', 'my shop\n\n', ':1 is not JSON'],
  ['JSON with an extra comma', defaultText.replace('"products": [', '"products": [,'), ':2 is not JSON'],
  ['JSON with an unquoted string', defaultText.replace('"image": "', '"image": pic "'), ':5 is not JSON'],
  ['JSON with a missing comma', defaultText.replace('.svg",', '.svg"'), ':6 is not JSON'],
  ['text in UTF-16', Buffer.from(`\uFEFF${defaultText}`, 'utf16le'), ' is not UTF-8 text'],
  ['text in Latin-1', Buffer.from(defaultText.replace('Trail', 'Café'), 'latin1'), ' is not UTF-8 text'],
];

/** A JSON Pointer, an invalid value at it (undefined: no value), and the pointer in the error message. */
const misplaced: readonly [string, string, unknown, string?][] = [
  ['no list of orders', '/orders', undefined],
  ['an object instead of a list', '/cartItems', {}],
  ['a list with null', '/products', [null], '/products/0'],
  ['an unknown list', '/cart', []],
  ['no delivery option', '/deliveryOptions', []],
  ['a price that is a string', '/products/1/priceCents', '499'],
  ['a negative price', '/products/1/priceCents', -1],
  ['a fraction of a cent', '/deliveryOptions/2/priceCents', 9.99],
  ['a product without a name', '/products/0/name', undefined],
  ['an id that is not a UUID', '/products/0/id', 'shoes'],
  ['an unknown field of a product', '/products/3/colour', 'red'],
  ['an unknown field of a rating', '/products/3/rating/best', 5],
  ['keywords that are a string', '/products/0/keywords', 'shoes, sports'],
  ['a fractional quantity in the cart', '/cartItems/0/quantity', 1.5],
  ['a quantity of zero in the cart', '/cartItems/0/quantity', 0],
  ['a quantity above the limit in the cart', '/cartItems/0/quantity', 1_000_001],
  ['an expanded product in a cart item', '/cartItems/0/product', PRODUCT],
  ['an unknown product in the cart', '/cartItems/1/productId', UNKNOWN],
  ['an unknown delivery option in the cart', '/cartItems/0/deliveryOptionId', '9'],
  ['a delivery option id that is a number', '/cartItems/0/deliveryOptionId', 1],
  ['an estimated delivery time in a delivery option', '/deliveryOptions/0/estimatedDeliveryTimeMs', 1_749_384_000_000],
  ['an order without products', '/orders/0/products', []],
  ['an order time that is a string', '/orders/0/orderTimeMs', '2025-06-01'],
  ['an unknown product in an order', '/orders/1/products/0/productId', UNKNOWN],
  ['an expanded product in an order', '/orders/0/products/1/product', PRODUCT],
  ['a duplicate product', '/products/40', PRODUCT, '/products/40/id'],
  ['a duplicate delivery option', '/deliveryOptions/3', defaults.deliveryOptions[0], '/deliveryOptions/3/id'],
  ['a duplicate product in the cart', '/cartItems/2', defaults.cartItems[0], '/cartItems/2/productId'],
  ['a duplicate order', '/orders/2', defaults.orders[0], '/orders/2/id'],
];

describe('The server does not start with, and does not change, a data file', () => {
  it.each(notJson)('that is %s', async (_what, content, said) => {
    const data = await fileWith(content);
    await expect(opened(data)).rejects.toThrow(`${data}${said}`);
    expect(await readFile(data)).toEqual(Buffer.from(content));
  });

  it.each(misplaced)('that has %s', async (_what, pointer, value, named = pointer) => {
    const text = JSON.stringify(dataWith(pointer, value));
    const data = await fileWith(text);
    await expect(opened(data)).rejects.toThrow(`${data} does not contain a valid state: ${named} `);
    expect(await readFile(data, 'utf8')).toBe(text);
  });

  it.each(['[]', 'null', '42', '"db"'])('that is %s', async (text) => {
    const data = await fileWith(text);
    await expect(opened(data)).rejects.toThrow(`${data} does not contain a valid state: its content is not an object`);
    expect(await readFile(data, 'utf8')).toBe(text);
  });

  it('that has an unknown list named __proto__', async () => {
    const text = defaultText.replace('{', '{ "__proto__": [],');
    const data = await fileWith(text);
    await expect(opened(data)).rejects.toThrow(`${data} does not contain a valid state: /__proto__ `);
    expect(await readFile(data, 'utf8')).toBe(text);
  });

  it('that is a folder', async () => {
    const data = join(await tempFolder(), 'db.json');
    await mkdir(data);
    await expect(opened(data)).rejects.toThrow(`${data} is a folder`);
    expect(await readdir(data)).toEqual([]);
  });
});

describe('the error message for a damaged data file', () => {
  it('describes the first three issues and counts the others', async () => {
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

  it('is the message of the error that createStorefront rejects with', async () => {
    const data = await fileWith(JSON.stringify({ ...defaults, orders: {} }));
    await expect(createStorefront({ data })).rejects.toThrow(
      `${data} does not contain a valid state: /orders is not an array`,
    );
  });

  it('contains the remedy', async () => {
    const data = await fileWith('');
    await expect(opened(data)).rejects.toThrow(
      `The file was not changed. Fix it, or run \`storefront repair --data ${data}\`, which saves a copy of the file`,
    );
  });
});

describe('an invalid data file', () => {
  const CAUSE =
    'An interrupted copy, or a power cut on a disk that ignores fsync, can cause this. The file was not changed. Fix it, or run `storefront repair';

  it.each<[string, string | Buffer]>([
    ['empty', ''],
    ['truncated', defaultText.slice(0, 4_096)],
    ['zeros', Buffer.alloc(4_096)],
  ])('causes an error that names possible causes, if it is %s', async (_what, content) => {
    await expect(opened(await fileWith(content))).rejects.toThrow(CAUSE);
  });

  it('causes an error that does not mention a power cut if it is valid JSON', async () => {
    const reason = await opened(await fileWith('{}')).catch(String);
    expect(reason).toContain('The file was not changed.');
    expect(reason).not.toContain('power cut');
  });
});

describe('The server starts with a data file', () => {
  it.each<[string, string]>([
    ['on one line', JSON.stringify(defaults)],
    ['that starts with a byte order mark', `\uFEFF${defaultText}`],
    ['whose lists are in another order', JSON.stringify(dataReversed())],
    [
      'without products, cart items and orders',
      JSON.stringify({ ...defaults, products: [], cartItems: [], orders: [] }),
    ],
  ])('%s', async (_what, text) => {
    const data = await fileWith(text);
    const { store } = await opened(data);
    expect(store.read().state).toEqual(JSON.parse(text.replace('\uFEFF', '')));
    expect(await readFile(data, 'utf8')).toBe(text);
  });
});

/** Opens a store over a data file. */
function opened(data: string) {
  return openTestState({ data });
}

async function fileWith(content: string | Buffer): Promise<string> {
  const path = join(await tempFolder(), 'db.json');
  await writeFile(path, content);
  return path;
}

/** Returns the default data with `value` at `pointer`. */
function dataWith(pointer: string, value: unknown): unknown {
  const data = structuredClone(defaults);
  const steps = pointer.split('/').slice(1);
  const last = steps.pop() ?? '';
  // biome-ignore lint/suspicious/noExplicitAny: the value at a pointer has any type.
  const place = steps.reduce<any>((node, step) => node[step], data);
  place[last] = value;
  return data;
}

function dataReversed(): unknown {
  return Object.fromEntries(Object.entries(defaults).toReversed());
}
