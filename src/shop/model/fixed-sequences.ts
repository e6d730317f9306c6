import { QUANTITY_LIMIT } from '../domain/cart.ts';
import { LISTS } from './lists.ts';
import { MAX_ADDED_QUANTITY, type Model } from './model.ts';
import { PAGED_LISTS, readPageAfterUnknown, readPages } from './pages.ts';
import { createInvalidRequests, createUnusualRequests } from './special-requests.ts';
import * as series from './step-series.ts';
import * as steps from './steps.ts';

/** Test steps that run one after another. The shop has its default data before the first step. */
export type Sequence = readonly steps.Step[];

/** Adds two products to the cart, because the cart of the default data may be empty. */
export const FILL_CART: Sequence = [steps.addItem(0, 1), steps.addItem(1, 2)];

/** Orders two products. */
const CREATE_ORDER: Sequence = [...FILL_CART, steps.createOrder];

/** Orders two products, and then adds the same products to the cart again. */
const ORDER_AND_FILL: Sequence = [...CREATE_ORDER, ...FILL_CART];

/** The operations that return a list and accept the query parameter `expand`. */
const EXPANDABLE_LISTS = LISTS.slice(1, -1);

/** The number of entries in a long list. It exceeds the usual page sizes, so a server that returns only one page fails the test. */
const LONG_LIST_LENGTH = 51;

/** Quantities at which servers often have a limit by mistake, and the limit of the contract. */
const QUANTITY_BOUNDS = [100, 1_000, 65_536, QUANTITY_LIMIT];

/** Short test sequences that cause each documented status at least once. The exceptions are 400, 413 and 415, which `INVALID_REQUESTS` causes. */
const STATUS_SEQUENCES: readonly Sequence[] = [
  ...LISTS.map((list) => [steps.readList(list, false)]),
  ...EXPANDABLE_LISTS.map((list) => [...ORDER_AND_FILL, steps.readList(list, true)]),
  ...EXPANDABLE_LISTS.map((list) => [...ORDER_AND_FILL, steps.readListWithUnknownExpand(list)]),
  [...CREATE_ORDER, steps.readOrderWithUnknownExpand],
  FILL_CART,
  [...FILL_CART, steps.addItem(0, 10)],
  [...FILL_CART, steps.updateItem({ product: 0, option: 1 }), steps.addItem(0, 10)],
  [...FILL_CART, steps.updateItem({ product: 0, option: 1 }), steps.removeItem(0), ...FILL_CART],
  [...CREATE_ORDER, ...CREATE_ORDER, ...PAGED_LISTS.map(readPages)],
  ...PAGED_LISTS.map((list) => [readPageAfterUnknown(list)]),
  [series.addManyProducts(LONG_LIST_LENGTH)],
  [series.createManyOrders(0, LONG_LIST_LENGTH), steps.reset],
  ...QUANTITY_BOUNDS.map(addUpToBound),
  [...ORDER_AND_FILL, series.checkLetterCase],
  [steps.addUnknownProduct],
  [series.exceedMaxQuantity(0)],
  [...FILL_CART, steps.updateItem({ product: 0, quantity: 12 })],
  [...FILL_CART, steps.updateItem({ product: 0, option: 1 })],
  [...FILL_CART, steps.updateItem({ product: 1, option: 1, isNumber: true })],
  [...FILL_CART, steps.updateItem({ product: 0, quantity: 3, option: 2 })],
  [...FILL_CART, steps.updateItem({ product: 0 })],
  [...FILL_CART, steps.updateItem({ product: 0, quantity: 4, option: 'unknown' })],
  [steps.updateItem({ product: 4, quantity: 1 })],
  [...FILL_CART, steps.removeItem(0)],
  [...FILL_CART, steps.removeItem(0), steps.removeItem(0)],
  [steps.removeItem(4)],
  CREATE_ORDER,
  [...CREATE_ORDER, steps.createOrder],
  [...CREATE_ORDER, ...CREATE_ORDER, steps.readOrder(1, false)],
  [...CREATE_ORDER, steps.readOrder(0, true)],
  [steps.readUnknownOrder],
  [steps.reset],
  [...FILL_CART, steps.reset],
  [...CREATE_ORDER, steps.reset],
];

/** Returns a test sequence that raises the quantity of a cart item to `bound`, and then adds one more unit. */
function addUpToBound(bound: number): Sequence {
  const quantity = bound - MAX_ADDED_QUANTITY;
  return [
    steps.addItem(0, 1),
    steps.updateItem({ product: 0, quantity }),
    steps.addItem(0, MAX_ADDED_QUANTITY),
    steps.addItem(0, 1),
  ];
}

/**
 * Returns test sequences that change the cart and then reset the shop. One updates all items, one removes them, and one removes them and adds them again in
 * reverse order. Returns no sequences if the cart of the default data is empty.
 */
function createResetSequences({ cart, products, deliveryOptions }: Model): readonly Sequence[] {
  if (cart.length === 0) return [];
  const items = cart.map((item) => ({ ...item, product: products.findIndex(({ id }) => id === item.productId) }));
  const updates = items.map(({ product, quantity, deliveryOptionId }) => {
    const option = deliveryOptions.findIndex(({ id }) => id !== deliveryOptionId);
    const otherQuantity = quantity === 1 ? 2 : quantity - 1;
    return steps.updateItem({ product, quantity: otherQuantity, ...(option < 0 ? {} : { option }) });
  });
  const removals = items.map(({ product }) => steps.removeItem(product));
  const additions = items.toReversed().map(({ product }) => steps.addItem(product, 1));
  return [
    [...updates, steps.reset],
    [...removals, steps.reset],
    [...removals, ...additions, steps.reset],
  ];
}

/**
 * Returns the test sequences that are the same in every check of a shop. They cause all documented statuses of valid requests, send unusual requests, and test
 * the reset to the default data.
 */
export function createFixedSequences(defaultModel: Model): readonly Sequence[] {
  const unusual = createUnusualRequests(steps.UNKNOWN_ID, steps.UNKNOWN_ID).map((_, index) =>
    steps.sendUnusualRequest(index),
  );
  return [...STATUS_SEQUENCES, ...unusual.map((step) => [...FILL_CART, step]), ...createResetSequences(defaultModel)];
}

/** Test steps that send one invalid request each, and expect status 400, 413 or 415. They need a cart with items, so they run after `FILL_CART`. */
export const INVALID_REQUESTS: Sequence = createInvalidRequests(steps.UNKNOWN_ID).map((_, index) =>
  steps.sendInvalidRequest(index),
);
