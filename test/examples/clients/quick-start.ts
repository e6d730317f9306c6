import createClient from 'openapi-fetch';
import type { Product, paths } from 'storefront';

// With a proxy, requests go to the origin of the app. Without one: { baseUrl: 'http://localhost:3000' }.
const client = createClient<paths>({ baseUrl: '' });

/** Returns the products that a term finds. */
export async function searchProducts(search: string): Promise<Product[]> {
  const { data = [] } = await client.GET('/api/products', { params: { query: { search } } });
  return data;
}

/** Adds a product to the cart. Returns a message for the user. */
export async function addToCart(productId: string): Promise<string> {
  const { error, response } = await client.POST('/api/cart-items', { body: { productId, quantity: 1 } });
  if (!response.ok) return getErrorMessage(response, error);
  const { data: summary } = await client.GET('/api/payment-summary');
  return `${summary?.totalItems} units in the cart`;
}

/** Restores the default data. The response has no body. */
export async function reset(): Promise<string> {
  const { error, response } = await client.POST('/api/reset');
  return response.ok ? 'Reset.' : getErrorMessage(response, error);
}

/** A proxy or a gateway can respond without a problem document. */
function getErrorMessage({ status }: Response, error: { message: string } | undefined): string {
  return error?.message ?? `The server responded with ${status}.`;
}
