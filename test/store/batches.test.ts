import { describe, expect, it } from 'vitest';
import type { State } from '../../src/shop/state.ts';
import { StoreUnavailableError } from '../../src/store/backend.ts';
import { createStore } from '../../src/store/store.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { getAddedProducts, PRODUCT_IDS, putItem } from '../support/fixtures/states.ts';
import { createHeldBackend, settlePendingWork } from '../support/harness/held-backend.ts';

const [A, B, C] = PRODUCT_IDS as [string, string, string];

describe('a store during a commit of its backend', () => {
  it('returns the previous state until the commit is complete', async () => {
    const { store, backend } = openStore();
    const before = store.read();
    const change = store.update(putItem(A));
    const commit = await backend.commitNumber(1);
    await settlePendingWork();
    expect(store.read()).toBe(before);
    commit.finish();
    await change;
    expect(store.read()).toEqual({ state: commit.state, revision: 1 });
  });

  it('resolves no update until the commit is complete', async () => {
    const { store, backend } = openStore();
    let answered = false;
    const change = store.update(putItem(A)).then(() => {
      answered = true;
    });
    const commit = await backend.commitNumber(1);
    await settlePendingWork();
    expect(answered).toBe(false);
    commit.finish();
    await change;
    expect(answered).toBe(true);
  });

  it('starts no second commit', async () => {
    const { store, backend } = openStore();
    const changes = [store.update(putItem(A))];
    const first = await backend.commitNumber(1);
    changes.push(store.update(putItem(B)));
    await settlePendingWork();
    expect(backend.begun).toBe(1);
    first.finish();
    (await backend.commitNumber(2)).finish();
    await Promise.all(changes);
  });

  it('commits the changes that arrive meanwhile together, in the order of the calls', async () => {
    const { store, backend } = openStore();
    const [first = '', ...rest] = PRODUCT_IDS;
    const changes = [store.update(putItem(first))];
    const commit = await backend.commitNumber(1);
    changes.push(...rest.map((id) => store.update(putItem(id))));
    commit.finish();
    const second = await backend.commitNumber(2);
    expect(getAddedProducts(second.state)).toEqual(PRODUCT_IDS);
    second.finish();
    await Promise.all(changes);
    expect(backend.begun).toBe(2);
  });

  it('closes the backend only after the commit and the changes that arrived meanwhile', async () => {
    const { store, backend } = openStore();
    const changes = [store.update(putItem(A))];
    const first = await backend.commitNumber(1);
    changes.push(store.update(putItem(B)));
    const closing = store.close();
    first.finish();
    const second = await backend.commitNumber(2);
    await settlePendingWork();
    expect(backend.isClosed).toBe(false);
    second.finish();
    await closing;
    expect(backend.isClosed).toBe(true);
    expect(await Promise.all(changes)).toEqual([A, B]);
  });
});

describe('a store whose stored state was edited externally', () => {
  it('applies a change to the edited state', async () => {
    const { store, backend } = openStore();
    backend.edit(putItem(A)(defaults, 0).next as State);
    const change = store.update(putItem(B));
    (await backend.commitNumber(1)).finish();
    await change;
    expect(getAddedProducts(store.read().state)).toEqual([A, B]);
    expect(store.read().revision).toBe(2);
  });

  it('returns the edit after takeOver() without a commit', async () => {
    const { store, backend } = openStore();
    backend.edit(putItem(A)(defaults, 0).next as State);
    await store.loadEdits();
    expect(getAddedProducts(store.read().state)).toEqual([A]);
    expect(store.read().revision).toBe(1);
    expect(backend.begun).toBe(0);
  });

  it('keeps the edit if the next change fails', async () => {
    const { store, backend } = openStore();
    backend.edit(putItem(A)(defaults, 0).next as State);
    const change = store.update(putItem(B));
    (await backend.commitNumber(1)).fail(new Error('EIO'));
    await expect(change).rejects.toThrow(StoreUnavailableError);
    expect(getAddedProducts(store.read().state)).toEqual([A]);
  });

  it('does not look for edits during a commit', async () => {
    const { store, backend } = openStore();
    const change = store.update(putItem(A));
    const commit = await backend.commitNumber(1);
    backend.edit({ ...defaults, orders: [] });
    const looking = store.loadEdits();
    await settlePendingWork();
    expect(store.read().state).toBe(defaults);
    commit.finish();
    await change;
    await looking;
  });
});

describe('a store whose clock throws', () => {
  it('rejects the change and applies the next one', async () => {
    const times = [new Error('no time'), 0];
    const backend = createHeldBackend();
    const nowMs = () => {
      const time = times.shift();
      if (typeof time === 'number') return time;
      throw time;
    };
    const store = createStore({ backend, initial: defaults, defaults: () => defaults, nowMs });
    await expect(store.update(putItem(A))).rejects.toThrow('no time');
    const next = store.update(putItem(B));
    (await backend.commitNumber(1)).finish();
    expect(await next).toBe(B);
  });
});

describe('a store whose backend fails to commit', () => {
  it('rejects every update of that commit with a StoreUnavailableError that names the cause', async () => {
    const { store, backend } = openStore();
    const fullDisk = new Error('ENOSPC: no space left on device');
    const answers = Promise.allSettled([A, B, C].map((id) => store.update(putItem(id))));
    (await backend.commitNumber(1)).fail(fullDisk);
    for (const answer of await answers) {
      expect(answer).toMatchObject({
        status: 'rejected',
        reason: { name: 'StoreUnavailableError', message: expect.stringContaining('ENOSPC'), cause: fullDisk },
      });
    }
  });

  it('keeps its state and revision', async () => {
    const { store, backend } = openStore();
    const before = store.read();
    const change = store.update(putItem(A));
    (await backend.commitNumber(1)).fail(new Error('EIO'));
    await expect(change).rejects.toThrow(StoreUnavailableError);
    expect(store.read()).toBe(before);
  });

  it('applies the changes that arrived meanwhile to the previous state', async () => {
    const { store, backend } = openStore();
    const failing = store.update(putItem(A));
    const first = await backend.commitNumber(1);
    const later = store.update(putItem(B));
    first.fail(new Error('EIO'));
    await expect(failing).rejects.toThrow(StoreUnavailableError);
    (await backend.commitNumber(2)).finish();
    await later;
    expect(getAddedProducts(store.read().state)).toEqual([B]);
    expect(store.read().revision).toBe(1);
  });

  it('applies the next change', async () => {
    const { store, backend } = openStore();
    const failing = store.update(putItem(A));
    (await backend.commitNumber(1)).fail(new Error('EIO'));
    await expect(failing).rejects.toThrow(StoreUnavailableError);
    const next = store.update(putItem(B));
    (await backend.commitNumber(2)).finish();
    expect(await next).toBe(B);
    expect(getAddedProducts(store.read().state)).toEqual([B]);
  });

  it('rejects a reset, which changes nothing', async () => {
    const { store, backend } = openStore();
    const change = store.update(putItem(A));
    (await backend.commitNumber(1)).finish();
    await change;
    const reset = store.reset();
    (await backend.commitNumber(2)).fail(new Error('EIO'));
    await expect(reset).rejects.toThrow(StoreUnavailableError);
    expect(getAddedProducts(store.read().state)).toEqual([A]);
  });
});

describe('a store whose default data is unavailable', () => {
  it('rejects the reset with the reason and no other change of the batch', async () => {
    const gone = new Error('db.json.default is not there');
    const { store, backend } = openStore(() => {
      throw gone;
    });
    const answers = Promise.allSettled([store.update(putItem(A)), store.reset(), store.update(putItem(B))]);
    (await backend.commitNumber(1)).finish();
    expect(await answers).toMatchObject([{ value: A }, { status: 'rejected', reason: gone }, { value: B }]);
    expect(getAddedProducts(store.read().state)).toEqual([A, B]);
  });
});

function openStore(defaultData = () => defaults) {
  const backend = createHeldBackend();
  const store = createStore({ backend, initial: defaults, defaults: defaultData, nowMs: () => 0 });
  return { store, backend };
}
