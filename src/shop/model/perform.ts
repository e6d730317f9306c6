import { checkLetterCase } from './letter-case.ts';
import { checkList, type List } from './lists.ts';
import { addAround, addEach, orderOften } from './long-lists.ts';
import type { Model } from './model.ts';
import type { Player, RequestCase } from './player.ts';
import { createInvalidRequests, createUnusualRequests, type InvalidRequest } from './request-cases.ts';
import * as steps from './steps.ts';

/** What each kind of step needs; products, options and orders are indexes modulo their number. */
interface StepParameters {
  add: { readonly product: number; readonly quantity: number };
  'add unknown': object;
  'add beyond': { readonly product: number };
  /** With `isNumber`, the delivery option is sent as a number if it can be one. */
  change: {
    readonly product: number;
    readonly quantity?: number;
    readonly option?: number;
    readonly isNumber?: boolean;
  };
  'change to unknown option': { readonly product: number; readonly quantity?: number };
  remove: { readonly product: number };
  order: object;
  'read order': { readonly order: number; readonly isExpanded: boolean };
  'read unknown order': object;
  look: { readonly list: List; readonly isExpanded: boolean };
  'send invalid request': { readonly which: number };
  'send unusual request': { readonly which: number };
  'change letter case': object;
  'add each': { readonly count: number };
  'order often': { readonly product: number; readonly count: number };
  'add around': { readonly product: number; readonly bound: number };
  reset: object;
}

/** One step of a sequence. */
export type Step<Kind extends keyof StepParameters = keyof StepParameters> = {
  [K in Kind]: { readonly do: K } & StepParameters[K];
}[Kind];

/** An unknown delivery option. */
const UNKNOWN_OPTION = 'none-such';

const performers: {
  readonly [Kind in keyof StepParameters]: (player: Player, step: StepParameters[Kind], start: Model) => Promise<void>;
} = {
  add: (player, { product, quantity }) => steps.add(player, getProductId(player, product), quantity),
  'add unknown': steps.addUnknown,
  'add beyond': (player, { product }) => steps.addBeyond(player, getProductId(player, product)),
  change: (player, step) => steps.change(player, getProductId(player, step.product), toChange(player.model, step)),
  'change to unknown option': (player, { product, quantity }) =>
    steps.change(player, getProductId(player, product), { quantity, deliveryOptionId: UNKNOWN_OPTION }),
  remove: (player, { product }) => steps.remove(player, getProductId(player, product)),
  order: steps.order,
  'read order': (player, step) => steps.readOrder(player, getOrderId(player, step.order), step.isExpanded),
  'read unknown order': (player) => steps.readOrder(player, steps.UNKNOWN_ID, false),
  look: (player, { list, isExpanded }) => checkList(player, { list, isExpanded, rule: 'lists show the state' }),
  'send invalid request': sendInvalidRequest,
  async 'send unusual request'(player, { which }) {
    const requests = createUnusualRequests(getProductId(player, 0), getProductId(player, 2));
    await player.sendCase(requests[which] as RequestCase);
  },
  'change letter case': checkLetterCase,
  'add each': (player, { count }) => addEach(player, count),
  'order often': (player, { product, count }) => orderOften(player, getProductId(player, product), count),
  'add around': (player, { product, bound }) => addAround(player, getProductId(player, product), bound),
  reset: (player, _step, start) => steps.reset(player, start),
};

/** Performs a step on the shop and the model; `start` is the state after a reset. Throws `ModelMismatchError` if they differ. */
export async function perform<Kind extends keyof StepParameters>(
  player: Player,
  start: Model,
  step: Step<Kind>,
): Promise<void> {
  await performers[step.do](player, step, start);
}

async function sendInvalidRequest(player: Player, { which }: StepParameters['send invalid request']): Promise<void> {
  const inCart = player.model.cart[0]?.productId;
  const requests = createInvalidRequests(inCart ?? getProductId(player, 0));
  const chosen = requests[which % requests.length] as InvalidRequest;
  // A server may report the missing item before the violations of its change.
  if (inCart !== undefined || chosen.id !== 'updateCartItem') await steps.checkRejected(player, chosen);
}

function getProductId({ model: { products } }: Player, index: number): string {
  return products[index % Math.max(1, products.length)]?.id ?? steps.UNKNOWN_ID;
}

function getOrderId({ model: { orders } }: Player, index: number): string {
  return orders[index % Math.max(1, orders.length)]?.id ?? steps.UNKNOWN_ID;
}

function toChange({ deliveryOptions }: Model, { quantity, option, isNumber }: StepParameters['change']): steps.Change {
  const id = option === undefined ? undefined : deliveryOptions[option % deliveryOptions.length]?.id;
  const isSentAsNumber = id !== undefined && isNumber === true && /^[1-9]\d{0,14}$/.test(id);
  return { quantity, deliveryOptionId: isSentAsNumber ? Number(id) : id };
}
