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

/** The time between the creation of an order and the removal of its items from the cart, in ms, for a shop with a race condition. */
const RACE_MS = 10;

/** The number of days of the slowest delivery option. */
const SLOWEST_DAYS = 7;

const orderOnce = createOrderHandler({ next: (state, order) => ({ ...state, orders: [order, ...state.orders] }) });

/** A handler of `createOrder` with a race condition: it creates the order, and empties the cart some time later. */
const orderTwice: WrongHandler<'createOrder'> = async (input, shop) => {
  const response = await orderOnce(input, shop);
  await wait(RACE_MS);
  await shop.update((state) => ({ next: { ...state, cartItems: [] }, result: undefined }));
  return response;
};

/** Creates a defect that changes each order in the responses of an operation. */
function changeOrders(operationId: 'listOrders' | 'getOrder' | 'createOrder', change: (order: Json) => Json) {
  return changeBodies(operationId, (body) => (Array.isArray(body) ? body.map(change) : change(body)));
}

/** Returns a function that changes each product of an order. */
function changeProducts(change: (product: Json) => Json) {
  return (order: Json) => ({ ...order, products: order.products.map(change) });
}

/** Defects of operations that create, read and list orders, and of the reset. */
export const orderDefects: readonly Defect[] = [
  {
    name: 'responds to an order with success, but does not store it',
    operationId: 'createOrder',
    handlers: { createOrder: createOrderHandler({ next: (state) => ({ ...state, cartItems: [] }) }) },
  },
  {
    name: 'does not empty the cart after an order',
    operationId: 'createOrder',
    handlers: { createOrder: orderOnce },
  },
  {
    name: 'accepts an order from an empty cart',
    operationId: 'createOrder',
    handlers: { createOrder: createOrderHandler({ isRefused: () => false }) },
  },
  {
    name: 'creates two orders of one cart for two concurrent requests',
    operationId: 'createOrder',
    handlers: { createOrder: orderTwice },
  },
  {
    name: 'stores an order with another id than in its response',
    operationId: 'createOrder',
    handlers: {
      createOrder: async (input, shop) => {
        const response = await createOrderHandler({})(input, shop);
        const id = shop.newId();
        return { body: { ...(response.body as Json), id }, headers: { Location: `/api/orders/${id}` } };
      },
    },
  },
  {
    name: 'adds a new order at the end of the list',
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
    name: 'stores only the newest order',
    operationId: 'createOrder',
    handlers: {
      createOrder: createOrderHandler({ next: (state, order) => ({ ...state, cartItems: [], orders: [order] }) }),
    },
  },
  {
    name: 'estimates the delivery of an order with the slowest delivery option',
    operationId: 'createOrder',
    handlers: { createOrder: createOrderHandler({ estimate: (nowMs) => nowMs + SLOWEST_DAYS * DAY_MS }) },
  },
  {
    name: 'returns the delivery estimates of an order as durations instead of times',
    operationId: 'createOrder',
    handlers: { createOrder: createOrderHandler({ estimate: (_nowMs, days) => days * DAY_MS }) },
  },
  {
    name: 'returns the time of an order as text',
    operationId: 'createOrder',
    tamper: changeOrders('createOrder', (order) => ({
      ...order,
      orderTimeMs: new Date(order.orderTimeMs).toISOString(),
    })),
  },
  {
    name: 'returns the time of an order in seconds',
    operationId: 'createOrder',
    tamper: changeOrders('createOrder', (order) => ({ ...order, orderTimeMs: Math.floor(order.orderTimeMs / 1000) })),
  },
  {
    name: 'responds to an order with the quantity 1 for each product',
    operationId: 'createOrder',
    tamper: changeOrders(
      'createOrder',
      changeProducts((product) => ({ ...product, quantity: 1 })),
    ),
  },
  {
    name: 'adds the delivery option to the products of an order',
    operationId: 'createOrder',
    tamper: changeOrders(
      'createOrder',
      changeProducts((product) => ({ ...product, deliveryOptionId: '1' })),
    ),
  },
  {
    name: 'omits the total in the list of orders',
    operationId: 'listOrders',
    tamper: changeOrders('listOrders', ({ totalCostCents: _, ...order }) => order),
  },
  {
    name: 'returns the newest order for every order id',
    operationId: 'getOrder',
    tamper: respondInstead(
      'getOrder',
      (request) => request.method === 'GET',
      async (request, pass) => {
        const response = await pass(request);
        if (response.status !== 200) return response;
        const query = request.target.split('?')[1];
        const list = await pass({ ...request, target: `/api/orders${query === undefined ? '' : `?${query}`}` });
        return replaceBody(response, parseBody(list)[0]);
      },
    ),
  },
  {
    name: 'responds to a request for an unknown order with 200 and null',
    operationId: 'getOrder',
    tamper: respondInstead(
      'getOrder',
      () => true,
      async (request, pass) => {
        const response = await pass(request);
        return response.status === 404 ? toJsonResponse(response, null) : response;
      },
    ),
  },
  {
    name: 'ignores expand for one order',
    operationId: 'getOrder',
    tamper: changeRequests('getOrder', (request) => ({
      ...request,
      target: request.target.replace(/\?expand=products$/, ''),
    })),
  },
  {
    name: 'returns null for the products of expanded orders',
    operationId: 'listOrders',
    tamper: changeOrders(
      'listOrders',
      changeProducts((entry) => ('product' in entry ? { ...entry, product: null } : entry)),
    ),
  },
  {
    name: 'does not restore the cart on a reset',
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
    name: 'empties the cart on a reset',
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
    name: 'does not remove the orders on a reset',
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
    name: 'responds to a reset with success, but resets nothing',
    operationId: 'resetData',
    handlers: { resetData: () => ({}) },
  },
  {
    name: 'responds to a reset with 200 and a message',
    operationId: 'resetData',
    handlers: {
      resetData: async (_input, shop) => {
        await shop.reset();
        return { status: 200, body: { message: 'the data was reset' } };
      },
    },
  },
  {
    name: 'also resets the data on GET',
    operationId: 'resetData',
    tamper: () => (request, pass) =>
      pass(
        request.method === 'GET' && getPath(request.target) === '/api/reset' ? { ...request, method: 'POST' } : request,
      ),
  },
];
