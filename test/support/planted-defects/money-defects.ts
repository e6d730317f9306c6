import type { Defect } from './defect.ts';
import { calculateCost, createCostHandlers, createOrderHandler } from './plain-shop.ts';
import { changeBodies } from './tamper.ts';

/** The number of cents in a unit of the currency. */
const CENTS = 100;

/** Defects of amounts in payment summaries and orders. */
export const moneyDefects: readonly Defect[] = [
  {
    name: 'returns a tax with a fraction of a cent',
    operationId: 'getPaymentSummary',
    handlers: createCostHandlers({ tax: (cents) => cents * 0.1 }),
  },
  {
    name: 'rounds the tax down',
    operationId: 'getPaymentSummary',
    handlers: createCostHandlers({ tax: (cents) => Math.floor(cents / 10) }),
  },
  {
    name: 'rounds the tax up',
    operationId: 'getPaymentSummary',
    handlers: createCostHandlers({ tax: (cents) => Math.ceil(cents / 10) }),
  },
  {
    name: 'rounds half a cent of tax to the even cent',
    operationId: 'getPaymentSummary',
    handlers: createCostHandlers({
      tax: (cents) => (cents % 20 === 5 ? Math.floor(cents / 10) : Math.floor((cents + 5) / 10)),
    }),
  },
  {
    name: 'charges shipping per unit instead of per item',
    operationId: 'getPaymentSummary',
    handlers: createCostHandlers({ shipping: (cents, quantity) => cents * quantity }),
  },
  {
    name: 'charges no shipping',
    operationId: 'getPaymentSummary',
    handlers: createCostHandlers({ shipping: () => 0 }),
  },
  {
    name: 'charges each product once, regardless of its quantity',
    operationId: 'getPaymentSummary',
    handlers: createCostHandlers({ product: (cents) => cents }),
  },
  {
    name: 'omits the tax from totals',
    operationId: 'getPaymentSummary',
    handlers: {
      getPaymentSummary: (_input, shop) => {
        const cost = calculateCost(shop.read());
        return { body: { ...cost, totalCostCents: cost.totalCostBeforeTaxCents } };
      },
      createOrder: createOrderHandler({ total: (state) => calculateCost(state).totalCostBeforeTaxCents }),
    },
  },
  {
    name: 'counts at most 100 units in the summary',
    operationId: 'getPaymentSummary',
    handlers: createCostHandlers({
      items: (cart) =>
        Math.min(
          100,
          cart.reduce((sum, { quantity }) => sum + quantity, 0),
        ),
    }),
  },
  {
    name: 'counts items instead of quantities',
    operationId: 'getPaymentSummary',
    handlers: createCostHandlers({ items: (cart) => cart.length }),
  },
  {
    name: 'calculates the cost of products with 32-bit integers',
    operationId: 'getPaymentSummary',
    handlers: createCostHandlers({ product: (cents, quantity) => Math.imul(cents, quantity) >>> 0 }),
  },
  {
    name: 'calculates the tax with single precision',
    operationId: 'getPaymentSummary',
    handlers: createCostHandlers({ tax: (cents) => Math.floor((Math.fround(cents) + 5) / 10) }),
  },
  {
    name: 'returns amounts in dollars instead of cents',
    operationId: 'getPaymentSummary',
    tamper: changeBodies('getPaymentSummary', ({ totalItems, ...money }) => ({
      totalItems,
      ...Object.fromEntries(Object.entries(money).map(([name, cents]) => [name, Number(cents) / CENTS])),
    })),
  },
  {
    name: 'returns the tax in the summary as a string',
    operationId: 'getPaymentSummary',
    tamper: changeBodies('getPaymentSummary', (summary) => ({ ...summary, taxCents: String(summary.taxCents) })),
  },
  {
    name: 'returns an order whose total differs from the summary',
    operationId: 'createOrder',
    handlers: {
      createOrder: createOrderHandler({ total: (state) => calculateCost(state, { shipping: () => 0 }).totalCostCents }),
    },
  },
];
