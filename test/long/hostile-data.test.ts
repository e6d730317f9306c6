import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import { MAX_CART_COST_CENTS, QUANTITY_LIMIT } from '../../src/shop/domain/cart.ts';
import { defaults, defaultText } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { openTestState } from '../support/harness/open-store.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

/** The depth of a value that is nested too deeply. */
const DEEP = 100_000;
const LISTS = '['.repeat(DEEP) + ']'.repeat(DEEP);
const OBJECTS = `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`;

/** The maximum length of an error message in characters, without the path of the file: a few lines of a terminal. */
const SENTENCE = 2_000;

const LONG = 'x'.repeat(1_000_000);

/** Invalid contents of a file, each with the expected message after the path. */
const invalid: readonly [string, string, RegExp][] = [
  ['a repeated list', replaceFirst('{', '{ "products": [],'), /:2 has "products" twice in one object: remove one/],
  [
    'a repeated property of an item',
    replaceFirst('"quantity"', '"quantity": 1, "quantity"'),
    /:\d+ has "quantity" twice in one object/,
  ],
  [
    'a repeated nested property',
    replaceFirst('"stars"', '"stars": 4, "stars"'),
    /:\d+ has "stars" twice in one object/,
  ],
  [
    'a repeated name with an escape sequence',
    replaceFirst('{', '{ "\\u006frders": [],'),
    /:\d+ has "orders" twice in one object/,
  ],
  ['only nested lists', LISTS, /\/0\/0 is nested deeper than 100 levels: reduce the nesting/],
  ['only nested objects', OBJECTS, /\/a\/a is nested deeper than 100 levels: reduce the nesting/],
  [
    'a list with nested lists',
    replaceFirst('"products": [', `"products": [${LISTS},`),
    /\/products\/0 is nested deeper/,
  ],
  [
    'a name that is a nested object',
    replaceFirst('"name": "', `"name": ${OBJECTS}, "x": "`),
    /\/products\/0 is nested deeper/,
  ],
  [
    'a name that is a list',
    replaceFirst('"name": "', '"name": [], "x": "'),
    /\/products\/0\/name is \[\]: use a string/,
  ],
  [
    'keywords with nested lists',
    replaceFirst('"keywords": [', `"keywords": [${LISTS},`),
    /\/products\/0 is nested deeper/,
  ],
  [
    'nested lists under a repeated name',
    replaceFirst('{', `{ "products": ${LISTS},`),
    /:\d+ (is nested deeper than 100 levels|has "products")/,
  ],
  ['truncated nested lists', '['.repeat(DEEP), /:1 is not JSON/],
  ['truncated nested objects', `{ "products": [${'{"a":'.repeat(DEEP)}`, /:1 is not JSON/],
  [
    'an order time in the far future',
    withNumber('orderTimeMs', '1e17'),
    /\/orders\/0\/orderTimeMs 100000000000000000 is above/,
  ],
  ['an order time before 1970', withNumber('orderTimeMs', '-1'), /\/orders\/0\/orderTimeMs -1 is below/],
  [
    'a price that is too large for a number',
    withNumber('priceCents', '1e400'),
    /\/products\/0\/priceCents is a number too large to be represented/,
  ],
  [
    'a negative price that is too large for a number',
    withNumber('priceCents', '-1e400'),
    /\/products\/0\/priceCents is a number too large to be represented/,
  ],
  [
    'a price with a tiny fraction of a cent',
    withNumber('priceCents', '100.00000000001'),
    /\/products\/0\/priceCents is 100\.00000000001: /,
  ],
  ['stars that are not a multiple of 0.5', withNumber('stars', '4.1'), /\/products\/0\/rating\/stars is 4\.1: /],
  ['null instead of a list', JSON.stringify({ ...defaults, orders: null }), /\/orders is not an array/],
  [
    'null instead of an item',
    JSON.stringify({ ...defaults, cartItems: [null] }),
    /\/cartItems\/0 is null: use an object/,
  ],
  [
    'null instead of a rating',
    replaceFirst('"rating": {', '"rating": null, "x": {'),
    /\/products\/0\/rating is null: use an object/,
  ],
  ...['constructor', 'toString', '__proto__', 'hasOwnProperty'].flatMap((name): [string, string, RegExp][] => [
    [`a list named ${name}`, replaceFirst('{', `{ "${name}": [],`), RegExp(`/${name} is not one of products`)],
    [
      `a property named ${name}`,
      replaceFirst('"image"', `"${name}": {}, "image"`),
      RegExp(`/products/0/${name} is unknown`),
    ],
    [
      `a property of a rating named ${name}`,
      replaceFirst('"stars"', `"${name}": {}, "stars"`),
      RegExp(`/products/0/rating/${name} is unknown`),
    ],
  ]),
  [
    'only lists with the names of inherited properties',
    '{ "constructor": [], "toString": [] }',
    /has the lists constructor, toString, but the contract has products, .*: this is the data of another contract/,
  ],
  ['an id as a URN', replaceFirst('"id": "', '"id": "urn:uuid:'), /\/products\/0\/id is "urn:uuid:.*: use /],
  ['an id of 1 MB', withText('id', LONG), /\/products\/0\/id is "x+…": use a valid uuid/],
  ['a list whose name has 1 MB', replaceFirst('{', `{ "${LONG}": [],`), / \/x+/],
  ['a field whose name has 1 MB', replaceFirst('"image"', `"${LONG}": 1, "image"`), / \/products\/0\/x+/],
  ['a name of 1 MB twice', replaceFirst('{', `{ "${LONG}": 1, "${LONG}": 2,`), /x+/],
  ['an unknown delivery option of 1 MB', withText('deliveryOptionId', LONG), /\/cartItems\/0\/deliveryOptionId is "x+/],
  ['a list with line breaks in its name', replaceFirst('{', '{ "a\\nb\\r": [],'), /is not one of products/],
  [
    'a list with terminal control characters in its name',
    replaceFirst('{', '{ "a\\u001b[2Jb\\u0007": [],'),
    /is not one of products/,
  ],
  [
    'a property with terminal control characters in its name',
    replaceFirst('"image"', '"\\u001b[2J\\n": 1, "image"'),
    /is unknown/,
  ],
  ['5 MB that are not JSON', 'x '.repeat(2_500_000), /:1 is not JSON/],
  [
    'a cart whose cost is too large to be exact to the cent',
    tooExpensiveCart(),
    /\/cartItems cost more than \d+ cents in total/,
  ],
  [
    '100,000 empty products',
    `{"products":[${'{},'.repeat(100_000)}{}],"deliveryOptions":[],"cartItems":[],"orders":[]}`,
    /and \d+ more/,
  ],
];

describe('a data file with hostile content fails the start with one short line and stays unchanged:', () => {
  it.each(invalid)('%s', async (_what, content, expected) => {
    const data = join(await folderWith({ 'db.json': content }), 'db.json');
    const message = await openTestState({ data }).then(
      () => 'it started',
      ({ message }) => message,
    );
    expect(message.slice(0, SENTENCE)).toMatch(expected);
    expect(message.startsWith(data)).toBe(true);
    expect(message.length).toBeLessThan(SENTENCE);
    expect(message).not.toMatch(/\p{Control}/u);
    expect((await readFile(data, 'utf8')) === content).toBe(true);
  });

  it.each([
    ['100 MB, which are not read', 100_000_000, / has 100000000 bytes, which exceeds the limit of 90000000 bytes/],
    ['a byte more than the largest', 90_000_001, / has 90000001 bytes/],
    ['30 MB of nothing', 30_000_000, /:1 is not JSON/],
  ])('%s', async (_what, bytes, expected) => {
    const data = join(await tempFolder(), 'db.json');
    const file = await open(data, 'w');
    await file.truncate(bytes);
    await file.close();
    await expect(openTestState({ data })).rejects.toThrow(expected);
  });
});

describe('default data with hostile content fails the start and creates no data file:', () => {
  const handful = invalid.filter(([what]) =>
    [
      'a repeated list',
      'truncated nested lists',
      'a price that is too large for a number',
      'null instead of a list',
      'a list named __proto__',
      'a list named toString',
    ].includes(what),
  );

  it.each([...handful, ['an empty file', '', / is empty/] as const])('%s', async (_what, content, expected) => {
    const folder = await folderWith({ 'db.json.default': content });
    const [data, defaultData] = [join(folder, 'db.json'), join(folder, 'db.json.default')];
    await expect(createStorefront({ data, defaultData })).rejects.toThrow(expected);
    await expect(createStorefront({ defaultData })).rejects.toThrow(`${defaultData}`);
    await expect(readFile(data)).rejects.toThrow('ENOENT');
  });

  it('100 MB, which are not read', async () => {
    const defaultData = join(await tempFolder(), 'db.json.default');
    await writeFile(defaultData, '');
    const file = await open(defaultData, 'w');
    await file.truncate(100_000_000);
    await file.close();
    await expect(createStorefront({ defaultData })).rejects.toThrow(`${defaultData} has 100000000 bytes`);
  });
});

/** Returns the default data with the first occurrence of a text replaced. */
function replaceFirst(before: string, after: string): string {
  return defaultText.replace(before, () => after);
}

/** Returns the default data with this JSON number in the first property of this name. */
function withNumber(field: string, value: string): string {
  return defaultText.replace(RegExp(`"${field}": [\\d.]+`), `"${field}": ${value}`);
}

/** Returns the default data with this string in the first property of this name. */
function withText(field: string, value: string): string {
  return defaultText.replace(RegExp(`"${field}": "[^"]*"`), () => `"${field}": "${value}"`);
}

/** One item more of the contract's highest price and quantity than the cost limit allows. */
function tooExpensiveCart(): string {
  const [product] = defaults.products;
  const length = Math.floor(MAX_CART_COST_CENTS / (10_000_000 * QUANTITY_LIMIT)) + 1;
  const ids = Array.from({ length }, (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`);
  const products = ids.map((id) => ({ ...product, id, priceCents: 10_000_000 }));
  const cartItems = ids.map((productId) => ({ productId, quantity: QUANTITY_LIMIT, deliveryOptionId: '1' }));
  return JSON.stringify({ ...defaults, products, cartItems, orders: [] });
}
