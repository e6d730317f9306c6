import { lstatSync, renameSync, symlinkSync } from 'node:fs';
import { lstat, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type CartFile, createCartFile, createDataText } from '../support/fixtures/cart-file.ts';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { getAddedProducts, PRODUCT_IDS, putItem } from '../support/fixtures/states.ts';
import { createFaultyDisk } from '../support/harness/faulty-disk.ts';
import { openTestState } from '../support/harness/open-store.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const [A, B, C, OTHER] = PRODUCT_IDS as [string, string, string, string];
const KETTLE = getProductId('Cordless Electric Kettle');
const OTHER_TEXT = createDataText([OTHER]);

describe('a symbolic link that replaces the data file of a running shop', () => {
  it.each([
    ['another file', () => OTHER_TEXT],
    ['the data file, which was moved away', undefined],
  ])(
    'is rejected as an edit, and the next change renames it to a conflict file: a link to %s',
    async (_what, otherText) => {
      const shop = await startStorefront();
      const { dataFile = '' } = shop;
      const target = join(await tempFolder(), 'other.json');
      if (otherText) await writeFile(target, otherText());
      else renameSync(dataFile, target);
      const before = await readFile(target, 'utf8');
      putLink(target, dataFile);
      await vi.waitFor(
        () => expect(warnings(shop)).toEqual([expect.stringContaining('db.json is now a symbolic link')]),
        {
          timeout: 60_000,
        },
      );
      expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
      expect((await addKettle(shop)).status).toBe(201);
      await shop.flush();
      expect((await lstat(dataFile)).isFile()).toBe(true);
      expect(JSON.parse(await readFile(dataFile, 'utf8')).cartItems).toHaveLength(defaults.cartItems.length + 1);
      expect(await readFile(target, 'utf8')).toBe(before);
      const [conflictFiles = ''] = await conflictsIn(shop.folder);
      expect(await realpath(join(shop.folder, conflictFiles))).toBe(await realpath(target));
      expect(warnings(shop).at(-1)).toContain(conflictFiles);
    },
  );

  it('is followed at the next start', async () => {
    const shop = await startStorefront();
    const target = join(await tempFolder(), 'other.json');
    await writeFile(target, OTHER_TEXT);
    putLink(target, shop.dataFile ?? '');
    await shop.close();
    const next = await startStorefront({ data: shop.dataFile });
    expect(next.dataFile).toBe(await realpath(target));
    expect((await addKettle(next)).status).toBe(201);
    expect((await lstat(shop.dataFile ?? '')).isSymbolicLink()).toBe(true);
  });
});

describe.each([
  { links: true, kind: 'with hard links' },
  { links: false, kind: 'without hard links' },
] as const)('a store on a file system $kind', ({ links }) => {
  it('preserves a symbolic link that replaces its file before any step of a change', async () => {
    const steps = await stepsOfChange();
    await Promise.all(steps.map((name, index) => expectLinkKept(index + 1, `before ${index + 1} ${name}`)));
  });

  async function stepsOfChange() {
    const { disk, store } = await openStore();
    disk.begin();
    await store.update(putItem(B));
    await store.flush();
    // Copied, because checks for edits continue.
    return [...disk.end()];
  }

  async function expectLinkKept(stepNumber: number, label: string): Promise<void> {
    const { file, disk, store } = await openStore();
    const target = join(await tempFolder(), 'other.json');
    await writeFile(target, OTHER_TEXT);
    let isTooLate = false;
    disk.begin(({ number, name, last }) => {
      if (number !== stepNumber) return undefined;
      putLink(target, file.path);
      // No system call closes this gap between the check and the rename.
      isTooLate = name === 'rename' && (last === 'link' || !links);
      return undefined;
    });
    expect.soft(await store.update(putItem(B)), label).toBe(B);
    await store.flush();
    disk.end();
    expect.soft(await store.update(putItem(C)), label).toBe(C);
    await store.flush();
    expect.soft(getAddedProducts(store.read().state), label).toEqual([A, B, C]);
    expect.soft(lstatSync(file.path).isFile(), label).toBe(true);
    expect.soft(await file.cart(), label).toEqual([A, B, C]);
    expect.soft(await readFile(target, 'utf8'), label).toBe(OTHER_TEXT);
    const conflictFiles = await file.conflicts();
    expect.soft(isTooLate || conflictFiles.includes(OTHER_TEXT), `${label}: kept`).toBe(true);
    const others = (await file.names()).filter((name) => !name.includes('.conflict-'));
    expect.soft(others, label).toEqual(['db.json']);
  }

  async function openStore(): Promise<
    { file: CartFile; disk: ReturnType<typeof createFaultyDisk> } & Awaited<ReturnType<typeof openTestState>>
  > {
    const file = await createCartFile([A]);
    const disk = createFaultyDisk({ links });
    return { file, disk, ...(await openTestState({ data: file.path, disk })) };
  }
});

/** Replaces a file with a symbolic link atomically. */
function putLink(target: string, path: string): void {
  const name = join(dirname(target), 'link');
  symlinkSync(target, name);
  renameSync(name, path);
}

function addKettle(shop: TestShop) {
  return shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
}

function warnings({ log }: TestShop): readonly string[] {
  return log.filter(({ level }) => level === 40).map(({ msg = '' }) => msg);
}

async function conflictsIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith('db.json.conflict-'));
}
