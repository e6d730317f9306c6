import { checkLetterCase } from './letter-case.ts';
import { checkList, type List } from './lists.ts';
import { addAround, addEach, orderOften } from './long-lists.ts';
import type { Model } from './model.ts';
import type { Player, RequestCase } from './player.ts';
import { createInvalidRequests, createUnusualRequests, type InvalidRequest } from './request-cases.ts';
import {
  add,
  addBeyond,
  addUnknown,
  type Change,
  change,
  checkRejected,
  order,
  readOrder,
  remove,
  reset,
  UNKNOWN_ID,
} from './steps.ts';

/** What each kind of step needs; products, options and orders are indexes modulo their number. */
interface Steps {
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
export type Step<Kind extends keyof Steps = keyof Steps> = { [K in Kind]: { readonly do: K } & Steps[K] }[Kind];

/** An unknown delivery option. */
const UNKNOWN_OPTION = 'none-such';

const performers: {
  readonly [Kind in keyof Steps]: (player: Player, step: Steps[Kind], start: Model) => Promise<void>;
} = {
  add: (player, { product, quantity }) => add(player, getProductId(player, product), quantity),
  'add unknown': (player) => addUnknown(player),
  'add beyond': (player, { product }) => addBeyond(player, getProductId(player, product)),
  change: (player, step) => change(player, getProductId(player, step.product), toChange(player.model, step)),
  'change to unknown option': (player, { product, quantity }) =>
    change(player, getProductId(player, product), { quantity, deliveryOptionId: UNKNOWN_OPTION }),
  remove: (player, { product }) => remove(player, getProductId(player, product)),
  order: (player) => order(player),
  'read order': (player, step) => readOrder(player, getOrderId(player, step.order), step.isExpanded),
  'read unknown order': (player) => readOrder(player, UNKNOWN_ID, false),
  look: (player, { list, isExpanded }) => checkList(player, { list, isExpanded, rule: 'lists show the state' }),
  'send invalid request': sendInvalidRequest,
  async 'send unusual request'(player, { which }) {
    const requests = createUnusualRequests(getProductId(player, 0), getProductId(player, 2));
    await player.sendCase(requests[which] as RequestCase);
  },
  'change letter case': (player) => checkLetterCase(player),
  'add each': (player, { count }) => addEach(player, count),
  'order often': (player, { product, count }) => orderOften(player, getProductId(player, product), count),
  'add around': (player, { product, bound }) => addAround(player, getProductId(player, product), bound),
  reset: (player, _step, start) => reset(player, start),
};

/** Performs a step on the shop and the model; `start` is the state after a reset. Throws `ModelMismatchError` if they differ. */
export async function perform<Kind extends keyof Steps>(player: Player, start: Model, step: Step<Kind>): Promise<void> {
  await performers[step.do](player, step, start);
}

async function sendInvalidRequest(player: Player, { which }: Steps['send invalid request']): Promise<void> {
  const inCart = player.model.cart[0]?.productId;
  const requests = createInvalidRequests(inCart ?? getProductId(player, 0));
  const chosen = requests[which % requests.length] as InvalidRequest;
  // A server may report the missing item before the violations of its change.
  if (inCart !== undefined || chosen.id !== 'updateCartItem') await checkRejected(player, chosen);
}

function getProductId({ model: { products } }: Player, index: number): string {
  return products[index % Math.max(1, products.length)]?.id ?? UNKNOWN_ID;
}

function getOrderId({ model: { orders } }: Player, index: number): string {
  return orders[index % Math.max(1, orders.length)]?.id ?? UNKNOWN_ID;
}

function toChange({ deliveryOptions }: Model, { quantity, option, isNumber }: Steps['change']): Change {
  const id = option === undefined ? undefined : deliveryOptions[option % deliveryOptions.length]?.id;
  const isSentAsNumber = id !== undefined && isNumber === true && /^[1-9]\d{0,14}$/.test(id);
  return { quantity, deliveryOptionId: isSentAsNumber ? Number(id) : id };
}
