import { afterAll, beforeAll, expect } from 'vitest';
import { createStorefront, type Options, type Storefront } from '../../../src/index.ts';
import { steering, within } from './sandboxes.ts';
import { asker, type LogLine, NOW_MS, type TestShop } from './start-storefront.ts';

/** A sandbox of a test's own in a shop that a file's tests share. */
export interface Room {
  readonly id: string;
  readonly port: number;
  /** Asks the shop in the sandbox. */
  readonly ask: TestShop['ask'];
  /** Asks control for a path below that of the sandbox; each answer holds by the contract of control. */
  readonly steer: TestShop['ask'];
}

/** The level from which a line of the log tells of a fault of ours. */
const ERROR = 50;

/**
 * A shop in memory for all tests of a file, which is started before and closed after them, and fails the file where its log tells of faults. Gives
 * back how a test gets the shop, and a sandbox that no other test has.
 */
export function sharedShop(options: Options = {}): { readonly shop: () => Storefront; readonly room: () => Room } {
  const faults: LogLine[] = [];
  let storefront: Storefront;
  let rooms = 0;
  beforeAll(async () => {
    const write = (line: string) => {
      const told: LogLine = JSON.parse(line);
      if (told.level >= ERROR) faults.push(told);
    };
    storefront = await createStorefront({
      nowMs: () => NOW_MS,
      verify: 'strict',
      log: 'json',
      logTo: { write },
      ...options,
    });
  });
  afterAll(async () => {
    await storefront.close();
    expect(faults).toEqual([]);
  });
  return { shop: () => storefront, room: () => roomIn(storefront, `room-${++rooms}`) };
}

/** The sandbox of this id in a shop. */
export function roomIn(shop: Storefront, id: string): Room {
  const steer = steering(shop);
  return {
    id,
    port: shop.port,
    ask: id === 'default' ? asker(shop.url) : within(shop, id),
    steer: (method, below, ...rest) => steer(method, `/${id}${below}`, ...rest),
  };
}
