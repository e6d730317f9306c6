import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Product } from '../../src/shop/types.ts';
import { createCatalogue, createProduct, createUuid } from '../support/fixtures/catalogue-builders.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { eventually } from '../support/harness/edited-file.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

async function searchNames(shop: TestShop, term: string): Promise<readonly string[]> {
  const { status, body } = await shop.ask('GET', `/api/products?${new URLSearchParams({ search: term })}`);
  expect(status).toBe(200);
  return (body as readonly Product[]).map(({ name }) => name);
}

/** Returns the default data with these products as JSON. */
function textWith(products: readonly Product[]): string {
  return JSON.stringify({ ...defaults, products });
}

/** The default products after an edit: the camera is renamed, the plant is removed, a zither is added. */
const edited = [
  ...defaults.products
    .filter(({ name }) => !name.startsWith('Monstera'))
    .map((each) =>
      each.name.includes('Camera') ? { ...each, name: 'Pinhole Obscura', keywords: ['antiques'] } : each,
    ),
  createProduct({ id: createUuid(900), name: 'Bavarian Zither', keywords: ['music', 'strings'] }),
];

describe('the response to a misspelled search', () => {
  it.each(['ketle', 'sox', 'bsktbl', 'tshirt', 'ol,hi', 'olhi', 'elecrtic ketle', ''])(
    'has complete products as in the list of all products: %j',
    async (term) => {
      const shop = await startStorefront();
      const { status, body, text } = await shop.ask('GET', `/api/products?${new URLSearchParams({ search: term })}`);
      const found: readonly Product[] = body;
      expect(status).toBe(200);
      expect(found.length).toBeGreaterThan(0);
      const listed = found.map(({ id }) => defaults.products.find((product) => product.id === id));
      expect(text).toBe(JSON.stringify(listed));
    },
  );

  it('is an empty list if no word is similar', async () => {
    const shop = await startStorefront();
    expect((await shop.ask('GET', '/api/products?search=helicopter')).text).toBe('[]');
  });
});

describe('a search after an edit of db.json', () => {
  it('finds added and changed products and no removed ones, and after a reset the default products', async () => {
    const shop = await startStorefront();
    expect(await searchNames(shop, 'camra')).toHaveLength(1);
    expect(await searchNames(shop, 'monstra')).toHaveLength(1);
    expect(await searchNames(shop, 'bavrain')).toEqual([]);

    await writeFile(shop.dataFile ?? '', textWith(edited));
    await eventually(async () => expect(await searchNames(shop, 'bavrain')).toEqual(['Bavarian Zither']));
    expect(await searchNames(shop, 'icstri')).toEqual(['Bavarian Zither']);
    expect(await searchNames(shop, 'obscrua')).toEqual(['Pinhole Obscura']);
    expect(await searchNames(shop, 'antique')).toEqual(['Pinhole Obscura']);
    expect(await searchNames(shop, 'camera')).toEqual([]);
    expect(await searchNames(shop, 'monstera')).toEqual([]);

    expect((await shop.ask('POST', '/api/reset')).status).toBeLessThan(300);
    expect(await searchNames(shop, 'bavarian')).toEqual([]);
    expect(await searchNames(shop, 'obscura')).toEqual([]);
    expect(await searchNames(shop, 'camra')).toHaveLength(1);
    expect(await searchNames(shop, 'monstra')).toHaveLength(1);
  });
});

describe('a search in a catalogue of 10,000 products', () => {
  const SYLLABLES = [
    'bra',
    'cho',
    'dum',
    'fel',
    'gri',
    'hov',
    'jax',
    'kul',
    'mep',
    'nor',
    'pli',
    'que',
    'rus',
    'sta',
    'tiv',
    'wyn',
  ];

  /** Returns a word for a number: a unique one below 65,536. */
  function createWord(number: number): string {
    return [12, 8, 4, 0].map((bits) => SYLLABLES[(number >> bits) & 15]).join('');
  }

  const many = createCatalogue(
    Array.from({ length: 10_000 }, (_, at) => [
      `${createWord(at * 6)} Gizmo ${at}`,
      `k${at % 50}`,
      createWord(at * 6 + 3),
    ]),
  );

  it('finds each product by its name, by its keywords and with a typo', async () => {
    const data = join(await folderWith({ 'db.json': textWith([...defaults.products, ...many]) }), 'db.json');
    const shop = await startStorefront({ data });
    for (const at of [0, 1, 4711, 9999]) {
      const [word, keyword] = [createWord(at * 6), createWord(at * 6 + 3)];
      const { name } = many[at] as Product;
      expect((await searchNames(shop, word))[0], word).toBe(name);
      expect((await searchNames(shop, keyword))[0], keyword).toBe(name);
      expect((await searchNames(shop, `${word} ${keyword}`))[0], `${word} ${keyword}`).toBe(name);
      expect(await searchNames(shop, `${word.slice(0, 7)}${word.slice(7, 8)}${word.slice(7)}`), word).toContain(name);
      expect(await searchNames(shop, name), name).toContain(name);
    }
    expect(await searchNames(shop, 'gizmo')).toHaveLength(many.length);
    expect(await searchNames(shop, '')).toHaveLength(defaults.products.length + many.length);
    expect((await searchNames(shop, 'umbrlela'))[0]).toMatch(/Umbrella/);
    expect(await searchNames(shop, 'zzzzzzzz')).toEqual([]);
  });
});
