import type { OperationId } from '../../../src/shop/types.ts';
import type { Defect } from './defect.ts';
import { createOrderHandler } from './plain-shop.ts';
import {
  changeBodies,
  changeRequests,
  changeResponses,
  getHeader,
  type Json,
  parseBody,
  withHeader,
  withQuery,
} from './tamper.ts';

/** Creates a defect: a list contains at most `length` entries. */
function ending(operationId: OperationId, length: number, what: string): Defect {
  const tamper = changeBodies(operationId, (entries) => entries.slice(0, length));
  return { name: `lists ${length} ${what} at most`, operationId, tamper };
}

/** Creates a defect: an order contains at most `length` products. */
function shortened(operationId: 'listOrders' | 'getOrder', length: number): Defect {
  const cut = (order: Json) => ({ ...order, products: order.products.slice(0, length) });
  const tamper = changeBodies(operationId, (body) => (Array.isArray(body) ? body.map(cut) : cut(body)));
  return { name: `returns at most ${length} products of an order in ${operationId}`, operationId, tamper };
}

/** The number of orders from which the shop sorts them incorrectly. */
const FIRST_PAGE = 10;

/** Creates a defect of the pages of orders. `change` changes the query parameters of each request for a list of orders. */
function wrongPages(name: string, change: (query: URLSearchParams) => void): Defect {
  const tamper = changeRequests('listOrders', (request) => ({
    ...request,
    target: withQuery(request.target, (text) => {
      const query = new URLSearchParams(text);
      change(query);
      return String(query);
    }),
  }));
  return { name, operationId: 'listOrders', tamper };
}

/** Defects of pages of lists. */
const pageDefects: readonly Defect[] = [
  wrongPages('ignores after in listOrders', (query) => query.delete('after')),
  wrongPages('ignores limit in listOrders', (query) => query.delete('limit')),
  {
    name: 'counts only the products on the page',
    operationId: 'listProducts',
    tamper: changeResponses('listProducts', (response) => {
      if (getHeader(response, 'X-Total-Count') === undefined) return response;
      return withHeader(response, 'X-Total-Count', String(parseBody(response).length));
    }),
  },
  {
    name: 'links to the first page of the products',
    operationId: 'listProducts',
    tamper: changeResponses('listProducts', (response) => {
      const link = getHeader(response, 'Link');
      return link === undefined ? response : withHeader(response, 'Link', link.replace(/&after=[^>]*/, ''));
    }),
  },
];

/** Defects of pages and of long lists. */
export const listDefects: readonly Defect[] = [
  ...pageDefects,
  ending('listProducts', 20, 'products'),
  ending('listCartItems', 20, 'items of the cart'),
  ending('listCartItems', 30, 'items of the cart'),
  ending('listOrders', 20, 'orders'),
  ending('listOrders', 50, 'orders'),
  shortened('listOrders', 20),
  shortened('getOrder', 20),
  {
    name: 'lists the orders after the tenth in the wrong order',
    operationId: 'listOrders',
    tamper: changeBodies('listOrders', (orders) => [
      ...orders.slice(0, FIRST_PAGE),
      ...orders.slice(FIRST_PAGE).toReversed(),
    ]),
  },
  {
    name: 'stores only the last twenty orders',
    operationId: 'createOrder',
    handlers: {
      createOrder: createOrderHandler({
        next: (state, order) => ({ ...state, cartItems: [], orders: [order, ...state.orders].slice(0, 20) }),
      }),
    },
  },
  {
    name: 'orders only the first twenty items of the cart',
    operationId: 'createOrder',
    handlers: {
      createOrder: createOrderHandler({
        next: (state, order) => ({ ...state, cartItems: state.cartItems.slice(20), orders: [order, ...state.orders] }),
      }),
    },
  },
  {
    name: 'expands only the first twenty items of the cart',
    operationId: 'listCartItems',
    tamper: changeBodies('listCartItems', (items) =>
      items.map((item: Json, place: number) => {
        const { product: _, ...plain } = item;
        return place < 20 ? item : plain;
      }),
    ),
  },
];
