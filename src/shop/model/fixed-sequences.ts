import { QUANTITY_LIMIT } from '../domain/cart.ts';
import { LISTS } from './lists.ts';
import type { Model } from './model.ts';
import type { Step } from './run-step.ts';
import { createInvalidRequests, createUnusualRequests } from './special-requests.ts';
import { UNKNOWN_ID } from './steps.ts';

/** Steps that run one after another from the default data. */
export type Sequence = readonly Step[];

/** Returns whether the last step of a sequence is an invalid request. */
export function endsWithInvalidRequest(sequence: Sequence): boolean {
  return sequence.at(-1)?.kind === 'send invalid request';
}

/** Adds two products to the cart, which the default data may leave empty. */
const FILL_CART: Sequence = [
  { kind: 'add item', product: 0, quantity: 1 },
  { kind: 'add item', product: 1, quantity: 2 },
];

/** Orders two products. */
const CREATE_ORDER: Sequence = [...FILL_CART, { kind: 'create order' }];

/** Orders two products, and adds them to the cart again. */
const ORDER_AND_FILL: Sequence = [...CREATE_ORDER, ...FILL_CART];

/** The operations with the query parameter `expand`. */
const EXPANDABLE_LISTS = LISTS.slice(1, -1);

/** The number of entries in a long list: more than a common page size. */
const LONG_LIST_LENGTH = 51;

/** Quantities that servers often limit, and the limit of the contract. */
const QUANTITY_BOUNDS = [100, 1_000, 65_536, QUANTITY_LIMIT];

/** The shortest sequences that lead to each documented status. `createInvalidRequests` has the sequences for 400, 413 and 415. */
const STATUS_SEQUENCES: readonly Sequence[] = [
  ...LISTS.map((list): Sequence => [{ kind: 'read list', list, isExpanded: false }]),
  ...EXPANDABLE_LISTS.map((list): Sequence => [...ORDER_AND_FILL, { kind: 'read list', list, isExpanded: true }]),
  FILL_CART,
  [...FILL_CART, { kind: 'add item', product: 0, quantity: 10 }],
  [...FILL_CART, { kind: 'update item', product: 0, option: 1 }, { kind: 'add item', product: 0, quantity: 10 }],
  [...FILL_CART, { kind: 'update item', product: 0, option: 1 }, { kind: 'remove item', product: 0 }, ...FILL_CART],
  [{ kind: 'add many products', count: LONG_LIST_LENGTH }],
  [{ kind: 'create many orders', product: 0, count: LONG_LIST_LENGTH }, { kind: 'reset' }],
  ...QUANTITY_BOUNDS.map((bound): Sequence => [{ kind: 'add up to bound', product: 0, bound }]),
  [...ORDER_AND_FILL, { kind: 'change letter case' }],
  [{ kind: 'add unknown product' }],
  [{ kind: 'exceed maximum quantity', product: 0 }],
  [...FILL_CART, { kind: 'update item', product: 0, quantity: 12 }],
  [...FILL_CART, { kind: 'update item', product: 0, option: 1 }],
  [...FILL_CART, { kind: 'update item', product: 1, option: 1, isNumber: true }],
  [...FILL_CART, { kind: 'update item', product: 0, quantity: 3, option: 2 }],
  [...FILL_CART, { kind: 'update item', product: 0 }],
  [...FILL_CART, { kind: 'set unknown delivery option', product: 0, quantity: 4 }],
  [{ kind: 'update item', product: 4, quantity: 1 }],
  [...FILL_CART, { kind: 'remove item', product: 0 }],
  [...FILL_CART, { kind: 'remove item', product: 0 }, { kind: 'remove item', product: 0 }],
  [{ kind: 'remove item', product: 4 }],
  CREATE_ORDER,
  [...CREATE_ORDER, { kind: 'create order' }],
  [...CREATE_ORDER, ...CREATE_ORDER, { kind: 'read order', order: 1, isExpanded: false }],
  [...CREATE_ORDER, { kind: 'read order', order: 0, isExpanded: true }],
  [{ kind: 'read unknown order' }],
  [{ kind: 'reset' }],
  [...FILL_CART, { kind: 'reset' }],
  [...CREATE_ORDER, { kind: 'reset' }],
];

/** Returns sequences that update, remove, or reorder the cart items of the default data, and then reset the shop. */
function createResetSequences({ cart, products, deliveryOptions }: Model): readonly Sequence[] {
  if (cart.length === 0) return [];
  const items = cart.map((item) => ({ ...item, product: products.findIndex(({ id }) => id === item.productId) }));
  const reset: Step = { kind: 'reset' };
  const updates = items.map(({ product, quantity, deliveryOptionId }): Step => {
    const option = deliveryOptions.findIndex(({ id }) => id !== deliveryOptionId);
    const otherQuantity = quantity === 1 ? 2 : quantity - 1;
    return { kind: 'update item', product, quantity: otherQuantity, ...(option < 0 ? {} : { option }) };
  });
  const removals = items.map(({ product }): Step => ({ kind: 'remove item', product }));
  const additions = items.toReversed().map(({ product }): Step => ({ kind: 'add item', product, quantity: 1 }));
  return [
    [...updates, reset],
    [...removals, reset],
    [...removals, ...additions, reset],
  ];
}

/** Returns the sequences that every check runs: for documented statuses, invalid requests, unusual requests, and resets of the default data. */
export function createFixedSequences(defaultModel: Model): readonly Sequence[] {
  const invalid = createInvalidRequests(UNKNOWN_ID).map((_, index): Step => ({ kind: 'send invalid request', index }));
  const unusual = createUnusualRequests(UNKNOWN_ID, UNKNOWN_ID).map(
    (_, index): Step => ({ kind: 'send unusual request', index }),
  );
  const requestSequences = [...invalid, ...unusual].map((step) => [...FILL_CART, step]);
  return [...STATUS_SEQUENCES, ...requestSequences, ...createResetSequences(defaultModel)];
}
