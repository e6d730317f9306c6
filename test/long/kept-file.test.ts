import { chmod, mkdir, readdir, readFile, readlink, rm, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import { defaults, defaultText, getProductId } from '../support/fixtures/default-data.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const KETTLE = getProductId('Cordless Electric Kettle');

/** The name of a temporary file beside db.json. */
const HALF_WRITTEN = '.db.json.storefront-new-0a1b2c3d4e5f';

describe('a data file', () => {
  it.each([
    ['600', 0o600],
    ['664', 0o664],
  ])('keeps its mode %s when it is written', async (mode, bits) => {
    const data = join(await tempFolder(), 'db.json');
    await writeFile(data, defaultText);
    await chmod(data, bits);
    const shop = await startStorefront({ data });
    await addKettle(shop);
    await shop.flush();
    expect(await getMode(data)).toBe(mode);
    await shop.ask('POST', '/api/reset');
    expect(await getMode(data)).toBe(mode);
  });

  it.each([
    ['644', 0o022],
    ['600', 0o077],
  ])('is created with the mode %s by the umask', async (mode, umask) => {
    const before = process.umask(umask);
    onTestFinished(() => void process.umask(before));
    const data = join(await tempFolder(), 'db.json');
    await startStorefront({ data });
    expect(await getMode(data)).toBe(mode);
  });

  it.each(['../db.json', 'other/db.json'])(
    'is written at the target %s of a symbolic link, and the link remains',
    async (target) => {
      const folder = join(await tempFolder(), 'folder');
      await mkdir(join(folder, 'other'), { recursive: true });
      const link = join(folder, 'link.json');
      await writeFile(join(folder, target), defaultText);
      await symlink(target, link);
      const shop = await startStorefront({ data: link });
      await addKettle(shop);
      await shop.flush();
      expect(await readlink(link)).toBe(target);
      expect(await readFile(join(folder, target), 'utf8')).toContain(KETTLE_IN_CART);
    },
  );

  it('is created at the missing target of a symbolic link, and the link remains', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'volume'));
    const link = join(folder, 'db.json');
    await symlink('volume/shop.json', link);
    await startStorefront({ data: link });
    expect(await readlink(link)).toBe('volume/shop.json');
    expect(await readFile(join(folder, 'volume/shop.json'), 'utf8')).toBe(defaultText);
  });

  it('has no temporary file beside it after the start and after a change', async () => {
    const shop = await startStorefront();
    expect(await readdir(shop.folder)).toEqual(['db.json']);
    await addKettle(shop);
    await shop.flush();
    expect(await readdir(shop.folder)).toEqual(['db.json']);
  });

  it('has the temporary files of a killed process, and no other files, removed at the start', async () => {
    const folder = await tempFolder();
    const others = ['db.json', 'db.json.tmp', '.other.json.storefront-new-0a1b2c3d4e5f'];
    for (const name of [...others, HALF_WRITTEN]) await writeFile(join(folder, name), defaultText);
    await startStorefront({ data: join(folder, 'db.json') });
    expect((await readdir(folder)).toSorted()).toEqual(others.toSorted());
  });

  it('is used although a killed process left a partial write beside it', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'db.json'), defaultText);
    await writeFile(join(folder, HALF_WRITTEN), '{ "products": [');
    const shop = await startStorefront({ data: join(folder, 'db.json') });
    expect((await addKettle(shop)).status).toBe(201);
    await shop.flush();
    expect(await readdir(folder)).toEqual(['db.json']);
  });
});

describe("a disk that can't be written", () => {
  it('makes a change return 503 with Retry-After, and nothing changes', async () => {
    const shop = await startStorefront({ errorsExpected: true });
    await blockWrites(shop);
    const refused = await addKettle(shop);
    expect(refused).toMatchObject({ status: 503, body: { type: '/problems/unavailable', status: 503 } });
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
  });

  it('has no temporary file of a failed write', async () => {
    const shop = await startStorefront({ errorsExpected: true });
    const before = await readdir(shop.folder);
    await blockWrites(shop);
    await addKettle(shop);
    expect(await readdir(shop.folder)).toEqual(before);
  });

  it('is written again as soon as it can be', async () => {
    const shop = await startStorefront({ errorsExpected: true });
    const unblock = await blockWrites(shop);
    await addKettle(shop);
    await unblock();
    expect((await addKettle(shop)).status).toBe(201);
    await shop.flush();
    expect(await readFile(join(shop.folder, 'db.json'), 'utf8')).toContain(KETTLE_IN_CART);
  });

  it('prevents the start with an error that names the file', async () => {
    const inTheWay = join(await tempFolder(), 'file');
    await writeFile(inTheWay, 'not a folder');
    const data = join(inTheWay, 'db.json');
    await expect(createStorefront({ data })).rejects.toThrow(data);
    expect(await readFile(inTheWay, 'utf8')).toBe('not a folder');
  });
});

/** A text that the file contains only if a kettle is in the cart. */
const KETTLE_IN_CART = `"productId": "${KETTLE}",\n      "quantity": 1,\n      "deliveryOptionId": "1"`;

function addKettle(shop: TestShop) {
  return shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
}

async function getMode(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

/** Replaces the file with a folder, so that no write can succeed. Returns a function that removes the folder. */
async function blockWrites({ dataFile = '' }: TestShop): Promise<() => Promise<void>> {
  await rm(dataFile);
  await mkdir(dataFile);
  return () => rmdir(dataFile);
}
