import { closeSync, fsync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { JSONFilePreset } from 'lowdb/node';
import type { State } from '../../../src/shop/state.ts';
import { collections } from '../../../src/shop/state.ts';
import { openState } from '../../../src/store/open-state.ts';

/** A store that contains its data in a file. */
export interface Writer {
  readonly name: string;
  /** Changes the quantity of a cart item. Resolves when the store reports that the change is stored. */
  change(): Promise<unknown>;
  close(): Promise<void>;
}

interface Data {
  readonly cartItems: readonly { readonly productId: string; readonly quantity: number }[];
}

const sync = promisify(fsync);

/**
 * Creates a store that writes the same bytes durably with as few calls as possible: it writes a new file, calls fsync, renames the file, and calls fsync for
 * the folder.
 */
export function bareWriter(path: string): Writer {
  const bytes = readFileSync(path);
  const temporary = `${path}.new`;
  return {
    name: 'bare write, fsync, rename, fsync',
    async change() {
      const file = openSync(temporary, 'w');
      writeSync(file, bytes);
      await sync(file);
      closeSync(file);
      renameSync(temporary, path);
      const folder = openSync(dirname(path), 'r');
      await sync(folder);
      closeSync(folder);
    },
    async close() {},
  };
}

/** Creates a store with lowdb, as the documentation of lowdb recommends. If NODE_ENV is `test`, this preset of lowdb stores the data only in memory. */
export async function lowdbWriter(path: string): Promise<Writer> {
  const database = await JSONFilePreset<{ cartItems: { quantity: number }[] }>(path, { cartItems: [] });
  return {
    name: 'lowdb, nothing synced',
    change: () =>
      database.update(({ cartItems: [item] }) => {
        if (item) item.quantity += 1;
      }),
    async close() {},
  };
}

/** Creates a store with the store of our server, without HTTP. */
export async function ourWriter(path: string): Promise<Writer> {
  const { store } = await openState<State>({
    data: path,
    durability: 'disk',
    defaultData: join(import.meta.dirname, '../../../db.json.default'),
    collections: () => Object.keys(collections),
    check: () => [],
    *checkInSteps() {
      yield;
      return [];
    },
    nowMs: () => 0,
    address: () => undefined,
    log: { info() {}, warn() {}, error() {} },
  });
  return {
    name: 'ours',
    change: () =>
      store.update((state) => ({
        next: { ...state, cartItems: state.cartItems.map((item) => ({ ...item, quantity: item.quantity + 1 })) },
        result: undefined,
      })),
    close: () => store.close(),
  };
}

/** Returns whether a file contains a cart that is not empty. All stores write such a cart, so the measured changes were not written if the result is false. */
export function hasCart(path: string): boolean {
  return (JSON.parse(readFileSync(path, 'utf8')) as Data).cartItems.length > 0;
}
