import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/shop/operations/handler.ts';
import type { State } from '../../src/shop/state.ts';
import { createMemoryBackend, createTooLargeError } from '../../src/store/backend.ts';
import { createStore } from '../../src/store/store.ts';
import { defaults, defaultText } from '../support/fixtures/default-data.ts';
import { shopValidator } from '../support/fixtures/state-validator.ts';
import { getAddedProducts, PRODUCT_IDS, putItem } from '../support/fixtures/states.ts';
import { openTestState } from '../support/harness/open-store.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const [A, B, C, D, E] = PRODUCT_IDS as [string, string, string, string, string];

/** The code of the problem that rejects a change. */
const TOO_LARGE = 'insufficient-storage';

describe('a store whose backend stores at most two added cart items', () => {
  it('rejects a change that exceeds the limit and changes nothing', async () => {
    const store = fullStore([A, B]);
    const before = store.read();
    await expect(store.update(putItem(C))).rejects.toThrow('nothing was changed: more than two');
    expect(store.read()).toBe(before);
  });

  it('commits a removal in the same batch as changes that exceed the limit', async () => {
    const store = fullStore([A, B]);
    const results = await settle([store.update(putItem(C)), store.update(putItem(D)), store.update(removing(A))]);
    expect(results).toEqual([TOO_LARGE, TOO_LARGE, A]);
    expect(getAddedProducts(store.read().state)).toEqual([B]);
  });

  it('commits a reset in the same batch as changes that exceed the limit', async () => {
    const store = fullStore([A, B]);
    const changes = [store.reset(), ...[C, D, E].map((id) => store.update(putItem(id)))];
    expect(await settle(changes)).toEqual([undefined, C, D, TOO_LARGE]);
    expect(getAddedProducts(store.read().state)).toEqual([C, D]);
  });

  it('rejects only the changes of a batch that exceed the limit, in the order of the calls', async () => {
    const store = fullStore([]);
    const changes = [A, B, C, D, E].map((id) => store.update(putItem(id)));
    expect(await settle(changes)).toEqual([A, B, TOO_LARGE, TOO_LARGE, TOO_LARGE]);
    expect(getAddedProducts(store.read().state)).toEqual([A, B]);
  });

  it('commits a batch as a whole if its last change brings the state below the limit', async () => {
    const store = fullStore([A]);
    const results = await settle([store.update(putItem(B)), store.update(putItem(C)), store.update(removing(A))]);
    expect(results).toEqual([B, C, A]);
    expect(store.read().revision).toBe(1);
  });
});

describe('a data file that exceeds the limit with the defaults of the contract', () => {
  it('prevents the start, since no change could be stored', async () => {
    const data = join(await tempFolder(), 'db.json');
    await writeFile(data, defaultText);
    // Simulates a contract whose defaults exceed the maximum size of a data file.
    const { validate: check } = shopValidator((schema, value) => {
      if (schema === 'DeliveryOption') Object.assign(value as object, { note: 'x'.repeat(40_000_000) });
      return [];
    });
    await expect(openTestState({ data, check })).rejects.toThrow(/would exceed the limit of 90000000 bytes/);
  });
});

/** Opens a store whose backend rejects more than two added cart items. */
function fullStore(products: readonly string[]) {
  const initial = products.reduce<State>((state, id) => putItem(id)(state, 0).next ?? state, defaults);
  const commit = async (next: State) => {
    if (getAddedProducts(next).length > 2) throw createTooLargeError('more than two');
  };
  const backend = { ...createMemoryBackend<State>(), commit };
  return createStore({ backend, initial, defaults: () => ({ ...defaults }), nowMs: () => 0 });
}

function removing(id: string): Change<string> {
  return (state) => ({
    next: { ...state, cartItems: state.cartItems.filter(({ productId }) => productId !== id) },
    result: id,
  });
}

/** Returns the result of each change, or the code of the problem that rejected it. */
async function settle(changes: readonly Promise<unknown>[]): Promise<readonly unknown[]> {
  const outcomes = await Promise.allSettled(changes);
  return outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.problem.code));
}
