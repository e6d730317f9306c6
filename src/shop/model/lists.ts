import type { ReceivedResponse } from '../../check/exchange.ts';
import type { OperationId } from '../types.ts';
import { findDifference } from './difference.ts';
import { calculateSummary, DAY_MS, type Model, withProducts } from './model.ts';
import { ModelMismatchError, type ShopTester } from './shop-tester.ts';

/** The operations that read the state of a shop. */
export const LISTS = [
  'listProducts',
  'listDeliveryOptions',
  'listCartItems',
  'listOrders',
  'getPaymentSummary',
] as const satisfies readonly OperationId[];
export type List = (typeof LISTS)[number];

/** A time before this one, in ms since 1970, is in seconds or is a duration. */
const EARLIEST_MS = Date.UTC(2000);

/** Requests a list, `expand`ed or not, and checks that it equals that of the model. */
export async function checkList(tester: ShopTester, check: ListCheck): Promise<void> {
  const { list, isExpanded = false, by = list, rule } = check;
  const { body } = await requestList(tester, list, isExpanded);
  const expected = getExpected(tester.model, list, isExpanded);
  const actual = list === 'listDeliveryOptions' && isExpanded ? withoutEstimates(tester, body) : body;
  tester.expectEqual(by, rule, { expected, actual }, `In the response of ${tester.routes[list].path}`);
  // Further requests would report the same difference as another finding.
  if (list !== 'getPaymentSummary' && findDifference(expected, actual) !== undefined) throw new ModelMismatchError([]);
}

/** A list to check, with the rule and the operation of a finding. */
export interface ListCheck {
  readonly list: List;
  readonly isExpanded?: boolean;
  /** The operation of a finding; `list` by default. */
  readonly by?: OperationId;
  readonly rule: string;
}

/** Requests a list, with the expected status 200. */
export async function requestList(tester: ShopTester, list: List, isExpanded: boolean): Promise<ReceivedResponse> {
  const { path, parameters } = tester.routes[list];
  const value = isExpanded ? parameters.find(({ name }) => name === 'expand')?.examples[0]?.value : undefined;
  const target = value === undefined ? path : `${path}?expand=${value}`;
  return tester.sendCase({ id: list, target, status: 200, why: 'the request is valid' });
}

function getExpected(model: Model, list: List, isExpanded: boolean): unknown {
  const { products, deliveryOptions, cart, orders } = model;
  const expand: typeof withProducts = isExpanded ? withProducts : (_model, entries) => entries;
  const listed: Readonly<Record<List, () => unknown>> = {
    listProducts: () => products,
    listDeliveryOptions: () => deliveryOptions,
    listCartItems: () => expand(model, cart),
    listOrders: () => orders.map((order) => ({ ...order, products: expand(model, order.products) })),
    getPaymentSummary: () => calculateSummary(model),
  };
  return listed[list]();
}

/** Returns the delivery options without their estimates, each of which must be the current time plus the delivery days. */
function withoutEstimates(tester: ShopTester, body: unknown): unknown {
  readClock(tester, body);
  return (body as { estimatedDeliveryTimeMs: number }[]).map(({ estimatedDeliveryTimeMs: _, ...option }) => option);
}

/** Returns the time of the shop's clock by the estimates of its delivery options, in ms since 1970; undefined if there are none. */
export function readClock(tester: ShopTester, body: unknown): number | undefined {
  const rule = 'an estimate is the current time plus the delivery days';
  const options = body as readonly { deliveryDays: number; estimatedDeliveryTimeMs?: number }[];
  const nows = options.map(({ deliveryDays, estimatedDeliveryTimeMs }) => {
    if (estimatedDeliveryTimeMs === undefined)
      return tester.fail('listDeliveryOptions', 'expand adds the estimates', 'A delivery option has no estimate');
    return estimatedDeliveryTimeMs - deliveryDays * DAY_MS;
  });
  const [readTime] = nows;
  if (readTime !== undefined && readTime < EARLIEST_MS) {
    const [first] = options;
    const estimate = `${first?.estimatedDeliveryTimeMs} for ${first?.deliveryDays} days`;
    tester.failRule('listDeliveryOptions', rule, `${estimate} is not in ms since 1970.`);
  }
  if (nows.some((other) => Math.abs(other - (readTime ?? 0)) > SLACK_MS)) {
    tester.failRule('listDeliveryOptions', rule, `Minus their days, the estimates are ${nows.join(', ')}.`);
  }
  return readTime;
}

/** The maximum difference between the clocks of responses, in ms: a shop may be several machines. */
export const SLACK_MS = 2_000;
