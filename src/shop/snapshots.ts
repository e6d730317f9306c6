import { createIdGenerator } from '../sandbox/id-generator.ts';
import { createRandom } from '../util/random.ts';
import { createOrderFromCart } from './domain/order.ts';
import type { State } from './state.ts';

/** How many orders the snapshot with many of them has, how far they are apart, in ms, and how many products each has at most. */
const ORDERS = 200;
const APART_MS = 5_400_000;
const PRODUCTS_ORDERED = 5;

/** When the last of these was made, in ms since 1970. */
const LAST_MS = Date.UTC(2025, 5, 1, 12);

/** The built-in snapshots of the shop, made from the default data. */
export const snapshots: Readonly<Record<string, (defaults: State) => State>> = {
  'empty-cart': (defaults) => ({ ...defaults, cartItems: [] }),
  'full-cart': (defaults) => ({ ...defaults, cartItems: createFullCart(defaults) }),
  'many-orders': (defaults) => ({ ...defaults, orders: createOrders(defaults) }),
  'one-product': (defaults) => ({ ...defaults, products: defaults.products.slice(0, 1), cartItems: [], orders: [] }),
  'no-products': (defaults) => ({ ...defaults, products: [], cartItems: [], orders: [] }),
};

function createFullCart({ products, deliveryOptions: [option] }: State): State['cartItems'] {
  return option ? products.map(({ id }) => ({ productId: id, quantity: 1, deliveryOptionId: option.id })) : [];
}

/** Orders of all kinds, the same for the same data; the one made last first. */
function createOrders(defaults: State): State['orders'] {
  const { products, deliveryOptions } = defaults;
  if (products.length === 0 || deliveryOptions.length === 0) return [];
  const random = createRandom(1);
  const ids = createIdGenerator(() => '');
  ids.use(1);
  return Array.from({ length: ORDERS }, (_, place) => {
    const count = random.integer(1, Math.min(PRODUCTS_ORDERED, products.length));
    const first = random.integer(0, products.length - count);
    const cart = products.slice(first, first + count).map(({ id }) => ({
      productId: id,
      quantity: random.integer(1, 10),
      deliveryOptionId: random.pick(deliveryOptions).id,
    }));
    return createOrderFromCart(cart, defaults, { id: ids.next(), orderTimeMs: LAST_MS - place * APART_MS });
  });
}
