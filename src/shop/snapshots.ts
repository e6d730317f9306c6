import { createIdGenerator } from '../sandbox/id-generator.ts';
import { createRandom } from '../util/random.ts';
import { createOrderFromCart } from './domain/order.ts';
import type { State } from './state.ts';

/** The number of orders in the snapshot `many-orders`. */
const ORDERS = 200;

/** The time between two consecutive orders in the snapshot `many-orders`, in ms. */
const ORDER_INTERVAL_MS = 5_400_000;

/** The maximum number of products in an order of the snapshot `many-orders`. */
const MAX_ORDER_PRODUCTS = 5;

/** The time of the newest order in the snapshot `many-orders`, in ms since 1970. */
const NEWEST_ORDER_TIME_MS = Date.UTC(2025, 5, 1, 12);

/** The built-in snapshots of the shop. Each function takes the default data and returns the data of one snapshot. */
export const snapshots: Readonly<Record<string, (defaults: State) => State>> = {
  'empty-cart': (defaults) => ({ ...defaults, cartItems: [] }),
  'full-cart': (defaults) => ({ ...defaults, cartItems: createFullCart(defaults) }),
  'many-orders': (defaults) => ({ ...defaults, orders: createOrders(defaults) }),
  'one-product': (defaults) => ({ ...defaults, products: defaults.products.slice(0, 1), cartItems: [], orders: [] }),
  'no-products': (defaults) => ({ ...defaults, products: [], cartItems: [], orders: [] }),
};

function createFullCart({ products, deliveryOptions: [option] }: State): State['cartItems'] {
  return option
    ? products.map(({ id: productId }, index) => ({
        id: index + 1,
        productId,
        quantity: 1,
        deliveryOptionId: option.id,
      }))
    : [];
}

/** Creates orders with random products and quantities, the newest first. The random seed is fixed, so the same default data always gives the same orders. */
function createOrders(defaults: State): State['orders'] {
  const { products, deliveryOptions } = defaults;
  if (products.length === 0 || deliveryOptions.length === 0) return [];
  const random = createRandom(1);
  const idGenerator = createIdGenerator(() => '');
  idGenerator.setSeed(1);
  return Array.from({ length: ORDERS }, (_, index) => {
    const count = random.integer(1, Math.min(MAX_ORDER_PRODUCTS, products.length));
    const first = random.integer(0, products.length - count);
    const cart = products.slice(first, first + count).map(({ id }) => ({
      productId: id,
      quantity: random.integer(1, 10),
      deliveryOptionId: random.pick(deliveryOptions).id,
    }));
    return createOrderFromCart(cart, defaults, {
      id: idGenerator.next(),
      orderTimeMs: NEWEST_ORDER_TIME_MS - index * ORDER_INTERVAL_MS,
    });
  });
}
