import {
  createAddHandler,
  createRemoveHandler,
  createUpdateHandler,
  loseUpdates,
  replaceItem,
} from './cart-handlers.ts';
import type { Defect } from './defect.ts';
import { assertDeliveryOption, changeCart, getItem } from './plain-shop.ts';
import type { Forward, ProxyRequest, ProxyResponse, Tamper } from './proxy.ts';
import {
  changeBodies,
  changeInputs,
  getPath,
  isSuccess,
  type Json,
  parseBody,
  replaceBody,
  respondInstead,
} from './tamper.ts';

/** The number of requests after which a forgetful shop loses the content of its cart. */
const FORGETFUL_AFTER = 10;

const isAny = () => true;
const takeAny = () => {};

/** Removes all items from the cart through the API of the shop. */
async function emptyCart(request: ProxyRequest, pass: Forward): Promise<void> {
  const cart = await pass({ ...request, method: 'GET', target: '/api/cart-items', body: Buffer.alloc(0) });
  for (const { productId } of parseBody(cart)) {
    await pass({ ...request, method: 'DELETE', target: `/api/cart-items/${productId}`, body: Buffer.alloc(0) });
  }
}

/** Creates a defect: the shop loses the content of its cart after every 10 requests. */
function forgetful(): Tamper {
  let requests = 0;
  return async (request, pass) => {
    requests += 1;
    if (requests % FORGETFUL_AFTER === 0) await emptyCart(withoutBody(request), pass);
    return pass(request);
  };
}

function withoutBody(request: ProxyRequest): ProxyRequest {
  const headers = request.headers.filter(([name]) => !/^(content-|transfer-|expect)/i.test(name));
  return { ...request, headers, body: Buffer.alloc(0) };
}

/** Stores the quantity of an update before the shop validates the rest of the update. */
async function inTwoSteps(request: ProxyRequest, pass: Forward): Promise<ProxyResponse> {
  const { quantity } = parseBody(request) ?? {};
  if (quantity !== undefined) await pass(replaceBody(request, { quantity }));
  return pass(request);
}

/** Treats an update as a complete item: a missing delivery option gets the default value of a new item. */
function asWhole(body: Json): Json {
  return 'quantity' in body && !('deliveryOptionId' in body) ? { ...body, deliveryOptionId: '1' } : body;
}

/** Responds with 204 to a request that removes an unknown item. */
async function always204(request: ProxyRequest, pass: Forward): Promise<ProxyResponse> {
  const response = await pass(request);
  return response.status === 404 ? { status: 204, headers: noType(response), body: Buffer.alloc(0) } : response;
}

function noType({ headers }: ProxyResponse) {
  return headers.filter(([name]) => name.toLowerCase() !== 'content-type');
}

/** Defects of operations that read or change the cart. */
export const cartDefects: readonly Defect[] = [
  {
    name: 'gives all new cart items the same id',
    operationId: 'addCartItem',
    tamper: changeBodies('addCartItem', (item) => ({ ...item, id: 1 })),
  },
  {
    name: 'changes the id of a cart item on an update',
    operationId: 'updateCartItem',
    tamper: changeBodies('updateCartItem', (item) => ({ ...item, id: item.id + 100 })),
  },
  {
    name: 'accepts a product that is not in the catalogue',
    operationId: 'addCartItem',
    handlers: createAddHandler(replaceItem, { demand: takeAny }),
  },
  {
    name: 'overwrites the quantity if the added product is already in the cart',
    operationId: 'addCartItem',
    handlers: createAddHandler((cart, sum, added) => replaceItem(cart, { ...sum, quantity: added.quantity })),
  },
  {
    name: 'resets the delivery option if the added product is already in the cart',
    operationId: 'addCartItem',
    handlers: createAddHandler((cart, sum) => replaceItem(cart, { ...sum, deliveryOptionId: '1' })),
  },
  {
    name: 'adds a second item of the same product to the cart',
    operationId: 'addCartItem',
    handlers: createAddHandler((cart, _sum, added) => [...cart, added]),
  },
  {
    name: 'moves an item to the end when its product is added again',
    operationId: 'addCartItem',
    handlers: createAddHandler((cart, sum) => [...cart.filter(({ productId }) => productId !== sum.productId), sum]),
  },
  {
    name: 'adds a new item at the start of the cart instead of the end',
    operationId: 'addCartItem',
    handlers: createAddHandler((cart, sum, _added, present) => (present ? replaceItem(cart, sum) : [sum, ...cart])),
  },
  {
    name: 'selects the fastest delivery option for a new item',
    operationId: 'addCartItem',
    handlers: createAddHandler((cart, sum, _added, present) =>
      replaceItem(cart, present ? sum : { ...sum, deliveryOptionId: '3' }),
    ),
  },
  {
    name: 'limits the quantity after an addition to 10',
    operationId: 'addCartItem',
    handlers: createAddHandler((cart, sum) => replaceItem(cart, { ...sum, quantity: Math.min(sum.quantity, 10) })),
  },
  ...[100, 999, 65_535].map((most) => ({
    name: `limits the quantity after an addition to ${most}`,
    operationId: 'addCartItem' as const,
    handlers: createAddHandler((cart, sum, _added, present) =>
      replaceItem(cart, {
        ...sum,
        quantity: present ? Math.max(present.quantity, Math.min(sum.quantity, most)) : sum.quantity,
      }),
    ),
  })),
  {
    name: 'rejects additions that reach exactly 1,000,000',
    operationId: 'addCartItem',
    handlers: createAddHandler(replaceItem, { limit: 999_999 }),
  },
  {
    name: 'responds to an addition with the added quantity instead of the sum',
    operationId: 'addCartItem',
    tamper: () => async (request, pass) => {
      const response = await pass(request);
      const isAdded = request.method === 'POST' && getPath(request.target) === '/api/cart-items' && isSuccess(response);
      return isAdded
        ? replaceBody(response, { ...parseBody(response), quantity: parseBody(request).quantity })
        : response;
    },
  },
  {
    name: 'loses one of two concurrent additions',
    operationId: 'addCartItem',
    handlers: { addCartItem: loseUpdates },
  },
  {
    name: 'accepts a delivery option that does not exist',
    operationId: 'updateCartItem',
    handlers: createUpdateHandler(replaceItem, takeAny),
  },
  {
    name: 'ignores the delivery option of an update',
    operationId: 'updateCartItem',
    tamper: changeInputs('updateCartItem', ({ deliveryOptionId: _, ...rest }) => rest),
  },
  {
    name: 'ignores the quantity of an update',
    operationId: 'updateCartItem',
    tamper: changeInputs('updateCartItem', ({ quantity: _, ...rest }) => rest),
  },
  {
    name: 'ignores the delivery option of an update if it is a number',
    operationId: 'updateCartItem',
    tamper: changeInputs('updateCartItem', (body) =>
      typeof body.deliveryOptionId === 'number' ? { quantity: body.quantity } : body,
    ),
  },
  {
    name: 'moves an item to the end of the cart when it is updated',
    operationId: 'updateCartItem',
    handlers: createUpdateHandler((cart, changed) => [
      ...cart.filter(({ productId }) => productId !== changed.productId),
      changed,
    ]),
  },
  {
    name: 'stores the quantity of an update that it rejects because of the delivery option',
    operationId: 'updateCartItem',
    tamper: respondInstead('updateCartItem', isAny, inTwoSteps),
  },
  {
    name: 'resets the delivery option when only the quantity is updated',
    operationId: 'updateCartItem',
    tamper: changeInputs('updateCartItem', asWhole),
  },
  {
    name: 'adds the quantity of an update to that of the item',
    operationId: 'updateCartItem',
    handlers: createUpdateHandler((cart, changed) =>
      replaceItem(cart, { ...changed, quantity: changed.quantity + getItem(cart, changed.productId).quantity }),
    ),
  },
  {
    name: 'responds to an update with success, but does not store it',
    operationId: 'updateCartItem',
    handlers: createUpdateHandler((cart) => cart),
  },
  {
    name: 'responds to an update with the previous item',
    operationId: 'updateCartItem',
    handlers: {
      updateCartItem: async ({ path, body }, shop) => {
        const before = getItem(shop.read().cartItems, path.productId);
        const deliveryOptionId = String(body?.deliveryOptionId ?? before.deliveryOptionId);
        await changeCart(shop, (cart, state) => {
          assertDeliveryOption(state, deliveryOptionId);
          return replaceItem(cart, { ...before, quantity: body?.quantity ?? before.quantity, deliveryOptionId });
        });
        return { body: before };
      },
    },
  },
  {
    name: 'adds a product to the cart if it is updated but not in the cart',
    operationId: 'updateCartItem',
    handlers: {
      updateCartItem: async ({ path, body }, shop) => {
        const cart = await changeCart(shop, (cart, state) => {
          const present = cart.find(({ productId }) => productId === path.productId);
          const deliveryOptionId = String(body?.deliveryOptionId ?? present?.deliveryOptionId ?? '1');
          assertDeliveryOption(state, deliveryOptionId);
          const quantity = body?.quantity ?? present?.quantity ?? 1;
          return replaceItem(cart, { productId: path.productId, quantity, deliveryOptionId });
        });
        return { body: getItem(cart, path.productId) };
      },
    },
  },
  {
    name: 'responds to a removal with success, but removes nothing',
    operationId: 'removeCartItem',
    handlers: createRemoveHandler((cart) => cart),
  },
  {
    name: 'responds with 204 to the removal of a product that is not in the cart',
    operationId: 'removeCartItem',
    tamper: respondInstead('removeCartItem', isAny, always204),
  },
  {
    name: 'removes all items instead of one',
    operationId: 'removeCartItem',
    handlers: createRemoveHandler(() => []),
  },
  {
    name: 'removes one unit instead of the item',
    operationId: 'removeCartItem',
    handlers: createRemoveHandler((cart, item) => {
      if (item.quantity > 1) return replaceItem(cart, { ...item, quantity: item.quantity - 1 });
      return cart.filter((other) => other !== item);
    }),
  },
  {
    name: 'loses the cart on every tenth request',
    operationId: undefined,
    tamper: forgetful,
  },
  {
    name: 'empties the cart when the summary is read',
    operationId: 'getPaymentSummary',
    tamper: respondInstead('getPaymentSummary', isAny, async (request, pass) => {
      const response = await pass(request);
      await emptyCart(withoutBody(request), pass);
      return response;
    }),
  },
  {
    name: 'lists the cart by quantity',
    operationId: 'listCartItems',
    tamper: changeBodies('listCartItems', (items) => items.toSorted((a: Json, b: Json) => a.quantity - b.quantity)),
  },
];
