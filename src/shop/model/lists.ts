import type { ReceivedResponse } from '../../check/exchange.ts';
import { DAY_MS } from '../domain/cart.ts';
import type { OperationId } from '../types.ts';
import { calculateSummary, findDifference, type Model, withoutUnknownIds, withProducts } from './model.ts';
import { ModelMismatchError, type ShopTester } from './shop-tester.ts';

/** The operations whose responses together contain all data of a shop. */
export const STATE_LISTS = ['listProducts', 'listDeliveryOptions', 'listCartItems', 'listOrders'] as const;

/** The operations that read data of a shop: all its lists, and the payment summary of the cart. */
export const LISTS = [...STATE_LISTS, 'getPaymentSummary'] as const satisfies readonly OperationId[];
export type List = (typeof LISTS)[number];

/**
 * The earliest plausible time of a server clock, in ms since 1970.
 * A smaller number is probably a time in seconds or a duration.
 */
const EARLIEST_MS = Date.UTC(2000);

/**
 * The maximum difference between the times in two responses of one shop, in ms.
 * The clocks can differ if the shop runs on several machines.
 */
export const CLOCK_TOLERANCE_MS = 2_000;

/**
 * A list to request and compare with the model, and the contents of the finding if they differ.
 * A finding is an error that the check reports.
 */
interface ListCheck {
  readonly list: List;
  /** Whether the request has the query parameter `expand`. Default: false. */
  readonly isExpanded?: boolean;
  /** The operation that the finding names as the cause. Default: `list`. */
  readonly operationId?: OperationId;
  /** The rule that the finding names as broken. */
  readonly rule: string;
}

/**
 * Requests a list, and compares the response with the model (the expected state of the shop).
 * Throws `ModelMismatchError` if they differ.
 */
export async function checkList(tester: ShopTester, check: ListCheck): Promise<void> {
  const { list, isExpanded = false, operationId = list, rule } = check;
  const { body } = await requestList(tester, list, isExpanded);
  const expected = getExpected(tester.model, list, isExpanded);
  const actual = toComparable(tester, check, body);
  tester.expectEqual(operationId, rule, { expected, actual }, `In the response to GET ${tester.routes[list].path}`);
  // If the finding is already known, `expectEqual` does not throw an error.
  // The sequence of requests must end here anyway, because the next requests would report the same difference as a
  // violation of another rule.
  if (list !== 'getPaymentSummary' && findDifference(expected, actual) !== undefined) throw new ModelMismatchError([]);
}

/** Returns the body of a list response without the values that the model can't predict. */
function toComparable(tester: ShopTester, { list, isExpanded }: ListCheck, body: unknown): unknown {
  if (list === 'listCartItems') return withoutUnknownIds(tester.model.cart, body);
  return list === 'listDeliveryOptions' && isExpanded ? withoutEstimates(tester, body) : body;
}

/** A resource to request with an unknown value of `expand`. `expected`: the response without `expand`. */
interface ExpandCheck {
  readonly id: OperationId;
  readonly path: string;
  readonly expected: unknown;
}

/**
 * Requests a resource with an unknown value of `expand`, which must have no effect.
 * If the contract lists the allowed values as an `enum`, which it does with the option `--strict`, the server must
 * reject the value.
 */
export async function checkUnknownExpand(
  tester: ShopTester,
  { id, path, expected }: ExpandCheck,
  value: string,
): Promise<void> {
  const target = `${path}?expand=${value}`;
  if (tester.isStrict || !tester.routes[id].knownValues.has('expand')) {
    await tester.sendCase({ id, target, status: 400, why: 'expand has an unknown value' });
    return;
  }
  const rule = 'an unknown value of expand has no effect';
  const { body } = await tester.sendCase({ id, target, status: 200, why: rule });
  const actual = id === 'listCartItems' ? withoutUnknownIds(tester.model.cart, body) : body;
  tester.expectEqual(id, rule, { expected, actual });
}

/** Checks a list with several unknown values of `expand` that resemble the known value. */
export async function checkUnknownExpands(tester: ShopTester, list: List): Promise<void> {
  const { path } = tester.routes[list];
  const value = getExpandValue(tester, list);
  const expected = getExpected(tester.model, list, false);
  for (const unknown of [`${value}s`, '', value.toUpperCase(), `${value},${value}`])
    await checkUnknownExpand(tester, { id: list, path, expected }, unknown);
}

function getExpandValue({ routes }: ShopTester, list: List): string {
  const parameter = routes[list].parameters.find(({ name }) => name === 'expand');
  return String(parameter?.examples[0]?.value ?? '');
}

/** Requests a list. Throws `ModelMismatchError` if the status is not 200. */
async function requestList(tester: ShopTester, list: List, isExpanded: boolean): Promise<ReceivedResponse> {
  const { path } = tester.routes[list];
  const value = isExpanded ? getExpandValue(tester, list) : '';
  const target = value === '' ? path : `${path}?expand=${value}`;
  return tester.sendCase({ id: list, target, status: 200, why: 'the request is valid' });
}

function getExpected(model: Model, list: List, isExpanded: boolean): unknown {
  const { products, deliveryOptions, cart, orders } = model;
  const expand: typeof withProducts = isExpanded ? withProducts : (_model, entries) => entries;
  const bodies: Readonly<Record<List, () => unknown>> = {
    listProducts: () => products,
    listDeliveryOptions: () => deliveryOptions,
    listCartItems: () => expand(model, cart),
    listOrders: () => orders.map((order) => ({ ...order, products: expand(model, order.products) })),
    getPaymentSummary: () => calculateSummary(model),
  };
  return bodies[list]();
}

/**
 * Returns the delivery options without their estimated delivery times, which depend on the clock.
 * Throws `ModelMismatchError` if one of these times is wrong.
 */
function withoutEstimates(tester: ShopTester, body: unknown): unknown {
  readClock(tester, body);
  return (body as { estimatedDeliveryTimeMs: number }[]).map(({ estimatedDeliveryTimeMs: _, ...option }) => option);
}

/**
 * Calculates the current time of the shop, in ms since 1970: an estimated delivery time minus the delivery days.
 * Returns undefined if the shop has no delivery options.
 * Throws `ModelMismatchError` if an estimated delivery time is missing, implausible, or contradicts another one.
 * `body`: the response of `listDeliveryOptions` with `expand`.
 */
function readClock(tester: ShopTester, body: unknown): number | undefined {
  const rule = 'an estimated delivery time is the current time plus the delivery days';
  const options = body as readonly { deliveryDays: number; estimatedDeliveryTimeMs?: number }[];
  const times = options.map(({ deliveryDays, estimatedDeliveryTimeMs }) => {
    if (estimatedDeliveryTimeMs === undefined)
      return tester.fail(
        'listDeliveryOptions',
        'expand adds the estimated delivery times',
        'A delivery option has no estimatedDeliveryTimeMs',
      );
    return estimatedDeliveryTimeMs - deliveryDays * DAY_MS;
  });
  const [time] = times;
  if (time !== undefined && time < EARLIEST_MS) {
    const [option] = options;
    const estimate = `The estimatedDeliveryTimeMs ${option?.estimatedDeliveryTimeMs} for ${option?.deliveryDays} days`;
    tester.failRule('listDeliveryOptions', rule, `${estimate} is not in ms since 1970.`);
  }
  if (times.some((other) => Math.abs(other - (time ?? 0)) > CLOCK_TOLERANCE_MS)) {
    const detail = `The estimated delivery times minus the delivery days are different times: ${times.join(', ')} (ms since 1970).`;
    tester.failRule('listDeliveryOptions', rule, detail);
  }
  return time;
}

/** Reads the current time of the shop, in ms since 1970. Returns undefined if it can't be determined. */
export function readTimeMs(tester: ShopTester): Promise<number | undefined> {
  return tester.ignoreKnown(async () =>
    readClock(tester, (await requestList(tester, 'listDeliveryOptions', true)).body),
  );
}
