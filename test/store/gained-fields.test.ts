import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocument } from '../../src/openapi/document.ts';
import { createShopContract } from '../../src/shop/contract.ts';
import type { State } from '../../src/shop/state.ts';
import type { OpenedState } from '../../src/store/open-state.ts';
import { defaults, defaultText, projectFile } from '../support/fixtures/default-data.ts';
import { shopValidator } from '../support/fixtures/state-validator.ts';
import { PRODUCT_IDS, putItem } from '../support/fixtures/states.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { openTestState } from '../support/harness/open-store.ts';

const [KETTLE] = PRODUCT_IDS as [string];
const contractText = await readFile(projectFile('openapi.yaml'), 'utf8');

/** Properties that are added to a schema of the contract, and the names of the required ones. */
interface Gain {
  readonly schema: string;
  /** The properties in YAML, one line each. */
  readonly properties: readonly string[];
  readonly required?: readonly string[];
}

const BRAND: Gain = { schema: 'Product', properties: ['brand: { type: string, minLength: 1, default: none }'] };

describe('a field that is added to the contract', () => {
  it.each<[string, Gain, object]>([
    ['optional', BRAND, { brand: 'none' }],
    ['required', { ...BRAND, required: ['brand'] }, { brand: 'none' }],
    [
      'a list',
      { schema: 'Product', properties: ['sizes: { type: array, items: { type: string }, default: [] }'] },
      { sizes: [] },
    ],
    [
      'an object',
      {
        schema: 'Product',
        properties: ['maker: { type: object, properties: { name: { type: string } }, default: { name: us } }'],
      },
      { maker: { name: 'us' } },
    ],
    ['false', { schema: 'Product', properties: ['isNew: { type: boolean, default: false }'] }, { isNew: false }],
    ['zero', { schema: 'Product', properties: ['stock: { type: integer, minimum: 0, default: 0 }'] }, { stock: 0 }],
    [
      'null',
      { schema: 'Product', properties: ['badge: { type: string, nullable: true, default: null }'] },
      { badge: null },
    ],
    [
      'two fields',
      { schema: 'Product', properties: ['a: { type: integer, default: 1 }', 'b: { type: integer, default: 2 }'] },
      { a: 1, b: 2 },
    ],
  ])('gets its default in each product: %s', async (_what, gain, fields) => {
    const { store } = await openedWith(gain);
    expect(store.read().state).toEqual({
      ...defaults,
      products: defaults.products.map((product) => ({ ...product, ...fields })),
    });
  });

  it.each([
    ['DeliveryOption', 'deliveryOptions'],
    ['CartItem', 'cartItems'],
    ['Order', 'orders'],
  ] as const)('is filled in each %s too', async (schema, list) => {
    const { store } = await openedWith({ schema, properties: ['note: { type: string, default: none }'] });
    expect(store.read().state[list]).toEqual(defaults[list].map((entry) => ({ ...entry, note: 'none' })));
  });

  it('gets its default in a list and in an object', async () => {
    const inOrder = await openedWith({ schema: 'OrderProduct', properties: ['note: { type: string, default: none }'] });
    const products = inOrder.store.read().state.orders.flatMap((order) => order.products);
    expect(products.every((product) => 'note' in product && product.note === 'none')).toBe(true);
    const check = getCheck(
      contractText.replace(
        '            stars:\n',
        '            best: { type: integer, default: 5 }\n            stars:\n',
      ),
    );
    const inRating = await openTestState({ data: await dataFile(), check });
    expect(inRating.store.read().state.products.every(({ rating }) => 'best' in rating && rating.best === 5)).toBe(
      true,
    );
  });

  it('keeps a value that the file has', async () => {
    const [first, ...rest] = defaults.products;
    const products = [{ ...first, brand: 'ours' }, ...rest];
    const { store } = await openedWith(BRAND, JSON.stringify({ ...defaults, products }));
    expect(store.read().state.products.slice(0, 2)).toMatchObject([{ brand: 'ours' }, { brand: 'none' }]);
  });

  it('is written to the file by the next change, not before', async () => {
    const { store, path = '' } = await openedWith(BRAND);
    expect(await readFile(path, 'utf8')).toBe(defaultText);
    await store.update(putItem(KETTLE));
    await store.flush();
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(store.read().state);
    expect(store.read().state.products[0]).toMatchObject({ brand: 'none' });
  });

  it('gets its default after a reset to default data without it, whose bytes are restored', async () => {
    const { store, path = '' } = await openedWith(BRAND);
    await store.update(putItem(KETTLE));
    await store.reset();
    expect(await readFile(path, 'utf8')).toBe(defaultText);
    expect(store.read().state.products[0]).toMatchObject({ brand: 'none' });
  });

  it('gets its default in an edit, and is not an edit by itself', async () => {
    const { store, path = '' } = await openedWith(BRAND);
    await store.loadEdits();
    expect(store.read().revision).toBe(0);
    await writeFile(path, JSON.stringify({ ...defaults, cartItems: [] }));
    await store.loadEdits();
    expect(store.read().state).toMatchObject({
      cartItems: [],
      products: [{ brand: 'none' }, ...defaults.products.slice(1)],
    });
  });

  it('is omitted if it is optional and has no default', async () => {
    const { store, path = '' } = await openedWith({ schema: 'Product', properties: ['brand: { type: string }'] });
    expect(store.read().state).toEqual(defaults);
    expect(await readFile(path, 'utf8')).toBe(defaultText);
  });

  it('prevents the start with its JSON Pointer if it is required and has no default, and the file does not change', async () => {
    const path = await dataFile();
    const check = getCheck(
      gained({ ...BRAND, properties: ['brand: { type: string, minLength: 1 }'], required: ['brand'] }),
    );
    await expect(openTestState({ data: path, check, defaultData: await withBrands() })).rejects.toThrow(
      /^\S+db\.json does not contain a valid state: \/products\/0\/brand is missing: add a string that is not empty; .*; and 37 more\. The file was not changed\. Fix it/,
    );
    expect(await readFile(path, 'utf8')).toBe(defaultText);
  });

  it('prevents the start if its default violates its own schema', async () => {
    const check = getCheck(gained({ ...BRAND, properties: ['brand: { type: string, minLength: 1, default: "" }'] }));
    await expect(openTestState({ data: await dataFile(), check, defaultData: await withBrands() })).rejects.toThrow(
      '/products/0/brand is "": use a string that is not empty',
    );
  });
});

/** Starts with the default data, or with `text`, and a contract with added properties. */
async function openedWith(gain: Gain, text = defaultText): Promise<OpenedState<State>> {
  return openTestState({ data: await dataFile(text), check: getCheck(gained(gain)) });
}

async function dataFile(text = defaultText): Promise<string> {
  return join(await folderWith({ 'db.json': text }), 'db.json');
}

/** Writes default data whose products have a brand, and returns its path. */
async function withBrands(): Promise<string> {
  const products = defaults.products.map((product) => ({ ...product, brand: 'ours' }));
  return dataFile(JSON.stringify({ ...defaults, products }));
}

/** Returns the validator of data for the text of a contract. */
function getCheck(text: string) {
  return shopValidator(createShopContract(parseDocument('openapi.yaml', text)).validateData).validate;
}

/** Returns the text of openapi.yaml with added properties. */
function gained({ schema, properties, required = [] }: Gain): string {
  const head = RegExp(
    `(\n    ${schema}:\n(?:      .*\n)*?      required: \\[)(.*\\]\n(?:      [#x].*\n)*      properties:\n)`,
  );
  const text = contractText.replace(head, (_all, start: string, end: string) =>
    [start, ...required.map((name) => `${name}, `), end, ...properties.map((property) => `        ${property}\n`)].join(
      '',
    ),
  );
  if (text === contractText) throw new Error(`openapi.yaml has no schema ${schema} as it is looked for`);
  return text;
}
