import { checkLetterCase } from './letter-case.ts';
import { checkList, type List } from './lists.ts';
import { addManyProducts, addUpToBound, createManyOrders } from './long-lists.ts';
import type { Model } from './model.ts';
import type { RequestCase, ShopTester } from './shop-tester.ts';
import { createInvalidRequests, createUnusualRequests, type InvalidRequest } from './special-requests.ts';
import * as steps from './steps.ts';

/** What each kind of step needs; products, options and orders are indexes modulo their number. */
interface StepParameters {
  add: { readonly product: number; readonly quantity: number };
  'add unknown': object;
  'exceed maximum quantity': { readonly product: number };
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
  'read list': { readonly list: List; readonly isExpanded: boolean };
  'send invalid request': { readonly which: number };
  'send unusual request': { readonly which: number };
  'change letter case': object;
  'add many products': { readonly count: number };
  'create many orders': { readonly product: number; readonly count: number };
  'add up to bound': { readonly product: number; readonly bound: number };
  reset: object;
}

/** One step of a sequence. */
export type Step<Kind extends keyof StepParameters = keyof StepParameters> = {
  [K in Kind]: { readonly kind: K } & StepParameters[K];
}[Kind];

/** An unknown delivery option. */
const UNKNOWN_OPTION = 'none-such';

const stepRunners: {
  readonly [Kind in keyof StepParameters]: (
    tester: ShopTester,
    step: StepParameters[Kind],
    start: Model,
  ) => Promise<void>;
} = {
  add: (tester, { product, quantity }) => steps.add(tester, getProductId(tester, product), quantity),
  'add unknown': steps.addUnknown,
  'exceed maximum quantity': (tester, { product }) => steps.exceedMaxQuantity(tester, getProductId(tester, product)),
  change: (tester, step) => steps.change(tester, getProductId(tester, step.product), toChange(tester.model, step)),
  'change to unknown option': (tester, { product, quantity }) =>
    steps.change(tester, getProductId(tester, product), { quantity, deliveryOptionId: UNKNOWN_OPTION }),
  remove: (tester, { product }) => steps.remove(tester, getProductId(tester, product)),
  order: steps.order,
  'read order': (tester, step) => steps.readOrder(tester, getOrderId(tester, step.order), step.isExpanded),
  'read unknown order': (tester) => steps.readOrder(tester, steps.UNKNOWN_ID, false),
  'read list': (tester, { list, isExpanded }) => checkList(tester, { list, isExpanded, rule: 'lists show the state' }),
  'send invalid request': sendInvalidRequest,
  async 'send unusual request'(tester, { which }) {
    const requests = createUnusualRequests(getProductId(tester, 0), getProductId(tester, 2));
    await tester.sendCase(requests[which] as RequestCase);
  },
  'change letter case': checkLetterCase,
  'add many products': (tester, { count }) => addManyProducts(tester, count),
  'create many orders': (tester, { product, count }) => createManyOrders(tester, getProductId(tester, product), count),
  'add up to bound': (tester, { product, bound }) => addUpToBound(tester, getProductId(tester, product), bound),
  reset: (tester, _step, start) => steps.reset(tester, start),
};

/** Performs a step on the shop and the model; `start` is the state after a reset. Throws `ModelMismatchError` if they differ. */
export async function runStep<Kind extends keyof StepParameters>(
  tester: ShopTester,
  start: Model,
  step: Step<Kind>,
): Promise<void> {
  await stepRunners[step.kind](tester, step, start);
}

async function sendInvalidRequest(
  tester: ShopTester,
  { which }: StepParameters['send invalid request'],
): Promise<void> {
  const inCart = tester.model.cart[0]?.productId;
  const requests = createInvalidRequests(inCart ?? getProductId(tester, 0));
  const chosen = requests[which % requests.length] as InvalidRequest;
  // A server may report the missing item before the violations of its change.
  if (inCart !== undefined || chosen.id !== 'updateCartItem') await steps.checkRejected(tester, chosen);
}

function getProductId({ model: { products } }: ShopTester, index: number): string {
  return products[index % Math.max(1, products.length)]?.id ?? steps.UNKNOWN_ID;
}

function getOrderId({ model: { orders } }: ShopTester, index: number): string {
  return orders[index % Math.max(1, orders.length)]?.id ?? steps.UNKNOWN_ID;
}

function toChange({ deliveryOptions }: Model, { quantity, option, isNumber }: StepParameters['change']): steps.Change {
  const id = option === undefined ? undefined : deliveryOptions[option % deliveryOptions.length]?.id;
  const isSentAsNumber = id !== undefined && isNumber === true && /^[1-9]\d{0,14}$/.test(id);
  return { quantity, deliveryOptionId: isSentAsNumber ? Number(id) : id };
}
