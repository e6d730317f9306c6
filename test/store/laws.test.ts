import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { State } from '../../src/store/state.ts';
import type { Change, Store } from '../../src/store/store.ts';
import { defaults } from '../support/default-data.ts';
import { openTestState } from '../support/open-store.ts';
import { PRODUCT_IDS, putInto, putting } from '../support/states.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** A number of some product to add. */
type Addition = readonly [productId: string, quantity: number];

const additions = fc.array(fc.tuple(fc.constantFrom(...PRODUCT_IDS.slice(0, 4)), fc.integer({ min: 1, max: 10 })), {
  maxLength: 30,
});

const commands = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('put'), id: fc.constantFrom(...PRODUCT_IDS) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('decline'), id: fc.constant('') }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('reset'), id: fc.constant('') }) },
  ),
  { maxLength: 40 },
);

const kinds = [
  { kind: 'memory', place: async () => undefined, runs: 100 },
  { kind: 'a file', place: async () => join(await tempFolder(), 'db.json'), runs: 25 },
];

describe.each(kinds)('a store over $kind', ({ place, runs }) => {
  it('comes to the same sums whether additions are done one by one or all at once in any order', async () => {
    const bothWays = fc
      .tuple(additions, fc.infiniteStream(fc.nat()))
      .map(([list, random]) => ({ list, shuffled: shuffled(list, random) }));
    await fc.assert(
      fc.asyncProperty(bothWays, async ({ list, shuffled }) => {
        const oneByOne = await openStore(await place());
        for (const addition of list) await oneByOne.update(adding(addition));
        const atOnce = await openStore(await place());
        await Promise.all(shuffled.map((addition) => atOnce.update(adding(addition))));
        expect(sums(atOnce.read().state)).toEqual(sums(oneByOne.read().state));
      }),
      { numRuns: runs },
    );
  });

  it('answers and ends like a plain list to which the same is done, whatever comes at once', async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (list) => {
        const path = await place();
        const store = await openStore(path);
        const answers = await Promise.allSettled(list.map(({ kind, id }) => asked(store, kind, id)));
        expect(answers.map(({ status }) => status)).toEqual(
          list.map(({ kind }) => (kind === 'decline' ? 'rejected' : 'fulfilled')),
        );
        const sinceReset = list.slice(list.map(({ kind }) => kind).lastIndexOf('reset') + 1);
        expect(putInto(store.read().state)).toEqual(
          sinceReset.filter(({ kind }) => kind === 'put').map(({ id }) => id),
        );
        if (path !== undefined) expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(store.read().state);
      }),
      { numRuns: runs },
    );
  });
});

async function openStore(data: string | undefined): Promise<Store> {
  return (await openTestState({ data })).store;
}

function asked(store: Store, kind: string, id: string): Promise<unknown> {
  if (kind === 'reset') return store.reset();
  if (kind === 'put') return store.update(putting(id));
  return store.update(() => {
    throw new Error('declined');
  });
}

function adding([productId, quantity]: Addition): Change<undefined> {
  return (state) => {
    const before = state.cartItems.find((item) => item.productId === productId);
    const others = state.cartItems.filter((item) => item !== before);
    const item = { productId, quantity: (before?.quantity ?? 0) + quantity, deliveryOptionId: '1' };
    return { next: { ...state, cartItems: [...others, item] }, result: undefined };
  };
}

/** How many of each product the cart holds. */
function sums({ cartItems }: State): ReadonlyMap<string, number> {
  expect(cartItems.length).toBeGreaterThanOrEqual(defaults.cartItems.length);
  return new Map(cartItems.map(({ productId, quantity }) => [productId, quantity]));
}

function shuffled(list: readonly Addition[], random: IterableIterator<number>): readonly Addition[] {
  return list
    .map((addition) => ({ addition, rank: random.next().value }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ addition }) => addition);
}
