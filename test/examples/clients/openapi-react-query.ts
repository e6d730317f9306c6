// Reads and changes the cart with openapi-react-query.
import createFetchClient from 'openapi-fetch';
import createClient from 'openapi-react-query';
import type { CartItem, NewCartItem, Product, paths } from 'storefront/testing';

const api = createClient(createFetchClient<paths>({ baseUrl: 'http://localhost:3000' }));

export function useProducts(search: string): Product[] {
  const { data } = api.useQuery('get', '/api/products', { params: { query: { search } } });
  return data?.filter(({ keywords }) => keywords.some((word) => word !== '')) ?? [];
}

export function useCart(): { items: CartItem[]; names: string[]; add: (item: NewCartItem) => void } {
  const { data: items } = api.useSuspenseQuery('get', '/api/cart-items', { params: { query: { expand: 'product' } } });
  const { mutate } = api.useMutation('post', '/api/cart-items');
  return { items, names: items.map(({ product }) => product?.name ?? ''), add: (body) => mutate({ body }) };
}
