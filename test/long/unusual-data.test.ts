import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAX_CART_COST_CENTS, QUANTITY_LIMIT } from '../../src/shop/domain/cart.ts';
import type { State } from '../../src/shop/state.ts';
import { defaults, defaultText } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startProgram } from '../support/harness/start-program.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const [PRODUCT] = defaults.products as [State['products'][number]];
const [ORDER] = defaults.orders as [State['orders'][number]];
const [OPTION] = defaults.deliveryOptions as [State['deliveryOptions'][number]];
const LONG = 'long '.repeat(200_000);

/** The latest time of a Date, in ms since 1970. */
const LAST_MS = 8_640_000_000_000_000;

/** The most expensive valid cart: as many items of the contract's highest price and quantity as the cost limit allows. */
const MOST_EXPENSIVE = Array.from(
  { length: Math.floor(MAX_CART_COST_CENTS / (10_000_000 * QUANTITY_LIMIT)) },
  (_, index) => ({
    ...PRODUCT,
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    priceCents: 10_000_000,
  }),
);

/** Names that are known to break programs. */
const NAMES: readonly [string, string][] = [
  ['a lone high surrogate', '\ud800 lamp'],
  ['a lone low surrogate', 'lamp \udfff'],
  ['NUL and other control characters', 'a\u0000b\u0007\u001b[2J\u007f\u0085'],
  ['line separators', 'a\nb\r\nc\u2028d\u2029e'],
  ['only spaces', ' \t\u00a0\u3000 '],
  ['1 MB', LONG],
  ['a single word of 2,000 letters', 'x'.repeat(2_000)],
  ['joiners and 10,000 accents on one letter', `e${'\u0301'.repeat(10_000)}\u200d\ufe0f`],
  ['right-to-left text', '\u202eמנורה\u202c'],
  ['emoji', '👩‍👩‍👧‍👦🏳️‍🌈'],
  ['a byte order mark', '\ufefflamp'],
  ['HTML markup', '</script><img src=x onerror=alert(1)>&amp;"\'`'],
  ['JavaScript property names', '__proto__ constructor toString hasOwnProperty'],
  ['regular expression syntax', '(.*)+[a-z]{9}\\d$^|?'],
];

const unusual: readonly [string, Partial<State> | string][] = [
  ...NAMES.map(([what, name]): [string, Partial<State>] => [`a name of ${what}`, withProduct({ name })]),
  ...NAMES.map(([what, word]): [string, Partial<State>] => [`a keyword of ${what}`, withProduct({ keywords: [word] })]),
  ['no keywords', withProduct({ keywords: [] })],
  ['20,000 keywords', withProduct({ keywords: Array.from({ length: 20_000 }, (_, index) => `word${index}`) })],
  ['a repeated keyword', withProduct({ keywords: ['lamp', 'lamp', 'Lamp'] })],
  ...['//evil.test/a.svg', '?', '#', 'data:,', 'javascript:alert(1)', '/%2e%2e/', '../..'].map(
    (image): [string, Partial<State>] => [`the image ${image}`, withProduct({ image })],
  ),
  ['an image path of 1 MB', withProduct({ image: 'x'.repeat(1_000_000) })],
  ['a price of -0', withNumbers('priceCents', '-0')],
  ['a price in scientific notation', withNumbers('priceCents', '1.25e3')],
  ['a price with a fraction of zero', withNumbers('priceCents', '499.000')],
  ['the maximum price', withNumbers('priceCents', '10000000')],
  ['a rating count of 1e300', withNumbers('count', '1e300')],
  ['zero stars', withNumbers('stars', '0')],
  ['an id in upper case', withProduct({ id: PRODUCT.id.toUpperCase() })],
  ['an order at the earliest time', { orders: [{ ...ORDER, orderTimeMs: 0 }] }],
  [
    'an order at the latest time',
    {
      orders: [
        {
          ...ORDER,
          orderTimeMs: LAST_MS,
          products: ORDER.products.map((product) => ({ ...product, estimatedDeliveryTimeMs: 0 })),
        },
      ],
    },
  ],
  ['an order with a cost of zero', { orders: [{ ...ORDER, totalCostCents: 0 }] }],
  ['an order with a repeated product', { orders: [{ ...ORDER, products: [...ORDER.products, ...ORDER.products] }] }],
  ...['__proto__', 'constructor', '9'.repeat(1_000), ' ', '\ud800', 'a/b?c#d%'].map((id): [string, Partial<State>] => [
    `a delivery option ${id.slice(0, 20)}`,
    { deliveryOptions: [{ ...OPTION, id }], cartItems: [{ productId: PRODUCT.id, quantity: 1, deliveryOptionId: id }] },
  ]),
  [
    'the slowest delivery',
    { deliveryOptions: defaults.deliveryOptions.map((option) => ({ ...option, deliveryDays: 3_650 })) },
  ],
  ['nothing sold, in the cart or ordered', { products: [], cartItems: [], orders: [] }],
  ['nothing sold but a product', { products: [PRODUCT], cartItems: [], orders: [] }],
  ['the dearest cart', { products: MOST_EXPENSIVE, cartItems: MOST_EXPENSIVE.map(createFullItem), orders: [] }],
  ['a byte order mark', `\ufeff${defaultText}`],
  ['CRLF line breaks', defaultText.replaceAll('\n', '\r\n')],
  ['a lot of whitespace', `\n\t ${JSON.stringify(defaults)}${' \n'.repeat(100_000)}`],
  ['every character escaped', escapeStrings(defaultText)],
];

describe('a shop serves unusual data, and preserves it through a change and a restart:', () => {
  it.each(unusual)('%s', async (_what, content) => {
    const text = typeof content === 'string' ? content : JSON.stringify({ ...defaults, ...content });
    const data = join(await folderWith({ 'db.json': text }), 'db.json');
    const state: State = JSON.parse(text.replace(/^\ufeff/, ''));
    const shop = await startStorefront({ data });
    await expectState(shop, state);
    const ordered = await shop.ask('POST', '/api/orders');
    expect([201, 409]).toContain(ordered.status);
    await shop.flush();
    const kept: State = JSON.parse((await readFile(data, 'utf8')).replace(/^\ufeff/, ''));
    expect(throughJson(kept.products)).toEqual(throughJson(state.products));
    await shop.close();
    const again = await startStorefront({ data });
    await expectState(again, kept);
  });
});

describe('a program with a product whose name is one word of 1 MB', { timeout: 60_000 }, () => {
  it('continues to run after a search', async (test) => {
    const state = { ...defaults, ...withProduct({ name: 'x'.repeat(1_000_000) }) };
    const prepare = (folder: string) => writeFile(join(folder, 'db.json'), JSON.stringify(state));
    // With little memory the program fails soon if the search uses too much.
    const environment = { NODE_OPTIONS: '--max-old-space-size=400' };
    const program = await startProgram(test, ['--port', '0'], { prepare, environment });
    const search = fetch(`${await program.url()}/api/products?search=xxx`).then(({ status }) => status);
    const ended = program.ended.then(({ signal }) => `ended by ${signal}`);
    expect(await Promise.race([search, ended]).catch(() => ended)).toBe(200);
  });
});

describe('unusual default data', () => {
  it.each([
    ['a byte order mark', `\ufeff${defaultText}`],
    ['a name with a lone surrogate', JSON.stringify({ ...defaults, ...withProduct({ name: '\ud800' }) })],
    ['a price of -0', withNumbers('priceCents', '-0')],
  ])('is restored byte for byte: %s', async (_what, text) => {
    const defaultData = join(await tempFolder(), 'db.json.default');
    await writeFile(defaultData, text);
    const shop = await startStorefront({ defaultData });
    await shop.ask('POST', '/api/orders');
    expect((await shop.ask('POST', '/api/reset')).status).toBe(204);
    expect(await readFile(shop.dataFile ?? '', 'utf8')).toBe(text);
    await expectState(shop, JSON.parse(text.replace(/^\ufeff/, '')));
  });
});

/** Expects status 200 for every GET request, and the data of the state in the lists. */
async function expectState(shop: TestShop, { products, deliveryOptions, cartItems, orders }: State): Promise<void> {
  const get = async (path: string) => {
    const answer = await shop.ask('GET', path);
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.body;
  };
  expect(await get('/api/products')).toEqual(throughJson(products));
  expect(await get('/api/delivery-options')).toEqual(throughJson(deliveryOptions));
  const items = cartItems.map((item, index) => ({ id: index + 1, ...item }));
  expect(await get('/api/cart-items')).toEqual(throughJson(items));
  expect(await get('/api/orders')).toEqual(throughJson(orders));
  await get('/api/delivery-options?expand=estimatedDeliveryTime');
  await get('/api/cart-items?expand=product');
  await get('/api/orders?expand=products');
  for (const { id } of orders) expect((await get(`/api/orders/${id}?expand=products`)).id).toBe(id);
  const summary = await get('/api/payment-summary');
  expect(summary.totalItems).toBe(cartItems.reduce((total, { quantity }) => total + quantity, 0));
  for (const word of ['lamp', 'l', '%F0%9F%8F%B3', '%00', 'constructor', '__proto__']) {
    await get(`/api/products?search=${word}`);
  }
  for (const path of ['/', '/_control/health']) await get(path);
}

/** Returns a value after a round trip through JSON, which turns -0 into 0. */
function throughJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Returns a state with one product: the first of the default data with some properties replaced. */
function withProduct(fields: Partial<State['products'][number]>): Partial<State> {
  const product = { ...PRODUCT, ...fields };
  return { products: [product], cartItems: [createFullItem(product)], orders: [] };
}

/** Returns a cart item with the maximum quantity. */
function createFullItem({ id }: { readonly id: string }) {
  return { productId: id, quantity: 1_000_000, deliveryOptionId: '1' };
}

/** Returns the default data with this JSON number in all properties of this name. */
function withNumbers(field: string, value: string): string {
  return defaultText.replaceAll(RegExp(`"${field}": [\\d.]+`, 'g'), `"${field}": ${value}`);
}

/** Returns a JSON text with every letter in its strings as an escape sequence. */
function escapeStrings(text: string): string {
  const spelt = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replaceAll(/"[^"]*"/g, (quoted) => `"${quoted.slice(1, -1).replaceAll(/[a-z]/g, spelt)}"`);
}
