import { describe, expect, it } from 'vitest';
import { createStore } from '../../src/store/store.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { getAddedProducts, PRODUCT_IDS, putItem } from '../support/fixtures/states.ts';
import { createHeldBackend, settlePendingWork } from '../support/harness/held-backend.ts';

/** A delay that no test reaches, also on a slow machine. */
const VERY_LONG_MS = 600_000;

const [A, ...OTHERS] = PRODUCT_IDS as [string, ...string[]];
const EIGHT = OTHERS.slice(0, 8);

describe('a store after a commit of eight changes', () => {
  it('waits until as many changes are pending as the commit had and as arrived during it', async () => {
    const { backend, store, changes } = await commitTogether(VERY_LONG_MS, { ids: EIGHT, later: [A] });
    changes.push(...EIGHT.slice(0, 7).map((id) => store.update(putItem(id))));
    await settlePendingWork();
    await settlePendingWork();
    expect(backend.begun).toBe(1);
    changes.push(store.update(putItem(EIGHT[7] as string)));
    const second = await backend.commitNumber(2);
    expect(getAddedProducts(second.state)).toEqual([...EIGHT, A, ...EIGHT]);
    second.finish();
    await Promise.all(changes);
  });

  it('waits no longer than the maximum delay of its backend', async () => {
    const { backend, store } = await commitTogether(1, { ids: EIGHT });
    const change = store.update(putItem(A));
    (await backend.commitNumber(2)).finish();
    expect(await change).toBe(A);
  });

  it('does not wait if its backend has no delay', async () => {
    const { backend, store } = await commitTogether(0, { ids: EIGHT });
    const change = store.update(putItem(A));
    await settlePendingWork();
    await settlePendingWork();
    expect(backend.begun).toBe(2);
    (await backend.commitNumber(2)).finish();
    await change;
  });
});

describe('a store after a commit of seven changes', () => {
  it('does not wait for further changes', async () => {
    const { backend, store } = await commitTogether(VERY_LONG_MS, { ids: EIGHT.slice(0, 7) });
    const change = store.update(putItem(A));
    (await backend.commitNumber(2)).finish();
    expect(await change).toBe(A);
  });
});

/** Opens a store and completes a commit with a change for each of `ids`. The changes for `later` arrive during the commit. */
async function commitTogether(
  maxGatherMs: number,
  { ids, later = [] }: { readonly ids: readonly string[]; readonly later?: readonly string[] },
) {
  const backend = createHeldBackend(maxGatherMs);
  const store = createStore({ backend, initial: defaults, defaults: () => defaults, nowMs: () => 0 });
  const committed = ids.map((id) => store.update(putItem(id)));
  const first = await backend.commitNumber(1);
  const changes = later.map((id) => store.update(putItem(id)));
  first.finish();
  await Promise.all(committed);
  await settlePendingWork();
  return { backend, store, changes };
}
