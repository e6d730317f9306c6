import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { getProductId } from '../support/fixtures/default-data.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const ITEM = { productId: getProductId('Cordless Electric Kettle'), quantity: 1 };
const WARN = 40;

it.each<readonly [what: string, put: (path: string) => void, said: RegExp]>([
  ['a folder', (path) => mkdirSync(path), /is now a folder.*get 503\. Move the folder to another place/],
  ['a symbolic link to itself', (path) => symlinkSync(path, path), /leads to itself.*get 503\. Delete the link/],
])('A warning about %s in place of the data file contains a remedy that works', async (_, put, said) => {
  const shop = await startStorefront({ errorsExpected: true });
  const { dataFile = '' } = shop;
  renameSync(dataFile, `${dataFile}.away`);
  put(dataFile);
  const warnings = () => shop.log.filter(({ level }) => level === WARN);
  await vi.waitFor(() => expect(JSON.stringify(warnings())).toMatch(said), { timeout: 60_000, interval: 20 });
  expect((await shop.ask('POST', '/api/cart-items', ITEM)).status).toBe(503);
  rmSync(dataFile, { recursive: true });
  expect((await shop.ask('POST', '/api/cart-items', ITEM)).status).toBe(201);
});
