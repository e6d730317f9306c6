import { checkList, type List } from './lists.ts';
import type { Model } from './model.ts';
import type { RequestCase, ShopTester } from './shop-tester.ts';
import { createInvalidRequests, createUnusualRequests, type InvalidRequest } from './special-requests.ts';
import * as series from './step-series.ts';
import * as steps from './steps.ts';

/** The parameters of each kind of step. `product`, `option` and `order` are indexes: a larger one than the last starts again at the first entry. */
interface StepParameters {
  'add item': { readonly product: number; readonly quantity: number };
  'add unknown product': object;
  'update item': {
    readonly product: number;
    readonly quantity?: number;
    readonly option?: number;
    /** Whether to send the id of the delivery option as a number, if it has only digits. */
    readonly isNumber?: boolean;
  };
  'set unknown delivery option': { readonly product: number; readonly quantity?: number };
  'remove item': { readonly product: number };
  'create order': object;
  'read order': { readonly order: number; readonly isExpanded: boolean };
  'read unknown order': object;
  'read list': { readonly list: List; readonly isExpanded: boolean };
  'send invalid request': { readonly index: number };
  'send unusual request': { readonly index: number };
  'change letter case': object;
  'add many products': { readonly count: number };
  'create many orders': { readonly product: number; readonly count: number };
  'add up to bound': { readonly product: number; readonly bound: number };
  'exceed maximum quantity': { readonly product: number };
  reset: object;
}

/** A step of a sequence: its kind and its parameters. */
export type Step<Kind extends keyof StepParameters = keyof StepParameters> = {
  [K in Kind]: { readonly kind: K } & StepParameters[K];
}[Kind];

/** An id that no delivery option has. */
const UNKNOWN_OPTION_ID = 'none-such';

/** The function that runs each kind of step. */
const stepRunners: {
  readonly [Kind in keyof StepParameters]: (
    tester: ShopTester,
    step: StepParameters[Kind],
    defaultModel: Model,
  ) => Promise<void>;
} = {
  'add item': (tester, { product, quantity }) => steps.addItem(tester, getProductId(tester, product), quantity),
  'add unknown product': steps.addUnknownProduct,
  'update item': (tester, step) =>
    steps.updateItem(tester, getProductId(tester, step.product), toUpdate(tester.model, step)),
  'set unknown delivery option': (tester, { product, quantity }) =>
    steps.updateItem(tester, getProductId(tester, product), { quantity, deliveryOptionId: UNKNOWN_OPTION_ID }),
  'remove item': (tester, { product }) => steps.removeItem(tester, getProductId(tester, product)),
  'create order': steps.createOrder,
  'read order': (tester, step) => steps.readOrder(tester, getOrderId(tester, step.order), step.isExpanded),
  'read unknown order': (tester) => steps.readOrder(tester, steps.UNKNOWN_ID, false),
  'read list': (tester, step) => checkList(tester, { ...step, rule: 'lists show the state' }),
  async 'send invalid request'(tester, { index }) {
    const itemId = tester.model.cart[0]?.productId;
    const requests = createInvalidRequests(itemId ?? getProductId(tester, 0));
    const request = requests[index % requests.length] as InvalidRequest;
    // If the cart is empty, a server may report the missing item instead of the invalid update.
    if (itemId !== undefined || request.id !== 'updateCartItem') await steps.sendInvalidRequest(tester, request);
  },
  async 'send unusual request'(tester, { index }) {
    const requests = createUnusualRequests(getProductId(tester, 0), getProductId(tester, 2));
    await tester.sendCase(requests[index] as RequestCase);
  },
  'change letter case': series.checkLetterCase,
  'add many products': (tester, { count }) => series.addManyProducts(tester, count),
  'create many orders': (tester, { product, count }) =>
    series.createManyOrders(tester, getProductId(tester, product), count),
  'add up to bound': (tester, { product, bound }) => series.addUpToBound(tester, getProductId(tester, product), bound),
  'exceed maximum quantity': (tester, { product }) => series.exceedMaxQuantity(tester, getProductId(tester, product)),
  reset: (tester, _step, defaultModel) => steps.reset(tester, defaultModel),
};

/** Runs a step on the shop and on its model. `defaultModel` is the state after a reset. Throws `ModelMismatchError` if the shop and the model differ. */
export async function runStep<Kind extends keyof StepParameters>(
  tester: ShopTester,
  defaultModel: Model,
  step: Step<Kind>,
): Promise<void> {
  await stepRunners[step.kind](tester, step, defaultModel);
}

function getProductId({ model: { products } }: ShopTester, index: number): string {
  return products[index % Math.max(1, products.length)]?.id ?? steps.UNKNOWN_ID;
}

function getOrderId({ model: { orders } }: ShopTester, index: number): string {
  return orders[index % Math.max(1, orders.length)]?.id ?? steps.UNKNOWN_ID;
}

function toUpdate({ deliveryOptions }: Model, { quantity, option, isNumber }: StepParameters['update item']) {
  const id = option === undefined ? undefined : deliveryOptions[option % deliveryOptions.length]?.id;
  const isSentAsNumber = id !== undefined && isNumber === true && /^[1-9]\d{0,14}$/.test(id);
  return { quantity, deliveryOptionId: isSentAsNumber ? Number(id) : id };
}
