import type { OperationId } from '../../../src/shop/types.ts';
import type { Defect } from './defect.ts';
import { createOrderHandler } from './plain-shop.ts';
import { changeBodies, type Json } from './tamper.ts';

/** Returns a defect that truncates a list. */
function ending(operationId: OperationId, length: number, what: string): Defect {
  const tamper = changeBodies(operationId, (entries) => entries.slice(0, length));
  return { name: `lists ${length} ${what} at most`, operationId, tamper };
}

/** Truncates the list of products in orders. */
function shortened(operationId: 'listOrders' | 'getOrder', length: number): Defect {
  const cut = (order: Json) => ({ ...order, products: order.products.slice(0, length) });
  const tamper = changeBodies(operationId, (body) => (Array.isArray(body) ? body.map(cut) : cut(body)));
  return { name: `returns at most ${length} products of an order in ${operationId}`, operationId, tamper };
}

/** The number of orders from which on the shop sorts them incorrectly. */
const FIRST_PAGE = 10;

/** Defects of long lists. */
export const listDefects: readonly Defect[] = [
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
