import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { defaults, defaultText } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import {
  replaceInContract,
  startWithContractFile,
  waitForLog,
  withProductFields,
} from '../support/harness/live-contract.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

describe('a field that the contract gained', () => {
  const gained = withProductFields(
    'weightGrams: { type: integer, minimum: 50, maximum: 5000 }',
    'isNew: { type: boolean, default: false }',
  ).replace('keywords]', 'keywords, weightGrams]');

  it('is generated for each entry, the same in every response, and never stored', async () => {
    const { shop, save } = await startWithContractFile();
    await save(gained);
    expect(await waitForLog(shop, 'was reloaded')).toContain(
      'fields now generated, because the data lacks them: weightGrams, isNew',
    );
    const { body, headers } = await shop.ask('GET', '/api/products');
    expect(headers.get('x-mocked')).toBe('/*/weightGrams, /*/isNew');
    const weights = body.map((product: { weightGrams: number }) => product.weightGrams);
    expect(weights.every((weight: number) => Number.isInteger(weight) && weight >= 50 && weight <= 5000)).toBe(true);
    expect(new Set(weights).size).toBeGreaterThan(10);
    expect(body.every((product: { isNew: boolean }) => product.isNew === false)).toBe(true);
    const items = await shop.ask('GET', '/api/cart-items?expand=product');
    expect(items.headers.get('x-mocked')).toBe('/*/product/weightGrams, /*/product/isNew');
    for (const { product } of items.body) expect(body).toContainEqual(product);
    await shop.ask('POST', '/api/orders');
    expect(await readFile(shop.dataFile ?? '', 'utf8')).not.toContain('weightGrams');
    const again = await startWithContractFile({}, gained);
    expect((await again.shop.ask('GET', '/api/products')).body).toEqual(body);
  });

  it('is percent-encoded in the X-Mocked header if its name is not ASCII', async () => {
    const { shop } = await startWithContractFile(
      {},
      withProductFields('größe: { type: integer }', '価格: { type: integer }'),
    );
    const { status, headers } = await shop.ask('GET', '/api/products');
    expect([status, headers.get('x-mocked')]).toEqual([
      200,
      ['größe', '価格'].map((name) => encodeURI(`/*/${name}`)).join(', '),
    ]);
  });

  it('has the value of the data if there is one', async () => {
    const { shop, save } = await startWithContractFile();
    const edited = defaultText.replace('"priceCents"', '"weightGrams": 77,\n      "priceCents"');
    await writeFile(shop.dataFile ?? '', edited);
    await waitForLog(shop, 'weightGrams is unknown', 40);
    await save(gained);
    await vi.waitFor(
      async () => {
        const { body } = await shop.ask('GET', '/api/products');
        expect(body[0].weightGrams).toBe(77);
      },
      { timeout: 60_000 },
    );
    expect((await shop.ask('GET', '/api/products')).headers.get('x-mocked')).toBe('/*/weightGrams, /*/isNew');
  });

  it('stops the start if the value in the data is invalid', async () => {
    const edited = defaultText.replace('"priceCents"', '"weightGrams": "light",\n      "priceCents"');
    const folder = await folderWith({ 'openapi.yaml': gained, 'default.json': edited });
    const options = { contract: join(folder, 'openapi.yaml'), defaultData: join(folder, 'default.json') };
    await expect(startStorefront(options)).rejects.toThrow(
      '/products/0/weightGrams is "light": use an integer from 50 to 5000',
    );
  });

  it('is no longer served after the contract has lost it, and stays in the data', async () => {
    const { shop, save } = await startWithContractFile();
    await save(
      replaceInContract(
        '        image:\n          description: The path of the product image, relative to the root of the server, without a leading slash\n          type: string\n          format: uri-reference\n          minLength: 1\n',
        '',
      )
        .replace('[id, image, name', '[id, name')
        .replaceAll(/^ +image: .*\n/gm, ''),
    );
    expect(await waitForLog(shop, 'was reloaded')).toContain('fields now removed from responses: image');
    expect((await shop.ask('GET', '/api/products')).body).toEqual(
      defaults.products.map(({ image: _, ...rest }) => rest),
    );
    await shop.ask('POST', '/api/orders');
    expect(await readFile(shop.dataFile ?? '', 'utf8')).toContain('"image"');
  });
});

describe('a limit that the contract tightened', () => {
  it('refuses a change to the state that exceeds it, and stores nothing of the change', async () => {
    const tightened = replaceInContract(
      '      minimum: 1\n      maximum: 1000000\n',
      '      minimum: 1\n      maximum: 10\n',
    );
    const { shop } = await startWithContractFile({ errorsExpected: true }, tightened);
    const [item] = defaults.cartItems;
    const added = { productId: item?.productId, quantity: 10 };
    const { status, body } = await shop.ask('POST', '/api/cart-items', added);
    expect([status, body.detail]).toEqual([
      500,
      expect.stringContaining('/cartItems/0/quantity 12 is above the maximum of 10'),
    ]);
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
    expect((await shop.ask('PUT', `/api/cart-items/${item?.productId}`, { quantity: 9 })).status).toBe(200);
  });
});
