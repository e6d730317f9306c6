import { describe, expect, it } from 'vitest';
import type { MemoryLimits } from '../../src/sandbox/memory/memory.ts';
import type { State } from '../../src/shop/state.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { createTestRegistry, HOUR_MS, listIds, MAX_SANDBOXES, STATE_TOO_LARGE } from '../support/harness/registry.ts';

const KB = 1024;

/** Limits that guarantee a sandbox 100 kB and allow two sandboxes of 1 MB each, but not three. */
const LIMITS: MemoryLimits = {
  sandboxBytes: 2_000 * KB,
  pools: [{ fromBytes: 110 * KB, toBytes: Number.POSITIVE_INFINITY, totalBytes: 2_000 * KB }],
};

/** Returns the default data with orders of about this size in total. */
function getState(bytes: number): State {
  const [order] = defaults.orders;
  const orders = Array.from({ length: bytes / 1_000 }, (_, n) => ({
    ...order,
    id: `${n}`.padEnd(700, 'x'),
    products: [],
  }));
  return { ...defaults, orders: orders as State['orders'] };
}

const LARGE = () => getState(900 * KB);
const TOO_LARGE = () => getState(4_000 * KB);

const createLimited = () => createTestRegistry({ memoryLimits: LIMITS });

describe('the registry at the maximum number of sandboxes', () => {
  it('stores 10,000 sandboxes, and removes the least recently used one that was never written to', async () => {
    const { sandboxes, logLines } = createTestRegistry();
    for (let n = 0; n < MAX_SANDBOXES; n++) await sandboxes.get(`w${n}`);
    await sandboxes.get('w0');
    expect((await sandboxes.get('more')).id).toBe('more');
    expect((await sandboxes.create('another')).id).toBe('another');
    expect(listIds(sandboxes)).toHaveLength(MAX_SANDBOXES + 1);
    expect(sandboxes.find('w0')).toBeDefined();
    expect(['w1', 'w2', 'w3'].map((id) => sandboxes.find(id)?.id)).toEqual([undefined, undefined, 'w3']);
    expect(logLines.filter((line) => line.startsWith('removed sandbox'))).toHaveLength(2);
    expect(sandboxes.expiredAtMs('w1')).toBeDefined();
  });

  it('rejects a new sandbox if all were written to, with the time until the first one expires', async () => {
    const { sandboxes, pass } = createTestRegistry({ maxSandboxes: 3 });
    for (const id of ['a', 'b', 'c']) await sandboxes.create(id);
    pass(60_000);
    const error = await sandboxes.get('more').catch((reason) => reason);
    expect(error.problem).toEqual({
      code: 'unavailable',
      detail: expect.stringContaining('DELETE /_control/sandboxes'),
      headers: { 'Retry-After': '3540' },
    });
    expect(listIds(sandboxes)).toEqual(['default', 'a', 'b', 'c']);
    expect((await sandboxes.get('a')).id).toBe('a');
    expect((await sandboxes.create('b')).id).toBe('b');
    await sandboxes.remove('c');
    expect((await sandboxes.get('more')).id).toBe('more');
  });

  it('removes expired sandboxes first', async () => {
    const { sandboxes, pass } = createTestRegistry({ maxSandboxes: 3 });
    for (const id of ['a', 'b', 'c']) await sandboxes.create(id);
    pass(HOUR_MS - 1);
    await sandboxes.get('a');
    pass(1);
    expect((await sandboxes.get('last')).id).toBe('last');
    expect(listIds(sandboxes)).toEqual(['default', 'a', 'last']);
  });

  it('keeps a sandbox that handles a request or whose journal is followed', async () => {
    const { sandboxes } = createTestRegistry({ maxSandboxes: 3 });
    const { leave } = await sandboxes.use('handled');
    (await sandboxes.get('followed')).journal.follow({ onRecord() {}, onEnd() {} });
    for (let n = 0; n < 5; n++) await sandboxes.get(`w${n}`);
    expect(listIds(sandboxes)).toEqual(['default', 'handled', 'followed', 'w4']);
    leave();
  });

  it('counts a state that several sandboxes were created from once', async () => {
    const { sandboxes } = createLimited();
    const shared = LARGE();
    sandboxes.share(shared);
    for (let n = 0; n < 200; n++) await sandboxes.create(`w${n}`, shared);
    expect((await sandboxes.create('w0', LARGE())).id).toBe('w0');
  });
});

describe('the memory limit of one sandbox', () => {
  it('applies to a new sandbox, and an existing one with the same id stays', async () => {
    const { sandboxes } = createLimited();
    const before = await sandboxes.create('a', LARGE());
    await expect(sandboxes.create('a', TOO_LARGE())).rejects.toThrow(STATE_TOO_LARGE);
    await expect(sandboxes.create('b', TOO_LARGE())).rejects.toThrow(STATE_TOO_LARGE);
    expect(listIds(sandboxes)).toEqual(['default', 'a']);
    expect(sandboxes.find('a')).toBe(before);
  });

  it('applies to a change, which then changes nothing, and a smaller change is accepted', async () => {
    const { sandboxes } = createLimited();
    const { store } = await sandboxes.create('a');
    const before = store.read().state;
    const growing = store.update(() => ({ next: TOO_LARGE(), result: undefined }));
    const alsoThere = store.update((state) => ({ next: { ...state, cartItems: [] }, result: 'done' }));
    await expect(growing).rejects.toThrow(STATE_TOO_LARGE);
    expect(await alsoThere).toBe('done');
    expect(store.read().state).toEqual({ ...before, cartItems: [] });
    await store.update(() => ({ next: LARGE(), result: undefined }));
  });

  it('allows a sandbox at the limit to remove data', async () => {
    const { sandboxes } = createLimited();
    const { store, snapshots } = await sandboxes.create('a', getState(1_000 * KB));
    snapshots.set('s', getState(700 * KB));
    await expect(store.update(() => ({ next: getState(1_800 * KB), result: undefined }))).rejects.toThrow();
    await store.update((state) => ({ next: { ...state, orders: state.orders.slice(1) }, result: undefined }));
    snapshots.delete('s');
    await store.update(() => ({ next: getState(1_800 * KB), result: undefined }));
  });

  it('counts a snapshot that shares its data with the state once', async () => {
    const { sandboxes } = createLimited();
    const { snapshots, store } = await sandboxes.create('a', getState(1_500 * KB));
    for (let n = 0; n < 100; n++) snapshots.set(`s${n}`, store.read().state);
    expect(() => snapshots.set('other', LARGE())).toThrow(STATE_TOO_LARGE);
  });

  it('counts the text of the products in a catalogue', async () => {
    const { sandboxes } = createLimited();
    const [product] = defaults.products;
    const products = [{ ...product, keywords: ['x'.repeat(3_000 * KB)] }] as State['products'];
    await expect(sandboxes.create('a', { ...defaults, products })).rejects.toThrow(STATE_TOO_LARGE);
  });
});

describe('the memory limit of all sandboxes', () => {
  it('rejects a large sandbox until another one is removed or recreated', async () => {
    const { sandboxes } = createLimited();
    for (const id of ['a', 'b']) await sandboxes.create(id, LARGE());
    await expect(sandboxes.create('c', LARGE())).rejects.toThrow(STATE_TOO_LARGE);
    expect(listIds(sandboxes)).toEqual(['default', 'a', 'b']);
    expect((await sandboxes.create('a', LARGE())).id).toBe('a');
    await sandboxes.create('a');
    expect((await sandboxes.create('c', LARGE())).id).toBe('c');
    await sandboxes.remove('c');
    expect((await sandboxes.create('d', LARGE())).id).toBe('d');
  });

  it('guarantees each sandbox a minimum, regardless of the memory of the others', async () => {
    const { sandboxes } = createLimited();
    for (const id of ['a', 'b']) await sandboxes.create(id, LARGE());
    const { store } = await sandboxes.create('c');
    await store.update(() => ({ next: getState(50 * KB), result: undefined }));
    await expect(store.update(() => ({ next: LARGE(), result: undefined }))).rejects.toThrow(STATE_TOO_LARGE);
    expect(store.read().state.orders).toHaveLength(51);
  });

  it('no longer counts a sandbox after a reset', async () => {
    const { sandboxes } = createLimited();
    for (const id of ['a', 'b']) await sandboxes.create(id, LARGE());
    await (await sandboxes.get('a')).store.reset();
    expect((await sandboxes.create('c', LARGE())).id).toBe('c');
  });

  it('no longer counts a removed sandbox, even if a change was in progress', async () => {
    const { sandboxes } = createLimited();
    for (let round = 1; round <= 4; round++) {
      const { store } = await sandboxes.create('a');
      const changing = store.update(() => ({ next: LARGE(), result: undefined }));
      await sandboxes.remove('a');
      await changing;
    }
    for (const id of ['b', 'c']) expect((await sandboxes.create(id, LARGE())).id).toBe(id);
  });

  it('no longer counts expired sandboxes', async () => {
    const { sandboxes, pass } = createLimited();
    for (const id of ['a', 'b']) await sandboxes.create(id, LARGE());
    pass(HOUR_MS);
    expect((await sandboxes.create('c', LARGE())).id).toBe('c');
  });

  it('does not count the snapshots of the default sandbox', async () => {
    const { sandboxes } = createLimited();
    for (let n = 0; n < 10; n++) sandboxes.default.snapshots.set(`s${n}`, LARGE());
    for (const id of ['a', 'b']) expect((await sandboxes.create(id, LARGE())).id).toBe(id);
  });

  it('counts the snapshots of a sandbox', async () => {
    const { sandboxes } = createLimited();
    const { snapshots } = await sandboxes.create('a', LARGE());
    snapshots.set('s', LARGE());
    await expect(sandboxes.create('b', LARGE())).rejects.toThrow(STATE_TOO_LARGE);
    snapshots.delete('s');
    expect((await sandboxes.create('b', LARGE())).id).toBe('b');
  });
});
