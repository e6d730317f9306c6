import { describe, expect, it } from 'vitest';
import { createStore, StoreUnavailable } from '../../src/store/store.ts';
import { defaults } from '../support/default-data.ts';
import { heldBackend, settled } from '../support/held-backend.ts';
import { PRODUCT_IDS, putInto, putting } from '../support/states.ts';

const [A, B, C] = PRODUCT_IDS as [string, string, string];

describe('a store whose backend is at a commit', () => {
  it('shows the state from before until the commit is done', async () => {
    const { store, backend } = openStore();
    const before = store.read();
    const change = store.update(putting(A));
    const commit = await backend.commitNumber(1);
    await settled();
    expect(store.read()).toBe(before);
    commit.finish();
    await change;
    expect(store.read()).toEqual({ state: commit.state, revision: 1 });
  });

  it('answers no caller until the commit is done', async () => {
    const { store, backend } = openStore();
    let answered = false;
    const change = store.update(putting(A)).then(() => {
      answered = true;
    });
    const commit = await backend.commitNumber(1);
    await settled();
    expect(answered).toBe(false);
    commit.finish();
    await change;
    expect(answered).toBe(true);
  });

  it('begins no second commit', async () => {
    const { store, backend } = openStore();
    const changes = [store.update(putting(A)), store.update(putting(B))];
    const first = await backend.commitNumber(1);
    await settled();
    expect(backend.begun).toBe(1);
    first.finish();
    (await backend.commitNumber(2)).finish();
    await Promise.all(changes);
  });

  it('commits all that came meanwhile together, in the order of the calls', async () => {
    const { store, backend } = openStore();
    const changes = PRODUCT_IDS.map((id) => store.update(putting(id)));
    (await backend.commitNumber(1)).finish();
    const second = await backend.commitNumber(2);
    expect(putInto(second.state)).toEqual(PRODUCT_IDS);
    second.finish();
    await Promise.all(changes);
    expect(backend.begun).toBe(2);
  });

  it('waits for it when it is closed, and for what came meanwhile, and closes the backend then', async () => {
    const { store, backend } = openStore();
    const changes = [store.update(putting(A)), store.update(putting(B))];
    const closing = store.close();
    (await backend.commitNumber(1)).finish();
    const second = await backend.commitNumber(2);
    await settled();
    expect(backend.isClosed).toBe(false);
    second.finish();
    await closing;
    expect(backend.isClosed).toBe(true);
    expect(await Promise.all(changes)).toEqual([A, B]);
  });
});

describe('a store whose backend fails at a commit', () => {
  it('fails every caller of that commit with StoreUnavailable, which names the cause', async () => {
    const { store, backend } = openStore();
    const fullDisk = new Error('ENOSPC: no space left on device');
    const answers = Promise.allSettled([A, B, C].map((id) => store.update(putting(id))));
    (await backend.commitNumber(1)).finish();
    (await backend.commitNumber(2)).fail(fullDisk);
    const [first, ...rest] = await answers;
    expect(first).toEqual({ status: 'fulfilled', value: A });
    for (const answer of rest) {
      expect(answer).toMatchObject({ status: 'rejected', reason: { name: 'StoreUnavailable', cause: fullDisk } });
    }
    expect(rest).toHaveLength(2);
  });

  it('keeps state and revision', async () => {
    const { store, backend } = openStore();
    const before = store.read();
    const change = store.update(putting(A));
    (await backend.commitNumber(1)).fail(new Error('EIO'));
    await expect(change).rejects.toThrow(StoreUnavailable);
    expect(store.read()).toBe(before);
  });

  it('does the changes that came meanwhile over the state from before', async () => {
    const { store, backend } = openStore();
    const failing = store.update(putting(A));
    const later = store.update(putting(B));
    (await backend.commitNumber(1)).fail(new Error('EIO'));
    await expect(failing).rejects.toThrow(StoreUnavailable);
    (await backend.commitNumber(2)).finish();
    await later;
    expect(putInto(store.read().state)).toEqual([B]);
    expect(store.read().revision).toBe(1);
  });

  it('does the next change as if nothing had been', async () => {
    const { store, backend } = openStore();
    const failing = store.update(putting(A));
    (await backend.commitNumber(1)).fail(new Error('EIO'));
    await expect(failing).rejects.toThrow(StoreUnavailable);
    const next = store.update(putting(B));
    (await backend.commitNumber(2)).finish();
    expect(await next).toBe(B);
    expect(putInto(store.read().state)).toEqual([B]);
  });

  it('fails a reset too, which changes nothing then', async () => {
    const { store, backend } = openStore();
    const change = store.update(putting(A));
    (await backend.commitNumber(1)).finish();
    await change;
    const reset = store.reset();
    (await backend.commitNumber(2)).fail(new Error('EIO'));
    await expect(reset).rejects.toThrow(StoreUnavailable);
    expect(putInto(store.read().state)).toEqual([A]);
  });
});

describe('a store whose default data can not be had', () => {
  it('fails the reset with the reason, and no change beside it', async () => {
    const gone = new Error('db.json.default is not there');
    const { store, backend } = openStore(() => {
      throw gone;
    });
    const answers = Promise.allSettled([store.update(putting(A)), store.reset(), store.update(putting(B))]);
    (await backend.commitNumber(1)).finish();
    (await backend.commitNumber(2)).finish();
    expect(await answers).toMatchObject([{ value: A }, { status: 'rejected', reason: gone }, { value: B }]);
    expect(putInto(store.read().state)).toEqual([A, B]);
  });
});

function openStore(defaultData = () => defaults) {
  const backend = heldBackend();
  const store = createStore({ backend, initial: defaults, defaults: defaultData, nowMs: () => 0 });
  return { store, backend };
}
