import { describe, expect, it } from 'vitest';
import { parseFault } from '../../src/faults/fault.ts';
import type { Sandboxes } from '../../src/sandbox/registry.ts';
import type { State } from '../../src/shop/state.ts';
import { getExceededLimit } from '../../src/store/backend.ts';
import { MEGABYTE } from '../../src/util/limits.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { createTestRegistry } from '../support/harness/registry.ts';

/** Returns the default data with a keyword of this size; each character counts as a byte. */
function getState(bytes: number): State {
  const products = defaults.products.map((product, n) =>
    n === 0 ? { ...product, keywords: ['x'.repeat(bytes)] } : product,
  );
  return { ...defaults, products };
}

/** Creates sandboxes of 60 MB until one is rejected, and returns their number. */
async function fillWithLargeSandboxes(sandboxes: Sandboxes): Promise<number> {
  for (let count = 0; count < 100; count++) {
    try {
      await sandboxes.create(`large${count}`, getState(60 * MEGABYTE));
    } catch (error) {
      expect(getExceededLimit(error)).toBeDefined();
      return count;
    }
  }
  throw new Error('no sandbox was refused');
}

const PATTERN = { status: 500, where: { query: { search: { $regex: '^(socks|shoes|kettle){1,20}$' } } } };

describe('the memory limits of many sandboxes', () => {
  it('allow seven sandboxes of 60 MB', async () => {
    expect(await fillWithLargeSandboxes(createTestRegistry().sandboxes)).toBe(7);
  });

  it('leave 900 kB and a fault with a regular expression to each of 200 sandboxes beside the largest ones', async () => {
    const { sandboxes } = createTestRegistry();
    await fillWithLargeSandboxes(sandboxes);
    for (let n = 0; n < 200; n++) {
      const { store, faults } = await sandboxes.get(`w${n}`);
      faults.add(parseFault(PATTERN));
      await store.update(() => ({ next: getState(600_000), result: undefined }));
    }
  });

  it('let a sandbox grow to 64 MB when small sandboxes have used all the memory for them', async () => {
    const { sandboxes } = createTestRegistry();
    const grown = await sandboxes.create('grown', getState(2 * MEGABYTE));
    for (let n = 0; n < 263; n++) await sandboxes.create(`small${n}`, getState(MEGABYTE - 30_000));
    grown.snapshots.set('large', getState(30 * MEGABYTE));
    expect(grown.snapshots.size).toBe(1);
  });
});
