import { describe, expect, it } from 'vitest';
import { TooManySandboxesError } from '../../src/sandbox/errors.ts';
import type { MemoryLimits } from '../../src/sandbox/memory/memory.ts';
import type { State } from '../../src/shop/state.ts';
import { StateTooLargeError } from '../../src/store/backend.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { createTestRegistry, HOUR_MS, listIds, MAX_SANDBOXES } from '../support/harness/registry.ts';

const KB = 1024;

/** Limits that guarantee a sandbox 100 kB and allow two sandboxes of 1 MB each, but not three. */
const LIMITS: MemoryLimits = {
  sandboxBytes: 2_000 * KB,
  pools: [{ fromBytes: 110 * KB, toBytes: Number.POSITIVE_INFINITY, totalBytes: 2_000 * KB }],
};

/** Returns the default data with orders of about this size in total. */
function stateOf(bytes: number): State {
  const [order] = defaults.orders;
  const orders = Array.from({ length: bytes / 1_000 }, (_, n) => ({
    ...order,
    id: `${n}`.padEnd(700, 'x'),
    products: [],
  }));
  return { ...defaults, orders: orders as State['orders'] };
}

const LARGE = () => stateOf(900 * KB);
const TOO_LARGE = () => stateOf(4_000 * KB);

/** Returns the error that the function throws. */
function getThrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

const createLimited = () => createTestRegistry({ memoryLimits: LIMITS });

describe('the registry at the maximum number of sandboxes', () => {
  it('stores 10,000 sandboxes, and removes the least recently used one that was never written to', () => {
    const { sandboxes, logLines } = createTestRegistry();
    for (let n = 0; n < MAX_SANDBOXES; n++) sandboxes.get(`w${n}`);
    sandboxes.get('w0');
    expect(sandboxes.get('more').id).toBe('more');
    expect(sandboxes.create('another').id).toBe('another');
    expect(listIds(sandboxes)).toHaveLength(MAX_SANDBOXES + 1);
    expect(sandboxes.find('w0')).toBeDefined();
    expect(['w1', 'w2', 'w3'].map((id) => sandboxes.find(id)?.id)).toEqual([undefined, undefined, 'w3']);
    expect(logLines.filter((line) => line.startsWith('removed sandbox'))).toHaveLength(2);
    expect(sandboxes.expiredAtMs('w1')).toBeDefined();
  });

  it('rejects a new sandbox if all were written to, with the time until the first one expires', () => {
    const { sandboxes, pass } = createTestRegistry({ maxSandboxes: 3 });
    for (const id of ['a', 'b', 'c']) sandboxes.create(id);
    pass(60_000);
    const error = getThrown(() => sandboxes.get('more'));
    expect(error).toBeInstanceOf(TooManySandboxesError);
    expect(error).toMatchObject({
      retryAfterSeconds: 3_540,
      message: expect.stringContaining('DELETE /_control/sandboxes'),
    });
    expect(listIds(sandboxes)).toEqual(['default', 'a', 'b', 'c']);
    expect(sandboxes.get('a').id).toBe('a');
    expect(sandboxes.create('b').id).toBe('b');
    sandboxes.remove('c');
    expect(sandboxes.get('more').id).toBe('more');
  });

  it('removes expired sandboxes first', () => {
    const { sandboxes, pass } = createTestRegistry({ maxSandboxes: 3 });
    for (const id of ['a', 'b', 'c']) sandboxes.create(id);
    pass(HOUR_MS - 1);
    sandboxes.get('a');
    pass(1);
    expect(sandboxes.get('last').id).toBe('last');
    expect(listIds(sandboxes)).toEqual(['default', 'a', 'last']);
  });

  it('keeps a sandbox that handles a request or whose journal is followed', async () => {
    const { sandboxes } = createTestRegistry({ maxSandboxes: 3 });
    let finish = () => {};
    const handled = sandboxes.use('handled', () => new Promise<void>((resolve) => (finish = resolve)));
    sandboxes.get('followed').journal.follow({ onEntry() {}, onEnd() {} });
    for (let n = 0; n < 5; n++) sandboxes.get(`w${n}`);
    expect(listIds(sandboxes)).toEqual(['default', 'handled', 'followed', 'w4']);
    finish();
    await handled;
  });

  it('counts a state that several sandboxes were created from once', () => {
    const { sandboxes } = createLimited();
    const shared = LARGE();
    sandboxes.share(shared);
    for (let n = 0; n < 200; n++) sandboxes.create(`w${n}`, shared);
    expect(sandboxes.create('w0', LARGE()).id).toBe('w0');
  });
});

describe('the memory limit of one sandbox', () => {
  it('applies to a new sandbox, and an existing one with the same id stays', () => {
    const { sandboxes } = createLimited();
    const before = sandboxes.create('a', LARGE());
    expect(() => sandboxes.create('a', TOO_LARGE())).toThrow(StateTooLargeError);
    expect(() => sandboxes.create('b', TOO_LARGE())).toThrow(StateTooLargeError);
    expect(listIds(sandboxes)).toEqual(['default', 'a']);
    expect(sandboxes.find('a')).toBe(before);
  });

  it('applies to a change, which then changes nothing, and a smaller change is accepted', async () => {
    const { sandboxes } = createLimited();
    const { store } = sandboxes.create('a');
    const before = store.read().state;
    const growing = store.update(() => ({ next: TOO_LARGE(), result: undefined }));
    const alsoThere = store.update((state) => ({ next: { ...state, cartItems: [] }, result: 'done' }));
    await expect(growing).rejects.toThrow(StateTooLargeError);
    expect(await alsoThere).toBe('done');
    expect(store.read().state).toEqual({ ...before, cartItems: [] });
    await store.update(() => ({ next: LARGE(), result: undefined }));
  });

  it('allows a sandbox at the limit to remove data', async () => {
    const { sandboxes } = createLimited();
    const { store, snapshots } = sandboxes.create('a', stateOf(1_000 * KB));
    snapshots.set('s', stateOf(700 * KB));
    await expect(store.update(() => ({ next: stateOf(1_800 * KB), result: undefined }))).rejects.toThrow();
    await store.update((state) => ({ next: { ...state, orders: state.orders.slice(1) }, result: undefined }));
    snapshots.delete('s');
    await store.update(() => ({ next: stateOf(1_800 * KB), result: undefined }));
  });

  it('counts a snapshot that shares its data with the state once', () => {
    const { sandboxes } = createLimited();
    const { snapshots, store } = sandboxes.create('a', stateOf(1_500 * KB));
    for (let n = 0; n < 100; n++) snapshots.set(`s${n}`, store.read().state);
    expect(() => snapshots.set('other', LARGE())).toThrow(StateTooLargeError);
  });

  it('counts the text of the products in a catalogue', () => {
    const { sandboxes } = createLimited();
    const [product] = defaults.products;
    const products = [{ ...product, keywords: ['x'.repeat(3_000 * KB)] }] as State['products'];
    expect(() => sandboxes.create('a', { ...defaults, products })).toThrow(StateTooLargeError);
  });
});

describe('the memory limit of all sandboxes', () => {
  it('rejects a large sandbox until another one is removed or recreated', () => {
    const { sandboxes } = createLimited();
    for (const id of ['a', 'b']) sandboxes.create(id, LARGE());
    expect(() => sandboxes.create('c', LARGE())).toThrow(StateTooLargeError);
    expect(listIds(sandboxes)).toEqual(['default', 'a', 'b']);
    expect(sandboxes.create('a', LARGE()).id).toBe('a');
    sandboxes.create('a');
    expect(sandboxes.create('c', LARGE()).id).toBe('c');
    sandboxes.remove('c');
    expect(sandboxes.create('d', LARGE()).id).toBe('d');
  });

  it('guarantees each sandbox a minimum, regardless of the memory of the others', async () => {
    const { sandboxes } = createLimited();
    for (const id of ['a', 'b']) sandboxes.create(id, LARGE());
    const { store } = sandboxes.create('c');
    await store.update(() => ({ next: stateOf(50 * KB), result: undefined }));
    await expect(store.update(() => ({ next: LARGE(), result: undefined }))).rejects.toThrow(StateTooLargeError);
    expect(store.read().state.orders).toHaveLength(51);
  });

  it('no longer counts a sandbox after a reset', async () => {
    const { sandboxes } = createLimited();
    for (const id of ['a', 'b']) sandboxes.create(id, LARGE());
    await sandboxes.get('a').store.reset();
    expect(sandboxes.create('c', LARGE()).id).toBe('c');
  });

  it('no longer counts a removed sandbox, even if a change was in progress', async () => {
    const { sandboxes } = createLimited();
    for (let round = 1; round <= 4; round++) {
      const { store } = sandboxes.create('a');
      const changing = store.update(() => ({ next: LARGE(), result: undefined }));
      sandboxes.remove('a');
      await changing;
    }
    for (const id of ['b', 'c']) expect(sandboxes.create(id, LARGE()).id).toBe(id);
  });

  it('no longer counts expired sandboxes', () => {
    const { sandboxes, pass } = createLimited();
    for (const id of ['a', 'b']) sandboxes.create(id, LARGE());
    pass(HOUR_MS);
    expect(sandboxes.create('c', LARGE()).id).toBe('c');
  });

  it('does not count the snapshots of the default sandbox', () => {
    const { sandboxes } = createLimited();
    for (let n = 0; n < 10; n++) sandboxes.default.snapshots.set(`s${n}`, LARGE());
    for (const id of ['a', 'b']) expect(sandboxes.create(id, LARGE()).id).toBe(id);
  });

  it('counts the snapshots of a sandbox', () => {
    const { sandboxes } = createLimited();
    const { snapshots } = sandboxes.create('a', LARGE());
    snapshots.set('s', LARGE());
    expect(() => sandboxes.create('b', LARGE())).toThrow(StateTooLargeError);
    snapshots.delete('s');
    expect(sandboxes.create('b', LARGE()).id).toBe('b');
  });
});
