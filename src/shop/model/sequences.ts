import { setTimeout as sleep } from 'node:timers/promises';
import type { Arbitrary } from 'fast-check';
import type { CheckContext } from '../../check/check-context.ts';
import { addConfirmed, isTimeOver } from '../../check/confirm-findings.ts';
import { type Exchange, getLocationPath, type ReceivedResponse } from '../../check/exchange.ts';
import { explore, type FailedCase, type FastCheckModule } from '../../check/explore.ts';
import { type CheckName, type Finding, getFindingKey } from '../../check/findings.ts';
import type { Session } from '../../check/session.ts';
import { SAFE_METHODS } from '../../util/request-target.ts';
import { QUANTITY_LIMIT } from '../domain/cart.ts';
import { LISTS } from './lists.ts';
import { MAX_ADDED_QUANTITY, type Model } from './model.ts';
import { ALLOWED_ORIGIN } from './rules.ts';
import { catchMismatch, ShopTester } from './shop-tester.ts';
import { createInvalidRequests, createUnusualRequests } from './special-requests.ts';
import * as series from './step-series.ts';
import * as steps from './steps.ts';
import { type Step, UNKNOWN_ID } from './steps.ts';

/** The number of different products in a random test sequence. */
const PRODUCT_COUNT = 5;

/** The maximum number of steps in a random test sequence. */
const MAX_STEPS = 25;

/**
 * Resets the shop and runs a test sequence.
 * Returns the findings that stopped it, or undefined if it reached its end.
 * A finding is an error for the report of the check.
 * `target`: a finding to reproduce.
 * Other findings that the results contain do not stop the sequence.
 */
type RunSequence = (sequence: Sequence, target?: Finding) => Promise<readonly Finding[] | undefined>;

function createSequenceRunner(session: Session, check: CheckName, defaultModel: Model): RunSequence {
  // The check of statuses includes CORS: the shop must allow this origin to read every response.
  const headers: Readonly<Record<string, string>> = check === 'statuses' ? { origin: ALLOWED_ORIGIN } : {};
  return async (sequence, target) => {
    const tester = new ShopTester({ session, check, headers, target }, defaultModel);
    const { findings } = await catchMismatch(async () => {
      await steps.resetUnchecked(tester);
      for (const step of sequence) await step(tester);
    });
    return findings;
  };
}

/**
 * Runs test sequences one after another.
 * If a sequence has findings, runs it a second time.
 * Adds only the findings that occur both times to the results.
 */
export async function checkFixedSequences(
  context: CheckContext,
  defaultModel: Model,
  sequences: readonly Sequence[],
): Promise<void> {
  const { session } = context;
  const { results } = session;
  const runSequence = createSequenceRunner(session, 'statuses', defaultModel);
  for (const sequence of sequences) {
    const findings = (await runSequence(sequence)) ?? [];
    const newFindings = findings.filter((finding) => !results.has(finding));
    await addConfirmed(session, findings, async () => {
      await changeState(context);
      return (await runSequence(sequence)) ?? [];
    });
    for (const finding of newFindings.filter((one) => results.has(one)))
      results.replace(await removeReads(context, finding));
  }
}

/**
 * Sends invalid requests and checks the responses.
 * First sends all of them in one sequence, to save time.
 * If this sequence has a finding, sends each request in a sequence of its own.
 */
export async function checkInvalidRequests(
  context: CheckContext,
  defaultModel: Model,
  requests: Sequence,
): Promise<void> {
  const runSequence = createSequenceRunner(context.session, 'statuses', defaultModel);
  if (!(await runSequence([...FILL_CART, ...requests]))) return;
  const sequences = requests.map((request) => [...FILL_CART, request]);
  await checkFixedSequences(context, defaultModel, sequences);
}

/**
 * Changes the state of the shop before a test sequence runs again.
 * This shows that a repeated finding does not depend on the earlier state.
 */
async function changeState({ session, prepare }: CheckContext): Promise<void> {
  session.mayHaveChanged = true;
  await prepare();
  session.mayHaveChanged = true;
}

/**
 * Tries to shorten the list of requests that lead to a finding.
 * Sends the requests again without the GET requests before the last one.
 * Returns the shortened finding if the last response is the same as before.
 * Otherwise returns the finding unchanged.
 */
async function removeReads(context: CheckContext, finding: Finding): Promise<Finding> {
  await changeState(context);
  const { exchanges } = finding;
  const last = exchanges.at(-1);
  const shortened = exchanges.filter((one) => one === last || !SAFE_METHODS.includes(one.request.method));
  if (!last || shortened.length === exchanges.length) return finding;
  const response = await replay(context.session, shortened);
  const isSame = response !== undefined && toComparable(response) === toComparable(last.response);
  return isSame ? { ...finding, exchanges: shortened } : finding;
}

/**
 * Sends the requests of a finding again, in order.
 * Returns the last response, or undefined if one of the requests gets no response.
 */
async function replay({ client }: Session, exchanges: readonly Exchange[]): Promise<ReceivedResponse | undefined> {
  let response: ReceivedResponse | undefined;
  for (const { request } of exchanges) {
    response = await client.send(request).catch(() => undefined);
    if (!response) return undefined;
  }
  return response;
}

/** Matches UUIDs and times in ms. They differ each time a test sequence runs. */
const IDS_AND_TIMES = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b\d{13}\b/gi;

function toComparable({ status, text }: ReceivedResponse): string {
  return `${status} ${text.replaceAll(IDS_AND_TIMES, '')}`;
}

/**
 * The pause before a failed test sequence runs again, in ms.
 * Short-lived caches on the server expire during the pause.
 */
const PAUSE_MS = 500;

/**
 * Runs random test sequences.
 * A sequence ends at its first finding, so a known finding can hide others.
 * If a sequence ends at a known finding, adds a note to the report.
 */
export async function checkRandomSequences(context: CheckContext, defaultModel: Model): Promise<void> {
  const { session, fc, seed, runs, note } = context;
  const { results } = session;
  const runSequence = createSequenceRunner(session, 'behaviour', defaultModel);
  const examine = async (sequence: Sequence, target?: Finding) => {
    if (!target && isTimeOver(session)) return [];
    const findings = await runSequence(sequence, target);
    if (!target && findings?.every((finding) => results.has(finding)))
      note('Some sequences ended early because of known findings. Fix these findings and check again.');
    return findings ?? [];
  };
  const examineAgain = async (sequence: Sequence, target?: Finding) => {
    await changeState(context);
    return examine(sequence, target);
  };
  const describe = async (smallest: FailedCase<Sequence>, first: FailedCase<Sequence>): Promise<Finding> => {
    for (const { value, finding } of [smallest, first]) {
      await sleep(PAUSE_MS);
      await changeState(context);
      const findings = await runSequence(value, finding);
      const repeated = findings?.find((other) => getFindingKey(other) === getFindingKey(finding));
      if (repeated) return removeReads(context, repeated);
    }
    const message = `${first.finding.message} (not reproducible: the same sequence passed after a pause)`;
    return { ...first.finding, message };
  };
  const cases = fc.array(createStepArbitrary(fc), { minLength: 1, maxLength: MAX_STEPS, size: 'max' });
  await explore({ fc, results, cases, seed, runs, examine, examineAgain, describe });
}

function createStepArbitrary(fc: FastCheckModule): Arbitrary<steps.Step> {
  const product = fc.nat(PRODUCT_COUNT - 1);
  const quantity = fc.integer({ min: 1, max: MAX_ADDED_QUANTITY });
  const isExpanded = fc.boolean();
  const anyQuantity = fc.oneof(quantity, fc.integer({ min: 1, max: QUANTITY_LIMIT }));
  const update = fc.record(
    { product, quantity: anyQuantity, option: fc.nat(5), isNumber: fc.boolean() },
    { requiredKeys: ['product'] },
  );
  const unknownOption = fc.record({ product, quantity, option: fc.constant('unknown' as const) });
  return fc.oneof(
    { weight: 5, arbitrary: fc.tuple(product, quantity).map((values) => steps.addItem(...values)) },
    { weight: 4, arbitrary: update.map(steps.updateItem) },
    { weight: 2, arbitrary: product.map(steps.removeItem) },
    { weight: 2, arbitrary: fc.constant(steps.createOrder) },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.constantFrom(...LISTS), isExpanded).map((values) => steps.readList(...values)),
    },
    { weight: 1, arbitrary: fc.tuple(fc.nat(5), isExpanded).map((values) => steps.readOrder(...values)) },
    { weight: 1, arbitrary: unknownOption.map(steps.updateItem) },
    { weight: 1, arbitrary: fc.nat(500).map(steps.sendInvalidRequest) },
    { weight: 1, arbitrary: fc.constantFrom(steps.addUnknownProduct, steps.readUnknownOrder, steps.reset) },
    { weight: 1, arbitrary: product.map(series.exceedMaxQuantity) },
  );
}

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
type Sequence = readonly steps.Step[];

/** Adds two products to the cart, because the cart of the default data may be empty. */
const FILL_CART: Sequence = [steps.addItem(0, 1), steps.addItem(1, 2)];

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
