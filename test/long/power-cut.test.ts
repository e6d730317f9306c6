import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, type TestContext, vi } from 'vitest';
import { getProductId } from '../support/fixtures/default-data.ts';
import { mountLoopDisk, mountsUnavailable } from '../support/harness/disks.ts';
import { startProgram } from '../support/harness/start-program.ts';
import { createFetchClient } from '../support/harness/start-storefront.ts';
import { readStoredState } from '../support/harness/stored-state.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const CLIENTS = 4;
const ROUNDS = 8;

/** The maximum number of responses before a round cuts the power. */
const ANSWERS = 150;

/** The option of Node that loads a module which replaces fsync by a function that does nothing. */
const WITHOUT_FSYNC = `--import data:text/javascript,${encodeURIComponent(`
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  fs.fsync = fs.fdatasync = (_file, done) => done(null);
  fs.fsyncSync = fs.fdatasyncSync = () => {};
  syncBuiltinESMExports();
`)}`;

beforeEach(({ skip }) => skip(mountsUnavailable !== undefined, mountsUnavailable));

describe('a power failure under load', { timeout: 300_000 }, () => {
  it(`loses no acknowledged change, ${ROUNDS} times, and the next start leaves no other file behind`, async (t) => {
    for (let round = 0; round < ROUNDS; round++) {
      const { acknowledged, asked, folder } = await loadAndCutPower(t);
      expect(acknowledged).toBeGreaterThan(0);
      expect(await countKettles(folder)).toBeGreaterThanOrEqual(acknowledged);
      expect(await countKettles(folder)).toBeLessThanOrEqual(asked);
      const again = await startProgram(t, ['--port', '0', '--data', join(folder, 'db.json')]);
      expect((await createFetchClient(await again.url())('GET', '/api/cart-items')).status).toBe(200);
      const names = async () => (await readdir(folder)).filter((name) => name !== 'lost+found');
      await expect.poll(names, { timeout: 60_000 }).toEqual(['db.json']);
    }
  });

  it('loses acknowledged changes if the server does not call fsync, which shows that this test can fail', async (t) => {
    const { acknowledged, folder } = await loadAndCutPower(t, { NODE_OPTIONS: WITHOUT_FSYNC });
    expect(await countKettles(folder)).toBeLessThan(acknowledged);
  });
});

/** Loads a shop on a separate disk and cuts its power. Counts acknowledged changes before the cut, and requests after it. */
async function loadAndCutPower(t: TestContext, environment: Record<string, string> = {}) {
  const disk = await mountLoopDisk();
  const shop = await startProgram(t, ['--port', '0', '--data', join(disk.folder, 'db.json')], { environment });
  const ask = createFetchClient(await shop.url());
  const ledger = { asked: 0, acknowledged: 0 };
  const enough = 1 + Math.floor(Math.random() * ANSWERS);
  const client = async () => {
    for (;;) {
      ledger.asked++;
      const { status } = await ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
      if (status !== 201) throw new Error(`answered ${status}`);
      ledger.acknowledged++;
    }
  };
  const clients = Promise.allSettled(Array.from({ length: CLIENTS }, client));
  await vi.waitFor(() => expect(ledger.acknowledged).toBeGreaterThanOrEqual(enough), { timeout: 60_000, interval: 1 });
  // A stopped process cannot write while the disk is copied.
  shop.child.kill('SIGSTOP');
  const { acknowledged } = ledger;
  const folder = await disk.powerCut();
  const { asked } = ledger;
  shop.child.kill('SIGKILL');
  await clients;
  return { acknowledged, asked, folder };
}

/** Returns the number of kettles in the cart that a start with the data file in a folder would have; 0 if the data file is missing or empty. */
async function countKettles(folder: string): Promise<number> {
  const data = join(folder, 'db.json');
  const text = await readFile(data, 'utf8').catch(() => '');
  const { cartItems } = text === '' ? { cartItems: [] } : await readStoredState(data);
  return cartItems.find((item) => item.productId === KETTLE)?.quantity ?? 0;
}
