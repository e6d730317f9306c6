import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { State } from '../../src/store/state.ts';
import { type Store, StoreUnavailable } from '../../src/store/store.ts';
import { defaults } from '../support/default-data.ts';
import { openTestState } from '../support/open-store.ts';
import { NOW_MS } from '../support/start-storefront.ts';
import { PRODUCT_IDS, putInto, putting } from '../support/states.ts';
import { tempFolder } from '../support/temp-folder.ts';

const [A, B, C] = PRODUCT_IDS as [string, string, string];

const kinds = [
  { kind: 'memory', place: async () => undefined },
  { kind: 'a file', place: async () => join(await tempFolder(), 'db.json') },
];

describe.each(kinds)('a store over $kind', ({ place }) => {
  it('begins with the default data', async () => {
    const { store } = await openStore();
    expect(store.read()).toEqual({ state: defaults, revision: 0 });
  });

  it('shows a change in the reads after it', async () => {
    const { store } = await openStore();
    await store.update(putting(A));
    expect(putInto(store.read().state)).toEqual([A]);
  });

  it("gives a change's result to its caller", async () => {
    const { store } = await openStore();
    expect(await Promise.all([store.update(putting(A)), store.update(putting(B))])).toEqual([A, B]);
  });

  it('tells a change the time', async () => {
    const { store } = await openStore();
    expect(await store.update((_state, nowMs) => ({ result: nowMs }))).toBe(NOW_MS);
  });

  it('shows nothing of a change whose commit is still to come', async () => {
    const { store } = await openStore();
    const before = store.read();
    const change = store.update(putting(A));
    expect(store.read()).toBe(before);
    await change;
  });

  it('does the changes in the order of the calls', async () => {
    const { store } = await openStore();
    await Promise.all(PRODUCT_IDS.map((id) => store.update(putting(id))));
    expect(putInto(store.read().state)).toEqual(PRODUCT_IDS);
  });

  it('fails the caller of a change that throws with what it threw, and no other', async () => {
    const { store } = await openStore();
    const refusal = new Error('declined');
    const answers = await Promise.allSettled([
      store.update(putting(A)),
      store.update(putting(B)),
      store.update(() => {
        throw refusal;
      }),
      store.update(putting(C)),
    ]);
    expect(answers).toEqual([
      { status: 'fulfilled', value: A },
      { status: 'fulfilled', value: B },
      { status: 'rejected', reason: refusal },
      { status: 'fulfilled', value: C },
    ]);
    expect(putInto(store.read().state)).toEqual([A, B, C]);
  });

  it('keeps state and revision where a change throws', async () => {
    const { store } = await openStore();
    const before = store.read();
    await expect(store.update(throwing)).rejects.toThrow('declined');
    expect(store.read()).toBe(before);
  });

  it('goes on after a change that threw', async () => {
    const { store } = await openStore();
    await expect(store.update(throwing)).rejects.toThrow('declined');
    await store.update(putting(A));
    expect(putInto(store.read().state)).toEqual([A]);
  });

  it('counts its revision up by one with each change that was committed by itself', async () => {
    const { store } = await openStore();
    const revisions = [];
    for (const id of [A, B, C]) {
      await store.update(putting(id));
      revisions.push(store.read().revision);
    }
    expect(revisions).toEqual([1, 2, 3]);
  });

  it('keeps its revision where a change leaves the state as it is', async () => {
    const { store } = await openStore();
    await store.update(() => ({ result: undefined }));
    expect(store.read().revision).toBe(0);
  });

  it('restores the default data on reset', async () => {
    const { store } = await openStore();
    await store.update(putting(A));
    await store.reset();
    expect(store.read().state).toEqual(defaults);
  });

  it('does a reset in turn with the changes', async () => {
    const { store } = await openStore();
    await Promise.all([store.update(putting(A)), store.reset(), store.update(putting(B))]);
    expect(putInto(store.read().state)).toEqual([B]);
  });

  it('leaves after two resets what one leaves', async () => {
    const { store } = await openStore();
    await store.update(putting(A));
    await store.reset();
    const once = store.read().state;
    await store.reset();
    expect(store.read().state).toEqual(once);
  });

  it('has kept the state that it shows, each time it answers', async () => {
    const { store, kept } = await openStore();
    for (const id of [A, B, C]) {
      await store.update(putting(id));
      expect(await kept()).toEqual(store.read().state);
    }
    await store.reset();
    expect(await kept()).toEqual(store.read().state);
  });

  it('finishes the changes begun when it is closed', async () => {
    const { store, kept } = await openStore();
    const answers = Promise.all([store.update(putting(A)), store.update(putting(B))]);
    await store.close();
    expect(putInto(await kept())).toEqual([A, B]);
    expect(await answers).toEqual([A, B]);
  });

  it('refuses changes and resets after it is closed, and shows its last state', async () => {
    const { store } = await openStore();
    await store.update(putting(A));
    const last = store.read();
    await store.close();
    await expect(store.update(putting(B))).rejects.toThrow(StoreUnavailable);
    await expect(store.reset()).rejects.toThrow(StoreUnavailable);
    expect(store.read()).toBe(last);
  });

  /** A store with the default data, and what it keeps at a given moment: the file's content, or what memory shows. */
  async function openStore(): Promise<{ store: Store; kept: () => Promise<State> }> {
    const { store, path } = await openTestState({ data: await place() });
    const kept = async () => (path === undefined ? store.read().state : JSON.parse(await readFile(path, 'utf8')));
    return { store, kept };
  }
});

function throwing(): never {
  throw new Error('declined');
}
