import { LISTS } from './lists.ts';
import { MAX_QUANTITY, type Model } from './model.ts';
import type { Step } from './perform.ts';
import { createInvalidRequests, createUnusualRequests } from './request-cases.ts';
import { UNKNOWN_ID } from './steps.ts';

/** Steps in their order. */
export type Script = readonly Step[];

/** Whether a script ends with an invalid request. */
export function isBreaking(script: Script): boolean {
  return script.at(-1)?.do === 'send invalid request';
}

/** Fills the cart, whatever the default data is. */
const STOCKED: Script = [
  { do: 'add', product: 0, quantity: 1 },
  { do: 'add', product: 1, quantity: 2 },
];

/** Leads to an order. */
const ORDERED: Script = [...STOCKED, { do: 'order' }];

/** The lists with entries that can be expanded. */
const EXPANDABLE = LISTS.slice(1, -1);

/** The length of long lists: longer than common page sizes. */
const LONG_LIST = 51;

/** Quantities around which additions are tested: common limits, and that of the contract. */
const BOUNDS = [100, 1_000, 65_536, MAX_QUANTITY];

/** The shortest sequences that lead to each documented status other than those of invalid requests. */
const PROVOKING: readonly Script[] = [
  ...LISTS.map((list): Script => [{ do: 'look', list, isExpanded: false }]),
  ...EXPANDABLE.map((list): Script => [...ORDERED, ...STOCKED, { do: 'look', list, isExpanded: true }]),
  STOCKED,
  [...STOCKED, { do: 'add', product: 0, quantity: 10 }],
  [...STOCKED, { do: 'change', product: 0, option: 1 }, { do: 'add', product: 0, quantity: 10 }],
  [...STOCKED, { do: 'change', product: 0, option: 1 }, { do: 'remove', product: 0 }, ...STOCKED],
  [{ do: 'add each', count: LONG_LIST }],
  [{ do: 'order often', product: 0, count: LONG_LIST }, { do: 'reset' }],
  ...BOUNDS.map((bound): Script => [{ do: 'add around', product: 0, bound }]),
  [...ORDERED, ...STOCKED, { do: 'change letter case' }],
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
  ORDERED,
  [...ORDERED, { do: 'order' }],
  [...ORDERED, ...ORDERED, { do: 'read order', order: 1, isExpanded: false }],
  [...ORDERED, { do: 'read order', order: 0, isExpanded: true }],
  [{ do: 'read unknown order' }],
  [{ do: 'reset' }],
  [...STOCKED, { do: 'reset' }],
  [...ORDERED, { do: 'reset' }],
];

/** Returns scripts that change each cart item of the default data in each way, and reset. */
function createResetScripts({ cart, products, deliveryOptions }: Model): readonly Script[] {
  if (cart.length === 0) return [];
  const items = cart.map((item) => ({ ...item, product: products.findIndex(({ id }) => id === item.productId) }));
  const reset: Step = { do: 'reset' };
  const changes = items.map(({ product, quantity, deliveryOptionId }): Step => {
    const option = deliveryOptions.findIndex(({ id }) => id !== deliveryOptionId);
    return { do: 'change', product, quantity: quantity === 1 ? 2 : quantity - 1, ...(option < 0 ? {} : { option }) };
  });
  const removals = items.map(({ product }): Step => ({ do: 'remove', product }));
  const additions = items.toReversed().map(({ product }): Step => ({ do: 'add', product, quantity: 1 }));
  return [
    [...changes, reset],
    [...removals, reset],
    [...removals, ...additions, reset],
  ];
}

/**
 * Returns all fixed scripts: for each documented status, each invalid and each unusual request, and each change of the default data that a reset must
 * undo.
 */
export function createScripts(start: Model): readonly Script[] {
  const invalid = createInvalidRequests(UNKNOWN_ID).map((_, which): Step => ({ do: 'send invalid request', which }));
  const unusual = createUnusualRequests(UNKNOWN_ID, UNKNOWN_ID).map(
    (_, which): Step => ({ do: 'send unusual request', which }),
  );
  return [...PROVOKING, ...[...invalid, ...unusual].map((step) => [...STOCKED, step]), ...createResetScripts(start)];
}
