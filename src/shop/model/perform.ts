import { createInvalidRequests, type InvalidRequest } from './invalid-requests.ts';
import { checkLetterCase } from './letter-case.ts';
import { checkList, type List } from './lists.ts';
import { addAround, addEach, orderOften } from './long-lists.ts';
import type { Model } from './model.ts';
import type { Player } from './player.ts';
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
import { createUnusualRequests, type UnusualRequest } from './unusual-requests.ts';

/** One step of a sequence; products, options and orders are indexes modulo their number. */
export type Step =
  | { readonly do: 'add'; readonly product: number; readonly quantity: number }
  | { readonly do: 'add unknown' }
  | { readonly do: 'add beyond'; readonly product: number }
  | {
      readonly do: 'change';
      readonly product: number;
      readonly quantity?: number;
      readonly option?: number;
      readonly isNumber?: boolean;
    }
  | { readonly do: 'change to unknown option'; readonly product: number; readonly quantity?: number }
  | { readonly do: 'remove'; readonly product: number }
  | { readonly do: 'order' }
  | { readonly do: 'read order'; readonly order: number; readonly isExpanded: boolean }
  | { readonly do: 'read unknown order' }
  | { readonly do: 'look'; readonly list: List; readonly isExpanded: boolean }
  | { readonly do: 'send invalid request'; readonly which: number }
  | { readonly do: 'send unusual request'; readonly which: number }
  | { readonly do: 'change letter case' }
  | { readonly do: 'add each'; readonly count: number }
  | { readonly do: 'order often'; readonly product: number; readonly count: number }
  | { readonly do: 'add around'; readonly product: number; readonly bound: number }
  | { readonly do: 'reset' };

/** An unknown delivery option. */
const UNKNOWN_OPTION = 'none-such';

/** Performs a step on the shop and the model; `start` is the state after a reset. Throws `ModelMismatchError` if they differ. */
export async function perform(player: Player, start: Model, step: Step): Promise<void> {
  const product = 'product' in step ? getProductId(player.model, step.product) : '';
  switch (step.do) {
    case 'add':
      return add(player, product, step.quantity);
    case 'add unknown':
      return addUnknown(player);
    case 'add beyond':
      return addBeyond(player, product);
    case 'change':
      return change(player, product, toChange(player.model, step));
    case 'change to unknown option':
      return change(player, product, toUnknownOption(step.quantity));
    case 'remove':
      return remove(player, product);
    case 'order':
      return order(player);
    case 'read order': {
      const { orders } = player.model;
      return readOrder(player, orders[step.order % Math.max(1, orders.length)]?.id ?? UNKNOWN_ID, step.isExpanded);
    }
    case 'read unknown order':
      return readOrder(player, UNKNOWN_ID, false);
    case 'look':
      return checkList(player, { list: step.list, isExpanded: step.isExpanded, rule: 'lists show the state' });
    case 'send invalid request': {
      const inCart = player.model.cart[0]?.productId;
      const wrong = createInvalidRequests(inCart ?? getProductId(player.model, 0));
      const chosen = wrong[step.which % wrong.length] as InvalidRequest;
      // A server may report the missing item before the violations of its change.
      return inCart === undefined && chosen.id === 'updateCartItem' ? undefined : checkRejected(player, chosen);
    }
    case 'send unusual request': {
      const [first, second] = [getProductId(player.model, 0), getProductId(player.model, 2)];
      const { id, request, status, why } = createUnusualRequests(first, second)[step.which] as UnusualRequest;
      return player.expectStatus(id, await player.send(id, request), status, why);
    }
    case 'change letter case':
      return checkLetterCase(player);
    case 'add each':
      return addEach(player, step.count);
    case 'order often':
      return orderOften(player, product, step.count);
    case 'add around':
      return addAround(player, product, step.bound);
    case 'reset':
      return reset(player, start);
  }
}

function toUnknownOption(quantity: number | undefined) {
  return { ...(quantity === undefined ? {} : { quantity }), deliveryOptionId: UNKNOWN_OPTION };
}

function getProductId({ products }: Model, place: number): string {
  return products[place % Math.max(1, products.length)]?.id ?? UNKNOWN_ID;
}

function toChange({ deliveryOptions }: Model, { quantity, option, isNumber }: Extract<Step, { do: 'change' }>): Change {
  const id = option === undefined ? undefined : deliveryOptions[option % deliveryOptions.length]?.id;
  const named = id !== undefined && isNumber === true && /^[1-9]\d{0,14}$/.test(id) ? Number(id) : id;
  return {
    ...(quantity === undefined ? {} : { quantity }),
    ...(named === undefined ? {} : { deliveryOptionId: named }),
  };
}
