import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/store/backend.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { getAddedProducts, PRODUCT_IDS, putItem } from '../support/fixtures/states.ts';
import { backends } from '../support/harness/backends.ts';
import { NOW_MS } from '../support/harness/start-storefront.ts';

const [A, B, C] = PRODUCT_IDS as [string, string, string];

describe.each(backends)('a store over $kind', ({ open }) => {
  it('starts with the default data', async () => {
    const { store } = await open();
    expect(store.read()).toMatchObject({ state: defaults, revision: 0 });
  });

  it('returns a change in later reads', async () => {
    const { store } = await open();
    await store.update(putItem(A));
    expect(getAddedProducts(store.read().state)).toEqual([A]);
  });

  it('resolves an update to the result of its change', async () => {
    const { store } = await open();
    expect(await Promise.all([store.update(putItem(A)), store.update(putItem(B))])).toEqual([A, B]);
  });

  it('passes the time to a change', async () => {
    const { store } = await open();
    expect(await store.update((_state, nowMs) => ({ result: nowMs }))).toBe(NOW_MS);
  });

  it('does not return a change before it is committed', async () => {
    const { store } = await open();
    const before = store.read();
    const change = store.update(putItem(A));
    expect(store.read()).toBe(before);
    await change;
  });

  it('applies changes in the order of the calls', async () => {
    const { store } = await open();
    await Promise.all(PRODUCT_IDS.map((id) => store.update(putItem(id))));
    expect(getAddedProducts(store.read().state)).toEqual(PRODUCT_IDS);
  });

  it('rejects only the update whose change throws, with the thrown error', async () => {
    const { store } = await open();
    const refusal = new Error('declined');
    const answers = await Promise.allSettled([
      store.update(putItem(A)),
      store.update(putItem(B)),
      store.update(() => {
        throw refusal;
      }),
      store.update(putItem(C)),
    ]);
    expect(answers).toEqual([
      { status: 'fulfilled', value: A },
      { status: 'fulfilled', value: B },
      { status: 'rejected', reason: refusal },
      { status: 'fulfilled', value: C },
    ]);
    expect(getAddedProducts(store.read().state)).toEqual([A, B, C]);
  });

  it('keeps its state and revision if a change throws', async () => {
    const { store } = await open();
    const before = store.read();
    await expect(store.update(throwing)).rejects.toThrow('declined');
    expect(store.read()).toBe(before);
  });

  it('applies further changes after one that throws', async () => {
    const { store } = await open();
    await expect(store.update(throwing)).rejects.toThrow('declined');
    await store.update(putItem(A));
    expect(getAddedProducts(store.read().state)).toEqual([A]);
  });

  it('increments its revision with each commit', async () => {
    const { store } = await open();
    const revisions = [];
    for (const id of [A, B, C]) {
      await store.update(putItem(id));
      revisions.push(store.read().revision);
    }
    expect(revisions).toEqual([1, 2, 3]);
  });

  it('keeps its revision if a change does not change the state', async () => {
    const { store } = await open();
    await store.update(() => ({ result: undefined }));
    expect(store.read().revision).toBe(0);
  });

  it('restores the default data on reset', async () => {
    const { store } = await open();
    await store.update(putItem(A));
    await store.reset();
    expect(store.read().state).toEqual(defaults);
  });

  it('applies a reset in order with the changes', async () => {
    const { store } = await open();
    await Promise.all([store.update(putItem(A)), store.reset(), store.update(putItem(B))]);
    expect(getAddedProducts(store.read().state)).toEqual([B]);
  });

  it('has the same state after one and after two resets', async () => {
    const { store } = await open();
    await store.update(putItem(A));
    await store.reset();
    const once = store.read().state;
    await store.reset();
    expect(store.read().state).toEqual(once);
  });

  it('has stored the state that it returns whenever an update resolves', async () => {
    const { store, kept } = await open();
    for (const id of [A, B, C]) {
      await store.update(putItem(id));
      expect(await kept()).toEqual(store.read().state);
    }
    await store.reset();
    expect(await kept()).toEqual(store.read().state);
  });

  it("rejects a change that can't be stored and keeps the previous state", async () => {
    const { store, kept, failCommits } = await open();
    await store.update(putItem(A));
    const before = store.read();
    failCommits(true);
    await expect(store.update(putItem(B))).rejects.toThrow(StoreUnavailableError);
    expect(store.read()).toBe(before);
    expect(await kept()).toEqual(before.state);
  });

  it("loads the state for a read at the same time as a change that can't be stored", async () => {
    const { store, failCommits } = await open();
    failCommits(true);
    const changing = store.update(putItem(A));
    const reading = store.loadEdits();
    await expect(changing).rejects.toThrow(StoreUnavailableError);
    await expect(reading).resolves.toBeUndefined();
    expect(store.read().state).toEqual(defaults);
  });

  it("rejects a reset that can't be stored and keeps the previous state", async () => {
    const { store, kept, failCommits } = await open();
    await store.update(putItem(A));
    const before = store.read();
    failCommits(true);
    await expect(store.reset()).rejects.toThrow(StoreUnavailableError);
    expect(store.read()).toBe(before);
    expect(await kept()).toEqual(before.state);
  });

  it('stores the next change after a failure, without the failed change', async () => {
    const { store, kept, failCommits } = await open();
    failCommits(true);
    await expect(store.update(putItem(A))).rejects.toThrow(StoreUnavailableError);
    failCommits(false);
    await store.update(putItem(B));
    expect(store.read().revision).toBe(1);
    expect(getAddedProducts(await kept())).toEqual([B]);
  });

  it('is available again as soon as the state can be stored', async () => {
    const { store, failCommits } = await open();
    await expect(store.check()).resolves.toBeUndefined();
    failCommits(true);
    await expect(store.update(putItem(A))).rejects.toThrow(StoreUnavailableError);
    await expect(store.check()).rejects.toThrow(StoreUnavailableError);
    failCommits(false);
    await expect(store.check()).resolves.toBeUndefined();
    const { revision } = store.read();
    await store.check();
    expect(store.read().revision).toBe(revision);
    await store.close();
    await expect(store.check()).rejects.toThrow(StoreUnavailableError);
  });

  it('completes pending changes when it is closed', async () => {
    const { store, kept } = await open();
    const answers = Promise.all([store.update(putItem(A)), store.update(putItem(B))]);
    await store.close();
    expect(getAddedProducts(await kept())).toEqual([A, B]);
    expect(await answers).toEqual([A, B]);
  });

  it('rejects changes and resets after it is closed, and returns its last state', async () => {
    const { store } = await open();
    await store.update(putItem(A));
    const last = store.read();
    await store.close();
    await expect(store.update(putItem(B))).rejects.toThrow(StoreUnavailableError);
    await expect(store.reset()).rejects.toThrow(StoreUnavailableError);
    expect(store.read()).toBe(last);
  });
});

function throwing(): never {
  throw new Error('declined');
}
