import { LISTS } from './lists.ts';
import { MAX_QUANTITY, type Model } from './model.ts';
import type { Step } from './run-step.ts';
import { createInvalidRequests, createUnusualRequests } from './special-requests.ts';
import { UNKNOWN_ID } from './steps.ts';

/** Steps in their order. */
export type Sequence = readonly Step[];

/** Whether a sequence ends with an invalid request. */
export function endsWithInvalidRequest(sequence: Sequence): boolean {
  return sequence.at(-1)?.kind === 'send invalid request';
}

/** Fills the cart, whatever the default data is. */
const FILL_CART: Sequence = [
  { kind: 'add', product: 0, quantity: 1 },
  { kind: 'add', product: 1, quantity: 2 },
];

/** Leads to an order. */
const CREATE_ORDER: Sequence = [...FILL_CART, { kind: 'order' }];

/** The lists with entries that can be expanded. */
const EXPANDABLE = LISTS.slice(1, -1);

/** The length of long lists: longer than common page sizes. */
const LONG_LIST = 51;

/** Quantities around which additions are tested: common limits, and that of the contract. */
const BOUNDS = [100, 1_000, 65_536, MAX_QUANTITY];

/** The shortest sequences that lead to each documented status other than those of invalid requests. */
const STATUS_SEQUENCES: readonly Sequence[] = [
  ...LISTS.map((list): Sequence => [{ kind: 'read list', list, isExpanded: false }]),
  ...EXPANDABLE.map((list): Sequence => [...CREATE_ORDER, ...FILL_CART, { kind: 'read list', list, isExpanded: true }]),
  FILL_CART,
  [...FILL_CART, { kind: 'add', product: 0, quantity: 10 }],
  [...FILL_CART, { kind: 'change', product: 0, option: 1 }, { kind: 'add', product: 0, quantity: 10 }],
  [...FILL_CART, { kind: 'change', product: 0, option: 1 }, { kind: 'remove', product: 0 }, ...FILL_CART],
  [{ kind: 'add many products', count: LONG_LIST }],
  [{ kind: 'create many orders', product: 0, count: LONG_LIST }, { kind: 'reset' }],
  ...BOUNDS.map((bound): Sequence => [{ kind: 'add up to bound', product: 0, bound }]),
  [...CREATE_ORDER, ...FILL_CART, { kind: 'change letter case' }],
  [{ kind: 'add unknown' }],
  [{ kind: 'exceed maximum quantity', product: 0 }],
  [...FILL_CART, { kind: 'change', product: 0, quantity: 12 }],
  [...FILL_CART, { kind: 'change', product: 0, option: 1 }],
  [...FILL_CART, { kind: 'change', product: 1, option: 1, isNumber: true }],
  [...FILL_CART, { kind: 'change', product: 0, quantity: 3, option: 2 }],
  [...FILL_CART, { kind: 'change', product: 0 }],
  [...FILL_CART, { kind: 'change to unknown option', product: 0, quantity: 4 }],
  [{ kind: 'change', product: 4, quantity: 1 }],
  [...FILL_CART, { kind: 'remove', product: 0 }],
  [...FILL_CART, { kind: 'remove', product: 0 }, { kind: 'remove', product: 0 }],
  [{ kind: 'remove', product: 4 }],
  CREATE_ORDER,
  [...CREATE_ORDER, { kind: 'order' }],
  [...CREATE_ORDER, ...CREATE_ORDER, { kind: 'read order', order: 1, isExpanded: false }],
  [...CREATE_ORDER, { kind: 'read order', order: 0, isExpanded: true }],
  [{ kind: 'read unknown order' }],
  [{ kind: 'reset' }],
  [...FILL_CART, { kind: 'reset' }],
  [...CREATE_ORDER, { kind: 'reset' }],
];

/** Returns sequences that change each cart item of the default data in each way, and reset. */
function createResetSequences({ cart, products, deliveryOptions }: Model): readonly Sequence[] {
  if (cart.length === 0) return [];
  const items = cart.map((item) => ({ ...item, product: products.findIndex(({ id }) => id === item.productId) }));
  const reset: Step = { kind: 'reset' };
  const changes = items.map(({ product, quantity, deliveryOptionId }): Step => {
    const option = deliveryOptions.findIndex(({ id }) => id !== deliveryOptionId);
    return { kind: 'change', product, quantity: quantity === 1 ? 2 : quantity - 1, ...(option < 0 ? {} : { option }) };
  });
  const removals = items.map(({ product }): Step => ({ kind: 'remove', product }));
  const additions = items.toReversed().map(({ product }): Step => ({ kind: 'add', product, quantity: 1 }));
  return [
    [...changes, reset],
    [...removals, reset],
    [...removals, ...additions, reset],
  ];
}

/**
 * Returns all fixed sequences: for each documented status, each invalid and each unusual request, and each change of the default data that a reset must
 * undo.
 */
export function createFixedSequences(start: Model): readonly Sequence[] {
  const invalid = createInvalidRequests(UNKNOWN_ID).map((_, which): Step => ({ kind: 'send invalid request', which }));
  const unusual = createUnusualRequests(UNKNOWN_ID, UNKNOWN_ID).map(
    (_, which): Step => ({ kind: 'send unusual request', which }),
  );
  return [
    ...STATUS_SEQUENCES,
    ...[...invalid, ...unusual].map((step) => [...FILL_CART, step]),
    ...createResetSequences(start),
  ];
}
