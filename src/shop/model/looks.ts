import { createJsonRequest, type ReceivedResponse } from '../../check/exchange.ts';
import type { OperationId } from '../types.ts';
import { findDifference } from './difference.ts';
import { calculateSummary, DAY_MS, type Model, withProducts } from './model.ts';
import { ModelMismatchError, type Player } from './player.ts';

/** What a shop can be asked without changing it, by the operation that tells it. */
export const LISTS = [
  'listProducts',
  'listDeliveryOptions',
  'listCartItems',
  'listOrders',
  'getPaymentSummary',
] as const satisfies readonly OperationId[];
export type List = (typeof LISTS)[number];

/** Before which moment no clock of a server is set, in ms since 1970: what is smaller is seconds, or a span of time. */
const EARLIEST_MS = Date.UTC(2000);

/** Asks a shop for what it holds, `expand`ed or not, and sees that it is what the model has. */
export async function checkList(
  player: Player,
  { list, isExpanded = false, by = list, rule }: ListCheck,
): Promise<void> {
  const response = await requestList(player, list, isExpanded);
  const expected = getExpected(player.model, list, isExpanded);
  const actual = list === 'listDeliveryOptions' && isExpanded ? withoutEstimates(player, response.body) : response.body;
  player.expectEqual(by, rule, { expected, actual }, `In the response of ${player.routes[list].path}`);
  // What comes of another state than the model has would be told of as something else.
  if (list !== 'getPaymentSummary' && findDifference(expected, actual) !== undefined) throw new ModelMismatchError([]);
}

/** What a shop is asked for, and which rule is broken, by which operation, where it isn't what the model has. */
export interface ListCheck {
  readonly list: List;
  readonly isExpanded?: boolean;
  /** The operation itself unless given. */
  readonly by?: OperationId;
  readonly rule: string;
}

/** Asks for a list, which has to be answered 200. */
export async function requestList(player: Player, list: List, isExpanded: boolean): Promise<ReceivedResponse> {
  const { path, parameters } = player.routes[list];
  const value = isExpanded ? parameters.find(({ name }) => name === 'expand')?.examples[0]?.value : undefined;
  const response = await player.send(
    list,
    createJsonRequest('GET', value === undefined ? path : `${path}?expand=${value}`),
  );
  player.expectStatus(list, response, 200, 'the request is valid');
  return response;
}

function getExpected(model: Model, list: List, isExpanded: boolean): unknown {
  switch (list) {
    case 'listProducts':
      return model.products;
    case 'listDeliveryOptions':
      return model.deliveryOptions;
    case 'listCartItems':
      return isExpanded ? withProducts(model, model.cart) : model.cart;
    case 'listOrders':
      return model.orders.map((order) =>
        isExpanded ? { ...order, products: withProducts(model, order.products) } : order,
      );
    case 'getPaymentSummary':
      return calculateSummary(model);
  }
}

/** The delivery options without their estimates, each of which has to be the shop's present moment and its days. */
function withoutEstimates(player: Player, body: unknown): unknown {
  readClock(player, body);
  return (body as { estimatedDeliveryTimeMs: number }[]).map(({ estimatedDeliveryTimeMs: _, ...option }) => option);
}

/** What the shop's clock shows, by the estimates of its delivery options, in ms since 1970; undefined where there are none. */
export function readClock(player: Player, body: unknown): number | undefined {
  const rule = 'an estimate is the current time plus the delivery days';
  const options = body as readonly { deliveryDays: number; estimatedDeliveryTimeMs?: number }[];
  const nows = options.map(({ deliveryDays, estimatedDeliveryTimeMs }) => {
    if (estimatedDeliveryTimeMs === undefined)
      return player.fail('listDeliveryOptions', 'expand adds the estimates', 'A delivery option has no estimate');
    return estimatedDeliveryTimeMs - deliveryDays * DAY_MS;
  });
  const [readTime] = nows;
  if (readTime !== undefined && readTime < EARLIEST_MS) {
    player.fail(
      'listDeliveryOptions',
      rule,
      `Rule: ${rule}. ${options[0]?.estimatedDeliveryTimeMs} for ${options[0]?.deliveryDays} days is not in ms since 1970.`,
    );
  }
  if (nows.some((other) => Math.abs(other - (readTime ?? 0)) > SLACK_MS)) {
    player.fail('listDeliveryOptions', rule, `Rule: ${rule}. Minus their days, the estimates are ${nows.join(', ')}.`);
  }
  return readTime;
}

/** How far the clocks may be apart that answers are made by, in ms: a shop may be several machines. */
export const SLACK_MS = 2_000;
