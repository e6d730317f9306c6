import { mkdir, readdir, readFile, readlink, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { State } from '../../src/shop/state.ts';
import { StoreUnavailableError } from '../../src/store/backend.ts';
import { machineDisk } from '../../src/store/disk.ts';
import { repairDataFile } from '../../src/store/repair.ts';
import type { Store } from '../../src/store/store.ts';
import { createCartFile } from '../support/fixtures/cart-file.ts';
import { defaultText, projectFile } from '../support/fixtures/default-data.ts';
import { shopValidator } from '../support/fixtures/state-validator.ts';
import { getAddedProducts, PRODUCT_IDS, putItem } from '../support/fixtures/states.ts';
import { createFaultyDisk, type Plan } from '../support/harness/faulty-disk.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { openTestState } from '../support/harness/open-store.ts';
import { readStoredState } from '../support/harness/stored-state.ts';

const [A, B] = PRODUCT_IDS as [string, string];

/** A disk that fails to sync a folder and then fails to rename files, so a replaced file cannot be rolled back. */
function failingForGood(): Plan {
  let isFailing = false;
  return ({ name, last }) => {
    isFailing ||= name === 'sync' && last === 'open';
    return isFailing ? { code: 'EIO' } : undefined;
  };
}

describe('a failed commit that could not be rolled back', () => {
  it.each([
    ['of a reset', (store: Store<State>) => store.reset(), []],
    ['of a change', (store: Store<State>) => store.update(putItem(B)), [A, B]],
  ] as const)('is logged, and rolled back as soon as the disk works again: %s', async (_what, change, stored) => {
    const file = await createCartFile([A]);
    const disk = createFaultyDisk();
    const warnings: string[] = [];
    const log = { info() {}, error() {}, warn: (message: string) => void warnings.push(message) };
    const { store } = await openTestState({ data: file.path, disk, log });
    disk.begin(failingForGood());
    await expect(change(store)).rejects.toThrow(StoreUnavailableError);
    expect(getAddedProducts(await readStoredState(file.path))).toEqual(stored);
    expect(warnings).toEqual([expect.stringContaining('could not be rolled back yet')]);
    disk.end();
    // The old file is deleted last, after the folder is synced.
    await vi.waitFor(async () => expect(await file.names()).toEqual(['db.json']), { timeout: 60_000 });
    expect(await file.cart()).toEqual([A]);
    expect(getAddedProducts(store.read().state)).toEqual([A]);
  });
});

describe('a repair', () => {
  it('that fails keeps the content of the file under its name or another', async () => {
    const text = '{ "products": [';
    for (const plan of [failingForGood(), ({ name }) => (name === 'rename' ? { code: 'EIO' } : undefined)] as Plan[]) {
      const folder = await folderWith({ 'db.json': text });
      const disk = createFaultyDisk();
      disk.begin(plan);
      const repairing = repairDataFile({
        data: join(folder, 'db.json'),
        defaultData: projectFile('db.json.default'),
        check: shopValidator().validate,
        log: { warn() {} },
        disk,
      });
      await expect(repairing).rejects.toThrow("can't be repaired");
      disk.end();
      await openTestState({ data: join(folder, 'db.json') }).catch(() => {});
      const held = (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8'));
      expect(await Promise.all(held)).toContain(text);
    }
  });
});

describe('a data file whose folder is replaced while the server runs', () => {
  it('is still locked by one server', async () => {
    const folder = join(await folderWith({ 'data/db.json': defaultText }), 'data');
    const data = join(folder, 'db.json');
    const { store } = await openTestState({ data });
    await rename(folder, `${folder}.old`);
    await mkdir(folder);
    await store.update(putItem(A));
    await expect(openTestState({ data })).rejects.toThrow('is in use by process');
  });

  it('does not lock another folder that reuses the inode number of the deleted one', async () => {
    const folder = join(await folderWith({ 'data/db.json': defaultText, 'new/db.json': defaultText }), 'data');
    const { store } = await openTestState({ data: join(folder, 'db.json') });
    await rename(folder, `${folder}.old`);
    // The same folder with another name, so it has the same inode number.
    const other = await openTestState({ data: join(`${folder}.old`, 'db.json') });
    expect(await other.store.update(putItem(B))).toBe(B);
    await expect(store.update(putItem(A))).rejects.toThrow('its folder does not exist');
    await rename(`${folder}.old`, folder);
    expect(await store.update(putItem(A))).toBe(A);
    expect(getAddedProducts(store.read().state)).toEqual([B, A]);
    await expect(other.store.update(putItem(B))).rejects.toThrow('its folder does not exist');
  });

  it('is not written if another server has locked it meanwhile', async () => {
    const folder = join(await folderWith({ 'data/db.json': defaultText }), 'data');
    const data = join(folder, 'db.json');
    const { store } = await openTestState({ data });
    await rename(folder, `${folder}.old`);
    const other = await openTestState({ data });
    await other.store.update(putItem(B));
    await expect(store.update(putItem(A))).rejects.toThrow('is in use by process');
    expect(getAddedProducts(await readStoredState(data))).toEqual([B]);
  });
});

describe('an existing data file', () => {
  it('is synced with its folder before it is served', async () => {
    const file = await createCartFile([A]);
    const disk = createFaultyDisk();
    disk.begin();
    await openTestState({ data: file.path, disk });
    expect(disk.end().filter((step) => step === 'sync')).toHaveLength(2);
  });

  it('can be on a file system without owners and modes', async () => {
    const file = await createCartFile([A]);
    const disk = { ...machineDisk, setMode: refused, setOwner: refused };
    const { store } = await openTestState({ data: file.path, disk });
    expect(await store.update(putItem(B))).toBe(B);
  });
});

describe('a symbolic link to a missing data file', () => {
  it('is resolved relative to the folder of the link', async () => {
    const root = await folderWith({ 'x/y/z/other': '' });
    await symlink('x/y/z', join(root, 'link'));
    await symlink('../db2.json', join(root, 'x/y/z/db.json'));
    const { path } = await openTestState({ data: join(root, 'link/db.json') });
    expect(path).toBe(join(root, 'x/y/db2.json'));
    expect(await readlink(join(root, 'x/y/z/db.json'))).toBe('../db2.json');
  });
});

describe('the error message for a damaged file', () => {
  it.each([
    ['names the line after a byte order mark', '\uFEFF{\n\n"products": oops', ':3 is not JSON: invalid symbol'],
    ['names the first duplicate name', defaultText.replace(/\}\s*$/, ', "products": [] }'), 'has "products" twice'],
    [
      'contains the minimum length of a list',
      defaultText.replace(/"products": \[\s*\{\s*"productId"[^\]]*\]/, '"products": []'),
      '/orders/0/products is []: use an array with at least 1 entry',
    ],
    [
      'contains the step of a number',
      defaultText.replace(/"stars": [\d.]+/, '"stars": 4.3'),
      'from 0 to 5 in steps of 0.5',
    ],
    ['names a missing list', '{}', '/products is missing: add an array'],
  ])('%s', async (_what, text, said) => {
    const folder = await folderWith({});
    await writeFile(join(folder, 'db.json'), text);
    await expect(openTestState({ data: join(folder, 'db.json') })).rejects.toThrow(said);
  });
});

function refused(): never {
  throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
}

describe('a symbolic link to the data file of a running server', () => {
  it('is logged once when its target changes', async () => {
    const folder = await folderWith({ 'one.json': defaultText, 'other.json': defaultText });
    const link = join(folder, 'db.json');
    await symlink('one.json', link);
    const warnings: string[] = [];
    const log = { info() {}, error() {}, warn: (message: string) => void warnings.push(message) };
    const { store } = await openTestState({ data: link, log });
    await symlink('other.json', `${link}.new`);
    await rename(`${link}.new`, link);
    await vi.waitFor(() => expect(warnings).not.toEqual([]), { timeout: 60_000 });
    await store.loadEdits();
    expect(warnings).toEqual([
      expect.stringContaining(`The link ${link} no longer leads to ${join(folder, 'one.json')}, but`),
    ]);
  });
});
