import { mkdir, open, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defaults, defaultText, getProductId } from '../support/fixtures/default-data.ts';
import {
  eventually,
  expectState,
  getEditLogs,
  getWarnings,
  readConflictFiles,
  readDataFile,
} from '../support/harness/edited-file.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const CUT_OFF = defaultText.slice(0, 2_000);
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** The default data with a second list of orders. */
const REPEATED = defaultText.replace('{', '{\n\n  "orders": [],');

function getLineOfLast(part: string, text: string): number {
  return text.slice(0, text.lastIndexOf(part)).split('\n').length;
}

/** Invalid contents of the data file, each with the expected message after the path. */
const invalid: readonly [string, string, string][] = [
  ['cut off', CUT_OFF, `:${CUT_OFF.split('\n').length} is not JSON`],
  ['of another shape', dataWith({ orders: {} }), ' does not contain a valid state: /orders is not an array'],
  [
    'with an unknown product',
    dataWith({ cartItems: [item({ productId: UNKNOWN })] }),
    ' does not contain a valid state: /cartItems/0/productId ',
  ],
  ['with a repeated name', REPEATED, `:${getLineOfLast('"orders"', REPEATED)} has "orders" twice in one object`],
];

describe('an invalid edit of the data file', () => {
  it.each(invalid)('is logged once while the previous state is served: %s', async (_what, text, message) => {
    const shop = await startStorefront();
    await writeFile(shop.dataFile ?? '', text);
    await eventually(() => expect(getWarnings(shop)).toHaveLength(1));
    // Each rejected change makes the shop check the file again.
    await shop.ask('DELETE', `/api/cart-items/${KETTLE}`);
    expect(getWarnings(shop)).toEqual([expect.stringContaining(`${shop.dataFile}${message}`)]);
    expect(getWarnings(shop)[0]).toContain('The server keeps the previous state.');
    expect(getEditLogs(shop)).toEqual([]);
    await expectState(shop, defaults);
    expect(await readFile(shop.dataFile ?? '')).toEqual(Buffer.from(text));
  });

  it.each(invalid.slice(0, 1))(
    'is saved to a conflict file by the next change, byte for byte: %s',
    async (_what, text) => {
      const shop = await startStorefront();
      await writeFile(shop.dataFile ?? '', text);
      expect((await addKettle(shop)).status).toBe(201);
      expect(await readConflictFiles(shop)).toEqual([text.toString()]);
      expect(getWarnings(shop)).toHaveLength(2);
      expect(getWarnings(shop)[1]).toContain(`${shop.dataFile}.conflict-`);
      expect(JSON.parse(await readDataFile(shop))).toEqual({ ...defaults, cartItems: [...defaults.cartItems, item()] });
    },
  );

  it('is saved to a conflict file of its own, even in the same second as another one', async () => {
    const shop = await startStorefront();
    for (const text of ['{', '[', '"']) {
      await writeFile(shop.dataFile ?? '', text);
      expect((await addKettle(shop)).status).toBe(201);
    }
    expect((await readConflictFiles(shop)).toSorted()).toEqual(['"', '[', '{']);
  });

  it('is loaded when it is corrected', async () => {
    const shop = await startStorefront();
    await writeFile(shop.dataFile ?? '', '{');
    await eventually(() => expect(getWarnings(shop)).toHaveLength(1));
    const edited = { ...defaults, cartItems: [item({ quantity: 7 })] };
    await writeFile(shop.dataFile ?? '', JSON.stringify(edited));
    await expectState(shop, edited);
    expect(getEditLogs(shop)).toHaveLength(1);
    expect(await readConflictFiles(shop)).toEqual([]);
  });

  it('is discarded when the file has its former content again', async () => {
    const shop = await startStorefront();
    await writeFile(shop.dataFile ?? '', '{');
    await eventually(() => expect(getWarnings(shop)).toHaveLength(1));
    await writeFile(shop.dataFile ?? '', defaultText);
    await addKettle(shop);
    expect(getWarnings(shop)).toHaveLength(1);
    expect(getEditLogs(shop)).toEqual([]);
    expect(await readConflictFiles(shop)).toEqual([]);
  });

  it('is logged again if another one follows', async () => {
    const shop = await startStorefront();
    await writeFile(shop.dataFile ?? '', '{');
    await eventually(() => expect(getWarnings(shop)).toHaveLength(1));
    await writeFile(shop.dataFile ?? '', '{ "products": {}');
    await eventually(() => expect(getWarnings(shop)).toHaveLength(2));
  });
});

describe('an edit that is written slowly', () => {
  it('is logged while it is incomplete and loaded when it is complete', async () => {
    const shop = await startStorefront();
    const text = dataWith({ cartItems: [item({ quantity: 7 })] });
    const file = await open(shop.dataFile ?? '', 'w');
    onTestFinished(() => file.close());
    await eventually(() => expect(getWarnings(shop)).toEqual([expect.stringContaining('db.json is empty')]));
    await file.write(text.slice(0, 2_000));
    await eventually(() => expect(getWarnings(shop)[1]).toContain('is not JSON'));
    await file.write(text.slice(2_000));
    await expectState(shop, JSON.parse(text));
    expect(getWarnings(shop)).toHaveLength(2);
    expect(await readConflictFiles(shop)).toEqual([]);
  });

  it('is saved to a conflict file if a change comes while it is incomplete', async () => {
    const shop = await startStorefront();
    const text = dataWith({ cartItems: [item({ quantity: 7 })] });
    const file = await open(shop.dataFile ?? '', 'w');
    onTestFinished(() => file.close());
    await file.write(text.slice(0, 2_000));
    expect((await addKettle(shop)).status).toBe(201);
    await file.write(text.slice(2_000));
    expect(await readConflictFiles(shop)).toEqual([text]);
    expect(JSON.parse(await readDataFile(shop)).cartItems).toEqual([...defaults.cartItems, item()]);
  });
});

describe('a data file that is deleted while the shop runs', () => {
  it('is logged once, and the state is still served', async () => {
    const shop = await startStorefront();
    await rm(shop.dataFile ?? '');
    await eventually(() =>
      expect(getWarnings(shop)).toEqual([expect.stringContaining(`${shop.dataFile} was deleted`)]),
    );
    await shop.ask('DELETE', `/api/cart-items/${KETTLE}`);
    expect(getWarnings(shop)).toHaveLength(1);
    await expectState(shop, defaults);
  });

  it('is created again by the next change, with the state and the change', async () => {
    const shop = await startStorefront();
    await rm(shop.dataFile ?? '');
    expect((await addKettle(shop)).status).toBe(201);
    expect(JSON.parse(await readDataFile(shop))).toEqual({ ...defaults, cartItems: [...defaults.cartItems, item()] });
    expect(await readConflictFiles(shop)).toEqual([]);
  });

  it('is logged each time', async () => {
    const shop = await startStorefront();
    for (const times of [1, 2]) {
      await rm(shop.dataFile ?? '');
      await eventually(() => expect(getWarnings(shop)).toHaveLength(times));
      await addKettle(shop);
    }
  });

  it('is loaded if it is created again with an edit', async () => {
    const shop = await startStorefront();
    await rm(shop.dataFile ?? '');
    await eventually(() => expect(getWarnings(shop)).toHaveLength(1));
    const edited = { ...defaults, cartItems: [item({ quantity: 7 })] };
    await writeFile(shop.dataFile ?? '', JSON.stringify(edited));
    await expectState(shop, edited);
  });
});

describe('a folder in place of the data file', () => {
  it('is logged, and changes get 503 responses until it is removed, and no data is lost', async () => {
    const shop = await startStorefront({ errorsExpected: true });
    const { dataFile = '' } = shop;
    await rename(dataFile, `${dataFile}.away`);
    await mkdir(dataFile);
    await eventually(() => expect(getWarnings(shop)).toEqual([expect.stringContaining(`${dataFile} is now a folder`)]));
    expect((await addKettle(shop)).status).toBe(503);
    await expectState(shop, defaults);
    await rmdir(dataFile);
    await rename(`${dataFile}.away`, dataFile);
    expect((await addKettle(shop)).status).toBe(201);
    expect(JSON.parse(await readDataFile(shop)).cartItems).toEqual([...defaults.cartItems, item()]);
    expect(getEditLogs(shop)).toEqual([]);
    expect(await readConflictFiles(shop)).toEqual([]);
  });
});

function item(fields: object = {}) {
  return { id: 3, productId: KETTLE, quantity: 1, deliveryOptionId: '1', ...fields };
}

function dataWith(lists: object): string {
  return JSON.stringify({ ...defaults, ...lists });
}

function addKettle(shop: TestShop) {
  return shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
}
