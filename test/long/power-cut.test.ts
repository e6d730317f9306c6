import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, type TestContext, vi } from 'vitest';
import { productId } from '../support/fixtures/default-data.ts';
import { loopDisk, noMounts } from '../support/harness/disks.ts';
import { startProgram } from '../support/harness/start-program.ts';
import { asker } from '../support/harness/start-storefront.ts';

const KETTLE = productId('Cordless Electric Kettle');
const CLIENTS = 4;
const ROUNDS = 8;

/** The most answers that a round waits for before the power is cut. */
const ANSWERS = 150;

beforeEach(({ skip }) => skip(noMounts !== undefined, noMounts));

describe('a power cut under load', { timeout: 300_000 }, () => {
  it(`takes nothing that was answered, ${ROUNDS} times, and the next start leaves nothing beside the file`, async (t) => {
    for (let round = 0; round < ROUNDS; round++) {
      const { acknowledged, asked, folder } = await loadedAndCut(t, 'disk');
      expect(acknowledged).toBeGreaterThan(0);
      expect(await kettlesIn(folder)).toBeGreaterThanOrEqual(acknowledged);
      expect(await kettlesIn(folder)).toBeLessThanOrEqual(asked);
      const again = await startProgram(t, ['--port', '0', '--data', join(folder, 'db.json')]);
      expect((await asker(await again.url())('GET', '/api/cart-items')).status).toBe(200);
      expect((await readdir(folder)).filter((name) => name !== 'lost+found')).toEqual(['db.json']);
    }
  });

  it('takes what was answered under --durability os, as the start says: so this test can fail', async (t) => {
    const { acknowledged, folder } = await loadedAndCut(t, 'os');
    expect(await kettlesIn(folder)).toBeLessThan(acknowledged);
  });
});

/** Loads a shop on a disk of its own, and cuts that disk's power; what is acknowledged is counted before the cut, what is asked for after. */
async function loadedAndCut(t: TestContext, durability: string) {
  const disk = await loopDisk();
  const args = ['--port', '0', '--durability', durability, '--data', join(disk.folder, 'db.json')];
  const shop = await startProgram(t, args);
  const ask = asker(await shop.url());
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
  // Stopped, so that the copy of the disk is that of one moment.
  shop.child.kill('SIGSTOP');
  const { acknowledged } = ledger;
  const folder = await disk.powerCut();
  const { asked } = ledger;
  shop.child.kill('SIGKILL');
  await clients;
  return { acknowledged, asked, folder };
}

/** How many kettles the cart in a folder's data file holds; none where there is no file. */
async function kettlesIn(folder: string): Promise<number> {
  const text = await readFile(join(folder, 'db.json'), 'utf8').catch(() => '{"cartItems":[]}');
  const { cartItems } = JSON.parse(text) as { cartItems: { productId: string; quantity: number }[] };
  return cartItems.find((item) => item.productId === KETTLE)?.quantity ?? 0;
}
