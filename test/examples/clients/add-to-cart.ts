import createClient from 'openapi-fetch';
import type { paths } from 'storefront';

// With a proxy, requests go to the origin of the app. Without one: { baseUrl: 'http://localhost:3000' }.
const client = createClient<paths>({ baseUrl: '' });

/** Adds a product to the cart. Returns a message for the user. */
export async function addToCart(productId: string): Promise<string> {
  const { data, error, response } = await client.POST('/api/cart-items', { body: { productId, quantity: 1 } });
  if (data) return `${data.quantity} in the cart`;
  // A proxy or a gateway can respond without a problem document.
  return error?.message ?? `The server responded with ${response.status}.`;
}
