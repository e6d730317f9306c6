import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MemoryLimits } from '../../src/sandbox/memory/memory.ts';
import type { List } from '../../src/sandbox/memory/shared-objects.ts';
import { SharedObjects } from '../../src/sandbox/memory/shared-objects.ts';
import type { State } from '../../src/shop/state.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { advanceClockByReads } from '../support/harness/advance-clock.ts';
import { createTestRegistry, listIds, STATE_TOO_LARGE } from '../support/harness/registry.ts';

const KB = 1024;

/** The size of an order, in bytes. A list of 1,000 orders is counted in slices. */
const ORDER_BYTES = 1_000;

/** Limits that allow two sandboxes of 1.5 MB each, but not three. A sandbox can have one state of this size, but not two. */
const LIMITS: MemoryLimits = {
  sandboxBytes: 2_000 * KB,
  pools: [{ fromBytes: 110 * KB, toBytes: Number.POSITIVE_INFINITY, totalBytes: 3_000 * KB }],
};

/** Returns the default data with this number of orders, whose ids take up most of the memory. */
function getState(count: number): State {
  const [order] = defaults.orders;
  const orders = Array.from({ length: count }, (_, n) => ({ ...order, id: `${n}`.padEnd(700, 'x'), products: [] }));
  return { ...defaults, orders: orders as State['orders'] };
}

const LARGE = () => getState((1_500 * KB) / ORDER_BYTES);
const TOO_LARGE = () => getState((4_000 * KB) / ORDER_BYTES);

async function createLimited() {
  const { sandboxes } = createTestRegistry({ memoryLimits: LIMITS });
  const sandbox = await sandboxes.create('a');
  const replace = (next: State) =>
    sandbox.countInSlices(next, () => sandbox.store.update(() => ({ next, result: undefined })));
  const save = (name: string, state: State) =>
    sandbox.snapshots.countInSlices(state, async () => void sandbox.snapshots.set(name, state));
  return { sandboxes, sandbox, replace, save };
}

/** Creates two further sandboxes of 1.5 MB. Rejects if the other sandboxes use more memory than guaranteed. */
async function useAllMemory({ sandboxes }: Awaited<ReturnType<typeof createLimited>>): Promise<void> {
  for (const id of ['x', 'y']) await sandboxes.create(id, LARGE());
}

describe('a long list that is counted in slices', () => {
  it('lets the event loop turn several times before it is added', async () => {
    const { snapshots } = createTestRegistry().sandboxes.default;
    const [order] = defaults.orders;
    const orders = Array.from({ length: 5_000 }, () => ({ ...order })) as unknown as State['orders'];
    advanceClockByReads();
    let turns = 0;
    let isAdded = false;
    const saving = snapshots.countInSlices({ ...defaults, orders }, async () => {
      isAdded = true;
    });
    for (; !isAdded; turns++) await setImmediate();
    await saving;
    expect(turns).toBeGreaterThan(30);
  });
});

describe('the memory of a state that is counted in slices', () => {
  it('exceeds the limit if the state is too large, and is free afterwards', async () => {
    const here = await createLimited();
    await expect(here.replace(TOO_LARGE())).rejects.toThrow(STATE_TOO_LARGE);
    await expect(here.save('s', TOO_LARGE())).rejects.toThrow(STATE_TOO_LARGE);
    expect(here.sandbox.snapshots.size).toBe(0);
    expect(here.sandbox.store.read().state).toEqual(defaults);
    await here.replace(LARGE());
    await here.replace(defaults);
    await useAllMemory(here);
  });

  it('does not count against another state that is counted at the same time, if the first one is too large', async () => {
    const { replace, sandbox } = await createLimited();
    const large = LARGE();
    const results = await Promise.allSettled([replace(TOO_LARGE()), replace(large)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(sandbox.store.read().state).toBe(large);
  });

  it('counts once for two snapshots that are saved at the same time, and for neither if it is too large', async () => {
    const { save, sandbox } = await createLimited();
    const tooLarge = TOO_LARGE();
    const refused = await Promise.allSettled([save('a', tooLarge), save('b', tooLarge)]);
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const large = LARGE();
    await Promise.all([save('a', large), save('b', large)]);
    expect([...sandbox.snapshots.keys()]).toEqual(['a', 'b']);
    expect(() => sandbox.snapshots.set('c', LARGE())).toThrow(STATE_TOO_LARGE);
  });

  it('counts as a whole for a change that adds the list before all its entries are counted', async () => {
    const { sandbox, save } = await createLimited();
    const tooLarge = TOO_LARGE();
    const saving = save('s', tooLarge);
    await setImmediate();
    expect(() => sandbox.snapshots.set('other', tooLarge)).toThrow(STATE_TOO_LARGE);
    await expect(saving).rejects.toThrow(STATE_TOO_LARGE);
  });

  it('leaves room for a change that another client makes in the meantime', async () => {
    const { sandbox, replace } = await createLimited();
    const large = LARGE();
    const replacing = replace(large);
    // This change may be first or last.
    const changing = sandbox.store.update((state) => ({ next: { ...state, cartItems: [] }, result: 'changed' }));
    expect(await changing).toBe('changed');
    await replacing;
    expect(sandbox.store.read().state.orders).toBe(large.orders);
  });

  it('does not count against a small change that comes before the state is added', async () => {
    const { sandbox } = await createLimited();
    const { store } = sandbox;
    const next = getState((1_200 * KB) / ORDER_BYTES);
    await sandbox.countInSlices(next, async () => {
      await store.update(() => ({ next: LARGE(), result: undefined }));
      await store.update(() => ({ next, result: undefined }));
    });
    expect(store.read().state).toBe(next);
  });

  it('counts for the sandbox that counted a list first, also if only another sandbox adds it', async () => {
    const { sandboxes, sandbox } = await createLimited();
    const other = await sandboxes.create('b');
    const next = LARGE();
    await sandbox.countInSlices(next, () => other.store.update(() => ({ next, result: undefined })));
    await expect(sandbox.store.update(() => ({ next: LARGE(), result: undefined }))).rejects.toThrow(STATE_TOO_LARGE);
  });

  it('is free if the sandbox is removed in the meantime', async () => {
    const here = await createLimited();
    const replacing = here.replace(LARGE());
    await setImmediate();
    await here.sandboxes.remove('a');
    await replacing;
    await useAllMemory(here);
    expect(listIds(here.sandboxes)).toEqual(['default', 'x', 'y']);
  });
});

describe('the memory of a long list that is no longer used', () => {
  it('is available at once for another snapshot, and for another state', async () => {
    const { sandbox, replace } = await createLimited();
    sandbox.snapshots.set('s', LARGE());
    sandbox.snapshots.delete('s');
    sandbox.snapshots.set('t', LARGE());
    sandbox.snapshots.delete('t');
    await replace(LARGE());
    await replace(LARGE());
  });

  it('is available at once for another sandbox after a sandbox is removed or created again', async () => {
    const here = await createLimited();
    await useAllMemory(here);
    await here.sandboxes.remove('x');
    await here.sandboxes.create('y', LARGE());
    await here.sandboxes.create('z', LARGE());
    await expect(here.sandboxes.create('x', LARGE())).rejects.toThrow(STATE_TOO_LARGE);
  });
});

describe('a sandbox from long default data', () => {
  it('is created once for two requests at the same time', async () => {
    const long = getState(1_000);
    const { sandboxes, logLines } = createTestRegistry({ defaults: () => long });
    const [one, other] = await Promise.all([sandboxes.get('w1'), sandboxes.get('w1')]);
    expect(one).toBe(other);
    expect(logLines).toEqual(['created sandbox w1']);
  });
});

describe('SharedObjects', () => {
  /** Long lists that share some of their entries. */
  const entries = Array.from({ length: 1_600 }, (_, id) => ({ id: `${id}` }));
  const lists: readonly List[] = [0, 100, 300, 600].map((start) => entries.slice(start, start + 1_000));

  function createObjects() {
    const owner = {
      bytes: 0,
      charge(bytes: number) {
        owner.bytes += bytes;
      },
    };
    return { objects: new SharedObjects(), owner };
  }

  it('counts the same memory in slices as at once, in any order', async () => {
    const change = fc.record({ list: fc.nat(lists.length - 1), adds: fc.boolean(), waits: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        const [inSlices, atOnce] = [createObjects(), createObjects()];
        const added: List[] = [];
        const holding: Promise<void>[] = [];
        for (const { list: index, adds, waits } of changes) {
          const list = adds ? lists[index] : added.pop();
          if (!list) continue;
          const [from, to] = adds ? [undefined, { list }] : [{ list }, undefined];
          if (adds) added.push(list);
          const { objects, owner } = inSlices;
          holding.push(objects.hold(new Map([[list, owner]]), async () => {}));
          if (waits) await setImmediate();
          objects.replace(from, to, owner);
          atOnce.objects.replace(from, to, atOnce.owner);
        }
        await Promise.all(holding);
        for (const { objects } of [inSlices, atOnce]) objects.finishReleases();
        expect(inSlices.owner.bytes).toBe(atOnce.owner.bytes);
        expect(atOnce.owner.bytes > 0).toBe(added.length > 0);
      }),
      { numRuns: 30 },
    );
  });

  it('counts for the next owner that adds it, also while its entries are still being released', async () => {
    const [first, second] = [createObjects(), createObjects()];
    const list = getState(2_000).orders as unknown as List;
    await first.objects.hold(new Map([[list, first.owner]]), async () => {});
    first.objects.replace(undefined, { list }, second.owner);
    first.objects.finishReleases();
    expect(first.owner.bytes).toBe(0);
    expect(second.owner.bytes).toBeGreaterThan(2_000 * 700);
  });
});
