import { setTimeout as wait } from 'node:timers/promises';
import type { Defect, WrongHandler } from './defect.ts';
import { createOrderHandler, DAY_MS } from './plain-shop.ts';
import {
  changeBodies,
  changeRequests,
  getPath,
  type Json,
  parseBody,
  replaceBody,
  respondInstead,
  toJsonResponse,
} from './tamper.ts';

/** The time in ms after which the shop empties the ordered cart. */
const RACE_MS = 10;

/** The days of the slowest delivery option. */
const SLOWEST_DAYS = 7;

const orderOnce = createOrderHandler({ next: (state, order) => ({ ...state, orders: [order, ...state.orders] }) });

/** Creates the order, and empties the cart a moment later. */
const orderTwice: WrongHandler<'createOrder'> = async (input, shop) => {
  const answer = await orderOnce(input, shop);
  await wait(RACE_MS);
  await shop.update((state) => ({ next: { ...state, cartItems: [] }, result: undefined }));
  return answer;
};

/** Changes each order in the responses of an operation. */
function ordersOf(operationId: 'listOrders' | 'getOrder' | 'createOrder', change: (order: Json) => Json) {
  return changeBodies(operationId, (body) => (Array.isArray(body) ? body.map(change) : change(body)));
}

/** Changes each product of an order. */
function ofProducts(change: (product: Json) => Json) {
  return (order: Json) => ({ ...order, products: order.products.map(change) });
}

/** Defects of orders and of a reset. */
export const orderDefects: readonly Defect[] = [
  {
    name: 'answers an order that it does not store',
    operationId: 'createOrder',
    handlers: { createOrder: createOrderHandler({ next: (state) => ({ ...state, cartItems: [] }) }) },
  },
  {
    name: 'leaves the cart full after an order',
    operationId: 'createOrder',
    handlers: { createOrder: orderOnce },
  },
  {
    name: 'takes an order from an empty cart',
    operationId: 'createOrder',
    handlers: { createOrder: createOrderHandler({ isRefused: () => false }) },
  },
  {
    name: 'makes two orders of one cart when asked twice at once',
    operationId: 'createOrder',
    handlers: { createOrder: orderTwice },
  },
  {
    name: 'stores an order under another id than it answers',
    operationId: 'createOrder',
    handlers: {
      createOrder: async (input, shop) => {
        const answer = await createOrderHandler({})(input, shop);
        const id = shop.newId();
        return { body: { ...(answer.body as Json), id }, headers: { Location: `/api/orders/${id}` } };
      },
    },
  },
  {
    name: 'puts a new order last',
    operationId: 'createOrder',
    handlers: {
      createOrder: createOrderHandler({
        next: (state, order) => ({ ...state, cartItems: [], orders: [...state.orders, order] }),
      }),
    },
  },
  {
    name: 'lists the oldest order first',
    operationId: 'listOrders',
    tamper: changeBodies('listOrders', (orders) => orders.toReversed()),
  },
  {
    name: 'keeps the newest order only',
    operationId: 'createOrder',
    handlers: {
      createOrder: createOrderHandler({ next: (state, order) => ({ ...state, cartItems: [], orders: [order] }) }),
    },
  },
  {
    name: 'estimates an order by the slowest delivery option',
    operationId: 'createOrder',
    handlers: { createOrder: createOrderHandler({ estimate: (nowMs) => nowMs + SLOWEST_DAYS * DAY_MS }) },
  },
  {
    name: 'estimates an order as a span instead of a moment',
    operationId: 'createOrder',
    handlers: { createOrder: createOrderHandler({ estimate: (_nowMs, days) => days * DAY_MS }) },
  },
  {
    name: 'gives the time of an order as text',
    operationId: 'createOrder',
    tamper: ordersOf('createOrder', (order) => ({ ...order, orderTimeMs: new Date(order.orderTimeMs).toISOString() })),
  },
  {
    name: 'gives the time of an order in seconds',
    operationId: 'createOrder',
    tamper: ordersOf('createOrder', (order) => ({ ...order, orderTimeMs: Math.floor(order.orderTimeMs / 1000) })),
  },
  {
    name: 'answers an order with one of each product, whatever its quantity',
    operationId: 'createOrder',
    tamper: ordersOf(
      'createOrder',
      ofProducts((product) => ({ ...product, quantity: 1 })),
    ),
  },
  {
    name: 'adds the delivery option to the products of an order',
    operationId: 'createOrder',
    tamper: ordersOf(
      'createOrder',
      ofProducts((product) => ({ ...product, deliveryOptionId: '1' })),
    ),
  },
  {
    name: 'leaves out the total in the list of orders',
    operationId: 'listOrders',
    tamper: ordersOf('listOrders', ({ totalCostCents: _, ...order }) => order),
  },
  {
    name: 'gives the newest order, whichever is asked for',
    operationId: 'getOrder',
    tamper: respondInstead(
      'getOrder',
      (asked) => asked.method === 'GET',
      async (asked, pass) => {
        const answer = await pass(asked);
        if (answer.status !== 200) return answer;
        const query = asked.target.split('?')[1];
        const list = await pass({ ...asked, target: `/api/orders${query === undefined ? '' : `?${query}`}` });
        return replaceBody(answer, parseBody(list)[0]);
      },
    ),
  },
  {
    name: 'answers 200 and null for an order that there is not',
    operationId: 'getOrder',
    tamper: respondInstead(
      'getOrder',
      () => true,
      async (asked, pass) => {
        const answer = await pass(asked);
        return answer.status === 404 ? toJsonResponse(answer, null) : answer;
      },
    ),
  },
  {
    name: 'ignores expand for one order',
    operationId: 'getOrder',
    tamper: changeRequests('getOrder', (asked) => ({
      ...asked,
      target: asked.target.replace(/\?expand=products$/, ''),
    })),
  },
  {
    name: 'gives null for the products of the orders that are expanded',
    operationId: 'listOrders',
    tamper: ordersOf(
      'listOrders',
      ofProducts((entry) => ('product' in entry ? { ...entry, product: null } : entry)),
    ),
  },
  {
    name: 'does not restore the cart at a reset',
    operationId: 'resetData',
    handlers: {
      resetData: async (_input, shop) => {
        const { cartItems } = shop.read();
        await shop.reset();
        await shop.update((state) => ({ next: { ...state, cartItems }, result: undefined }));
        return {};
      },
    },
  },
  {
    name: 'empties the cart at a reset',
    operationId: 'resetData',
    handlers: {
      resetData: async (_input, shop) => {
        await shop.reset();
        await shop.update((state) => ({ next: { ...state, cartItems: [] }, result: undefined }));
        return {};
      },
    },
  },
  {
    name: 'leaves the orders at a reset',
    operationId: 'resetData',
    handlers: {
      resetData: async (_input, shop) => {
        const { orders } = shop.read();
        await shop.reset();
        await shop.update((state) => ({ next: { ...state, orders }, result: undefined }));
        return {};
      },
    },
  },
  {
    name: 'answers a reset and does nothing',
    operationId: 'resetData',
    handlers: { resetData: () => ({}) },
  },
  {
    name: 'answers a reset with 200 and a message',
    operationId: 'resetData',
    handlers: {
      resetData: async (_input, shop) => {
        await shop.reset();
        return { status: 200, body: { message: 'the data was reset' } };
      },
    },
  },
  {
    name: 'resets by GET too',
    operationId: 'resetData',
    tamper: () => (asked, pass) =>
      pass(asked.method === 'GET' && getPath(asked.target) === '/api/reset' ? { ...asked, method: 'POST' } : asked),
  },
];
