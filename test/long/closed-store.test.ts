import { expect, it } from 'vitest';
import { createCartFile } from '../support/fixtures/cart-file.ts';
import { PRODUCT_IDS, putItem } from '../support/fixtures/states.ts';
import { createFaultyDisk } from '../support/harness/faulty-disk.ts';
import { openTestState } from '../support/harness/open-store.ts';

const [A, B, C] = PRODUCT_IDS as [string, string, string];

it('a store whose last write failed does not write the data file after it was closed', async () => {
  const file = await createCartFile([A]);
  const disk = createFaultyDisk();
  const { store } = await openTestState({ data: file.path, disk });
  disk.begin(({ name }) => (name === 'rename' ? { code: 'EIO' } : undefined));
  await store.update(putItem(B));
  await store.close();
  const other = await openTestState({ data: file.path });
  await other.store.update(putItem(C));
  await other.store.flush();
  disk.begin();
  // The closed store would try again one second after its failed write. The store that is open now would find the result in its next commit.
  const endMs = performance.now() + 3_000;
  await expect.poll(() => performance.now(), { timeout: 20_000 }).toBeGreaterThan(endMs);
  expect(disk.end()).toEqual([]);
  expect(await file.cart()).toEqual([A, B, C]);
});
