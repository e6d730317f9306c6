import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/shop/operations/handler.ts';
import type { State } from '../../src/shop/state.ts';
import { StoreUnavailableError } from '../../src/store/backend.ts';
import type { Store } from '../../src/store/store.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { getAddedProducts, PRODUCT_IDS, putItem } from '../support/fixtures/states.ts';
import { backends } from '../support/harness/backends.ts';

/** An addition of a product with a quantity. */
type Addition = readonly [productId: string, quantity: number];

const additions = fc.array(fc.tuple(fc.constantFrom(...PRODUCT_IDS.slice(0, 4)), fc.integer({ min: 1, max: 10 })), {
  maxLength: 30,
});

/** A request to a store; `id` is the product to put. */
interface Command {
  readonly kind: 'put' | 'look' | 'decline' | 'reset';
  readonly id: string;
}

const command: fc.Arbitrary<Command> = fc.record({
  kind: fc.constantFrom('put', 'put', 'put', 'look', 'decline', 'reset'),
  id: fc.constantFrom(...PRODUCT_IDS),
});

/** Rounds of concurrent requests, each with whether commits fail. */
const rounds = fc.array(
  fc.record({ isFailing: fc.boolean(), list: fc.array(command, { minLength: 1, maxLength: 20 }) }),
  { maxLength: 5 },
);

describe.each(backends)('a store with the backend $kind', ({ open, runs }) => {
  it('has the same sums whether additions are made one after the other or all at once in any order', async () => {
    const bothWays = fc
      .tuple(additions, fc.infiniteStream(fc.nat()))
      .map(([list, random]) => ({ list, shuffled: shuffled(list, random) }));
    await fc.assert(
      fc.asyncProperty(bothWays, async ({ list, shuffled }) => {
        const { store: oneByOne } = await open();
        for (const addition of list) await oneByOne.update(adding(addition));
        const { store: atOnce } = await open();
        await Promise.all(shuffled.map((addition) => atOnce.update(adding(addition))));
        expect(sums(atOnce.read().state)).toEqual(sums(oneByOne.read().state));
      }),
      { numRuns: runs },
    );
  });

  it('returns, shows and stores the same as a plain list, with any concurrent changes and failed commits', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, async (rounds) => {
        const { store, kept, failCommits } = await open();
        let cart: readonly string[] = [];
        for (const { isFailing, list } of rounds) {
          failCommits(isFailing);
          const answers = await Promise.allSettled(list.map((command) => asked(store, command)));
          const expected = isFailing ? failed(cart, list) : done(cart, list);
          cart = expected.cart;
          expect(answers.map(told)).toEqual(expected.answers);
          expect(getAddedProducts(store.read().state)).toEqual(cart);
          expect(await kept()).toEqual(store.read().state);
        }
      }),
      { numRuns: runs },
    );
  });
});

function asked(store: Store<State>, { kind, id }: Command): Promise<unknown> {
  if (kind === 'reset') return store.reset();
  return store.update((state, nowMs) => {
    if (kind === 'decline') throw new Error('declined');
    const next = kind === 'put' ? putItem(id)(state, nowMs).next : undefined;
    return { ...(next && { next }), result: getAddedProducts(next ?? state) };
  });
}

/** The outcome of a request: a result or an error. */
function told(answer: PromiseSettledResult<unknown>): unknown {
  if (answer.status === 'fulfilled') return answer.value;
  return answer.reason instanceof StoreUnavailableError ? 'unavailable' : answer.reason.message;
}

/** Returns the cart and the outcomes after all requests are made one after the other. */
function done(before: readonly string[], list: readonly Command[]) {
  let cart = before;
  const answers = list.map(({ kind, id }) => {
    if (kind === 'put') cart = [...cart, id];
    if (kind === 'reset') cart = [];
    if (kind === 'decline') return 'declined';
    return kind === 'reset' ? undefined : cart;
  });
  return { cart, answers };
}

/** Returns the same for failed commits: a change fails with all requests of its batch, since they may have seen it. */
function failed(cart: readonly string[], list: readonly Command[]) {
  const isCommit = list.some(({ kind }) => kind === 'put' || kind === 'reset');
  return isCommit ? { cart, answers: list.map(() => 'unavailable') } : done(cart, list);
}

function adding([productId, quantity]: Addition): Change<undefined> {
  return (state) => {
    const before = state.cartItems.find((item) => item.productId === productId);
    const others = state.cartItems.filter((item) => item !== before);
    const item = { productId, quantity: (before?.quantity ?? 0) + quantity, deliveryOptionId: '1' };
    return { next: { ...state, cartItems: [...others, item] }, result: undefined };
  };
}

/** Returns the quantity of each product in the cart. */
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
