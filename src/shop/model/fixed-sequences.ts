import { getLocationPath, type ReceivedResponse } from '../../check/exchange.ts';
import { QUANTITY_LIMIT } from '../domain/cart.ts';
import { LISTS } from './lists.ts';
import { MAX_ADDED_QUANTITY, type Model } from './model.ts';
import type { ShopTester } from './shop-tester.ts';
import { createInvalidRequests, createUnusualRequests } from './special-requests.ts';
import * as series from './step-series.ts';
import * as steps from './steps.ts';
import { type Step, UNKNOWN_ID } from './steps.ts';

/** The operations whose lists a client can read page by page. */
const PAGED_LISTS = ['listProducts', 'listOrders'] as const;
type PagedList = (typeof PAGED_LISTS)[number];

/** The number of pages that the check reads of each list. */
const PAGES = 3;

/** The maximum value of the query parameter `limit` in the contract. */
const MAX_LIMIT = 1_000;

const RULE = 'a page starts after the entry with the id in the parameter after, and has at most limit entries';
const TOTAL_RULE = 'X-Total-Count is the number of entries on all pages';
const LINK_RULE = 'the Link header has the URL of the next page, except on the last page';

/** Creates a test step that reads the first pages of a list, and compares each page with the expected entries. */
function readPages(list: PagedList): Step {
  return async (tester) => {
    if (!hasPages(tester, list)) return;
    const entries = list === 'listProducts' ? tester.model.products : tester.model.orders;
    const limit = Math.min(MAX_LIMIT, Math.max(1, Math.ceil(entries.length / PAGES)));
    for (let start = 0; start < Math.min(entries.length, PAGES * limit); start += limit) {
      const after = entries[start - 1]?.id;
      const target = `${tester.routes[list].path}?limit=${limit}${after === undefined ? '' : `&after=${after}`}`;
      const response = await tester.sendCase({ id: list, target, status: 200, why: 'the request is valid' });
      const values = { expected: entries.slice(start, start + limit), actual: response.body };
      tester.expectEqual(list, RULE, values, `In the response to GET ${target}`);
      const total = { expected: String(entries.length), actual: response.headers['x-total-count'] };
      tester.expectEqual(list, TOTAL_RULE, total, `In the response to GET ${target}`);
      checkLink(tester, list, response, entries[start + limit] && entries[start + limit - 1]?.id);
    }
  };
}

/**
 * Checks the `Link` header of a page.
 * `last`: the id of the last entry on the page, which the URL of the next page must contain.
 * It is undefined on the last page.
 */
function checkLink(tester: ShopTester, list: PagedList, { headers: { link } }: ReceivedResponse, last?: string): void {
  const next = (link ?? '').split(',').find((part) => /;\s*rel="?next"?\s*(;|$)/i.test(part));
  const url = /<([^>]*)>/.exec(next ?? '')?.[1];
  const query = new URLSearchParams(url?.split('?')[1]);
  const isRight = last === undefined ? url === undefined : query.get('after') === last && getLocationPath(url ?? '');
  if (!isRight) tester.failRule(list, LINK_RULE, `The Link header is ${link ?? 'missing'}.`);
}

/** Creates a test step that requests the page after an unknown id, and expects status 404. */
function readPageAfterUnknown(list: PagedList): Step {
  return async (tester) => {
    if (!hasPages(tester, list)) return;
    const target = `${tester.routes[list].path}?after=${UNKNOWN_ID}`;
    const response = await tester.sendCase({
      id: list,
      target,
      status: 404,
      why: 'no entry of the list has the id in the query parameter after',
    });
    tester.expectProblemType(list, response, ['unknown-cursor']);
  };
}

/**
 * Returns whether the contract of the checked server documents pages for a list.
 * Earlier versions of the contract do not.
 */
function hasPages({ routes }: ShopTester, list: PagedList): boolean {
  return routes[list].parameters.some(({ name }) => name === 'after');
}

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

/**
 * The number of entries in a long list.
 * It exceeds the usual page sizes, so a server that returns only one page fails the test.
 */
const LONG_LIST_LENGTH = 51;

/** Quantities at which servers often have a limit by mistake, and the limit of the contract. */
const QUANTITY_BOUNDS = [100, 1_000, 65_536, QUANTITY_LIMIT];

/**
 * Short test sequences that cause each documented status at least once.
 * The exceptions are 400, 413 and 415, which `INVALID_REQUESTS` causes.
 */
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
 * Returns test sequences that change the cart and then reset the shop.
 * One updates all items, one removes them, and one removes them and adds them again in reverse order.
 * Returns no sequences if the cart of the default data is empty.
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
 * Returns the test sequences that are the same in every check of a shop.
 * They cause all documented statuses of valid requests, send unusual requests, and test the reset to the default data.
 */
export function createFixedSequences(defaultModel: Model): readonly Sequence[] {
  const unusual = createUnusualRequests(steps.UNKNOWN_ID, steps.UNKNOWN_ID).map((_, index) =>
    steps.sendUnusualRequest(index),
  );
  return [...STATUS_SEQUENCES, ...unusual.map((step) => [...FILL_CART, step]), ...createResetSequences(defaultModel)];
}

/**
 * Test steps that send one invalid request each, and expect status 400, 413 or 415.
 * They need a cart with items, so they run after `FILL_CART`.
 */
export const INVALID_REQUESTS: Sequence = createInvalidRequests(steps.UNKNOWN_ID).map((_, index) =>
  steps.sendInvalidRequest(index),
);
