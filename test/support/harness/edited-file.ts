import { writeFileSync } from 'node:fs';
import { copyFile, open, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import type { State } from '../../../src/shop/state.ts';
import type { LogLine, TestShop } from './start-storefront.ts';

/** The maximum time to wait until a slow machine has loaded an edited file, in ms. It usually takes less than a second. */
const SERVED_MS = 60_000;

/** The pause between two steps of a save, in ms. It is longer than the time for which a file must be unchanged before the server reads it. */
const EDITOR_PAUSE_MS = 120;

/** A function that saves a file as an editor does. */
export type SaveMethod = (path: string, text: string) => Promise<void>;

/** Functions that save a file in the ways of different editors. */
export const saveMethods: Readonly<Record<string, SaveMethod>> = {
  // The synchronous call leaves the server, which runs in the same process, no time to see the file while it is empty.
  'in place': async (path, text) => writeFileSync(path, text),
  'in place, in steps': async (path, text) => {
    const file = await open(path, 'w');
    await setTimeout(EDITOR_PAUSE_MS);
    await file.write(text.slice(0, text.length / 2));
    await setTimeout(EDITOR_PAUSE_MS);
    await file.write(text.slice(text.length / 2));
    await file.close();
  },
  'by renaming another file over it': async (path, text) => {
    await writeFile(`${path}.swp`, text);
    await rename(`${path}.swp`, path);
  },
  'by moving the old one away first': async (path, text) => {
    await rename(path, `${path}~`);
    await setTimeout(EDITOR_PAUSE_MS);
    await writeFile(path, text);
  },
  'by copying the old one and writing in place': async (path, text) => {
    await copyFile(path, `${path}~`);
    writeFileSync(path, text);
  },
};

/** Waits until `look` no longer throws an error. Rejects with the last error if this takes too long. */
export function eventually(look: () => Promise<void> | void): Promise<void> {
  return vi.waitFor(look, { timeout: SERVED_MS, interval: 25 });
}

/** Waits until the GET requests of a shop return this state. */
export function expectState(shop: TestShop, { products, deliveryOptions, cartItems, orders }: State): Promise<void> {
  return eventually(async () => {
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(cartItems);
    expect((await shop.ask('GET', '/api/products')).body).toEqual(products);
    expect((await shop.ask('GET', '/api/orders')).body).toEqual(orders);
    expect((await shop.ask('GET', '/api/delivery-options')).body).toEqual(deliveryOptions);
  });
}

/** Returns the log lines that report that the server has loaded an edited data file. */
export function getEditLogs({ log }: TestShop): readonly LogLine[] {
  return log.filter(({ msg }) => msg?.includes('was edited: '));
}

/** Returns the messages of all warnings and errors in the log. */
export function getWarnings({ log }: TestShop): readonly string[] {
  return log.filter(({ level }) => level >= 40).map(({ msg = '' }) => msg);
}

/** Writes all changes to the data file of a shop, and returns the text of the file. */
export async function readDataFile({ dataFile = '', flush }: Pick<TestShop, 'dataFile' | 'flush'>): Promise<string> {
  await flush();
  return readFile(dataFile, 'utf8');
}

/** Returns the contents of the files `db.json.conflict-TIME` beside the data file of a shop. */
export async function readConflictFiles({ dataFile = '', flush }: TestShop): Promise<readonly string[]> {
  await flush();
  const names = await readdir(dirname(dataFile));
  const copies = names.filter((name) => /^db\.json\.conflict-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(-[2-9])?$/.test(name));
  return Promise.all(copies.map((name) => readFile(`${dirname(dataFile)}/${name}`, 'utf8')));
}
