import createClient from 'openapi-fetch';
import type { Product, paths } from 'storefront';

const client = createClient<paths>({ baseUrl: 'http://localhost:3000' });

export async function cheapProducts(): Promise<Product[]> {
  const { data = [] } = await client.GET('/api/products');
  return data.filter(({ priceCents }) => priceCents < 2_000);
}
