import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { QUANTITY_LIMIT } from '../../src/shop/domain/cart.ts';
import { COST_LIMIT_CENTS } from '../../src/shop/domain/pricing.ts';
import type { State } from '../../src/store/state.ts';
import { defaults, defaultText } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startProgram } from '../support/harness/start-program.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const [PRODUCT] = defaults.products as [State['products'][number]];
const [ORDER] = defaults.orders as [State['orders'][number]];
const [OPTION] = defaults.deliveryOptions as [State['deliveryOptions'][number]];
const LONG = 'long '.repeat(200_000);

/** The last moment of a Date, in ms since 1970. */
const LAST_MS = 8_640_000_000_000_000;

/** The most expensive valid cart: as many items of the contract's highest price and quantity as the cost limit allows. */
const MOST_EXPENSIVE = Array.from(
  { length: Math.floor(COST_LIMIT_CENTS / (10_000_000 * QUANTITY_LIMIT)) },
  (_, index) => ({
    ...PRODUCT,
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    priceCents: 10_000_000,
  }),
);

/** Names that have brought programs down. */
const NAMES: readonly [string, string][] = [
  ['a lone surrogate', '\ud800 lamp'],
  ['the other lone surrogate', 'lamp \udfff'],
  ['NUL and other control characters', 'a\u0000b\u0007\u001b[2J\u007f\u0085'],
  ['separators of lines', 'a\nb\r\nc\u2028d\u2029e'],
  ['blanks alone', ' \t\u00a0\u3000 '],
  ['1 MB', LONG],
  ['a single word of 2,000 letters', 'x'.repeat(2_000)],
  ['marks that join, and 10,000 accents on one letter', `e${'\u0301'.repeat(10_000)}\u200d\ufe0f`],
  ['right to left', '\u202eמנורה\u202c'],
  ['faces', '👩‍👩‍👧‍👦🏳️‍🌈'],
  ['a byte order mark', '\ufefflamp'],
  ['markup', '</script><img src=x onerror=alert(1)>&amp;"\'`'],
  ['names of JavaScript', '__proto__ constructor toString hasOwnProperty'],
  ['signs of regular expressions', '(.*)+[a-z]{9}\\d$^|?'],
];

const odd: readonly [string, Partial<State> | string][] = [
  ...NAMES.map(([what, name]): [string, Partial<State>] => [`a name of ${what}`, withProduct({ name })]),
  ...NAMES.map(([what, word]): [string, Partial<State>] => [`a keyword of ${what}`, withProduct({ keywords: [word] })]),
  ['no keywords', withProduct({ keywords: [] })],
  ['20,000 keywords', withProduct({ keywords: Array.from({ length: 20_000 }, (_, index) => `word${index}`) })],
  ['a keyword twice', withProduct({ keywords: ['lamp', 'lamp', 'Lamp'] })],
  ...['//evil.test/a.svg', '?', '#', 'data:,', 'javascript:alert(1)', '/%2e%2e/', '../..'].map(
    (image): [string, Partial<State>] => [`the picture ${image}`, withProduct({ image })],
  ),
  ['a picture whose address has 1 MB', withProduct({ image: 'x'.repeat(1_000_000) })],
  ['a price of less than nothing by its sign alone', numbers('priceCents', '-0')],
  ['numbers as scientists write them', numbers('priceCents', '1.25e3')],
  ['a whole number with a fraction of nothing', numbers('priceCents', '499.000')],
  ['the highest price', numbers('priceCents', '10000000')],
  ['as many ratings as nobody can count', numbers('count', '1e300')],
  ['stars of the lowest', numbers('stars', '0')],
  ['an id in capitals', withProduct({ id: PRODUCT.id.toUpperCase() })],
  ['an order of the first moment', { orders: [{ ...ORDER, orderTimeMs: 0 }] }],
  [
    'an order of the last moment',
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
  ['an order that cost nothing', { orders: [{ ...ORDER, totalCostCents: 0 }] }],
  ['an order of the same product twice', { orders: [{ ...ORDER, products: [...ORDER.products, ...ORDER.products] }] }],
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
  ['the dearest cart', { products: MOST_EXPENSIVE, cartItems: MOST_EXPENSIVE.map(full), orders: [] }],
  ['a byte order mark', `\ufeff${defaultText}`],
  ['line breaks of another system', defaultText.replaceAll('\n', '\r\n')],
  ['much blank space', `\n\t ${JSON.stringify(defaults)}${' \n'.repeat(100_000)}`],
  ['every character escaped', escaped(defaultText)],
];

describe('what a shop starts over it can serve, and keep over a change and another start:', () => {
  it.each(odd)('%s', async (_what, content) => {
    const text = typeof content === 'string' ? content : JSON.stringify({ ...defaults, ...content });
    const data = join(await folderWith({ 'db.json': text }), 'db.json');
    const state: State = JSON.parse(text.replace(/^\ufeff/, ''));
    const shop = await startStorefront({ data });
    await showsAll(shop, state);
    const ordered = await shop.ask('POST', '/api/orders');
    expect([201, 409]).toContain(ordered.status);
    const kept: State = JSON.parse((await readFile(data, 'utf8')).replace(/^\ufeff/, ''));
    expect(asJson(kept.products)).toEqual(asJson(state.products));
    await shop.close();
    const again = await startStorefront({ data });
    await showsAll(again, kept);
  });
});

describe('a program over a product whose name is a single word of 1 MB', { timeout: 60_000 }, () => {
  it('goes on after a search', async (test) => {
    const state = { ...defaults, ...withProduct({ name: 'x'.repeat(1_000_000) }) };
    const prepare = (folder: string) => writeFile(join(folder, 'db.json'), JSON.stringify(state));
    // Little memory: where too much is taken, it ends soon.
    const environment = { NODE_OPTIONS: '--max-old-space-size=400' };
    const program = await startProgram(test, ['--port', '0'], { prepare, environment });
    const search = fetch(`${await program.url()}/api/products?search=xxx`).then(({ status }) => status);
    const ended = program.ended.then(({ signal }) => `ended by ${signal}`);
    expect(await Promise.race([search, ended]).catch(() => ended)).toBe(200);
  });
});

describe('odd default data', () => {
  it.each([
    ['a byte order mark', `\ufeff${defaultText}`],
    ['a name with a lone surrogate', JSON.stringify({ ...defaults, ...withProduct({ name: '\ud800' }) })],
    ['-0 for a price', numbers('priceCents', '-0')],
  ])('is restored byte for byte: %s', async (_what, text) => {
    const defaultData = join(await tempFolder(), 'db.json.default');
    await writeFile(defaultData, text);
    const shop = await startStorefront({ defaultData });
    await shop.ask('POST', '/api/orders');
    expect((await shop.ask('POST', '/api/reset')).status).toBe(204);
    expect(await readFile(shop.dataFile ?? '', 'utf8')).toBe(text);
    await showsAll(shop, JSON.parse(text.replace(/^\ufeff/, '')));
  });
});

/** Expects every GET to answer 200, and those of whole lists with what the state has. That no fault is logged, each shop looks to by itself. */
async function showsAll(shop: TestShop, { products, deliveryOptions, cartItems, orders }: State): Promise<void> {
  const get = async (path: string) => {
    const answer = await shop.ask('GET', path);
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.body;
  };
  expect(await get('/api/products')).toEqual(asJson(products));
  expect(await get('/api/delivery-options')).toEqual(asJson(deliveryOptions));
  expect(await get('/api/cart-items')).toEqual(asJson(cartItems));
  expect(await get('/api/orders')).toEqual(asJson(orders));
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

/** A value as JSON has it, where -0 is 0. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** A shop that sells one product, the first of the default data but for some fields. */
function withProduct(fields: Partial<State['products'][number]>): Partial<State> {
  const product = { ...PRODUCT, ...fields };
  return { products: [product], cartItems: [full(product)], orders: [] };
}

/** As many of a product in the cart as can be. */
function full({ id }: { readonly id: string }) {
  return { productId: id, quantity: 1_000_000, deliveryOptionId: '1' };
}

/** The default data with a number, as it is written in JSON, in all fields of this name. */
function numbers(field: string, value: string): string {
  return defaultText.replaceAll(RegExp(`"${field}": [\\d.]+`, 'g'), `"${field}": ${value}`);
}

/** A text of JSON with every letter in its texts as an escape sequence. */
function escaped(text: string): string {
  const spelt = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replaceAll(/"[^"]*"/g, (quoted) => `"${quoted.slice(1, -1).replaceAll(/[a-z]/g, spelt)}"`);
}
