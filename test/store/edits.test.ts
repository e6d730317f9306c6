import { chmod, mkdir, readdir, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { State } from '../../src/shop/state.ts';
import { defaults, defaultText, getProductId } from '../support/fixtures/default-data.ts';
import {
  eventually,
  expectState,
  getEditLogs,
  getWarnings,
  readConflictFiles,
  readDataFile,
  saveMethods,
} from '../support/harness/edited-file.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const ADD_KETTLE = { productId: KETTLE, quantity: 1 };

/** The number of concurrent clients that add to the cart, and the number of additions of each. */
const CLIENTS = 20;
const TIMES = 5;

describe('an edit of the data file of a running server', () => {
  it.each(Object.entries(saveMethods))('is served after a save %s', async (_way, save) => {
    const shop = await startStorefront();
    await expectState(shop, defaults);
    const edited = editedState('Zither');
    const text = JSON.stringify(edited);
    await save(shop.dataFile ?? '', text);
    await expectState(shop, edited);
    expect((await shop.ask('GET', '/api/products?search=zither')).body).toEqual([edited.products[0]]);
    expect((await shop.ask('GET', '/api/payment-summary')).body).toMatchObject({ totalItems: 1_000 });
    expect(await readDataFile(shop)).toBe(text);
    expect(getEditLogs(shop)).toHaveLength(1);
    expect(getWarnings(shop)).toEqual([]);
  });

  it.each(Object.entries(saveMethods))('is the base of a change immediately after a save %s', async (_way, save) => {
    const shop = await startStorefront();
    await save(shop.dataFile ?? '', JSON.stringify(editedState('Zither')));
    const added = await shop.ask('POST', '/api/cart-items', ADD_KETTLE);
    expect(added).toMatchObject({ status: 201, body: { quantity: 1_001 } });
    expect((await shop.ask('GET', '/api/products?search=zither')).body).toHaveLength(1);
    expect(JSON.parse(await readDataFile(shop))).toEqual(editedState('Zither', 1_001));
    expect(await readConflictFiles(shop)).toEqual([]);
  });

  it.each(['link.json', 'folder/db.json'])('is served if the data file is a symbolic link: %s', async (path) => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'real'));
    await writeFile(join(folder, 'real/db.json'), defaultText);
    await symlink('real/db.json', join(folder, 'link.json'));
    await symlink('real', join(folder, 'folder'));
    const shop = await startStorefront({ data: join(folder, path) });
    await writeFile(join(folder, path), JSON.stringify(editedState('Zither')));
    await expectState(shop, editedState('Zither'));
  });

  it('can be searched', async () => {
    const shop = await startStorefront();
    expect((await shop.ask('GET', '/api/products?search=zither')).body).toEqual([]);
    await writeFile(shop.dataFile ?? '', JSON.stringify(editedState('Zither')));
    await eventually(async () => expect((await shop.ask('GET', '/api/products?search=zither')).body).toHaveLength(1));
  });

  it('is served, and so is a second one', async () => {
    const shop = await startStorefront();
    for (const name of ['Zither', 'Yarn', 'Xylophone']) {
      await writeFile(shop.dataFile ?? '', JSON.stringify(editedState(name)));
      await expectState(shop, editedState(name));
    }
    expect(getEditLogs(shop)).toHaveLength(3);
  });

  it('is served if it is the last of several in quick succession', async () => {
    const shop = await startStorefront();
    for (let number = 1; number <= 10; number++) {
      const save = number % 2 === 0 ? saveMethods['in place'] : saveMethods['by renaming another file over it'];
      await save?.(shop.dataFile ?? '', JSON.stringify(editedState(`Zither ${number}`)));
    }
    await expectState(shop, editedState('Zither 10'));
    expect(await readConflictFiles(shop)).toEqual([]);
  });

  it('can undo a change of the server', async () => {
    const shop = await startStorefront();
    await shop.ask('POST', '/api/cart-items', ADD_KETTLE);
    await shop.flush();
    await writeFile(shop.dataFile ?? '', defaultText);
    await expectState(shop, defaults);
  });

  it('is undone by a reset', async () => {
    const shop = await startStorefront();
    await writeFile(shop.dataFile ?? '', JSON.stringify(editedState('Zither')));
    await shop.ask('POST', '/api/reset');
    await expectState(shop, defaults);
    expect(await readDataFile(shop)).toBe(defaultText);
    expect(await readConflictFiles(shop)).toEqual([]);
  });

  // An edit by a rename may come between two system calls of a commit, which cannot be combined. The README documents this.
  it.each(Object.entries(saveMethods).filter(([way]) => way.includes('in place')))(
    'is served or saved beside the file, without losing an acknowledged change of 20 concurrent clients: %s',
    async (_way, save) => {
      const shop = await startStorefront();
      const text = JSON.stringify(editedState('Zither'));
      let editing: Promise<void> | undefined;
      const client = async () => {
        const answers: number[] = [];
        for (let time = 0; time < TIMES; time++) {
          const { status, body } = await shop.ask('POST', '/api/cart-items', ADD_KETTLE);
          expect(status).toBe(201);
          answers.push(body.quantity);
          editing ??= save(shop.dataFile ?? '', text);
        }
        return answers;
      };
      const answered = (await Promise.all(Array.from({ length: CLIENTS }, client))).flat();
      await editing;
      // Makes the shop check the file again, because an edit may have been saved after the last change.
      answered.push((await shop.ask('POST', '/api/cart-items', ADD_KETTLE)).body.quantity);
      const seen = answered.filter((quantity) => quantity > 1_000);
      const conflicts = await readConflictFiles(shop);
      if (seen.length > 0) expect(conflicts).not.toContain(text);
      else expect(conflicts).toEqual([text]);
      const expected = seen.length > 0 ? 1_000 + seen.length : answered.length;
      expect(await kettlesIn(shop)).toBe(expected);
      expect(JSON.parse(await readDataFile(shop)).products[0].name === 'Zither').toBe(seen.length > 0);
    },
  );
});

describe('a data file that is touched but not edited', () => {
  it.each<[string, (path: string) => Promise<void>]>([
    ['a new modification time', (path) => utimes(path, new Date(), new Date())],
    ['a save without changes', (path) => writeFile(path, defaultText)],
    [
      'a rename of another file with the same content',
      (path) => saveMethods['by renaming another file over it']?.(path, defaultText) as Promise<void>,
    ],
  ])('does not change the revision: %s', async (_what, touch) => {
    const shop = await startStorefront();
    await touch(shop.dataFile ?? '');
    await shop.ask('POST', '/api/cart-items', ADD_KETTLE);
    await shop.flush();
    expect(getEditLogs(shop)).toEqual([]);
    expect(getWarnings(shop)).toEqual([]);
    expect(await readdir(shop.folder)).toEqual(['db.json']);
  });

  it('keeps a mode that was set meanwhile', async () => {
    const shop = await startStorefront();
    await chmod(shop.dataFile ?? '', 0o604);
    await shop.ask('POST', '/api/cart-items', ADD_KETTLE);
    await shop.flush();
    expect((await stat(shop.dataFile ?? '')).mode & 0o777).toBe(0o604);
    expect(getEditLogs(shop)).toEqual([]);
  });
});

describe('a write of the server itself', () => {
  it('is never treated as an edit', async () => {
    const shop = await startStorefront();
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 5 }, () => shop.ask('POST', '/api/cart-items', ADD_KETTLE)));
      await shop.ask('POST', round % 3 === 0 ? '/api/reset' : '/api/orders');
    }
    await shop.flush();
    expect(getEditLogs(shop)).toEqual([]);
    expect(getWarnings(shop)).toEqual([]);
    expect(await readdir(shop.folder)).toEqual(['db.json']);
  });
});

/** Returns the default data with another name of the first product, no orders, and a cart of some kettles only. */
function editedState(name: string, quantity = 1_000): State {
  const [first, ...rest] = defaults.products as [State['products'][number]];
  const cartItems = [{ id: 1, productId: KETTLE, quantity, deliveryOptionId: '1' }];
  return { ...defaults, products: [{ ...first, name }, ...rest], cartItems, orders: [] };
}

async function kettlesIn(shop: TestShop): Promise<number | undefined> {
  const { body } = await shop.ask('GET', '/api/cart-items');
  return body.find((item: { productId: string }) => item.productId === KETTLE)?.quantity;
}
