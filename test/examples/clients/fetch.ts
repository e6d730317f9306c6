// Uses the exported types without a client, as front ends and tests do.
import type {
  CartItem,
  DeliveryOption,
  Order,
  OrderProduct,
  PaymentSummary,
  Problem,
  Product,
  paths,
} from 'storefront';
import type { State } from 'storefront/playwright';
import { startStorefront } from 'storefront/testing';

type Products = paths['/api/products']['get']['responses']['200']['content']['application/json'];

const get = async <T>(path: string): Promise<T> => (await fetch(`http://localhost:3000${path}`)).json() as Promise<T>;

export async function checkout(): Promise<{ options: DeliveryOption[]; summary: PaymentSummary; products: Product[] }> {
  const products: Products = await get('/api/products');
  return { options: await get('/api/delivery-options'), summary: await get('/api/payment-summary'), products };
}

/** Fixtures are built from mutable arrays. */
export function createOrder(cart: CartItem[], estimatedDeliveryTimeMs: number): Order {
  const lines: OrderProduct[] = [];
  for (const { productId, quantity } of cart) lines.push({ productId, quantity, estimatedDeliveryTimeMs });
  const order: Order = { id: crypto.randomUUID(), orderTimeMs: 0, totalCostCents: 0, products: [] };
  order.products.push(...lines);
  return order;
}

export const formatProblem = ({ detail, violations = [] }: Problem): string =>
  [detail, ...violations.map(({ remedy }) => remedy)].join('\n');

/** The state of a sandbox has the same types, and can be replaced in parts. */
export async function removeFirstItem(): Promise<Product[]> {
  await using shop = await startStorefront();
  const state: State = await shop.default.state();
  const { products, cartItems }: { products: Product[]; cartItems: CartItem[] } = state;
  await shop.default.setState({ cartItems: cartItems.slice(1) });
  return products;
}
