import type { Defect } from './defect.ts';
import { costOf, ordering, reckoning } from './plain-shop.ts';
import { bodies } from './tamper.ts';

/** The number of cents per unit of another currency scale. */
const CENTS = 100;

/** Defects of amounts; orders have them too where they apply. */
export const moneyDefects: readonly Defect[] = [
  {
    name: 'gives a tax that is not whole',
    operationId: 'getPaymentSummary',
    handlers: reckoning({ tax: (cents) => cents * 0.1 }),
  },
  {
    name: 'rounds the tax down',
    operationId: 'getPaymentSummary',
    handlers: reckoning({ tax: (cents) => Math.floor(cents / 10) }),
  },
  {
    name: 'rounds the tax up',
    operationId: 'getPaymentSummary',
    handlers: reckoning({ tax: (cents) => Math.ceil(cents / 10) }),
  },
  {
    name: 'rounds the tax half to even',
    operationId: 'getPaymentSummary',
    handlers: reckoning({
      tax: (cents) => (cents % 20 === 5 ? Math.floor(cents / 10) : Math.floor((cents + 5) / 10)),
    }),
  },
  {
    name: 'charges shipping per unit instead of per item',
    operationId: 'getPaymentSummary',
    handlers: reckoning({ shipping: (cents, quantity) => cents * quantity }),
  },
  {
    name: 'charges no shipping',
    operationId: 'getPaymentSummary',
    handlers: reckoning({ shipping: () => 0 }),
  },
  {
    name: 'charges each product once, whatever its quantity',
    operationId: 'getPaymentSummary',
    handlers: reckoning({ product: (cents) => cents }),
  },
  {
    name: 'charges no tax in totals',
    operationId: 'getPaymentSummary',
    handlers: {
      getPaymentSummary: (_input, shop) => {
        const cost = costOf(shop.read());
        return { body: { ...cost, totalCostCents: cost.totalCostBeforeTaxCents } };
      },
      createOrder: ordering({ total: (state) => costOf(state).totalCostBeforeTaxCents }),
    },
  },
  {
    name: 'counts items instead of quantities',
    operationId: 'getPaymentSummary',
    handlers: reckoning({ items: (cart) => cart.length }),
  },
  {
    name: 'reckons the cost of products in 32 bits',
    operationId: 'getPaymentSummary',
    handlers: reckoning({ product: (cents, quantity) => Math.imul(cents, quantity) >>> 0 }),
  },
  {
    name: 'reckons the tax in single precision',
    operationId: 'getPaymentSummary',
    handlers: reckoning({ tax: (cents) => Math.floor((Math.fround(cents) + 5) / 10) }),
  },
  {
    name: 'gives money in dollars instead of cents',
    operationId: 'getPaymentSummary',
    tamper: bodies('getPaymentSummary', ({ totalItems, ...money }) => ({
      totalItems,
      ...Object.fromEntries(Object.entries(money).map(([name, cents]) => [name, Number(cents) / CENTS])),
    })),
  },
  {
    name: 'gives the tax of the summary as a string',
    operationId: 'getPaymentSummary',
    tamper: bodies('getPaymentSummary', (summary) => ({ ...summary, taxCents: String(summary.taxCents) })),
  },
  {
    name: 'gives an order another total than the summary',
    operationId: 'createOrder',
    handlers: { createOrder: ordering({ total: (state) => costOf(state, { shipping: () => 0 }).totalCostCents }) },
  },
];
