import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createCartFile } from '../support/fixtures/cart-file.ts';
import { createProducts } from '../support/fixtures/many-products.ts';
import { getAddedProducts, PRODUCT_IDS, putItem } from '../support/fixtures/states.ts';
import { createFaultyDisk } from '../support/harness/faulty-disk.ts';
import { openTestState } from '../support/harness/open-store.ts';

const [A, B] = PRODUCT_IDS as [string, string];

/** More products than the write-ahead log gets from one change. */
const products = createProducts(1_001);

/** Opens a store whose cart holds A. `putProducts` replaces all products. */
async function openStore() {
  const file = await createCartFile([A]);
  const disk = createFaultyDisk();
  const { store } = await openTestState({ data: file.path, disk });
  const putProducts = (count: number) =>
    store.update((state) => ({ next: { ...state, products: products.slice(0, count) }, result: count }));
  return { file, disk, store, putProducts };
}

describe('a change of two entries with more than 1,000 entries between them', () => {
  it('is appended to the write-ahead log', async () => {
    const { file, store, putProducts } = await openStore();
    await putProducts(1_001);
    await store.update((state) => {
      const changed = state.products.map((product, index) =>
        index % 1_000 === 0 ? { ...product, name: 'New' } : product,
      );
      return { next: { ...state, products: changed }, result: undefined };
    });
    // Read synchronously, before a write in the background can start.
    expect(readFileSync(`${file.path}.wal`, 'utf8')).toContain('"name":"New"');
    expect(readFileSync(file.path, 'utf8')).not.toContain('"New"');
  });
});

describe('a change of more than 1,000 entries', () => {
  it('is written to the data file before the response, and not to the write-ahead log', async () => {
    const { file, putProducts } = await openStore();
    await putProducts(1_001);
    // Read synchronously, before a write in the background can start.
    expect(existsSync(`${file.path}.wal`)).toBe(false);
    expect(JSON.parse(readFileSync(file.path, 'utf8')).products).toEqual(products);
  });

  it('is written together with earlier changes that are only in the log', async () => {
    const { file, disk, store, putProducts } = await openStore();
    disk.begin(({ name }) => (name === 'rename' ? { code: 'EIO' } : undefined));
    await store.update(putItem(B));
    disk.end();
    await putProducts(1_001);
    const stored = JSON.parse(await readFile(file.path, 'utf8'));
    expect([getAddedProducts(stored), stored.products]).toEqual([[A, B], products]);
    expect(await file.names()).toEqual(['db.json']);
  });

  it('changes nothing if the data file cannot be written', async () => {
    const { file, disk, store, putProducts } = await openStore();
    const [text, before] = [await readFile(file.path, 'utf8'), store.read().state];
    disk.begin(({ name }) => (name === 'rename' ? { code: 'EIO' } : undefined));
    await expect(putProducts(1_001)).rejects.toThrow('the change could not be stored (disk I/O error, EIO)');
    disk.end();
    expect(store.read().state).toBe(before);
    expect(await readFile(file.path, 'utf8')).toBe(text);
    await putProducts(1);
    await store.flush();
    expect(JSON.parse(await readFile(file.path, 'utf8')).products).toEqual(products.slice(0, 1));
  });
});
