import type { Arbitrary } from 'fast-check';
import { type Chance, explore } from '../exploring.ts';
import type { Finding, Judge } from '../findings.ts';
import type { Judging } from '../judging.ts';
import type { Session } from '../session.ts';
import { LISTS, type List, look } from './looks.ts';
import { MOST_OF_A_PRODUCT, type Model } from './model.ts';
import { createPlayer, Off, type Player } from './player.ts';
import { type RightRequest, rightRequests } from './right-requests.ts';
import { ORIGIN } from './rules.ts';
import {
  add,
  addBeyond,
  addUnknown,
  type Change,
  change,
  order,
  readOrder,
  refused,
  remove,
  reset,
  resetAlone,
  UNKNOWN_ID,
} from './steps.ts';
import { type WrongRequest, wrongRequests } from './wrong-requests.ts';

/** One step of a sequence; products, options and orders are counted round. */
export type Step =
  | { readonly do: 'add'; readonly product: number; readonly quantity: number }
  | { readonly do: 'add unknown' }
  | { readonly do: 'add beyond'; readonly product: number }
  | {
      readonly do: 'change';
      readonly product: number;
      readonly quantity?: number;
      readonly option?: number;
      readonly isNumber?: boolean;
    }
  | { readonly do: 'change to unknown option'; readonly product: number; readonly quantity?: number }
  | { readonly do: 'remove'; readonly product: number }
  | { readonly do: 'order' }
  | { readonly do: 'read order'; readonly order: number; readonly isExpanded: boolean }
  | { readonly do: 'read unknown order' }
  | { readonly do: 'look'; readonly list: List; readonly isExpanded: boolean }
  | { readonly do: 'break'; readonly which: number }
  | { readonly do: 'ask rightly'; readonly which: number }
  | { readonly do: 'reset' };

/** How many products of the catalogue a sequence is about, and how many steps it has at most. */
const PRODUCTS = 5;
const LONGEST = 25;

/** An option that no shop has. */
const UNKNOWN_OPTION = 'none-such';

/** Does a step, beside the model; `start` is what a reset restores. Throws `Off` where the shop does something else. */
async function perform(player: Player, start: Model, step: Step): Promise<void> {
  const product = 'product' in step ? productAt(player.model, step.product) : '';
  switch (step.do) {
    case 'add':
      return add(player, product, step.quantity);
    case 'add unknown':
      return addUnknown(player);
    case 'add beyond':
      return addBeyond(player, product);
    case 'change':
      return change(player, product, changeOf(player.model, step));
    case 'change to unknown option':
      return change(player, product, {
        ...(step.quantity === undefined ? {} : { quantity: step.quantity }),
        deliveryOptionId: UNKNOWN_OPTION,
      });
    case 'remove':
      return remove(player, product);
    case 'order':
      return order(player);
    case 'read order': {
      const { orders } = player.model;
      return readOrder(player, orders[step.order % Math.max(1, orders.length)]?.id ?? UNKNOWN_ID, step.isExpanded);
    }
    case 'read unknown order':
      return readOrder(player, UNKNOWN_ID, false);
    case 'look':
      return look(player, { list: step.list, isExpanded: step.isExpanded, rule: 'what was done is what is shown' });
    case 'break': {
      const inCart = player.model.cart[0]?.productId;
      const wrong = wrongRequests(inCart ?? productAt(player.model, 0));
      const chosen = wrong[step.which % wrong.length] as WrongRequest;
      // What isn't in the cart may be told before what is wrong with a change of it.
      return inCart === undefined && chosen.id === 'updateCartItem' ? undefined : refused(player, chosen);
    }
    case 'ask rightly': {
      const [first, second] = [productAt(player.model, 0), productAt(player.model, 2)];
      const { id, ask, status, why } = rightRequests(first, second)[step.which] as RightRequest;
      return player.expectStatus(id, await player.ask(id, ask), status, why);
    }
    case 'reset':
      return reset(player, start);
  }
}

function productAt({ products }: Model, place: number): string {
  return products[place % Math.max(1, products.length)]?.id ?? UNKNOWN_ID;
}

function changeOf({ deliveryOptions }: Model, { quantity, option, isNumber }: Extract<Step, { do: 'change' }>): Change {
  const id = option === undefined ? undefined : deliveryOptions[option % deliveryOptions.length]?.id;
  const named = id !== undefined && isNumber === true && /^[1-9]\d{0,14}$/.test(id) ? Number(id) : id;
  return {
    ...(quantity === undefined ? {} : { quantity }),
    ...(named === undefined ? {} : { deliveryOptionId: named }),
  };
}

/** Plays some steps from the default data on; what goes wrong, `WELL` where nothing does. */
async function play(session: Session, judge: Judge, start: Model, steps: readonly Step[]): Promise<readonly Finding[]> {
  // Answers may be read from any origin, whatever they are.
  const player = createPlayer(session, judge, start, judge === 'statuses' ? { origin: ORIGIN } : {});
  try {
    await resetAlone(player);
    for (const step of steps) await perform(player, start, step);
    return WELL;
  } catch (error) {
    if (error instanceof Off) return error.findings;
    throw error;
  }
}

/** Provokes each documented status of each operation, one after the other. */
export async function judgeStatuses(session: Session, start: Model): Promise<void> {
  const breaks = wrongRequests(UNKNOWN_ID).map((_, which): Step[] => [...STOCKED, { do: 'break', which }]);
  const rights = rightRequests(UNKNOWN_ID, UNKNOWN_ID).map((_, which): Step[] => [
    ...STOCKED,
    { do: 'ask rightly', which },
  ]);
  for (const steps of [...SCRIPTS, ...breaks, ...rights]) {
    session.ledger.addAll(await play(session, 'statuses', start, steps));
  }
}

/** Something in the cart, whatever the default data has. */
const STOCKED: readonly Step[] = [
  { do: 'add', product: 0, quantity: 1 },
  { do: 'add', product: 1, quantity: 2 },
];

/** What leads to each documented status but those of wrong requests, in sequences that are as short as they can be. */
const SCRIPTS: readonly (readonly Step[])[] = [
  ...LISTS.map((list): Step[] => [{ do: 'look', list, isExpanded: false }]),
  ...LISTS.slice(1, -1).map((list): Step[] => [
    ...STOCKED,
    { do: 'order' },
    ...STOCKED,
    { do: 'look', list, isExpanded: true },
  ]),
  [...STOCKED],
  [...STOCKED, { do: 'add', product: 0, quantity: 10 }],
  [...STOCKED, { do: 'change', product: 0, option: 1 }, { do: 'add', product: 0, quantity: 10 }],
  [...STOCKED, { do: 'change', product: 0, option: 1 }, { do: 'remove', product: 0 }, ...STOCKED],
  Array.from({ length: 15 }, (_, product): Step => ({ do: 'add', product, quantity: 1 })),
  Array.from({ length: 7 }, (): Step[] => [...STOCKED, { do: 'order' }]).flat(),
  [{ do: 'add unknown' }],
  [{ do: 'add beyond', product: 0 }],
  [...STOCKED, { do: 'change', product: 0, quantity: 12 }],
  [...STOCKED, { do: 'change', product: 0, option: 1 }],
  [...STOCKED, { do: 'change', product: 1, option: 1, isNumber: true }],
  [...STOCKED, { do: 'change', product: 0, quantity: 3, option: 2 }],
  [...STOCKED, { do: 'change', product: 0 }],
  [...STOCKED, { do: 'change to unknown option', product: 0, quantity: 4 }],
  [{ do: 'change', product: 4, quantity: 1 }],
  [...STOCKED, { do: 'remove', product: 0 }],
  [...STOCKED, { do: 'remove', product: 0 }, { do: 'remove', product: 0 }],
  [{ do: 'remove', product: 4 }],
  [...STOCKED, { do: 'order' }],
  [...STOCKED, { do: 'order' }, { do: 'order' }],
  [...STOCKED, { do: 'order' }, ...STOCKED, { do: 'order' }, { do: 'read order', order: 1, isExpanded: false }],
  [...STOCKED, { do: 'order' }, { do: 'read order', order: 0, isExpanded: true }],
  [{ do: 'read unknown order' }],
  [{ do: 'reset' }],
  [...STOCKED, { do: 'reset' }],
  [...STOCKED, { do: 'order' }, { do: 'reset' }],
];

/** Plays sequences by chance against the model of the shop. */
export async function judgeSequences({ session, fc, seed, runs, note }: Judging, start: Model): Promise<void> {
  const cases = fc.array(stepArbitrary(fc), { minLength: 1, maxLength: LONGEST, size: 'max' });
  let cutShort = 0;
  const examine = async (steps: readonly Step[]) => {
    const findings = await play(session, 'behaviour', start, steps);
    if (findings !== WELL && findings.every((finding) => session.ledger.knows(finding))) cutShort++;
    return findings;
  };
  await explore({ fc, ledger: session.ledger, cases, seed, runs, examine });
  if (cutShort > 0)
    note(`${cutShort} sequences ended early, at what had been found before: mend that, and judge again`);
}

/** What a sequence finds that went to its end. */
const WELL: readonly Finding[] = [];

function stepArbitrary(fc: Chance): Arbitrary<Step> {
  const doing = <Name extends Step['do']>(name: Name) => fc.constant(name);
  const product = fc.nat(PRODUCTS - 1);
  const quantity = fc.integer({ min: 1, max: 10 });
  const isExpanded = fc.boolean();
  const wanted = {
    quantity: fc.oneof(quantity, fc.integer({ min: 1, max: MOST_OF_A_PRODUCT })),
    option: fc.nat(5),
    isNumber: isExpanded,
  };
  return fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: doing('add'), product, quantity }) },
    {
      weight: 4,
      arbitrary: fc.record({ do: doing('change'), product, ...wanted }, { requiredKeys: ['do', 'product'] }),
    },
    { weight: 2, arbitrary: fc.record({ do: doing('remove'), product }) },
    { weight: 2, arbitrary: fc.record({ do: doing('order') }) },
    { weight: 2, arbitrary: fc.record({ do: doing('look'), list: fc.constantFrom(...LISTS), isExpanded }) },
    { weight: 1, arbitrary: fc.record({ do: doing('read order'), order: fc.nat(5), isExpanded }) },
    { weight: 1, arbitrary: fc.record({ do: doing('change to unknown option'), product, quantity }) },
    { weight: 1, arbitrary: fc.record({ do: doing('break'), which: fc.nat(500) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constantFrom('add unknown' as const, 'read unknown order' as const, 'reset' as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: doing('add beyond'), product }) },
  );
}
