import type { Handler } from './handler.ts';

/** The catalogue, or what of it the search term means. */
export const listProducts: Handler<'listProducts'> = ({ query }, shop) => {
  const { products } = shop.read();
  return { body: query.search === undefined ? products : shop.search(products, query.search) };
};
