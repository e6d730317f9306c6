// Reads lists, items and problems with each version of openapi-fetch that the exported types support.
import createClient from 'openapi-fetch';
import createClient13 from 'openapi-fetch-0.13';
import createClient14 from 'openapi-fetch-0.14';
import createClient15 from 'openapi-fetch-0.15';
import createClient16 from 'openapi-fetch-0.16';
import type { CartItem, Order, Product, paths } from 'storefront';

const baseUrl = 'http://localhost:3000';
const client = createClient<paths>({ baseUrl });
const client13 = createClient13<paths>({ baseUrl });
const client14 = createClient14<paths>({ baseUrl });
const client15 = createClient15<paths>({ baseUrl });
const client16 = createClient16<paths>({ baseUrl });

/** Lists, also nested ones, have the methods of arrays. */
export async function findKeywords(search: string): Promise<string[]> {
  const { data = [], error } = await client.GET('/api/products', { params: { query: { search } } });
  if (error) throw new Error(error.violations?.map(({ remedy }) => remedy).join('; ') ?? error.detail);
  return data.filter(({ priceCents }) => priceCents < 5_000).flatMap(({ keywords }) => keywords.map((word) => word));
}

/** Responses have the types that the package exports by name. */
export async function loadAll(): Promise<{ products: Product[]; cart: CartItem[]; orders: Order[] }> {
  const { data: products = [] } = await client.GET('/api/products');
  const { data: cart = [] } = await client.GET('/api/cart-items', { params: { query: { expand: 'product' } } });
  const { data: orders = [] } = await client.GET('/api/orders', { params: { query: { expand: 'products' } } });
  return { products, cart, orders };
}

export async function countUnits(orderId: string): Promise<number> {
  const { data } = await client.GET('/api/orders/{orderId}', { params: { path: { orderId } } });
  return data?.products.reduce((sum, { quantity }) => sum + quantity, 0) ?? 0;
}

/** Earlier versions infer the same types. */
export async function loadWithEachVersion(): Promise<Product[][]> {
  const { data: from13 = [] } = await client13.GET('/api/products');
  const { data: from14 = [] } = await client14.GET('/api/products');
  const { data: from15 = [] } = await client15.GET('/api/products');
  const { data: from16 = [] } = await client16.GET('/api/products');
  return [from13, from14, from15, from16].map((products) => products.filter(({ keywords }) => keywords.length > 0));
}

export async function rejectedByTheCompiler(): Promise<void> {
  const { data = [] } = await client.GET('/api/products');
  // @ts-expect-error a product has no colour
  data.map(({ colour }) => colour);
  // @ts-expect-error there is no such path
  await client.GET('/api/product');
}
