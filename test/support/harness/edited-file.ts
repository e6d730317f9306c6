import { copyFile, open, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import type { State } from '../../../src/store/state.ts';
import type { LogLine, TestShop } from './start-storefront.ts';

/** How long what is served within a second may take on a machine that has much else to do, in ms. */
const SERVED_MS = 10_000;

/** How long an editor takes between two steps of a save, in ms: longer than the shop's file must rest before it is read. */
const EDITOR_PAUSE_MS = 120;

/** A way in which editors save. */
export type Save = (path: string, text: string) => Promise<void>;

/** The ways in which editors save, by what they do. */
export const saves: Readonly<Record<string, Save>> = {
  'in place': writeFile,
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
    await writeFile(path, text);
  },
};

/** Resolves once `look` finds what it expects. */
export function eventually(look: () => Promise<void> | void): Promise<void> {
  return vi.waitFor(look, { timeout: SERVED_MS, interval: 25 });
}

/** Resolves once the GETs of a shop show a state. */
export function shows(shop: TestShop, { products, deliveryOptions, cartItems, orders }: State): Promise<void> {
  return eventually(async () => {
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(cartItems);
    expect((await shop.ask('GET', '/api/products')).body).toEqual(products);
    expect((await shop.ask('GET', '/api/orders')).body).toEqual(orders);
    expect((await shop.ask('GET', '/api/delivery-options')).body).toEqual(deliveryOptions);
  });
}

/** The lines of a log that tell of an edit that was taken over. */
export function editsTold({ log }: TestShop): readonly LogLine[] {
  return log.filter(({ msg }) => msg?.includes('was edited: '));
}

/** What a log warns of. */
export function warnings({ log }: TestShop): readonly string[] {
  return log.filter(({ level }) => level >= 40).map(({ msg = '' }) => msg);
}

/** What a data file holds. */
export function textOf({ dataFile = '' }: TestShop): Promise<string> {
  return readFile(dataFile, 'utf8');
}

/** What the copies of edits beside a data file hold. */
export async function conflictsOf({ dataFile = '' }: TestShop): Promise<readonly string[]> {
  const names = await readdir(dirname(dataFile));
  const copies = names.filter((name) => /^db\.json\.conflict-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(-[2-9])?$/.test(name));
  return Promise.all(copies.map((name) => readFile(`${dirname(dataFile)}/${name}`, 'utf8')));
}
